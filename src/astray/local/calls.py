"""Calls of tools that a small model writes as plain JSON, where its template asks for tags around them."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Set
from typing import Any, Final

from inspect_ai.model import ModelOutput
from inspect_ai.tool import ToolCall

_AROUND: Final = re.compile(r"```(?:json|xml)?|</?(?:tool_call|tools|function_call)>")


def with_calls(output: ModelOutput, names: Set[str]) -> ModelOutput:
    """The output with its text as calls of tools, where it is nothing but calls of tools that were offered.

    Args:
        output: A reply; one that has calls, or that says anything beside them, stays as it is.
        names: Names of the tools that were offered.
    """
    if not names or not output.choices or output.message.tool_calls:
        return output
    calls = written_calls(output.message.text, names)
    if not calls:
        return output
    choice = output.choices[0]
    message = choice.message.model_copy(update={"content": "", "tool_calls": calls})
    changed = choice.model_copy(update={"message": message, "stop_reason": "tool_calls"})
    return output.model_copy(update={"choices": [changed, *output.choices[1:]]})


def written_calls(text: str, names: Set[str]) -> list[ToolCall]:
    """The calls that a text consists of, in order; none where it is, or holds, anything else."""
    try:
        found = list(_values(_AROUND.sub(" ", text)))
    except (ValueError, RecursionError):
        return []
    calls = [part for value in found for part in (value if isinstance(value, list) else [value])]
    if not all(_is_call(call, names) for call in calls):
        return []
    return [
        ToolCall(id=f"call_{uuid.uuid4().hex[:12]}", function=call["name"], arguments=_given(call)) for call in calls
    ]


def _values(text: str) -> Iterator[Any]:
    """JSON values one after the other.

    Raises:
        json.JSONDecodeError: There is something else.
    """
    decoder, place = json.JSONDecoder(), 0
    while rest := text[place:].lstrip():
        value, end = decoder.raw_decode(rest)
        yield value
        place = len(text) - len(rest) + end


def _is_call(value: Any, names: Set[str]) -> bool:
    return isinstance(value, dict) and isinstance(_given(value), dict) and any(value.get("name") == n for n in names)


def _given(call: dict[str, Any]) -> Any:
    return call.get("arguments", call.get("parameters", {}))
