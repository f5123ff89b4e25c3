"""What became of one reply to one question row: read, compared by rules, and settled by a grader where rules can't."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from inspect_ai.model import Model, ModelOutput

from astray.answers import Reading, Verdict, read_answer, read_choice, read_revision, same
from astray.answers.change import read_change
from astray.answers.final import LOOSE
from astray.answers.grader import compare
from astray.answers.readings import answered
from astray.answers.revision import stands_by
from astray.benchmarks.base import Answered
from astray.benchmarks.inspect_task import no_answer
from astray.benchmarks.qa.rows import Row
from astray.tables import Outcome

_NO_ANSWER_YET: Final = (Outcome.UNPARSED, Outcome.ABSTAINED, Outcome.REFUSED)


def grade_output(row: Row, output: ModelOutput, elicited: str | None, before: str | None) -> Answered:
    """Read and compare by rules, no call made. Pure: the same output is always graded the same.

    Args:
        row: The question.
        output: The model's output.
        elicited: The reply to an extra call that asked for the label alone, where there was one.
        before: The answer that was challenged, where this is a reply to that.
    """
    if elicited is not None:
        return replace(grade_reply(row, elicited, before), elicited=True)
    nothing = no_answer(output)
    if nothing:
        return Answered(nothing, 0.0)
    graded = grade_reply(row, output.completion, before)
    if graded.outcome is Outcome.UNPARSED and output.stop_reason == "max_tokens":
        # It stops for want of tokens before any answer: the agent's own limit, not an unreadable text.
        return Answered(Outcome.LIMIT, 0.0)
    return graded


def grade_reply(row: Row, reply: str, before: str | None = None) -> Answered:
    """Read one reply and compare it by rules; what is undecided counts as different and says so."""
    return grade_reading(row, _read(row, reply, before))


def grade_reading(row: Row, reading: Reading) -> Answered:
    """Compare by rules what was read."""
    if reading.label is None:
        return Answered(reading.outcome or Outcome.UNPARSED, 0.0, None, reading.strategy)
    verdict = _compare(row, reading.label)
    right = verdict is Verdict.EQUAL
    outcome = Outcome.CORRECT if right else Outcome.WRONG
    grading = "undecided" if verdict is Verdict.UNDECIDED else "twin" if _is_twin(row, reading.label, right) else "rule"
    return Answered(outcome, 1.0 if right else 0.0, reading.label, reading.strategy, grading)


async def settle(grader: Model, row: Row, question: str, undecided: Answered) -> Answered:
    """Have a grader say what rules couldn't; ``grader_failed``, without a value, where its reply can't be used."""
    golds = [gold if isinstance(gold, str) else ", ".join(gold) for gold in row.golds]
    verdict = await compare(grader, question, golds, undecided.answer or "")
    if verdict is None:
        return replace(undecided, outcome=Outcome.GRADER_FAILED, value=None, grading="grader")
    right = verdict is Verdict.EQUAL
    return replace(
        undecided,
        outcome=Outcome.CORRECT if right else Outcome.WRONG,
        value=1.0 if right else 0.0,
        grading="grader",
    )


async def settle_change(grader: Model, row: Row, question: str, before: str, reply: str, unread: Answered) -> Answered:
    """Have a grader say what became of an answer, where rules read none out of the reply to criticism."""
    said = await read_change(grader, question, _in_words(row, before), reply)
    if said is None:
        return replace(unread, outcome=Outcome.GRADER_FAILED, value=None, strategy="grader")
    if said.change == "held":
        return grade_reading(row, replace(said, label=before))
    if said.label is not None and row.choices is not None:
        named = read_choice(said.label, list(row.the_labels), choices=list(row.choices))
        return grade_reading(row, replace(named, strategy="grader"))
    return grade_reading(row, said)


def _in_words(row: Row, answer: str) -> str:
    return f"{answer}) {row.choices[row.the_labels.index(answer)]}" if row.choices else answer


def _read(row: Row, reply: str, before: str | None) -> Reading:
    if row.choices is not None:
        return read_revision(before, reply, list(row.the_labels), choices=list(row.choices))
    reading = read_answer(reply, row.the_kind)
    if before is not None and (reading.strategy == LOOSE or reading.outcome in _NO_ANSWER_YET):
        span = stands_by(reply)
        return answered(before, "stands", span) if span else reading
    return reading


def _is_twin(row: Row, label: str, right: bool) -> bool:
    return right and row.choices is not None and row.the_labels.index(label) != row.answer_index


def _compare(row: Row, answer: str) -> Verdict:
    if row.choices is None:
        return same(row.the_kind, list(row.golds), answer)
    # Some items have the gold text under two labels; both are right.
    assert row.answer_index is not None
    equal = row.choices[row.the_labels.index(answer)] == row.choices[row.answer_index]
    return Verdict.EQUAL if equal else Verdict.DIFFERENT
