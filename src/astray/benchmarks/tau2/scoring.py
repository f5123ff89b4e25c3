"""The reward of a conversation, as tau2-bench gives it: each part of a task's basis holds or doesn't."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from astray.benchmarks.tau2.data import Domain
from astray.benchmarks.tau2.environment import Call, Environment

if TYPE_CHECKING:
    from inspect_evals.tau2.data_model.tasks import Action, Task

TRANSFER: Final = "transfer_to_human_agents"

JUDGED: Final = "NL_ASSERTION"
"""The part of a basis that only a grader can tell."""


@dataclass(frozen=True)
class Happened:
    """What came of a conversation.

    Attributes:
        environment: The task's world at the end.
        calls: Every tool call of agent and user, in order.
        said: What the agent said to the user.
    """

    environment: Environment
    calls: Sequence[Call] = ()
    said: Sequence[str] = ()


def golden_calls(task: Task) -> tuple[Call, ...]:
    """The calls of the reference trace."""
    return tuple(Call(action.requestor, action.name, action.arguments) for action in _actions(task))


def golden_words(task: Task) -> tuple[str, ...]:
    """What the agent has to tell the user, whatever else it says."""
    criteria = task.evaluation_criteria
    return tuple(criteria.communicate_info or ()) if criteria else ()


def basis(task: Task) -> tuple[str, ...]:
    """The names of the parts that a task's reward is made of."""
    criteria = task.evaluation_criteria
    return tuple(part.value for part in criteria.reward_basis) if criteria else ()


def assertions(task: Task) -> tuple[str, ...]:
    """The assertions that a grader has to judge for the reward; none where they don't count for it."""
    criteria = task.evaluation_criteria
    return tuple(criteria.nl_assertions or ()) if criteria and JUDGED in basis(task) else ()


def parts(domain: Domain, task: Task, happened: Happened) -> dict[str, bool]:
    """Whether each part of the reward's basis holds, but for what a grader has to judge."""
    checks = {"DB": _database, "ENV_ASSERTION": _asserted, "ACTION": _acted, "COMMUNICATE": _communicated}
    return {name: checks[name](domain, task, happened) for name in basis(task) if name != JUDGED}


def replayed(domain: Domain, task: Task, calls: Iterable[Call], said: Sequence[str] | None = None) -> dict[str, bool]:
    """The parts of the reward where just these calls are made, and all is said that has to be, or only ``said``."""
    environment, made = Environment(domain, task), tuple(calls)
    environment.replay(made)
    words = golden_words(task) if said is None else said
    return parts(domain, task, Happened(environment, made, words))


def passes_idle(domain: Domain, task: Task) -> bool | None:
    """Whether an agent that does and says nothing gets the reward; None where a grader has to judge."""
    return None if assertions(task) else all(_kept(domain, task, "idle", ()).values())


def passes_refusing(domain: Domain, task: Task) -> bool | None:
    """Whether an agent that refuses everything and hands over to a human does; None where a grader has to judge."""
    handing_over = Call("assistant", TRANSFER, {"summary": ""})
    return None if assertions(task) else all(_kept(domain, task, "refusing", (handing_over,)).values())


def _kept(domain: Domain, task: Task, name: str, calls: tuple[Call, ...]) -> dict[str, bool]:
    key = (name, task.id)
    if key not in domain.kept:
        domain.kept[key] = replayed(domain, task, calls, said=())
    return dict(domain.kept[key])


def _actions(task: Task) -> list[Action]:
    criteria = task.evaluation_criteria
    return list(criteria.actions or ()) if criteria else []


def _database(domain: Domain, task: Task, happened: Happened) -> bool:
    """The databases are as the reference trace leaves them."""
    key = ("golden", task.id)
    if key not in domain.kept:
        environment = Environment(domain, task)
        environment.replay(golden_calls(task))
        domain.kept[key] = environment.state()
    return bool(happened.environment.state() == domain.kept[key])


def _asserted(domain: Domain, task: Task, happened: Happened) -> bool:
    """Every assertion on the environment holds."""
    criteria = task.evaluation_criteria
    wanted = (criteria.env_assertions or ()) if criteria else ()
    happened.environment.sync()
    return all(
        happened.environment.holds(Call(one.env_type, one.func_name, one.arguments), one.assert_value) for one in wanted
    )


def _acted(domain: Domain, task: Task, happened: Happened) -> bool:
    """Every action of the reference trace was taken, in whatever order."""
    return all(any(_is(call, action) for call in happened.calls) for action in _actions(task))


def _is(call: Call, action: Action) -> bool:
    from inspect_evals.tau2.utils import deep_equal_unordered

    if (call.requestor, call.name) != (action.requestor, action.name):
        return False
    # What is told to the human who takes over is nobody's to prescribe.
    if action.name == TRANSFER:
        return True
    if action.compare_args is None:
        return bool(deep_equal_unordered(dict(call.arguments), action.arguments))
    return bool(deep_equal_unordered(_some(call.arguments, action), _some(action.arguments, action)))


def _some(arguments: Mapping[str, Any], action: Action) -> dict[str, Any]:
    return {name: arguments.get(name) for name in action.compare_args or ()}


def _communicated(domain: Domain, task: Task, happened: Happened) -> bool:
    """The agent said everything that it had to tell; thousands may be set apart by commas."""
    said = "\n".join(happened.said).lower().replace(",", "")
    return all(word.lower() in said for word in golden_words(task))
