"""The tables of labels: read, merged with what is new, written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    folder: Path,
    labels: Sequence[BehaviourRow],
    labellings: Sequence[LabellingRow],
    current: Mapping[tuple[object, ...], Sequence[str]],
) -> tuple[list[BehaviourRow], list[LabellingRow]]:
    """What is in the tables and what is new, which takes the place of the same trace, labeller, behaviour, suggestion.

    Labels of transcripts that have changed since go, and those of claims held against what nobody suggests any more.

    Args:
        folder: The study's folder.
        labels: New labels.
        labellings: New labellings.
        current: For each trace that there is now, by key and hash, what its claims are held against.
    """

    def holds(row: LabellingRow) -> bool:
        suggestions = current.get((*_place(row)[:6], row.transcript))
        return suggestions is not None and (row.about is None or row.about in suggestions)

    new = {_place(row) for row in labellings}
    kept = [row for row in rows_of(folder, "labellings", LabellingRow) if holds(row) and _place(row) not in new]
    places = {_place(row) for row in kept}
    old = [row for row in rows_of(folder, "behaviours", BehaviourRow) if _place(row) in places]
    return _sorted([*old, *labels]), _sorted([*kept, *labellings])


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
