"""Plain chats as JSON Lines: messages, or a question with an answer and rounds of pressure."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from astray.errors import InputError
from astray.jsonl import numbered, parsed, text_in
from astray.traces.readers.base import Imported
from astray.traces.readers.messages import steps_of


def read_chat(path: Path) -> list[Imported]:
    """The chats of a JSON Lines file.

    A line has ``messages`` (role and content, optionally reasoning_content, advice, round), or ``question``,
    ``initial`` (with ``response``) and ``rounds`` (each with ``pressure`` and ``response``); and optionally ``id`` or
    ``question_id``, ``model`` and ``value``.

    Raises:
        InputError: It can't be read; names the line.
    """
    found: list[Imported] = []
    seen: dict[tuple[str, str | None], int] = {}
    for number, line in numbered(text_in(path)):
        where = f"{path}: line {number}"
        row = parsed(line, where)
        try:
            steps = tuple(steps_of(row["messages"] if "messages" in row else _pressed(row)))
            id, model = str(row.get("id", row.get("question_id", number))), row.get("model")
            seen[id, model] = seen.get((id, model), 0) + 1
            found.append(Imported(id, model, seen[id, model], steps, row.get("value")))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"{where}: is no chat ({error!r}); a line has 'messages' (role, content), or 'question', 'initial' and "
                "'rounds'"
            ) from error
    return found


def _pressed(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"role": "user", "content": row["question"]}
    yield {"role": "assistant", "content": row["initial"]["response"]}
    for number, one in enumerate(row["rounds"], 1):
        yield {"role": "user", "content": one["pressure"], "advice": one["pressure"], "round": number}
        yield {"role": "assistant", "content": one["response"], "round": number}
