"""The only place that imports private names of inspect-ai (known to work: 0.3.285)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from types import FrameType
from typing import Any, Final

from inspect_ai import Task
from inspect_ai._eval.loader import load_tasks as _load_tasks
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.registry import is_registry_object, registry_info, registry_lookup, registry_params
from inspect_ai.model import CachePolicy, Model
from inspect_ai.solver import Solver, TaskState
from inspect_ai.solver._chain import Chain
from inspect_ai.solver._multiple_choice import parse_answers, set_choices_based_on_generated_response
from inspect_ai.util import Store
from inspect_ai.util._concurrency import init_concurrency
from inspect_ai.util._store import _subtask_store

__all__ = [
    "PrerequisiteError",
    "accepted_arguments",
    "calling_model",
    "forget_connections",
    "is_agent",
    "is_cached",
    "load_task_objects",
    "plain",
    "remark_choices",
    "roles_used",
    "steps",
    "store_instead",
    "tool_names",
]

_GENERATE: Final = signature(Model.generate)


def load_task_objects(spec: str, args: dict[str, Any]) -> list[Task]:
    """Load what ``inspect eval`` would: a registry name, ``file.py`` or ``file.py@task``."""
    return list(_load_tasks([spec], args))


def is_agent(solver: Solver) -> bool:
    """Whether a solver is an agent, which acts in a loop of its own: a registered one, or Inspect's `basic_agent`."""
    if not is_registry_object(solver):
        return False
    name = registry_info(solver).name
    return name.endswith("basic_agent") or registry_lookup("agent", name) is not None


def steps(solver: Any) -> list[Solver]:
    """The solvers of a chain in order; of anything else, itself."""
    if isinstance(solver, (Chain, list, tuple)):
        return [step for part in solver for step in steps(part)]
    return [solver]


def tool_names(solver: Any) -> tuple[str, ...]:
    """Names of the tools its steps were made with, as far as they can be told; each once."""
    made = [registry_params(step) for step in steps(solver) if is_registry_object(step)]
    tools = [tool for params in made for tool in _listed(params.get("tools"))]
    names = (tool.get("name") for tool in tools if isinstance(tool, dict) and tool.get("type") == "tool")
    return tuple(dict.fromkeys(str(name).split("/")[-1] for name in names))


def _listed(given: Any) -> list[Any]:
    return list(given) if isinstance(given, (list, tuple)) else [given]


def remark_choices(state: TaskState) -> None:
    """Mark the choices anew from the present output.

    ``choice()`` scores these marks and not the text, so that a revised answer would else be scored as the first.
    Marks are cleared also where nothing can be parsed: an answer that can't be read is not the one before.
    """
    for index in range(len(state.choices)):
        state.choices.mark_choice(index, False)
    answers = parse_answers(state, multiple_correct=False)
    if answers:
        set_choices_based_on_generated_response(state, answers)


def forget_connections() -> None:
    """Forget the limits on calls in flight that earlier calls of this process were made under.

    An evaluation does so when it starts; calls outside of one would keep a limit of an event loop that is over.
    """
    init_concurrency()


def accepted_arguments(task: Task) -> set[str]:
    """Names of the arguments a loaded task was made with, its defaults among them."""
    return set(registry_params(task)) if is_registry_object(task) else set()


def roles_used(task: Task) -> set[str]:
    """Model roles that a task names itself, or that its solvers and scorers take as an argument."""
    parts = [*steps(task.solver), *(task.scorer if isinstance(task.scorer, list) else [task.scorer])]
    given = [registry_params(part) for part in parts if part is not None and is_registry_object(part)]
    named = {value for params in given for key, value in params.items() if key.endswith("role")}
    return set(task.model_roles or {}) | {value for value in named if isinstance(value, str)}


def calling_model() -> Model | None:
    """The model that is about to be called, asked from within one of Inspect's hooks.

    Inspect gives hooks a model's name and not its role, and the same model may act and judge. The call that runs the
    hook knows.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        caller = frame.f_locals.get("self")
        if isinstance(caller, Model):
            return caller
        frame = frame.f_back
    return None


def is_cached(model: Model, *args: Any, **kwargs: Any) -> bool:
    """Whether Inspect's cache would answer, or keep, a call of ``model.generate`` with these arguments."""
    given = _GENERATE.bind(model, *args, **kwargs).arguments
    cache = given.get("cache")
    if isinstance(cache, (bool, CachePolicy)):
        return cache is not False
    return bool(model._resolve_config(given.get("config")).cache)


@contextmanager
def store_instead(store: Store) -> Iterator[None]:
    """While within, ``inspect_ai.util.store()`` gives this store and not the sample's, which is logged."""
    token = _subtask_store.set(store)
    try:
        yield
    finally:
        _subtask_store.reset(token)


def plain(error: BaseException) -> str:
    """A message of Inspect's without its markup."""
    text = str(getattr(error, "message", None) or error)
    for mark in ("[bold]", "[/bold]", "[blue]", "[/blue]", "ERROR: "):
        text = text.replace(mark, "")
    return " ".join(text.split())
