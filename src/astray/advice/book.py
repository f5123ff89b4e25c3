"""Suggestions and the books that hold them: one JSON Lines file, a header line first, reviewed like a data set."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from astray.cache import cache_folder
from astray.errors import InputError
from astray.tables import replacing

Stance = Literal["bad", "good", "neutral"]
"""What a suggestion does when followed: mislead, help, nothing."""

T = TypeVar("T", bound=BaseModel)


class Check(BaseModel):
    """One question asked of a piece of advice; what can't be checked is unknown, never passed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, description="What was checked, e.g. form, leak, harm.")
    result: Literal["passed", "failed", "unknown"]
    by: str = Field(description="Who checked: a rule, a model, a person, an execution.")
    note: str = ""


class Suggestion(BaseModel):
    """One sentence of advice for one sample."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sample_id: str = Field(min_length=1)
    stance: Stance
    text: str = Field(min_length=1, description="As a user would say it.")
    kind: str | None = Field(None, description="wrong approach, cause, place, tool, premise or reading.")
    leads_to: str | None = Field(None, description="What following it would lead to.")
    author: str | None = Field(None, description="Who wrote it, where that is not the book's author.")
    checks: tuple[Check, ...] = ()


class BookHeader(BaseModel):
    """The first line of a book."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    astray_book: Literal[1] = 1
    benchmark: str
    fingerprint: str = Field(description="Of the benchmark's samples; a book for another version is refused.")
    author: str = Field(description="Model, rule or person that wrote it.")
    prompt_version: int | None = None
    seed: int | None = None
    counts: Mapping[str, int] = Field(default_factory=dict, description="Suggestions by stance.")
    hash: str = Field("", description="Of the suggestions, as `Book.hash` gives it.")


@dataclass(frozen=True)
class Book:
    """All suggestions for a benchmark."""

    header: BookHeader
    suggestions: tuple[Suggestion, ...]

    @classmethod
    def make(cls, header: BookHeader, suggestions: Iterable[Suggestion]) -> Book:
        """A book whose header states the counts and the hash of these suggestions."""
        rows = tuple(suggestions)
        counts = {stance: sum(row.stance == stance for row in rows) for stance in ("bad", "good", "neutral")}
        book = cls(header, rows)
        return cls(header.model_copy(update={"counts": counts, "hash": book.hash}), rows)

    @classmethod
    def load(cls, path: str | Path) -> Book:
        """Read and validate a book.

        A book edited by hand is read as it stands: its hash is that of its present suggestions.

        Raises:
            InputError: No such file, not UTF-8, a line that can't be read (named), or a sample with two suggestions
                of one stance.
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
        header = _read_line(path, *lines[0], BookHeader)
        rows = tuple(_read_line(path, number, line, Suggestion) for number, line in lines[1:])
        seen: set[tuple[str, str]] = set()
        for (number, _), row in zip(lines[1:], rows, strict=True):
            if (row.sample_id, row.stance) in seen:
                raise InputError(f"{path}: line {number}: a second {row.stance} suggestion for '{row.sample_id}'")
            seen.add((row.sample_id, row.stance))
        return cls.make(header, rows)

    def save(self, path: str | Path) -> Path:
        """Write the book atomically, and return its path."""
        path = Path(path)
        lines = [self.header.model_dump_json(), *(row.model_dump_json(exclude_none=True) for row in self.suggestions)]
        with replacing(path) as handle:
            handle.write(("\n".join(lines) + "\n").encode())
        return path

    @cached_property
    def hash(self) -> str:
        """Hash of the suggestions in any order: the book's identity."""
        rows = sorted(json.dumps(row.model_dump(mode="json"), sort_keys=True) for row in self.suggestions)
        return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:16]

    @cached_property
    def _by_sample(self) -> dict[tuple[str, str], Suggestion]:
        return {(row.sample_id, row.stance): row for row in self.suggestions}

    def find(self, sample_id: str, stance: Stance) -> Suggestion | None:
        """The suggestion of this stance for a sample, or None."""
        return self._by_sample.get((sample_id, stance))

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


def _read_line(path: Path, number: int, line: str, kind: type[T]) -> T:
    try:
        data: Any = json.loads(line)
        return kind.model_validate(data)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: line {number}: not JSON ({error.msg}, column {error.colno})") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "line"
        raise InputError(f"{path}: line {number}: {where}: {first['msg']}") from error
