"""Changing an advice book by hand: one suggestion, or all in an editor. A broken edit leaves the book as it was."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import click

from astray.advice import Book, Decomposition, Stance, Suggestion, with_checks
from astray.cli.advice import require_suggestion
from astray.errors import InputError

PERSON = "person"
"""The author of what was edited by hand."""


def change_one(path: Path, sample: str, stance: Stance, new: Mapping[str, str] | None) -> None:
    """Give one suggestion of a book new fields, or, with None, take it out.

    Raises:
        InputError: The book can't be read, has no such sample or stance, or the new text is empty.
    """
    book = Book.load(path)
    old = require_suggestion(path, book, sample, stance)
    if new is None:
        rows = [row for row in book.suggestions if row is not old]
    else:
        if not new.get("text", old.text).strip():
            raise InputError(f"{path}: an empty text; take a suggestion out with --drop")
        changed = as_edited(old, Suggestion.model_validate({**old.model_dump(), **new}))
        rows = [changed if row is old else row for row in book.suggestions]
    _save(path, book, Book.make(book.header, rows, book.decompositions))


def edit_in_editor(path: Path) -> None:
    """Open a copy of a book in the person's editor; it takes the book's place if it is a book still.

    Raises:
        InputError: The edited file is no book; names the line, and where the edit is kept.
    """
    before = Book.load(path)
    copy = path.with_name(f"{path.stem}.edited{path.suffix}")
    if copy.exists():
        raise InputError(f"{copy}: an earlier edit is kept there; mend it and move it to {path}, or delete it")
    shutil.copyfile(path, copy)
    try:
        click.edit(filename=copy)
    except click.ClickException:
        copy.unlink()
        raise
    try:
        after = Book.load(copy)
    except InputError as error:
        said = str(error).removeprefix(f"{copy}: ")
        raise InputError(f"{path}: {said}; the book is as it was, and your edit is kept in {copy}") from error
    _save(path, before, _edited(before, after))
    copy.unlink()


def as_edited(old: Suggestion | None, new: Suggestion) -> Suggestion:
    """A suggestion after a person changed it: with another text, or new, it has no checks and is that person's."""
    if old is not None and old.text == new.text:
        return new
    return with_checks(new, ()).model_copy(update={"author": PERSON})


def _apart(old: Decomposition | None, new: Decomposition) -> Decomposition:
    """The same of a request taken apart: with other parts, or new."""
    if old is not None and old.parts == new.parts:
        return new
    return with_checks(new, ()).model_copy(update={"author": PERSON})


def _edited(before: Book, after: Book) -> Book:
    rows = [as_edited(before.find(row.sample_id, row.stance), row) for row in after.suggestions]
    parts = [_apart(before.decomposition(row.sample_id), row) for row in after.decompositions]
    return Book.make(after.header, rows, parts)


def _save(path: Path, before: Book, after: Book) -> None:
    """Save a book where it changed, and say what changed."""
    changes = _changes(before, after)
    if after != before:
        after.save(path)
    for change in changes or ["nothing changed" if after == before else "the header changed"]:
        click.echo(change)
    if after.hash != before.hash:
        click.echo(f"{path}: hash {before.hash} is now {after.hash}")


def _changes(before: Book, after: Book) -> list[str]:
    old = {_name(row): row for row in before.rows}
    new = {_name(row): row for row in after.rows}
    return [
        *(f"changed: {name}" for name, row in new.items() if name in old and old[name] != row),
        *(f"added: {name}" for name in new if name not in old),
        *(f"removed: {name}" for name in old if name not in new),
    ]


def _name(row: Suggestion | Decomposition) -> str:
    return f"{row.sample_id} {row.stance if isinstance(row, Suggestion) else 'decomposition'}"
