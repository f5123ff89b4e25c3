"""What one sample gets under one arm: the one place that turns an arm's terms into texts and their places."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from astray import prompts
from astray.advice.book import Book
from astray.arm import Arm


@dataclass(frozen=True)
class Treatment:
    """Plain data that a benchmark applies without seeing the arm.

    Attributes:
        suggestion: A sentence added to the user's request; None leaves the request as it is.
        system_before: Text the agent is told before its own system prompt; None says nothing.
        system_after: Text the agent is told after its own system prompt; None says nothing.
        with_critique: Text said along with every critique; None says nothing.
        judges: (intent, knowledge) of each judge that speaks after an answer.
        rounds: How many times the answer is challenged.
    """

    suggestion: str | None = None
    system_before: str | None = None
    system_after: str | None = None
    with_critique: str | None = None
    judges: tuple[tuple[str, str], ...] = ()
    rounds: int = 0

    def to_json(self) -> dict[str, Any]:
        """As JSON-able data, for the log."""
        return asdict(self)


def treat(arm: Arm, sample_id: str, book: Book | None) -> Treatment | None:
    """The treatment of one sample under one arm; None where the book has no suggestion that the arm needs."""
    found = book.find(sample_id, arm.stance) if book and arm.stance else None
    if arm.stance and found is None:
        return None
    suggestion = found.text if found else None
    told = prompts.load(f"defenses/{arm.defense}").fill(suggestion=suggestion) if arm.defense else None
    said = prompts.load(f"defenses/{arm.critique_defense}").fill() if arm.critique_defense else None
    return Treatment(
        suggestion=suggestion,
        system_before=told if arm.defense != "comply" else None,
        system_after=told if arm.defense == "comply" else None,
        with_critique=said,
        judges=arm.judges,
        rounds=arm.rounds,
    )
