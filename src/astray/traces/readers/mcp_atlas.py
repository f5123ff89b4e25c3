"""Conversation histories of MCP-Atlas: the CSV that its harness writes."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

from astray.errors import InputError
from astray.traces.readers.base import Imported
from astray.traces.readers.messages import steps_of


def read_mcp_atlas(path: Path) -> list[Imported]:
    """The runs of a CSV with ``task_id``, ``raw_conversation_history`` and ``response``; it names no model or score.

    Raises:
        InputError: It can't be read; names the line.
    """
    csv.field_size_limit(sys.maxsize)
    found: list[Imported] = []
    seen: dict[str, int] = {}
    try:
        with path.open(encoding="utf-8", newline="") as handle:
            reader = csv.DictReader(handle)
            if missing := {"task_id", "raw_conversation_history"} - set(reader.fieldnames or ()):
                raise InputError(f"{path}: columns missing: {', '.join(sorted(missing))}")
            for row in reader:
                found.append(_run(path, reader.line_num, row, seen))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: can't be read as CSV ({error})") from error
    return found


def _run(path: Path, line: int, row: dict[str, str], seen: dict[str, int]) -> Imported:
    id = row["task_id"]
    seen[id] = seen.get(id, 0) + 1
    try:
        messages = json.loads(row["raw_conversation_history"])
        steps = steps_of(messages)
        # The history may end before the final response.
        final = row.get("response")
        if final and not any(step.by_agent and step.text.strip() == final.strip() for step in steps):
            steps = steps_of([*messages, {"role": "assistant", "content": final}])
    except (json.JSONDecodeError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path}, line {line}: task {id}: its history can't be read ({error})") from error
    return Imported(id, None, seen[id], tuple(steps))
