"""Suggestions and the books that hold them: one JSON Lines file, a header line first, reviewed like a data set."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from astray.advice.checked import as_read, as_written, was_edited
from astray.advice.rows import BookHeader, Decomposition, Stance, Suggestion
from astray.cache import Shelf
from astray.errors import InputError
from astray.jsonl import numbered, parsed, text_in, validated
from astray.tables import replacing


@dataclass(frozen=True)
class Book:
    """All suggestions for a benchmark, and the decompositions of its requests."""

    header: BookHeader
    suggestions: tuple[Suggestion, ...]
    decompositions: tuple[Decomposition, ...] = ()

    @classmethod
    def make(
        cls, header: BookHeader, suggestions: Iterable[Suggestion], decompositions: Iterable[Decomposition] = ()
    ) -> Book:
        """A book whose header states the counts and the hash of these rows."""
        book = cls(header, tuple(suggestions), tuple(decompositions))
        counts = {
            stance: sum(row.stance == stance for row in book.suggestions) for stance in ("bad", "good", "neutral")
        }
        if book.decompositions:
            counts["decompositions"] = len(book.decompositions)
        header = header.model_copy(update={"counts": counts, "hash": book.hash})
        return cls(header, book.suggestions, book.decompositions)

    @classmethod
    def load(cls, path: str | Path) -> Book:
        """Read and validate a book.

        A book edited by hand is read as it stands: its hash is that of its present suggestions, and checks that were
        made of other words count as not made.

        Raises:
            InputError: No such file, not UTF-8, a line that can't be read (named), or a sample with two suggestions
                of one stance or two decompositions.
        """
        path = Path(path)
        lines = numbered(text_in(path, "advice book"))
        if not lines:
            raise InputError(f"{path}: empty; a book begins with a header line and has a suggestion a line")
        first = f"{path}: line {lines[0][0]}"
        header = validated(parsed(lines[0][1], first), BookHeader, first)
        rows = [(number, _read_row(path, number, line)) for number, line in lines[1:]]
        _refuse_doubles(path, rows)
        return cls.make(
            header,
            [row for _, row in rows if isinstance(row, Suggestion)],
            [row for _, row in rows if isinstance(row, Decomposition)],
        )

    def save(self, path: str | Path) -> Path:
        """Write the book atomically, and return its path."""
        path = Path(path)
        rows = (as_written(row).model_dump_json(exclude_none=True) for row in self.rows)
        lines = [self.header.model_dump_json(), *rows]
        with replacing(path) as handle:
            handle.write(("\n".join(lines) + "\n").encode())
        return path

    @cached_property
    def hash(self) -> str:
        """Hash of the rows in any order: the book's identity."""
        # Without what isn't said, so that a field added later changes no book; and without what only guards the checks.
        said = (row.model_dump(mode="json", exclude_none=True, exclude={"checked"}) for row in self.rows)
        rows = sorted(json.dumps(row, sort_keys=True) for row in said)
        return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]

    @cached_property
    def _by_sample(self) -> dict[tuple[str, str], Suggestion]:
        return {(row.sample_id, row.stance): row for row in self.suggestions}

    def find(self, sample_id: str, stance: Stance) -> Suggestion | None:
        """The suggestion of this stance for a sample, or None."""
        return self._by_sample.get((sample_id, stance))

    @cached_property
    def _decompositions(self) -> dict[str, Decomposition]:
        return {row.sample_id: row for row in self.decompositions}

    def decomposition(self, sample_id: str) -> Decomposition | None:
        """How this sample's request is taken apart, or None."""
        return self._decompositions.get(sample_id)

    @property
    def rows(self) -> tuple[Suggestion | Decomposition, ...]:
        """Everything in it."""
        return (*self.suggestions, *self.decompositions)

    @cached_property
    def edited(self) -> tuple[Suggestion | Decomposition, ...]:
        """What was edited since it was checked: it counts as not checked."""
        return tuple(row for row in self.rows if was_edited(row))

    def has(self, sample_id: str, need: str) -> bool:
        """Whether there is a suggestion of this stance for a sample, or, of need ``decomposition``, that."""
        found = self.decomposition(sample_id) if need == "decomposition" else self._by_sample.get((sample_id, need))
        return found is not None and not (isinstance(found, Decomposition) and not found.description)

    def shelve(self) -> Path:
        """Keep the book in the cache under its hash, where a run finds it by hash alone."""
        return _SHELF.keep(self)


_SHELF: Final = Shelf("books", "advice book", "--advice BOOK", Book.load)


def from_shelf(hash: str) -> Book:
    """The book with this hash from the cache.

    Raises:
        InputError: It isn't there, or was changed since.
    """
    return _SHELF.find(hash)


def _read_row(path: Path, number: int, line: str) -> Suggestion | Decomposition:
    where = f"{path}: line {number}"
    data = parsed(line, where)
    if isinstance(data, dict) and "parts" in data:
        return as_read(validated(data, Decomposition, where))
    return as_read(validated(data, Suggestion, where))


def _refuse_doubles(path: Path, rows: list[tuple[int, Suggestion | Decomposition]]) -> None:
    seen: set[tuple[str, str]] = set()
    for number, row in rows:
        what = f"{row.stance} suggestion" if isinstance(row, Suggestion) else "decomposition"
        if (row.sample_id, what) in seen:
            raise InputError(f"{path}: line {number}: a second {what} for '{row.sample_id}'")
        seen.add((row.sample_id, what))
