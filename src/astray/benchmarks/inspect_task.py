"""The adapter for any Inspect task: its dataset, solver and scorer as they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from inspect_ai import Task, list_tasks, task_with
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ModelOutput
from inspect_ai.scorer import Score, value_to_float
from inspect_ai.solver import Generate, Solver, TaskState

from astray import _compat, prompts
from astray.advice import Book, Treatment
from astray.answers import read_revision
from astray.benchmarks.base import (
    BEFORE_KEY,
    Answered,
    Manner,
    Nature,
    Question,
    beyond_text,
    digest,
    letters,
    number_repeats,
)
from astray.benchmarks.hub import hub_trouble, no_waiting_for_the_hub
from astray.benchmarks.request import request_text, with_request
from astray.errors import InputError, UsageError
from astray.evidence import Pack
from astray.tables import Outcome

_OWN_PROMPTS: Final = "astray:own_prompts"
"""Store key of the system prompts an agent puts in whenever it is run."""


@dataclass(frozen=True)
class InspectTask:
    """Any task Inspect can load, by registry name or ``file.py@task``."""

    name: str
    task_args: Mapping[str, Any] = field(default_factory=dict)
    book: Book | None = None
    evidence: Pack | None = None
    reads_replies: bool = False
    nature: Nature = field(default_factory=Nature)
    scale: tuple[float, float] = (0.0, 1.0)
    """Worst and best value of the task's scorer."""

    def task(self, manner: Manner) -> Task:
        """A fresh base task, every sample with a stable id.

        Raises:
            UsageError: No such task, or the name stands for several.
            InputError: It has no samples.
        """
        task = load_one(self.name, dict(self.task_args))
        samples = _with_ids(list(task.dataset))
        if not samples:
            raise InputError(f"{self.name}: the task has no samples")
        if task.dataset.shuffled:
            # It may come in another order each time: an order of its own, from the ids.
            samples.sort(key=lambda sample: digest(sample.id))
        dataset = MemoryDataset(samples, name=task.dataset.name, location=task.dataset.location)
        return task_with(task, dataset=dataset)

    def request(self, sample: Sample) -> str:
        """The user's last message."""
        return request_text(sample.input)

    def question(self, sample: Sample) -> Question:
        """What the sample asks, its choices under the letters that Inspect gives them."""
        target = sample.target if isinstance(sample.target, str) else " | ".join(sample.target)
        choices = tuple(zip(letters(len(sample.choices)), sample.choices, strict=True)) if sample.choices else None
        subset = (sample.metadata or {}).get("subset") or (sample.metadata or {}).get("subject")
        return Question(str(sample.id), _input_text(sample), target, str(subset) if subset else None, choices)

    def apply(self, sample: Sample, treatment: Treatment) -> Sample:
        """A copy of the sample, the suggestion in the user's last message."""
        return with_request(sample, treatment)

    async def answer_first(self, state: TaskState, generate: Generate, base: Solver) -> TaskState:
        """Run the task's solver; of an agent, remember which system prompts are its own."""
        *before, last = _compat.steps(base)
        if not _compat.is_agent(last):
            return await base(state, generate)
        for step in before:
            state = await step(state, generate)
            if state.completed:
                return state  # as Inspect's own chain: no step follows
        told = _system_texts(state)
        state = await last(state, generate)
        state.store.set(_OWN_PROMPTS, [text for text in _system_texts(state) if text not in told])
        return state

    async def answer_again(
        self, state: TaskState, generate: Generate, base: Solver, message: ChatMessageUser, manner: Manner
    ) -> TaskState:
        """Append the message and let the agent act again as a whole; anything that isn't an agent generates."""
        state.messages.append(message)
        state.completed = False
        last = _compat.steps(base)[-1]
        if _compat.is_agent(last):
            # It puts its own system prompt in again: without this, the model would see one more copy each round.
            own: list[str] = state.store.get(_OWN_PROMPTS, [])
            state.messages = [m for m in state.messages if m.role != "system" or m.text not in own]
            return await last(state, generate)
        state = await generate(state)
        if len(state.choices):
            _compat.remark_choices(state)
        return state

    def how_to_answer(self, state: TaskState, manner: Manner) -> str:
        """A reminder that holds for any task."""
        return prompts.load("judges/how-to-answer").fill()

    def read(self, state: TaskState, scores: list[Score]) -> Answered:
        """The task's own score decides what is correct; what isn't an answer is told apart from a wrong one."""
        if not scores:
            return Answered(Outcome.GRADER_FAILED, None)
        value = self.value(scores[0])
        if value is None:
            return Answered(Outcome.GRADER_FAILED, None)
        answer, strategy, missing = _own_reading(state, scores[0])
        outcome = Outcome.CORRECT if value >= 1 else Outcome.PARTIAL if value > 0 else None
        if outcome is None:
            outcome = no_answer(state.output) or missing or Outcome.WRONG
        agrees = _agrees(state, answer, value) if len(state.choices) else None
        return Answered(outcome, value, answer, strategy, "scorer", agrees=agrees)

    def value(self, score: Score) -> float | None:
        """Where it stands on the scorer's scale."""
        return _value(score, *self.scale)


