"""Verbatim quotes: whether one stands in a step, and where."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

from astray.traces.trace import Step

SHORTEST: Final = 10
"""Characters of a quote: shorter ones stand in any step somewhere. The whole of a shorter text is a quote too."""

THINKS: Final = "(thinks)"
SAYS: Final = "(says)"
CALLS: Final = "(calls)"
"""What stands before the parts of a step where it is shown to a labeller; one that copies it too still quotes."""

Place = Literal["aloud", "reasoning", "call"]
"""Where in a step a quote stands: in what was said, in what was thought, in a call of a tool."""


def folded(text: str) -> str:
    """The text with every run of white space as one blank, none at the ends."""
    return " ".join(text.split())


def place_of(quote: str, step: Step) -> Place | None:
    """Where the quote stands word for word, white space folded; what was said aloud comes first. None if nowhere.

    A quote shorter than `SHORTEST` that isn't the whole of what was said stands nowhere.
    """
    wanted = folded(quote)
    bare = wanted.removeprefix(THINKS).removeprefix(SAYS).removeprefix(CALLS).strip()
    texts: tuple[tuple[Place, str | None], ...] = (
        ("aloud", step.text), ("reasoning", step.reasoning), ("call", step.tool_calls)
    )  # fmt: skip
    found = (
        place
        for words in (wanted, bare)
        for place, text in texts
        for said in _readings(text or "")
        if _quotes(words, folded(said))
    )
    return next(found, None)


def _readings(text: str) -> Iterator[str]:
    """The text, and the strings within it where it is JSON: one copies them as they read, without their escapes."""
    yield text
    if text.lstrip()[:1] in ("{", "["):
        try:
            yield from _strings(json.loads(text))
        except (ValueError, RecursionError):
            return


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from _readings(value)
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)


def _quotes(wanted: str, text: str) -> bool:
    return bool(wanted) and wanted in text and (wanted == text or len(wanted) >= SHORTEST)


def place_in(steps: Iterable[Step], number: int, quote: str) -> Place | None:
    """Where the quote stands in the agent's step of this number.

    None where there is no such step among these, somebody else speaks in it, or the quote isn't in it.
    """
    step = next((step for step in steps if step.step == number and step.by_agent), None)
    return place_of(quote, step) if step is not None else None
