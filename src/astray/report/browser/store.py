"""Where texts are kept: in the page as far as it stays small, then in files beside it that it loads when asked."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final

from astray.report.browser.chunks import by_run, chunked
from astray.report.browser.index import index_of
from astray.report.browser.runs import collect
from astray.report.load import Material

ROOM: Final = 4_000_000
"""Bytes of index and chunks within the page; the page is then below 5 MB."""

_TRANSCRIPT: Final = ("step", "round", "speaker", "text", "reasoning", "tool_calls", "advice")
_LABEL: Final = ("step", "behaviour", "importance", "summary", "quote")


@dataclass(frozen=True)
class Store:
    """What the browser works on.

    Attributes:
        index: The index, packed.
        inside: Packed chunks within the page, from number 0.
        beside: Texts of the files ``more-N.js`` beside the page, N counting on from there.
        runs: Conversations there are.
        outside: Conversations whose text is beside the page.
        stamp: What tells the files of this page from those of another.
    """

    index: str
    inside: tuple[str, ...]
    beside: tuple[str, ...]
    runs: int
    outside: int
    stamp: str


def store(material: Material, room: int = ROOM) -> Store:
    """Pack all conversations of a report, those that flipped first."""
    said = by_run(material.transcripts, _TRANSCRIPT)
    labels = by_run(_valid(material), _LABEL)
    advised = {key for key, rows in said.items() if any(row["advice"] for row in rows)}
    runs = collect(material.outcomes, advised)
    sheets = _sheets(material)
    gists = {key: str(sheet.get("question") or "") for key, sheet in sheets.items()}
    where = [-1] * len(runs)
    room -= (
        len(pack(json.dumps(index_of(runs, where, gists), ensure_ascii=False, separators=(",", ":"))))
        + 2 * len(runs) // 10
    )
    inside, beside = list[str](), list[str]()
    making = chunked(runs, said, labels, sheets)
    full: bool | None = None
    while True:
        try:
            chunk, numbers = making.send(full)
        except StopIteration:
            break
        packed = pack(chunk.json())
        fits = not beside and len(packed) <= room
        (inside if fits else beside).append(packed)
        room -= len(packed) if fits else 0
        full = bool(beside)
        for number in numbers:
            where[number] = len(inside) + len(beside) - 1
    index = pack(json.dumps(index_of(runs, where, gists), ensure_ascii=False, separators=(",", ":")))
    stamp = hashlib.sha256(index.encode()).hexdigest()[:12]
    files = tuple(_file(stamp, len(inside) + place, packed) for place, packed in enumerate(beside))
    outside = sum(place >= len(inside) for place in where)
    return Store(index, tuple(inside), files, len(runs), outside, stamp)


def pack(text: str) -> str:
    """Compressed, as characters that are safe within a script; the same at every call."""
    return base64.b64encode(gzip.compress(text.encode("utf-8", errors="replace"), 9, mtime=0)).decode()


def unpack(packed: str) -> Any:
    """What was packed."""
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def _file(stamp: str, number: int, packed: str) -> str:
    return f'"use strict";\nastray.more("{stamp}", {number}, "{packed}");\n'


def _valid(material: Material) -> Any:
    frame = material.behaviours
    return frame[frame["valid"].astype(bool)] if "valid" in frame.columns and len(frame) else frame


def _sheets(material: Material) -> dict[tuple[str, str, str], dict[str, Any]]:
    frame = material.samples
    if frame.empty:
        return {}
    return {
        (str(row["study"]), str(row["benchmark"]), str(row["sample_id"])): {str(k): v for k, v in row.items()}
        for row in frame.to_dict("records")
    }
