"""The table by subset: accuracy without advice, and what each arm changes."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from astray.measures import Estimate, by_subset
from astray.report.words import suites


@dataclass(frozen=True)
class SubsetRow:
    """One subset.

    Attributes:
        name: As the benchmark names it.
        n: Samples that aren't void, without advice.
        accuracy: Without advice.
        arms: Arms compared with no advice; the same in every row.
        points: What each of them changes in its last round, in points; None where it has no sample here.
    """

    name: str
    n: int
    accuracy: Estimate
    arms: tuple[str, ...]
    points: tuple[Estimate | None, ...]


def subset_rows(outcomes: pd.DataFrame, arms: tuple[str, ...]) -> tuple[SubsetRow, ...]:
    """A row for each subset of one model and benchmark; none where there are fewer than two."""
    found = by_subset(outcomes)
    compared = tuple(arm for arm in arms if arm != "original")
    if len(found) < 2 or not compared:
        return ()
    rows = []
    for name, summary in found:
        for suite in suites(summary):
            if suite.original is not None:
                changes = {c.arm: c.against_original.points for c in suite.cells if c.last and c.against_original}
                points = tuple(changes.get(arm) for arm in compared)
                rows.append(SubsetRow(name, suite.original.n, suite.original.accuracy, compared, points))
    return tuple(rows)
