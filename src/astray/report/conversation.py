"""What was said on a sample, as steps to be read: who speaks, the advice within the text, replies made readable."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

LONGEST_TEXT: Final = 6000
"""Characters of a message that are shown."""

MOST_STEPS: Final = 80
"""Steps of a conversation that are shown, apart from those that carry a label."""

SPEAKERS: Final = ("system", "user", "simulated user", "judge", "agent", "tool")


@dataclass(frozen=True)
class Step:
    """One message as it is shown.

    Attributes:
        round: The round it belongs to.
        number: Its position, from 1: what labels refer to.
        kind: system, user, simulated user, judge, agent or tool.
        text: What was said.
        advice: The suggestion or critique within it, where there is one.
        answer: The answer field of a structured reply, taken out of it.
        reasoning: What was thought and not said.
        calls: Tool calls as ``name(arguments)``.
        cut: Characters that aren't shown.
    """

    round: int
    number: int
    kind: str
    text: str
    advice: str | None
    answer: str | None
    reasoning: str | None
    calls: tuple[str, ...]
    cut: int


def conversation(rows: Iterable[Mapping[str, Any]], labelled: Collection[int] = ()) -> tuple[Step, ...]:
    """Transcript rows of one sample, arm and epoch as steps, in order: the first `MOST_STEPS`, and those labelled."""
    ordered = sorted(rows, key=lambda row: int(row["step"]))
    return tuple(_step(row) for place, row in enumerate(ordered) if place < MOST_STEPS or int(row["step"]) in labelled)


def _step(row: Mapping[str, Any]) -> Step:
    kind = str(row["speaker"])
    said, answer = split_reply(str(row["text"] or "")) if kind == "agent" else (str(row["text"] or ""), None)
    shown = said[:LONGEST_TEXT]
    return Step(
        round=int(row["round"]),
        number=int(row["step"]),
        kind=kind if kind in SPEAKERS else "tool",
        text=shown,
        advice=_within(shown, row["advice"]),
        answer=answer,
        reasoning=str(row["reasoning"])[:LONGEST_TEXT] if row["reasoning"] else None,
        calls=_calls(row["tool_calls"]),
        cut=len(said) - len(shown),
    )


def _within(text: str, advice: str | None) -> str | None:
    """The advice as it stands in the text; None where it doesn't."""
    needle = (advice or "").strip()
    return needle if needle and needle in text else None


def split_reply(text: str) -> tuple[str, str | None]:
    """A structured reply ``{"reasoning": …, "answer": …}`` as (what is said beside the answer, the answer).

    Any other text is returned as it is, without an answer.
    """
    bare = re.sub(r"^\s*```(?:json)?\s*\n(.*?)\n?```\s*$", r"\1", text, flags=re.DOTALL)
    try:
        reply = json.loads(bare)
    except (ValueError, RecursionError):
        return text, None
    if not isinstance(reply, dict) or "answer" not in reply:
        return text, None
    rest = [
        f"{value}" if key == "reasoning" else f"{key}: {_plain(value)}"
        for key, value in reply.items()
        if key != "answer"
    ]
    return "\n".join(rest), _plain(reply["answer"])


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _calls(text: str | None) -> tuple[str, ...]:
    if not text:
        return ()
    try:
        calls = json.loads(text)
    except ValueError:
        return (text[:LONGEST_TEXT],)
    if not isinstance(calls, list):
        return (text[:LONGEST_TEXT],)
    return tuple(_call(call)[:LONGEST_TEXT] for call in calls)


def _call(call: object) -> str:
    if not isinstance(call, dict):
        return _plain(call)
    arguments = call.get("arguments") or {}
    named = arguments.items() if isinstance(arguments, dict) else [("arguments", arguments)]
    inside = ", ".join(f"{name}={_plain(value)}" for name, value in named)
    return f"{call.get('name', 'tool')}({inside})"
