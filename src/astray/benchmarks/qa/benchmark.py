"""Question rows as an Inspect task: how they are asked, asked again, read and graded."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from astray import prompts
from astray.advice import Book, Treatment
from astray.answers.final import LOOSE
from astray.benchmarks.base import BEFORE_KEY, METADATA_KEY, Answered, Manner, Nature, Question, plain_value
from astray.benchmarks.qa.evidence import pack_of
from astray.benchmarks.qa.grading import grade_output, settle, settle_change
from astray.benchmarks.qa.replies import WORKED_OUT, form_of, reply_schema
from astray.benchmarks.qa.rows import Row
from astray.benchmarks.request import request_text, with_request
from astray.evidence import Pack
from astray.tables import Outcome

_ELICITED: Final = "astray:elicited"
"""Store key of the reply to an extra call that asked for the label alone."""


@dataclass(frozen=True)
class QA:
    """Question rows.

    Attributes:
        name: As the benchmark was named.
        rows: The questions, each with an id.
        book: The advice book that comes with it, or None.
        left_out: What is wrong with rows that can't be used and aren't among them.
    """

    name: str
    rows: Sequence[Row] = field(repr=False)
    book: Book | None = None
    left_out: tuple[str, ...] = ()

    @property
    def nature(self) -> Nature:
        """Numbers and formulas have to be worked out."""
        return Nature(worked_out=any(row.the_kind in WORKED_OUT for row in self.rows))

    @property
    def reads_replies(self) -> bool:
        """The scorer here reads them."""
        return True

    @cached_property
    def evidence(self) -> Pack | None:
        """What its rows say in support of their ``alternative``."""
        return pack_of(self.name, self.rows)

    def task(self, manner: Manner) -> Task:
        """The questions as an Inspect task."""
        short = Path(self.name.partition(":")[2] or self.name).stem
        dataset = MemoryDataset([_sample(row) for row in self.rows], name=short)
        return Task(dataset=dataset, solver=ask(manner), scorer=grade(manner.graded), name=short)

    def request(self, sample: Sample) -> str:
        """The question alone, without context and choices."""
        return request_text(sample.input)

    def question(self, sample: Sample) -> Question:
        """What a row asks."""
        row = _row(sample.metadata)
        gold = " | ".join(text if isinstance(text, str) else ", ".join(text) for text in row.golds)
        choices = tuple(zip(row.the_labels, row.choices, strict=True)) if row.choices else None
        text = f"{row.context}\n\n{row.question}" if row.context else row.question
        return Question(str(row.id), text, gold, row.subset, choices, row.alternative)

    def apply(self, sample: Sample, treatment: Treatment) -> Sample:
        """A copy of the sample, the suggestion right by the question and before the choices."""
        return with_request(sample, treatment)

    async def answer_first(self, state: TaskState, generate: Generate, base: Solver) -> TaskState:
        """Ask the question."""
        return await base(state, generate)

    async def answer_again(
        self, state: TaskState, generate: Generate, base: Solver, message: ChatMessageUser, manner: Manner
    ) -> TaskState:
        """Append the message and generate, the reply in the same form as the first."""
        state.messages.append(message)
        return await _answer(state, generate, manner)

    def how_to_answer(self, state: TaskState, manner: Manner) -> str:
        """The words the first request ended with."""
        return _how_to_answer(_row(state.metadata), manner)

    def read(self, state: TaskState, scores: list[Score]) -> Answered:
        """As the scorer here put it into its score."""
        return Answered(**(scores[0].metadata or {})[METADATA_KEY])

    def value(self, score: Score) -> float | None:
        """As it stands."""
        return plain_value(score)


@solver
def ask(manner: Manner) -> Solver:
    """Ask one question row: the request filled into the prompt of its kind."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        row = _row(state.metadata)
        state.user_prompt.text = prompts.load(f"qa/{'choice' if row.choices else 'open'}").fill(
            context=row.context,
            question=state.user_prompt.text,
            choices=list(zip(row.the_labels, row.choices or (), strict=True)) if row.choices else [],
            how_to_answer=_how_to_answer(row, manner),
        )
        return await _answer(state, generate, manner)

    return solve


@scorer(metrics=[accuracy(), stderr()])
def grade(graded: bool) -> Scorer:
    """Read the answer out of the reply and compare it with the gold.

    Model roles: ``grader``, required where ``graded``: settles what rules leave undecided. Without it, undecided
    counts as different, and says so.
    """

    async def score(state: TaskState, target: Target) -> Score:
        row = _row(state.metadata)
        before = state.store.get(BEFORE_KEY)
        answered = grade_output(row, state.output, state.store.get(_ELICITED), before)
        if graded:
            answered = await _settled(row, state.input_text, before, state.output.completion, answered)
        return Score(
            value=answered.value if answered.value is not None else float("nan"),
            answer=answered.answer,
            metadata={METADATA_KEY: vars(answered)},
        )

    return score


async def _settled(row: Row, question: str, before: str | None, reply: str, answered: Answered) -> Answered:
    """What a grader says, where rules could not tell what was answered, or whether that is right."""
    grader = get_model(role="grader", required=True)
    unread = answered.outcome is Outcome.UNPARSED or (answered.strategy, answered.grading) == (LOOSE, "undecided")
    if unread and before is not None and not answered.elicited:
        answered = await settle_change(grader, row, question, before, reply, answered)
    if answered.grading == "undecided":
        answered = await settle(grader, row, question, answered)
    return answered


async def _answer(state: TaskState, generate: Generate, manner: Manner) -> TaskState:
    """Generate in the given manner; where no answer can be read and that is wanted, ask once for the label alone."""
    row = _row(state.metadata)
    schema = reply_schema(row.the_kind, row.the_labels if row.choices else None)
    state = await (generate(state, response_schema=schema) if manner.structured else generate(state))
    if not manner.elicit:
        return state
    state.store.set(_ELICITED, None)
    if grade_output(row, state.output, None, state.store.get(BEFORE_KEY)).outcome is Outcome.UNPARSED:
        question = prompts.load("qa/elicit").fill(
            labels=list(row.the_labels) if row.choices else None, form=form_of(row.the_kind)
        )
        # Beside the conversation and not in it: the rounds go on as if it hadn't been asked.
        output = await get_model().generate([*state.messages, ChatMessageUser(content=question)])
        state.store.set(_ELICITED, output.completion)
    return state


def _how_to_answer(row: Row, manner: Manner) -> str:
    if row.choices is not None:
        return prompts.load("qa/answer-choice").fill(structured=manner.structured, labels=list(row.the_labels))
    return prompts.load("qa/answer-open").fill(
        structured=manner.structured, form=form_of(row.the_kind), worked_out=row.the_kind in WORKED_OUT
    )


def _sample(row: Row) -> Sample:
    target = [text if isinstance(text, str) else json.dumps(text, ensure_ascii=False) for text in row.golds]
    return Sample(
        id=row.id,
        input=row.question,
        choices=list(row.choices) if row.choices else None,
        target=target if len(target) > 1 else target[0],
        metadata={METADATA_KEY: {"row": row.model_dump(mode="json", exclude_none=True)}},
    )


def _row(metadata: dict[str, object] | None) -> Row:
    own = (metadata or {})[METADATA_KEY]
    assert isinstance(own, dict)
    return Row.model_validate(own["row"])
