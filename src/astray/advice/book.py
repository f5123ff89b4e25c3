"""Suggestions and the books that hold them: one JSON Lines file, a header line first, reviewed like a data set."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from astray.advice.rows import BookHeader, Decomposition, Stance, Suggestion
from astray.cache import cache_folder
from astray.errors import InputError
from astray.tables import replacing

T = TypeVar("T", bound=BaseModel)


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

        A book edited by hand is read as it stands: its hash is that of its present suggestions.

        Raises:
            InputError: No such file, not UTF-8, a line that can't be read (named), or a sample with two suggestions
                of one stance or two decompositions.
        """
        path = Path(path)
        if not path.is_file():
            raise InputError(f"{path}: no such advice book")
        try:
            text = path.read_text("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: not UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8") from error
        # Only \n ends a line of JSON Lines: splitlines() would cut at Unicode's other line ends too.
        lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
        if not lines:
            raise InputError(f"{path}: empty; a book begins with a header line and has a suggestion a line")
        header = _validated(path, lines[0][0], _parsed(path, *lines[0]), BookHeader)
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
        rows = (row.model_dump_json(exclude_none=True) for row in self.rows)
        lines = [self.header.model_dump_json(), *rows]
        with replacing(path) as handle:
            handle.write(("\n".join(lines) + "\n").encode())
        return path

    @cached_property
    def hash(self) -> str:
        """Hash of the rows in any order: the book's identity."""
        # Without what isn't said, so that a field added later changes no book.
        rows = sorted(json.dumps(row.model_dump(mode="json", exclude_none=True), sort_keys=True) for row in self.rows)
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

    def has(self, sample_id: str, need: str) -> bool:
        """Whether there is a suggestion of this stance for a sample, or, of need ``decomposition``, that."""
        found = self.decomposition(sample_id) if need == "decomposition" else self._by_sample.get((sample_id, need))
        return found is not None and not (isinstance(found, Decomposition) and not found.description)

    def shelve(self) -> Path:
        """Keep the book in the cache under its hash, where a run finds it by hash alone."""
        path = _shelf(self.hash)
        return path if path.is_file() else self.save(path)


def from_shelf(hash: str) -> Book:
    """The book with this hash from the cache.

    Raises:
        InputError: It isn't there, or was changed since.
    """
    path = _shelf(hash)
    if not path.is_file():
        raise InputError(f"no advice book with hash {hash} in {path.parent}; run the study with --advice BOOK again")
    book = Book.load(path)
    if book.hash != hash:
        raise InputError(f"{path}: was changed (its hash is now {book.hash}); delete it and run the study again")
    return book


def _shelf(hash: str) -> Path:
    return cache_folder("books") / f"{hash}.jsonl"


def _read_row(path: Path, number: int, line: str) -> Suggestion | Decomposition:
    data = _parsed(path, number, line)
    if isinstance(data, dict) and "parts" in data:
        return _validated(path, number, data, Decomposition)
    return _validated(path, number, data, Suggestion)


def _refuse_doubles(path: Path, rows: list[tuple[int, Suggestion | Decomposition]]) -> None:
    seen: set[tuple[str, str]] = set()
    for number, row in rows:
        what = f"{row.stance} suggestion" if isinstance(row, Suggestion) else "decomposition"
        if (row.sample_id, what) in seen:
            raise InputError(f"{path}: line {number}: a second {what} for '{row.sample_id}'")
        seen.add((row.sample_id, what))


def _parsed(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: line {number}: not JSON ({error.msg}, column {error.colno})") from error


def _validated(path: Path, number: int, data: Any, kind: type[T]) -> T:
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "line"
        raise InputError(f"{path}: line {number}: {where}: {first['msg']}") from error
