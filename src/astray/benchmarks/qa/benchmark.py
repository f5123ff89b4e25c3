"""Question rows as an Inspect task: how they are asked, asked again, read and graded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from astray import prompts
from astray.advice import Book, Treatment
from astray.answers import Verdict, read_answer, read_choice, same
from astray.benchmarks.base import METADATA_KEY, Answered, Question
from astray.benchmarks.inspect_task import append_remark, no_answer
from astray.benchmarks.qa.replies import form_of, reply_schema
from astray.benchmarks.qa.rows import Row, load_rows
from astray.tables import Outcome


@dataclass(frozen=True)
class QA:
    """A file of question rows."""

    name: str
    path: Path
    book: Book | None = None

    @property
    def structured(self) -> bool:
        """Replies may be constrained: the scorer here reads them."""
        return True

    @cached_property
    def rows(self) -> list[Row]:
        """The file's rows, read once."""
        return load_rows(self.path)

    def task(self, structured: bool) -> Task:
        """The questions as an Inspect task."""
        samples = [_sample(row) for row in self.rows]
        return Task(
            dataset=MemoryDataset(samples, name=Path(self.name.removeprefix("qa:")).stem),
            solver=ask(structured),
            scorer=grade(),
            name=Path(self.name.removeprefix("qa:")).stem,
        )

    def question(self, sample: Sample) -> Question:
        """What a row asks."""
        row = _row(sample.metadata)
        gold = " | ".join(text if isinstance(text, str) else ", ".join(text) for text in row.golds)
        choices = tuple(zip(row.the_labels, row.choices, strict=True)) if row.choices else None
        text = f"{row.context}\n\n{row.question}" if row.context else row.question
        return Question(str(row.id), text, gold, row.subset, choices, row.alternative)

    def apply(self, sample: Sample, treatment: Treatment) -> Sample:
        """A copy of the sample, the suggestion right after the question and before the choices."""
        treated = sample.model_copy(deep=True)
        if treatment.suggestion is not None:
            treated.input = append_remark(treated.input, treatment.suggestion)
        return treated

    async def answer_first(self, state: TaskState, generate: Generate, base: Solver) -> TaskState:
        """Ask the question."""
        return await base(state, generate)

    async def answer_again(
        self, state: TaskState, generate: Generate, base: Solver, message: ChatMessageUser, structured: bool
    ) -> TaskState:
        """Append the message and generate, the reply in the same form as the first."""
        state.messages.append(message)
        return await _generate(state, generate, structured)

    def how_to_answer(self, state: TaskState, structured: bool) -> str:
        """The words the first request ended with."""
        return _how_to_answer(_row(state.metadata), structured)

    def read(self, state: TaskState, scores: list[Score]) -> Answered:
        """As the scorer here put it into its score."""
        return Answered(**(scores[0].metadata or {})[METADATA_KEY])


@solver
def ask(structured: bool) -> Solver:
    """Ask one question row: the request filled into the prompt of its kind."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        row = _row(state.metadata)
        state.user_prompt.text = prompts.load(f"qa/{'choice' if row.choices else 'open'}").fill(
            context=row.context,
            question=state.user_prompt.text,
            choices=list(zip(row.the_labels, row.choices or (), strict=True)) if row.choices else [],
            how_to_answer=_how_to_answer(row, structured),
        )
        return await _generate(state, generate, structured)

    return solve


@scorer(metrics=[accuracy(), stderr()])
def grade() -> Scorer:
    """Read the answer out of the reply and compare it with the gold."""

    async def score(state: TaskState, target: Target) -> Score:
        row = _row(state.metadata)
        nothing = no_answer(state.output)
        answered = Answered(nothing, 0.0) if nothing else _cut_off(state, grade_reply(row, state.output.completion))
        return Score(
            value=answered.value if answered.value is not None else float("nan"),
            answer=answered.answer,
            metadata={METADATA_KEY: vars(answered)},
        )

    return score


def grade_reply(row: Row, reply: str) -> Answered:
    """What became of one reply to one row. Pure: the same reply is always graded the same."""
    if row.choices is not None:
        reading = read_choice(reply, list(row.the_labels), choices=list(row.choices))
    else:
        reading = read_answer(reply, row.the_kind)
    if reading.label is None:
        return Answered(reading.outcome or Outcome.UNPARSED, 0.0, None, reading.strategy)
    right = _is_right(row, reading.label)
    return Answered(Outcome.CORRECT if right else Outcome.WRONG, 1.0 if right else 0.0, reading.label, reading.strategy)


def _is_right(row: Row, answer: str) -> bool:
    if row.choices is None:
        return same(row.the_kind, list(row.golds), answer) is Verdict.EQUAL
    # Some items have the gold text under two labels; both are right.
    assert row.answer_index is not None
    return row.choices[row.the_labels.index(answer)] == row.choices[row.answer_index]


def _cut_off(state: TaskState, answered: Answered) -> Answered:
    """A reply that stops for want of tokens before any answer is the agent's own limit, not an unreadable text."""
    if answered.outcome is Outcome.UNPARSED and state.output.stop_reason == "max_tokens":
        return Answered(Outcome.LIMIT, 0.0)
    return answered


async def _generate(state: TaskState, generate: Generate, structured: bool) -> TaskState:
    if not structured:
        return await generate(state)
    row = _row(state.metadata)
    return await generate(state, response_schema=reply_schema(row.the_labels if row.choices else None))


def _how_to_answer(row: Row, structured: bool) -> str:
    if row.choices is not None:
        return prompts.load("qa/answer-choice").fill(structured=structured, labels=list(row.the_labels))
    return prompts.load("qa/answer-open").fill(structured=structured, form=form_of(row.the_kind))


def _sample(row: Row) -> Sample:
    target = [text if isinstance(text, str) else json.dumps(text, ensure_ascii=False) for text in row.golds]
    return Sample(
        id=row.id,
        input=row.question,
        target=target if len(target) > 1 else target[0],
        metadata={METADATA_KEY: {"row": row.model_dump(mode="json", exclude_none=True)}},
    )


def _row(metadata: dict[str, object] | None) -> Row:
    own = (metadata or {})[METADATA_KEY]
    assert isinstance(own, dict)
    return Row.model_validate(own["row"])
