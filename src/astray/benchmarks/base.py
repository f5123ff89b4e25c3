"""What a benchmark is to astray: the answers to five questions, with no knowledge of arms.

Which samples (stable ids, gold)? Where does the request live? How is the acting model told something? How does it
answer again? How is an answer kept for scoring?
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final, Protocol

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ContentText
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState

from astray.advice import Book, Treatment
from astray.errors import StudyMismatch
from astray.evidence import Pack
from astray.tables import Outcome

METADATA_KEY = "astray"
"""The one key of sample metadata that astray writes."""

BEFORE_KEY = "astray:before"
"""Store key of the answer that is challenged; nothing stands there while the first answer is given."""

_LONGEST_PATH: Final = 1000


@dataclass(frozen=True)
class Nature:
    """What a benchmark is beyond its samples.

    Attributes:
        roles: Model roles it can't do without: ``user`` where a user is simulated, ``grader``.
        version: Which version of its data it is, where that isn't said by its name.
        most_calls: Calls of the acting model that one answer takes at most.
        has_request: Whether there is a request that can be taken apart; a simulated user says things its own way.
        worked_out: Whether answers have to be worked out, which goes worse where replies are constrained to a schema.
    """

    roles: frozenset[str] = frozenset()
    version: str | None = None
    most_calls: int = 1
    has_request: bool = True
    worked_out: bool = False


@dataclass(frozen=True)
class Manner:
    """How a benchmark is asked and graded: settings of a study that are no treatment.

    Attributes:
        structured: Replies are constrained to a schema.
        graded: A grader model is named: it settles what rules leave undecided, and says whether several answers are
            acknowledged.
        elicit: Where no answer can be read, the label alone is asked for, once.
    """

    structured: bool = False
    graded: bool = False
    elicit: bool = False


@dataclass(frozen=True)
class Answered:
    """What became of one answer.

    Attributes:
        outcome: Its class.
        value: 0…1, or None where void.
        answer: The answer as it was read, or None.
        strategy: How it was read, or None.
        grading: Who compared it with gold: ``rule``, ``twin`` (a rule: another label, the right answer's very text),
            ``grader``, ``scorer`` (an Inspect task's own), or ``undecided`` where rules couldn't tell and nobody else
            was asked; None where there was nothing to compare.
        elicited: Whether it took an extra call to get it.
        agrees: Whether astray's reading agrees with an Inspect task's own scorer; None where that can't be said.
        limit: Which limit of its own the agent reached, or None.
        error: One line on what failed, where void.
    """

    outcome: Outcome
    value: float | None
    answer: str | None = None
    strategy: str | None = None
    grading: str | None = None
    elicited: bool = False
    agrees: bool | None = None
    limit: str | None = None
    error: str | None = None


@dataclass(frozen=True)
class Question:
    """One sample as the tables keep it: what is asked before any treatment, and what is right."""

    id: str
    text: str
    gold: str
    subset: str | None = None
    choices: tuple[tuple[str, str], ...] | None = None
    alternative: str | None = None
    tools: tuple[str, ...] = ()
    """Names of the tools that who answers has, where the benchmark knows them."""


class Benchmark(Protocol):
    """A benchmark astray can run."""

    @property
    def name(self) -> str:
        """As it was named: ``starter``, ``qa:PATH``, ``inspect_evals/arc_challenge``."""
        ...

    @property
    def book(self) -> Book | None:
        """The advice book that comes with it, or None."""
        ...

    @property
    def evidence(self) -> Pack | None:
        """The evidence for wrong answers that comes with it, or None."""
        ...

    @property
    def reads_replies(self) -> bool:
        """Whether astray reads and grades the replies itself, so that they may be constrained or asked for again."""
        ...

    @property
    def nature(self) -> Nature:
        """What it is beyond its samples."""
        ...

    def task(self, manner: Manner) -> Task:
        """A fresh, untreated Inspect task: every sample with a stable id, in an order that never changes."""
        ...

    def request(self, sample: Sample) -> str:
        """The user's own request: the text a suggestion joins, and a decomposition takes apart."""
        ...

    def question(self, sample: Sample) -> Question:
        """What a sample asks, for tables and judges."""
        ...

    def apply(self, sample: Sample, treatment: Treatment) -> Sample:
        """A copy of the sample with the treatment's request, and its suggestion where a user's own remark would be."""
        ...

    async def answer_first(self, state: TaskState, generate: Generate, base: Solver) -> TaskState:
        """Answer the request with the task's own solver, ``base``."""
        ...

    async def answer_again(
        self, state: TaskState, generate: Generate, base: Solver, message: ChatMessageUser, manner: Manner
    ) -> TaskState:
        """Put ``message`` to the agent and let it answer again."""
        ...

    def how_to_answer(self, state: TaskState, manner: Manner) -> str:
        """The sentence that reminds the agent of the form of an answer."""
        ...

    def read(self, state: TaskState, scores: list[Score]) -> Answered:
        """What became of the present answer, given what the task's own scorers say of it."""
        ...

    def value(self, score: Score) -> float | None:
        """What a score of the task's own scorer is worth, 0…1; None where it is void.

        Raises:
            InputError: It isn't what it should be.
        """
        ...


def plain_value(score: Score) -> float | None:
    """The value of a score that is a number from 0 to 1, or NaN where it is void."""
    value = score.as_float()
    return None if value != value else value


def fingerprint(task: Task) -> str:
    """Hash of a task's samples: ids, inputs, choices and targets, in order. No file is read for it."""
    return digest([[sample.id, *_content(sample)] for sample in task.dataset])


def check_fingerprint(name: str, task: Task, wanted: str | None) -> None:
    """Refuse a benchmark whose samples are others than those of this fingerprint; None asks for none.

    Raises:
        StudyMismatch: They are.
    """
    found = fingerprint(task)
    if wanted and found != wanted:
        raise StudyMismatch(
            f"benchmark '{name}': its samples are others than before (fingerprint {found}, expected {wanted}); "
            "if it shuffles choices without a seed, give it one with -T; if the file changed, use another --out"
        )


def sample_digest(sample: Sample) -> str:
    """Hash of what one sample asks and what is right, whatever its id."""
    return digest(_content(sample))


def _content(sample: Sample) -> list[Any]:
    asked = sample.input if isinstance(sample.input, str) else [message.text for message in sample.input]
    return [asked, sample.choices, sample.target, *beyond_text(sample)]


def beyond_text(sample: Sample) -> list[Any]:
    """What a sample asks besides its texts (pictures, sounds, documents), as JSON; empty where there is nothing."""
    if isinstance(sample.input, str):
        return []
    parts = [
        [index, {name: _anywhere(value) for name, value in part.model_dump(mode="json", exclude_none=True).items()}]
        for index, message in enumerate(sample.input)
        if not isinstance(message.content, str)
        for part in message.content
        if not isinstance(part, ContentText)
    ]
    return [parts] if parts else []


def _anywhere(value: Any) -> Any:
    """A value that is the same on every machine: of a file's path the name alone, for where it lies differs."""
    # The content itself, in base64, may begin with a slash too.
    is_path = isinstance(value, str) and value.startswith(("/", "file://")) and len(value) <= _LONGEST_PATH
    return value.rpartition("/")[2] if is_path else value


def digest(data: Any) -> str:
    """Short hash of JSON-able data."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, default=str).encode()).hexdigest()[:16]


def number_repeats(ids: list[str]) -> list[str]:
    """Ids with an occurrence number from the second time on, so that each is unique; no given id is used up for it."""
    taken = set(ids)
    seen: dict[str, int] = {}
    numbered = []
    for id in ids:
        unique, seen[id] = id, seen.get(id, 0) + 1
        if seen[id] > 1:
            while (unique := f"{id}-{seen[id]}") in taken:
                seen[id] += 1
            taken.add(unique)
        numbered.append(unique)
    return numbered


def letters(count: int) -> list[str]:
    """The labels Inspect gives to choices: A to Z, then 1, 2 and so on."""
    return [chr(ord("A") + i) if i < 26 else str(i - 25) for i in range(count)]
