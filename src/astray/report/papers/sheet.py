"""One table of a paper as plain data: a value or an estimate in each place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from astray.measures import Estimate


@dataclass(frozen=True)
class P:
    """A p-value."""

    value: float | None


Value: TypeAlias = str | int | float | Estimate | P | None


@dataclass(frozen=True)
class Sheet:
    """One table. Estimates are in percent or in points, as the column's name says.

    Attributes:
        name: Of the files.
        caption: What the table shows, and how to read it.
        columns: Names of the columns.
        rows: A value for each column.
    """

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    @property
    def narrow(self) -> Sheet:
        """The same for a reader: columns of texts that are alike in all of several rows are told in the caption."""
        same = [place for place in range(len(self.columns)) if self._alike(place)]
        told = [(self.columns[p], self.rows[0][p]) for p in same if self.rows[0][p] is not None]
        words = "; ".join(f"{name}: {value}" for name, value in told)
        kept = [place for place in range(len(self.columns)) if place not in same]
        return Sheet(
            self.name,
            f"{self.caption} {words}." if words else self.caption,
            tuple(self.columns[place] for place in kept),
            tuple(tuple(row[place] for place in kept) for row in self.rows),
        )

    def _alike(self, place: int) -> bool:
        values = [row[place] for row in self.rows]
        texts = all(value is None or isinstance(value, str) for value in values)
        return len(values) > 1 and texts and len(set(values)) == 1


def percent(estimate: Estimate | None) -> Estimate | None:
    """A share as a percentage."""
    return None if estimate is None else estimate.scaled(100)
