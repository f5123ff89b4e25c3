"""What the acting agent is told, put into each of its calls: no agent's own prompt can come before a defense."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from itertools import dropwhile
from typing import Any, Final

from inspect_ai.hooks import BeforeModelGenerate, Hooks, hooks
from inspect_ai.model import ChatMessage, ChatMessageSystem

from astray import _compat
from astray.benchmarks.base import METADATA_KEY

OTHER_ROLES: Final = ("judge", "grader", "user", "author")
"""Model roles that speak within an agent's solver and aren't the agent."""

_MARK: Final = {METADATA_KEY: {"told": True}}


@dataclass(frozen=True)
class Told:
    """What an agent is told.

    Attributes:
        before: Stands before every system message of the agent's own; None says nothing.
        after: Stands after the system messages the agent begins with; None says nothing.
    """

    before: str | None = None
    after: str | None = None

    def put_into(self, messages: Sequence[ChatMessage]) -> list[ChatMessage]:
        """The messages with what is told in its places; as they are where it is there already."""
        if any((message.metadata or {}).get(METADATA_KEY) == _MARK[METADATA_KEY] for message in messages):
            return list(messages)
        leading = next((i for i, message in enumerate(messages) if message.role != "system"), len(messages))
        return [*_as_system(self.before), *messages[:leading], *_as_system(self.after), *messages[leading:]]


_NOW: ContextVar[Told | None] = ContextVar("astray_told", default=None)
"""What the agent is told that acts now, in this sample; None while nobody acts, or there is nothing to tell."""


def told_in(metadata: Mapping[str, Any] | None) -> Told | None:
    """What a treated sample's agent is told, from the sample's metadata; None where it is nothing."""
    treatment = ((metadata or {}).get(METADATA_KEY) or {}).get("treatment") or {}
    told = Told(treatment.get("system_before"), treatment.get("system_after"))
    return told if told != Told() else None


def told_now() -> Told | None:
    """What the agent is told that acts now, or None."""
    return _NOW.get()


@contextmanager
def telling(told: Told | None) -> Iterator[None]:
    """While within, every call of the acting model is told this, however the agent makes its messages."""
    if told is not None:
        _register()
    token = _NOW.set(told)
    try:
        yield
    finally:
        _NOW.reset(token)


class Telling(Hooks):
    """Puts what is told into a call just before it is made."""

    def enabled(self) -> bool:
        """Only while an agent acts that is told something."""
        return _NOW.get() is not None

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        """Change the call's own list of messages; it is made anew for each call, and kept for its retries."""
        # The event doesn't say in which role a model is called, and no public context does either. What can't be told
        # apart at all: a role that nobody named, for which Inspect's get_model() gives the acting model itself.
        told, model = _NOW.get(), _compat.calling_model()
        if told is None or (model is not None and model.role in OTHER_ROLES):
            return
        messages = told.put_into(data.input)
        # Inspect has joined them before the hook, for providers that take no more than one.
        alone = model is not None and model.api.collapse_system_messages()
        data.input[:] = _joined(messages) if alone else messages


@cache
def _register() -> None:
    # With the first use and not when astray is imported: Inspect prints a line at the start of every process in
    # which any hook is registered, also where none is enabled.
    hooks(name="telling", description="What an arm tells the acting agent")(Telling)


def _as_system(text: str | None) -> list[ChatMessage]:
    return [ChatMessageSystem(content=text, metadata=_MARK)] if text else []


def _joined(messages: list[ChatMessage]) -> list[ChatMessage]:
    """The system messages at the beginning as one."""
    rest = list(dropwhile(lambda message: message.role == "system", messages))
    leading = messages[: len(messages) - len(rest)]
    return [*_as_system("\n\n".join(message.text for message in leading)), *rest]
