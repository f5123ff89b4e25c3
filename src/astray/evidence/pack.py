"""Evidence packs: one JSON Lines file, reviewed, shared and reused like an advice book."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from astray.cache import Shelf
from astray.errors import InputError
from astray.evidence import foreign
from astray.evidence.rows import Evidence, PackHeader
from astray.jsonl import numbered, parsed, text_in, validated
from astray.tables import replacing

Line = tuple[str, Any]
"""Where an entry stands, for messages, and what it holds."""

_OWN: Final = frozenset(("sample_id", "passages"))


@dataclass(frozen=True)
class Pack:
    """For each question a wrong answer and passages that support it.

    Attributes:
        header: What it was made for, by whom.
        rows: One for each sample.
        left_out: (id, reason) of entries of a foreign file that can't be used.
    """

    header: PackHeader
    rows: tuple[Evidence, ...]
    left_out: tuple[tuple[str, str], ...] = ()

    @classmethod
    def make(cls, header: PackHeader, rows: Iterable[Evidence], left_out: Iterable[tuple[str, str]] = ()) -> Pack:
        """A pack whose header states the counts and the hash of these rows."""
        pack = cls(header, tuple(rows), tuple(left_out))
        counts = {"rows": len(pack.rows), "not_wrong": sum(row.verified is False for row in pack.rows)}
        return cls(header.model_copy(update={"counts": counts, "hash": pack.hash}), pack.rows, pack.left_out)

    @classmethod
    def load(cls, path: str | Path) -> Pack:
        """Read and validate a pack: astray's own form, WAFER-QA's fields, or ConflictQA's.

        Raises:
            InputError: No such file, not UTF-8, an entry that can't be read (named), nothing that can be used, or a
                sample that stands twice.
        """
        path = Path(path)
        lines = _lines(path)
        first = lines[0][1]
        if isinstance(first, dict) and "astray_evidence" in first:
            header, lines = validated(first, PackHeader, f"{path}: {lines[0][0]}"), lines[1:]
        else:
            header = PackHeader(benchmark="", fingerprint="", author=foreign.collection(first) or path.name)
        rows: list[tuple[str, Evidence]] = []
        left_out: list[tuple[str, str]] = []
        for where, data in lines:
            read = _read(path, where, data)
            if isinstance(read, Evidence):
                rows.append((where, read))
            else:
                left_out.append(read)
        _refuse_doubles(path, rows)
        if not rows:
            raise InputError(f"{path}: holds no evidence that can be used{_why(left_out)}")
        return cls.make(header, [row for _, row in rows], left_out)

    def save(self, path: str | Path) -> Path:
        """Write the pack atomically, and return its path."""
        path = Path(path)
        lines = [self.header.model_dump_json(), *(row.model_dump_json(exclude_none=True) for row in self.rows)]
        with replacing(path) as handle:
            handle.write(("\n".join(lines) + "\n").encode())
        return path

    @cached_property
    def hash(self) -> str:
        """Hash of the rows in any order: the pack's identity."""
        # Without what isn't said, so that a field added later changes no pack.
        rows = sorted(json.dumps(row.model_dump(mode="json", exclude_none=True), sort_keys=True) for row in self.rows)
        return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]

    @cached_property
    def _by_sample(self) -> dict[str, Evidence]:
        return {row.sample_id: row for row in self.rows}

    @cached_property
    def _by_question(self) -> dict[str, Evidence | None]:
        found: dict[str, Evidence | None] = {}
        for row in self.rows:
            if row.question:
                key = squeezed(row.question)
                found[key] = None if key in found else row
        return found

    def find(self, sample_id: str | None, question: str | None = None) -> Evidence | None:
        """The row of a sample: by its id, else by its question's words where they are those of one row alone.

        A context before the question may be missing in the row.
        """
        found = self._by_sample.get(sample_id) if sample_id is not None else None
        asked = [question, last_paragraph(question)] if question else []
        return found or next((row for text in asked for row in [self._by_question.get(squeezed(text))] if row), None)

    def shelve(self) -> Path:
        """Keep the pack in the cache under its hash, where a run finds it by hash alone."""
        return _SHELF.keep(self)


_SHELF: Final = Shelf("evidence", "evidence pack", "--evidence", Pack.load)


def pack_from_shelf(hash: str) -> Pack:
    """The pack with this hash from the cache.

    Raises:
        InputError: It isn't there, or was changed since.
    """
    return _SHELF.find(hash)


def is_pack(path: Path) -> bool:
    """Whether a file begins like an evidence pack, astray's own or a foreign one; of JSON Lines, a broken one too."""
    # Its beginning alone: a corpus may be large.
    with path.open(encoding="utf-8-sig", errors="replace") as handle:
        line = next((line for line in handle if line.strip()), "")
    try:
        first = json.loads(line)
    except (ValueError, RecursionError):
        return path.suffix in (".json", ".jsonl")
    if isinstance(first, list):
        return True
    return isinstance(first, dict) and (
        "astray_evidence" in first or first.keys() >= _OWN or foreign.collection(first) is not None
    )


def squeezed(text: str) -> str:
    """A text with every run of white space as one blank: how texts are compared."""
    return " ".join(text.split())


def last_paragraph(text: str) -> str:
    """What is asked after a context: the last paragraph."""
    return text.strip().rsplit("\n\n", 1)[-1]


def _lines(path: Path) -> list[Line]:
    """The entries of JSON Lines, or of one JSON list, each with its place."""
    text = text_in(path, "evidence pack")
    if text.lstrip().startswith("["):
        entries = parsed(text, str(path))
        lines = [(f"entry {number}", entry) for number, entry in enumerate(entries, 1)]
    else:
        lines = [(f"line {number}", parsed(line, f"{path}: line {number}")) for number, line in numbered(text)]
    if not lines:
        raise InputError(f"{path}: empty; an evidence pack has a wrong answer with its passages a line")
    return lines


def _read(path: Path, where: str, data: Any) -> Evidence | tuple[str, str]:
    """An entry as a row, or (id, reason) where it can't be used."""
    if isinstance(data, dict) and foreign.collection(data) is not None:
        read = foreign.read(data, where)
        return read if isinstance(read, tuple) else validated(read, Evidence, f"{path}: {where}")
    return validated(data, Evidence, f"{path}: {where}")


def _refuse_doubles(path: Path, rows: Iterable[tuple[str, Evidence]]) -> None:
    seen: set[str] = set()
    for where, row in rows:
        if row.sample_id in seen:
            raise InputError(f"{path}: {where}: a second entry for '{row.sample_id}'")
        seen.add(row.sample_id)


def _why(left_out: list[tuple[str, str]]) -> str:
    return f" ({len(left_out)} entries left out; the first: {left_out[0][1]})" if left_out else ""
