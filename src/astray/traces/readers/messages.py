"""Messages in the form of OpenAI's chat API, as most harnesses keep them, as steps."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from astray.tables import moment, since
from astray.traces.trace import Step

SPEAKERS: Final = {"assistant": "agent", "developer": "system", "function": "tool"}
"""Roles that have another name here."""

_PLAIN: Final = ("system", "user", "agent", "tool", "judge", "simulated user")


def steps_of(messages: Iterable[Mapping[str, Any]]) -> list[Step]:
    """The messages as steps, numbered from 1; one without words, thoughts and calls is no step, unless a tool's.

    Times are counted from the first message that has a ``timestamp``.

    Raises:
        ValueError: A message is of no known role.
    """
    steps: list[Step] = []
    start: float | None = None
    for message in messages:
        now = moment(message.get("timestamp"))
        start = now if start is None else start
        step = _step(message, len(steps) + 1, since(start, now))
        # A tool that answers with nothing has answered: without it the next result would seem to be its own.
        if step.text or step.reasoning or step.tool_calls or step.speaker == "tool":
            steps.append(step)
    return steps


def text_of(content: Any) -> str:
    """The text of a message's content: a string, or a list of parts; ``[image]`` stands for one that isn't text."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text for text in map(_part, content) if text)
    return "" if content is None else json.dumps(content, ensure_ascii=False)


def thoughts_of(content: Any) -> str | None:
    """What the parts of a message's content hold of thoughts."""
    parts = [part for part in content if _is_thought(part)] if isinstance(content, list) else []
    thoughts = [part.get("thinking") or part.get("reasoning") or part.get("text") for part in parts]
    return "\n".join(text for text in thoughts if isinstance(text, str)) or None


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if _is_thought(part):
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else f"[{part.get('type') or 'something else'}]"


def _is_thought(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in ("thinking", "redacted_thinking", "reasoning")


def calls_of(calls: Any) -> str | None:
    """Tool calls as JSON list of name and arguments, from the forms harnesses keep them in."""
    found = []
    for call in calls or ():
        function = call.get("function") or call
        arguments = function.get("arguments", {})
        if isinstance(arguments, str):
            with contextlib.suppress(json.JSONDecodeError):
                arguments = json.loads(arguments)
        found.append({"name": function.get("name") or function.get("function_name"), "arguments": arguments})
    return json.dumps(found, ensure_ascii=False) if found else None


def _step(message: Mapping[str, Any], number: int, seconds: float | None) -> Step:
    role = str(message.get("role"))
    speaker = SPEAKERS.get(role, role)
    if speaker not in _PLAIN:
        raise ValueError(f"a message's role is '{role}'; known are {', '.join((*_PLAIN, *SPEAKERS))}")
    content = message.get("content")
    reasoning = message.get("reasoning_content") or message.get("reasoning") or thoughts_of(content)
    return Step(
        step=number,
        speaker=speaker,
        text=text_of(content),
        reasoning=reasoning if isinstance(reasoning, str) else None,
        tool_calls=calls_of(message.get("tool_calls")),
        advice=message.get("advice"),
        round=int(message.get("round") or 0),
        seconds=seconds,
    )
