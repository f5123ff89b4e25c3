"""Conversation histories of MCP-Atlas: the CSV that its harness writes, as it is or scored."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

from astray.errors import InputError
from astray.tables import Outcome
from astray.traces.readers.base import Imported
from astray.traces.readers.messages import steps_of


def read_mcp_atlas(path: Path) -> list[Imported]:
    """The runs of a CSV with ``task_id`` (or ``TASK``), ``raw_conversation_history`` and ``response``.

    The request isn't in the history; it and the score are in the CSV that the harness's scoring writes, as ``PROMPT``
    and ``coverage_score``. Neither names the model.

    Raises:
        InputError: It can't be read; names the line.
    """
    csv.field_size_limit(sys.maxsize)
    found: list[Imported] = []
    seen: dict[str, int] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.DictReader(handle)
            columns = set(reader.fieldnames or ())
            wanted = {"TASK" if "TASK" in columns else "task_id", "raw_conversation_history"}
            if missing := wanted - columns:
                raise InputError(f"{path}: columns missing: {', '.join(sorted(missing))}")
            for row in reader:
                found.append(_run(path, reader.line_num, row, seen))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: can't be read as CSV ({error})") from error
    return found


def _run(path: Path, line: int, row: dict[str, str | None], seen: dict[str, int]) -> Imported:
    id = row.get("task_id") or row.get("TASK") or ""
    seen[id] = seen.get(id, 0) + 1
    try:
        messages = json.loads(row["raw_conversation_history"] or "[]")
        if not messages:
            # The harness failed: its message stands in the place of a response, and is scored 0.
            why = (row.get("response") or "nothing is recorded").splitlines()[0]
            return Imported(id, None, seen[id], (), outcome=Outcome.ERROR, why=why)
        score = row.get("coverage_score")
        return Imported(id, None, seen[id], tuple(steps_of(_whole(messages, row))), float(score) if score else None)
    except (json.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path}, line {line}: task {id}: its history can't be read ({error})") from error


def _whole(messages: list[dict[str, Any]], row: dict[str, str | None]) -> list[dict[str, Any]]:
    """The messages with the request before them and the final response after them, where they lack these."""
    request, final = row.get("PROMPT"), row.get("response")
    asked = [{"role": "user", "content": request}]
    whole = [*(asked if request and all(one.get("role") != "user" for one in messages) else []), *messages]
    said = {step.text.strip() for step in steps_of(messages) if step.by_agent}
    return [*whole, {"role": "assistant", "content": final}] if final and final.strip() not in said else whole
