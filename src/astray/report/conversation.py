"""What was said on a sample, as steps to be read: who speaks, advice within the text, replies made readable."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

LONGEST_TEXT: Final = 6000
"""Characters of a message that are shown."""

MOST_STEPS: Final = 80
"""Steps of a conversation that are shown."""

SPEAKERS: Final = {"system": "Instructions", "user": "User", "judge": "Judge", "agent": "Agent", "tool": "Tool"}


@dataclass(frozen=True)
class Part:
    """A piece of a message; ``advice`` marks the suggestion or critique within it."""

    text: str
    advice: bool = False


@dataclass(frozen=True)
class Step:
    """One message as it is shown.

    Attributes:
        round: The round it belongs to.
        opens: Whether it is the first of its round.
        kind: system, user, judge, agent or tool.
        speaker: The same as a name.
        parts: What was said, in pieces.
        answer: The answer field of a structured reply, taken out of it.
        reasoning: What was thought and not said.
        calls: Tool calls as ``name(arguments)``.
        cut: Characters that aren't shown.
    """

    round: int
    opens: bool
    kind: str
    speaker: str
    parts: tuple[Part, ...]
    answer: str | None
    reasoning: str | None
    calls: tuple[str, ...]
    cut: int


def conversation(rows: Iterable[Mapping[str, Any]]) -> tuple[Step, ...]:
    """Transcript rows of one sample, arm and epoch as steps, in order; at most `MOST_STEPS` of them."""
    steps: list[Step] = []
    for row in sorted(rows, key=lambda row: int(row["step"]))[:MOST_STEPS]:
        before = steps[-1].round if steps else None
        steps.append(_step(row, before))
    return tuple(steps)


def _step(row: Mapping[str, Any], before: int | None) -> Step:
    kind = str(row["speaker"])
    said, answer = split_reply(str(row["text"] or "")) if kind == "agent" else (str(row["text"] or ""), None)
    shown = said[:LONGEST_TEXT]
    return Step(
        round=int(row["round"]),
        opens=before is not None and int(row["round"]) != before,
        kind=kind if kind in SPEAKERS else "tool",
        speaker=SPEAKERS.get(kind, kind),
        parts=mark(shown, row["advice"]),
        answer=answer,
        reasoning=str(row["reasoning"])[:LONGEST_TEXT] if row["reasoning"] else None,
        calls=_calls(row["tool_calls"]),
        cut=len(said) - len(shown),
    )


def mark(text: str, advice: str | None) -> tuple[Part, ...]:
    """The text in pieces, the advice marked wherever it stands; unmarked where it doesn't."""
    needle = (advice or "").strip()
    if not needle or needle not in text:
        return (Part(text),)
    pieces: list[Part] = []
    for place, piece in enumerate(text.split(needle)):
        pieces += [Part(needle, advice=True)] if place else []
        pieces += [Part(piece)] if piece else []
    return tuple(pieces)


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
