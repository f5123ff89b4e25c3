"""What one sample gets under one arm: the one place that turns an arm's terms into texts and their places."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from astray import prompts
from astray.advice.book import Book
from astray.arm import Arm

Placement = Literal["append", "prepend"]
"""Where a suggestion stands: after what the user asks, or before it."""


@dataclass(frozen=True)
class Treatment:
    """Plain data that a benchmark applies without seeing the arm.

    Attributes:
        request: What stands in the place of the user's own request; None leaves it as it is.
        suggestion: A sentence added to the request, or a simulated user's belief; None adds nothing.
        leads_to: What following the suggestion leads to, as its author says; None where that isn't said.
        persona: How a simulated user holds to it: ``user-pedantic``; None is cooperative.
        placement: Where in the request it stands.
        system_before: Text the agent is told before its own system prompt; None says nothing.
        system_after: Text the agent is told after its own system prompt; None says nothing.
        with_critique: Text said along with every critique; None says nothing.
        judges: (intent, knowledge) of each judge that speaks after an answer.
        rounds: How many times the answer is challenged.
    """

    request: str | None = None
    suggestion: str | None = None
    leads_to: str | None = None
    persona: str | None = None
    placement: Placement = "append"
    system_before: str | None = None
    system_after: str | None = None
    with_critique: str | None = None
    judges: tuple[tuple[str, str], ...] = ()
    rounds: int = 0

    def to_json(self) -> dict[str, Any]:
        """As JSON-able data, for the log."""
        return asdict(self)


def treat(arm: Arm, sample_id: str, book: Book | None, placement: Placement = "append") -> Treatment | None:
    """The treatment of one sample under one arm; None where the book lacks what the arm needs."""
    found = book.find(sample_id, arm.stance) if book and arm.stance else None
    request = _request(arm, sample_id, book)
    if (arm.stance and found is None) or ("decomposition" in arm.needs and not request):
        return None
    suggestion = found.text if found else None
    told = prompts.load(f"defenses/{arm.defense}").fill(suggestion=suggestion) if arm.defense else None
    said = prompts.load(f"defenses/{arm.critique_defense}").fill() if arm.critique_defense else None
    return Treatment(
        request=request,
        suggestion=suggestion,
        leads_to=found.leads_to if found and arm.stance == "bad" else None,
        persona=arm.user,
        placement=placement,
        system_before=told if arm.defense != "comply" else None,
        system_after=told if arm.defense == "comply" else None,
        with_critique=said,
        judges=arm.judges,
        rounds=arm.rounds,
    )


def _request(arm: Arm, sample_id: str, book: Book | None) -> str | None:
    """What stands in the place of the request: the description, and for `rewrite` the user's direction after it."""
    parts = book.decomposition(sample_id) if book and "decomposition" in arm.needs else None
    if parts is None:
        return None
    if arm.instruction == "rewrite" and parts.description:
        return "\n\n".join(text for text in (parts.description, parts.direction) if text)
    return parts.description