def load_one(name: str, args: dict[str, Any]) -> Task:
    """The one task of this name.

    Raises:
        UsageError: There is none, or there are several; the message says which.
        InputError: It can't be loaded: a package or its data is missing, or its code fails.
    """
    file, _, wanted = name.partition("@")
    if file.endswith(".py") and not wanted:
        name = f"{file}@{_only_task_in(file)}"
    try:
        with no_waiting_for_the_hub():
            tasks = _compat.load_task_objects(name, args)
    except Exception as error:
        raise _not_loaded(name, error) from error
    if len(tasks) != 1:
        package = name.split("/")[0]
        raise UsageError(f"benchmark '{name}': no such task; is '{package}' installed, and the name right?")
    # Inspect drops what a task doesn't take, and with it a slip of the pen.
    if unknown := sorted(args.keys() - _compat.accepted_arguments(tasks[0])):
        raise UsageError(f"benchmark '{name}': the task takes no argument {', '.join(map(repr, unknown))}")
    return tasks[0]


def _not_loaded(name: str, error: Exception) -> InputError | UsageError:
    """What to say of a task that can't be loaded."""
    # First: a data set that isn't there is, to its library, a file that isn't there.
    if trouble := hub_trouble(error):
        return InputError(f"benchmark '{name}': {trouble}")
    if isinstance(error, (_compat.PrerequisiteError, FileNotFoundError, LookupError)):
        return UsageError(f"benchmark '{name}': {_compat.plain(error)}{_tasks_there(name.partition('@')[0])}")
    what = f"{type(error).__name__}: {_compat.plain(error)}"
    return InputError(f"benchmark '{name}': can't be loaded ({what[:300]})")


def _only_task_in(file: str) -> str:
    names = _task_names(file)
    if len(names) != 1:
        raise UsageError(f"benchmark '{file}': name one task of the file, as file.py@task{_tasks_there(file)}")
    return names[0]


def _tasks_there(file: str) -> str:
    names = _task_names(file)
    return f"; there are {', '.join(names)}" if names else ""


def _task_names(file: str) -> list[str]:
    """Names of the tasks in a file, read without importing it; none where there is no such file."""
    path = Path(file)
    if path.suffix != ".py" or not path.is_file():
        return []
    return [info.name for info in list_tasks([path.name], root_dir=path.absolute().parent)]


def no_answer(output: ModelOutput) -> Outcome | None:
    """The class of an output in which there is nothing to read, or None."""
    if not output.choices:
        return Outcome.EMPTY
    if output.stop_reason == "content_filter":
        return Outcome.REFUSED
    if output.stop_reason == "model_length":
        return Outcome.LIMIT
    if not output.completion.strip():
        return Outcome.EMPTY
    return None


def _agrees(state: TaskState, answer: str | None, value: float) -> bool:
    """Whether astray reads the gold label where the task's own scorer says correct, and only there."""
    return (answer is not None and answer in state.target) == (value >= 1)


def _system_texts(state: TaskState) -> list[str]:
    return [message.text for message in state.messages if message.role == "system"]


def _own_reading(state: TaskState, score: Score) -> tuple[str | None, str | None, Outcome | None]:
    """(answer, strategy, class where there is none) as astray reads it; the scorer's own answer without choices."""
    if len(state.choices):
        reading = read_revision(
            state.store.get(BEFORE_KEY),
            state.output.completion,
            letters(len(state.choices)),
            choices=[choice.value for choice in state.choices],
        )
        return reading.label, reading.strategy, reading.outcome
    return score.answer, "scorer" if score.answer is not None else None, None


def _with_ids(samples: list[Sample]) -> list[Sample]:
    """Samples with ids of their own: the given ones, else a hash of what the sample asks."""
    if all(sample.id is None for sample in samples):
        content = [
            digest([_input_text(sample), sample.choices, sample.target, *beyond_text(sample)]) for sample in samples
        ]
        ids = number_repeats(content)
    else:
        ids = number_repeats([str(sample.id) for sample in samples])
    return [sample.model_copy(update={"id": id}) for sample, id in zip(samples, ids, strict=True)]


def _input_text(sample: Sample) -> str:
    if isinstance(sample.input, str):
        return sample.input
    return "\n\n".join(message.text for message in sample.input if message.role == "user")


def _value(score: Score, worst: float, best: float) -> float | None:
    """The score as 0…1; None where the scorer gave none. Of a score with several values the first one counts.

    Raises:
        InputError: It lies outside the scale.
    """
    value: Any = score.value
    if isinstance(value, Mapping):
        value = next(iter(value.values()), None)
    if isinstance(value, (list, tuple)):
        value = value[0] if value else None
    if value is None:
        return None
    number = (value_to_float()(value) - worst) / (best - worst)
    if number < 0 or number > 1:
        raise InputError(
            f"the task's scorer gave {value}, where {worst:g} is worst and {best:g} is best; name its scale with "
            "--scale WORST..BEST"
        )
    return None if number != number else number
