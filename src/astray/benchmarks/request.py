"""Where a user's request lives in a sample, and how a treatment gets there: everything else stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ChatMessageUser, Content, ContentText

from astray.advice import Treatment
from astray.errors import InputError

_CUE: Final = re.compile(r"[\s*_#>]*(?:(?:the|your|my|final)\s+)*(?:answer|a|solution|response)[\s*_]*:[\s*_]*", re.I)
"""A line that the answer is to follow."""


def request_text(input: str | list[ChatMessage]) -> str:
    """The text of the request: a string input, or the user's last message.

    Raises:
        InputError: There is no user message.
    """
    return input if isinstance(input, str) else input[_last_user(input)].text


def with_request(sample: Sample, treatment: Treatment) -> Sample:
    """A copy of the sample with the treatment's request in the place of the user's, and its suggestion beside it.

    Raises:
        InputError: There is no user message.
    """
    treated = sample.model_copy(deep=True)
    for change in _changes(treatment):
        treated.input = _changed(treated.input, change)
    return treated


_Change = Callable[[list[Content]], list[Content]]


def _changes(treatment: Treatment) -> list[_Change]:
    request, suggestion = treatment.request, treatment.suggestion
    changes: list[_Change] = []
    if request is not None:
        changes.append(lambda parts: _replaced(parts, request))
    if suggestion is not None:
        changes.append(lambda parts: _beside(parts, suggestion, first=treatment.placement == "prepend"))
    return changes


def _changed(input: str | list[ChatMessage], change: _Change) -> str | list[ChatMessage]:
    if isinstance(input, str):
        return _text(change([ContentText(text=input)]))
    messages = list(input)
    at = _last_user(messages)
    content = messages[at].content
    new = _text(change([ContentText(text=content)])) if isinstance(content, str) else change(content)
    messages[at] = messages[at].model_copy(update={"content": new})
    return messages


def _replaced(parts: list[Content], request: str) -> list[Content]:
    """The request in the place of the first text; images and files stay where they are, other texts go."""
    texts = [index for index, part in enumerate(parts) if isinstance(part, ContentText)]
    at = texts[0] if texts else len(parts)
    kept = [part for part in parts[at:] if not isinstance(part, ContentText)]
    return [*parts[:at], ContentText(text=request), *kept]


def _beside(parts: list[Content], remark: str, *, first: bool) -> list[Content]:
    """The remark as a paragraph of its own: before everything else, or after it, though before a cue at the end."""
    if first:
        return [ContentText(text=remark), *parts]
    last = parts[-1] if parts else None
    if not isinstance(last, ContentText) or (end := _before_cue(last.text)) is None:
        return [*parts, ContentText(text=remark)]
    if not end:
        return [*parts[:-1], ContentText(text=remark), last]
    text = f"{last.text[:end]}\n\n{remark}{last.text[end:]}"
    return [*parts[:-1], last.model_copy(update={"text": text})]


def _before_cue(text: str) -> int | None:
    """Where the text before the cue on its last line ends; None where there is no cue."""
    before, _, last = text.rstrip().rpartition("\n")
    return len(before.rstrip()) if _CUE.fullmatch(last) else None


def _text(parts: list[Content]) -> str:
    *before, last = [part.text for part in parts if isinstance(part, ContentText)]
    return "\n\n".join([*(text.rstrip() for text in before), last])


def _last_user(messages: list[ChatMessage]) -> int:
    for index in range(len(messages) - 1, -1, -1):
        if isinstance(messages[index], ChatMessageUser):
            return index
    raise InputError("the sample's input has no user message a suggestion could stand in")
