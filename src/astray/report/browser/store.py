"""Where texts are kept: in the page as far as it stays small, then in files beside it that it loads when asked."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from dataclasses import dataclass
from typing import Any, Final

from astray.report.browser.chunks import Making, by_run, chunked
from astray.report.browser.index import index_of
from astray.report.browser.runs import collect
from astray.report.load import Material

ROOM: Final = 4_000_000
"""Bytes of index and chunks within the page at most; large sections leave less."""

MOST_LISTED: Final = 200_000
"""Conversations that are listed at all: the index of more would be too large for a page."""

_TRANSCRIPT: Final = ("step", "round", "speaker", "text", "reasoning", "tool_calls", "advice")
_LABEL: Final = (
    *("step", "behaviour", "importance", "summary", "quote"),
    *("place", "compliance", "person", "stance", "labeller"),
)


@dataclass(frozen=True)
class Store:
    """What the browser works on.

    Attributes:
        index: The index, packed.
        inside: Packed chunks within the page, from number 0.
        beside: Texts of the files ``more-N.js`` beside the page, N counting on from there.
        runs: Conversations that are listed.
        outside: Conversations whose text is beside the page.
        unlisted: Conversations beyond those, which aren't listed.
        stamp: What tells the files of this page from those of another.
    """

    index: str
    inside: tuple[str, ...]
    beside: tuple[str, ...]
    runs: int
    outside: int
    unlisted: int
    stamp: str


def store(material: Material, room: int = ROOM) -> Store:
    """Pack the conversations of a report, those that flipped first: `MOST_LISTED` of them at most."""
    said = by_run(material.transcripts, _TRANSCRIPT)
    labels = by_run(_valid(material), _LABEL)
    advised = {key for key, rows in said.items() if any(row["advice"] for row in rows)}
    every = collect(material.outcomes, advised, said)
    runs = every[:MOST_LISTED]
    sheets = _sheets(material)
    gists = {key: str(sheet.get("question") or "") for key, sheet in sheets.items()}
    columns = index_of(runs, gists)
    room -= len(pack(_compact(columns))) + len(runs) // 5  # the numbers of the chunks come later
    packed, where, inside = _packed(chunked(runs, said, labels, sheets), len(runs), room)
    columns["runs"]["chunk"] = where
    index = pack(_compact(columns))
    stamp = hashlib.sha256(index.encode()).hexdigest()[:12]
    files = tuple(_file(stamp, place, packed[place]) for place in range(inside, len(packed)))
    outside = sum(place >= inside for place in where)
    return Store(index, tuple(packed[:inside]), files, len(runs), outside, len(every) - len(runs), stamp)


def _packed(making: Making, runs: int, room: int) -> tuple[list[str], list[int], int]:
    """Packed chunks, the chunk of every run, and how many chunks fit into the page."""
    packed, where, inside = list[str](), [0] * runs, 0
    large: bool | None = None
    while True:
        try:
            chunk, numbers = making.send(large)
        except StopIteration:
            return packed, where, inside
        for number in numbers:
            where[number] = len(packed)
        packed.append(pack(chunk.json()))
        room -= len(packed[-1])
        if room >= 0:
            inside = len(packed)
        large = room < 0


def pack(text: str) -> str:
    """Compressed, as characters that are safe within a script; the same at every call."""
    return base64.b64encode(gzip.compress(text.encode("utf-8", errors="replace"), 6, mtime=0)).decode()


def unpack(packed: str) -> Any:
    """What was packed."""
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def _compact(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


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
