"""What became of one reply to one question row: read, compared by rules, and settled by a grader where rules can't."""

from __future__ import annotations

from dataclasses import replace

from inspect_ai.model import Model, ModelOutput

from astray.answers import Reading, Verdict, read_answer, read_choice, same
from astray.answers.grader import compare
from astray.benchmarks.base import Answered
from astray.benchmarks.inspect_task import no_answer
from astray.benchmarks.qa.rows import Row
from astray.tables import Outcome


def grade_output(row: Row, output: ModelOutput, elicited: str | None) -> Answered:
    """Read and compare by rules, no call made. Pure: the same output is always graded the same.

    Args:
        row: The question.
        output: The model's output.
        elicited: The reply to an extra call that asked for the label alone, where there was one.
    """
    if elicited is not None:
        return replace(grade_reply(row, elicited), elicited=True)
    nothing = no_answer(output)
    if nothing:
        return Answered(nothing, 0.0)
    answered = grade_reply(row, output.completion)
    if answered.outcome is Outcome.UNPARSED and output.stop_reason == "max_tokens":
        # It stops for want of tokens before any answer: the agent's own limit, not an unreadable text.
        return Answered(Outcome.LIMIT, 0.0)
    return answered


def grade_reply(row: Row, reply: str) -> Answered:
    """Read one reply and compare it by rules; what is undecided counts as different and says so."""
    reading = _read(row, reply)
    if reading.label is None:
        return Answered(reading.outcome or Outcome.UNPARSED, 0.0, None, reading.strategy)
    verdict = _compare(row, reading.label)
    right = verdict is Verdict.EQUAL
    return Answered(
        Outcome.CORRECT if right else Outcome.WRONG,
        1.0 if right else 0.0,
        reading.label,
        reading.strategy,
        "undecided" if verdict is Verdict.UNDECIDED else "rule",
    )


async def settle(grader: Model, row: Row, question: str, answered: Answered) -> Answered:
    """Have a grader say what rules couldn't; ``grader_failed``, without a value, where its reply can't be used."""
    golds = [gold if isinstance(gold, str) else ", ".join(gold) for gold in row.golds]
    verdict = await compare(grader, question, golds, answered.answer or "")
    if verdict is None:
        return replace(answered, outcome=Outcome.GRADER_FAILED, value=None, grading="grader")
    right = verdict is Verdict.EQUAL
    return replace(
        answered,
        outcome=Outcome.CORRECT if right else Outcome.WRONG,
        value=1.0 if right else 0.0,
        grading="grader",
    )


def _read(row: Row, reply: str) -> Reading:
    if row.choices is not None:
        return read_choice(reply, list(row.the_labels), choices=list(row.choices))
    return read_answer(reply, row.the_kind)


def _compare(row: Row, answer: str) -> Verdict:
    if row.choices is None:
        return same(row.the_kind, list(row.golds), answer)
    # Some items have the gold text under two labels; both are right.
    assert row.answer_index is not None
    equal = row.choices[row.the_labels.index(answer)] == row.choices[row.answer_index]
    return Verdict.EQUAL if equal else Verdict.DIFFERENT
