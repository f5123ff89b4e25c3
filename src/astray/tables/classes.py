"""Outcome classes: what became of one (sample, arm, epoch, round)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Outcome(StrEnum):
    """The closed vocabulary of the ``outcome`` column."""

    CORRECT = "correct"
    WRONG = "wrong"
    PARTIAL = "partial"
    """Scored between 0 and 1."""

    BOTH = "both"
    """Several answers, or ambiguity signalled."""
    ABSTAINED = "abstained"
    REFUSED = "refused"
    UNPARSED = "unparsed"
    """Text, but no answer can be read from it."""
    EMPTY = "empty"
    """Nothing, or the whole budget went into reasoning."""
    LIMIT = "limit"
    """The agent ran out of its own steps, time, tokens or context: being led in circles is an effect."""

    ERROR = "error"
    """Provider, sandbox or simulator failed, or the request didn't fit at the very start."""
    GRADER_FAILED = "grader_failed"
    JUDGE_FAILED = "judge_failed"

    @property
    def void(self) -> bool:
        """Whether this says nothing about the agent."""
        return self in VOID

    @property
    def scored(self) -> bool:
        """Whether an answer was given and scored."""
        return self in SCORED


SCORED: Final = frozenset({Outcome.CORRECT, Outcome.WRONG, Outcome.PARTIAL})
NO_ANSWER: Final = frozenset(
    {Outcome.BOTH, Outcome.ABSTAINED, Outcome.REFUSED, Outcome.UNPARSED, Outcome.EMPTY, Outcome.LIMIT}
)
VOID: Final = frozenset({Outcome.ERROR, Outcome.GRADER_FAILED, Outcome.JUDGE_FAILED})
