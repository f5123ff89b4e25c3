"""All that can be looked for in a trace, under one name each, and what it takes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from inspect_ai.util import json_schema
from pydantic import BaseModel

from astray import prompts
from astray.errors import UsageError
from astray.traces.attribution import CLAIM, attribution
from astray.traces.label import BEHAVIOURS, Ask, Labelling, form_for, label
from astray.traces.replies import Assessments, Claims
from astray.traces.trace import Trace
from astray.traces.unexpressed import UNEXPRESSED, unexpressed

EVERYTHING: Final = (*BEHAVIOURS, CLAIM, UNEXPRESSED)
"""All that can be looked for."""


async def look_for(behaviour: str, trace: Trace, suggestion: str | None, ask: Ask, *, most: int) -> Labelling | None:
    """Look for one thing in a trace; None where it doesn't apply to this trace."""
    if not applies(behaviour, trace, suggestion):
        return None
    if behaviour == UNEXPRESSED:
        return await unexpressed(trace, ask, most=most)
    if behaviour == CLAIM:
        return await attribution(trace, suggestion or "", ask, most=most)
    return await label(trace, behaviour, ask, most=most)


def held_against(behaviour: str, suggestions: Sequence[str]) -> Sequence[str | None]:
    """What a behaviour of a trace is looked for beside: claims once for each suggestion, everything else once."""
    return suggestions if behaviour == CLAIM else (None,)


def applies(behaviour: str, trace: Trace, suggestion: str | None) -> bool:
    """Whether this can be looked for: the agent has to have said something at all.

    Claims need a suggestion, and what was not said needs recorded reasoning.
    """
    if not any(step.by_agent for step in trace.steps):
        return False
    if behaviour == CLAIM:
        return suggestion is not None
    return trace.has_reasoning if behaviour == UNEXPRESSED else True


def calls(behaviour: str, windows: int, held: int) -> tuple[int, int]:
    """(least, most) questions to the labeller: a window is asked about once, its claims once more for each suggestion.

    Args:
        behaviour: What is looked for.
        windows: How many windows the trace has.
        held: How many suggestions it is looked for beside; see `held_against`.
    """
    return windows, windows * (1 + held if behaviour == CLAIM else 1)


def check_behaviours(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names in their order, each once.

    Raises:
        UsageError: One of them can't be looked for.
    """
    if strange := [name for name in names if name not in EVERYTHING]:
        raise UsageError(f"'{strange[0]}' can't be looked for in traces; there are {', '.join(EVERYTHING)}")
    return tuple(name for name in EVERYTHING if name in names)


def forms_for(behaviour: str) -> tuple[type[BaseModel], ...]:
    """The forms of all replies about this."""
    return (Claims, Assessments) if behaviour == CLAIM else (form_for(behaviour),)


def prompt_hash(behaviour: str, most: int) -> str:
    """A hash over everything a labeller is told of this behaviour but the trace: prompts, forms, size of windows."""
    texts = {
        CLAIM: ["traces/claims", "traces/stance"],
    }.get(behaviour, ["traces/label", f"traces/behaviours/{behaviour}"])
    parts = [f"{one.id}\0{one.version}\0{one.text}" for one in map(prompts.load, ["grading/how-to-reply", *texts])]
    parts += [json_schema(form).model_dump_json() for form in forms_for(behaviour)]
    return hashlib.sha256("\0\0".join([*parts, str(most)]).encode()).hexdigest()[:12]
