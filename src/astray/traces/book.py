"""The tables of labels: read, merged with what is new, written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from pathlib import Path
from typing import TypeVar

from astray.errors import InputError
from astray.tables import BehaviourRow, LabellingRow, Row, find, read, write

R = TypeVar("R", bound=Row)
B = TypeVar("B", BehaviourRow, LabellingRow)


def rows_of(folder: Path, name: str, kind: type[R]) -> list[R]:
    """The rows of a table; none where there is no such table yet."""
    try:
        find(folder, name)
    except InputError:
        return []
    frame = read(folder, name).astype(object)
    frame = frame.where(frame.notna(), None)
    return [kind(**dict(zip(frame.columns, row, strict=True))) for row in frame.itertuples(index=False, name=None)]


def merged(
    folder: Path, labels: Sequence[BehaviourRow], labellings: Sequence[LabellingRow], current: Set[tuple[object, ...]]
) -> tuple[list[BehaviourRow], list[LabellingRow]]:
    """What is in the tables and what is new, which takes the place of the same trace, labeller, behaviour, suggestion.

    Labels of transcripts that are not among ``current`` (key and hash), because they have changed since, go.
    """
    before = rows_of(folder, "labellings", LabellingRow)
    stale = {_place(row) for row in before if (*_place(row)[:6], row.transcript) not in current}
    new = {_place(row) for row in labellings} | stale
    old_labels = [row for row in rows_of(folder, "behaviours", BehaviourRow) if _place(row) not in new]
    old_labellings = [row for row in before if _place(row) not in new]
    return _sorted([*old_labels, *labels]), _sorted([*old_labellings, *labellings])


def save(folder: Path, labels: Iterable[BehaviourRow], labellings: Iterable[LabellingRow]) -> None:
    """Write both tables of a study."""
    tables = find(folder, "transcripts").parent
    write(tables, "behaviours", labels)
    write(tables, "labellings", labellings)


def _place(row: BehaviourRow | LabellingRow) -> tuple[str | int, ...]:
    key = row.study, row.model, row.benchmark, row.sample_id, row.arm, row.epoch
    return *key, row.labeller, row.behaviour, row.about or ""


def _sorted(rows: list[B]) -> list[B]:
    return sorted(rows, key=lambda row: (*_place(row), row.step if isinstance(row, BehaviourRow) else 0))
