"""Verbatim quotes: whether one stands in a step, and where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from astray.traces.trace import Step

Place = Literal["aloud", "reasoning", "call"]
"""Where in a step a quote stands: in what was said, in what was thought, in a call of a tool."""


def folded(text: str) -> str:
    """The text with every run of white space as one blank, none at the ends."""
    return " ".join(text.split())


def place_of(quote: str, step: Step) -> Place | None:
    """Where the quote stands word for word, white space folded; what was said aloud comes first. None if nowhere."""
    wanted = folded(quote)
    if not wanted:
        return None
    if wanted in folded(step.text):
        return "aloud"
    if wanted in folded(step.reasoning or ""):
        return "reasoning"
    if wanted in folded(step.tool_calls or ""):
        return "call"
    return None


def place_in(steps: Iterable[Step], number: int, quote: str) -> Place | None:
    """Where the quote stands in the agent's step of this number.

    None where there is no such step among these, somebody else speaks in it, or the quote isn't in it.
    """
    step = next((step for step in steps if step.step == number and step.by_agent), None)
    return place_of(quote, step) if step is not None else None
