"""Having one behaviour of one trace labelled: plain async functions over whatever asks a model.

An unreadable reply makes the whole labelling of that trace and behaviour void: a label that was not read is not a
behaviour that was not there.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final, Protocol, TypeVar, get_args

from pydantic import BaseModel, ConfigDict

from astray import prompts
from astray.answers.grader import fence
from astray.answers.protocol import how_to_reply
from astray.traces.quotes import Place, place_in
from astray.traces.replies import (
    Behaviour,
    Compliance,
    Compliances,
    Found,
    FoundCompliance,
    Labels,
    Person,
    Stance,
)
from astray.traces.trace import Trace
from astray.traces.windows import MOST, Window, windows

T = TypeVar("T", bound=BaseModel)

BEHAVIOURS: Final[tuple[str, ...]] = get_args(Behaviour)
"""The behaviours of XYEval's appendix D.7."""


class Ask(Protocol):
    """Whatever asks a model for a reply of a form; None where the reply can't be read."""

    def __call__(self, text: str, form: type[T], /) -> Awaitable[T | None]:
        """Ask."""
        ...


class Label(BaseModel):
    """One place where a behaviour was found; ``place`` is where the quote stands, None makes the label void."""

    model_config = ConfigDict(frozen=True)

    step: int
    importance: int
    summary: str
    quote: str
    place: Place | None
    compliance: Compliance | None = None
    person: Person | None = None
    stance: Stance | None = None


class Labelling(BaseModel):
    """What came of looking for one behaviour in one trace; ``reason`` says why it is void."""

    model_config = ConfigDict(frozen=True)

    behaviour: str
    labels: tuple[Label, ...] = ()
    windows: int
    reason: str | None = None
    about: str | None = None


async def label(trace: Trace, behaviour: str, ask: Ask, *, most: int = MOST) -> Labelling:
    """Look for one behaviour in every window of a trace.

    Args:
        trace: The trace.
        behaviour: One of `BEHAVIOURS`, or ``unexpressed``.
        ask: Who is asked.
        most: Characters of a window.
    """
    shown = windows(trace, most)
    form = form_for(behaviour)
    found: list[Label] = []
    for number, window in enumerate(shown, 1):
        said: Labels | Compliances | None = await ask(question(window, behaviour), form)
        if said is None:
            return unread(behaviour, number, len(shown))
        found += [_checked(one, window) for one in said.labels]
    return Labelling(behaviour=behaviour, labels=tuple(dict.fromkeys(found)), windows=len(shown))


def question(window: Window, behaviour: str) -> str:
    """What a labeller is asked about one window."""
    form = form_for(behaviour)
    return prompts.load("traces/label").fill(
        behaviour=prompts.load(f"traces/behaviours/{behaviour}").fill(),
        how_to_reply=how_to_reply(form),
        agent=window.agent,
        before=window.text_before,
        record=window.text,
        mark=fence(window.text_before + window.text),
    )


def form_for(behaviour: str) -> type[Labels] | type[Compliances]:
    """The form of the reply about a behaviour."""
    return Compliances if behaviour == "complies" else Labels


def unread(behaviour: str, number: int, of: int, about: str | None = None) -> Labelling:
    """The void labelling of a trace in which the reply about one window could not be read."""
    reason = f"the labeller's reply about window {number} of {of} can't be read"
    return Labelling(behaviour=behaviour, windows=of, reason=reason, about=about)


def _checked(found: Found, window: Window) -> Label:
    return Label(
        step=found.step,
        importance=found.importance,
        summary=found.summary,
        quote=found.quote,
        place=place_in(window.steps, found.step, found.quote),
        compliance=found.compliance if isinstance(found, FoundCompliance) else None,
    )
