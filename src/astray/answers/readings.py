"""What a reader hands back: what was read, how, where in the reply; or which class of non-answer it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from astray.tables import Outcome


class Verdict(StrEnum):
    """Whether an answer is the same as gold; ``undecided`` is for a grader to settle."""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Reading:
    """One reply, read."""

    label: str | None
    """The item's own label (or, for other kinds, the text of the answer); None when there is none."""
    outcome: Outcome | None
    """None when an answer was read (the benchmark decides whether it is right), else the class of non-answer."""
    strategy: str | None
    """What found the answer, or what told the class of non-answer."""
    span: tuple[int, int] | None
    """Where in the reply, as it was given, this was found."""


@dataclass(frozen=True, slots=True)
class Revision(Reading):
    """A reply to criticism, read."""

    change: str
    """``held``, ``changed``, or the outcome class where no answer was read."""


def answered(label: str, strategy: str, span: tuple[int, int] | None) -> Reading:
    """A reading with an answer."""
    return Reading(label, None, strategy, span)


def unanswered(outcome: Outcome, strategy: str | None = None, span: tuple[int, int] | None = None) -> Reading:
    """A reading without one."""
    return Reading(None, outcome, strategy, span)
