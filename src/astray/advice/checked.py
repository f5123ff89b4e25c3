"""Checks hold for the words they were made of: a book is a text file, and a person may change it with any editor."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import TypeVar

from astray.advice.rows import Check, Decomposition, Suggestion

Row = TypeVar("Row", Suggestion, Decomposition, Suggestion | Decomposition)


def with_checks(row: Row, checks: Iterable[Check]) -> Row:
    """The row with these checks, made of its present words, in the place of its own."""
    return row.model_copy(update={"checks": tuple(checks), "checked": None})


def was_edited(row: Suggestion | Decomposition) -> bool:
    """Whether the row's words were changed since it was checked, and not checked again."""
    return row.checked not in (None, _digest(row))


def as_written(row: Row) -> Row:
    """The row as it stands in a file: beside its checks, a hash of the words they are of."""
    return row.model_copy(update={"checked": _digest(row)}) if row.checks else row


def as_read(row: Row) -> Row:
    """The row of a file: where its words were edited since it was checked, these checks count as not made.

    Rows of files written earlier have no hash; nobody can tell whether they were edited, and their checks are taken
    to hold.
    """
    # In memory a hash is kept of an edited row alone: else the same row would be two, written and not yet written.
    return row.model_copy(update={"checks": ()}) if was_edited(row) else with_checks(row, row.checks)


def _digest(row: Suggestion | Decomposition) -> str:
    """Hash of a row's words, and of what they are said of: a line copied for another sample isn't checked either."""
    if isinstance(row, Suggestion):
        said = [row.sample_id, row.stance, row.text]
    else:
        said = [row.sample_id, *(f"{part.kind}: {part.text}" for part in row.parts)]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]
