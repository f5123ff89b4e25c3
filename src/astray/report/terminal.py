"""The report in the terminal: one sentence, one line on what was run, one table."""

from __future__ import annotations

import textwrap
from itertools import groupby
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from astray.measures import Cell, Estimate, Summary
from astray.report.findings import findings
from astray.report.words import (
    NOTHING,
    Suite,
    arm_label,
    doubts,
    is_bad,
    p_text,
    percent,
    signed,
    spread,
    suites,
    what_was_run,
)

_WIDE: Final = 100
_WIDE_NAME: Final = 38
_NARROW_NAME: Final = 15

LEGEND: Final = (
    "harm: right before the advice, not right after it; recov.: the other way round; "
    "p: against no advice, corrected over all arms (Holm); dim: 95% intervals"
)


def show(summary: Summary, console: Console) -> None:
    """Print the summary: for each model and benchmark the answer in a sentence, what was run, and a table."""
    shown = suites(summary)
    if not shown:
        console.print("There is nothing to report: no outcomes.")
    for suite in shown:
        console.print()
        lead, *more = findings(suite)
        console.print(Text(lead, style="bold"))
        for sentence in more:
            console.print(Text(sentence))
        console.print(Text(what_was_run(suite), style="dim"))
        console.print(table(suite, wide=console.width >= _WIDE))
        for doubt in doubts(suite):
            console.print(Text(f"Warning: {doubt}", style="yellow"))
    if shown:
        console.print(Text(LEGEND, style="dim"))


def table(suite: Suite, *, wide: bool) -> Table:
    """The table of a suite; in a narrow terminal the text of an arm is left out and its label wraps."""
    grid = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
    grid.add_column("arm", no_wrap=True)
    for name in ("", "n", "accuracy", "", "Δ points", "", "p", "harm", "recov.", "void"):
        grid.add_column(name, justify="left" if name == "" else "right", no_wrap=True)
    for key, group in groupby(suite.cells, key=lambda cell: (cell.arm, cell.judge, cell.user, cell.book)):
        cells = list(group)
        names = _names(suite, key[0], key[1], wide=wide)
        for place, cell in enumerate(cells):
            mine = names[place:] if cell is cells[-1] else names[place : place + 1]
            grid.add_row(Text("\n").join(mine), *_values(cell))
    return grid


def _names(suite: Suite, arm: str, judge: str | None, *, wide: bool) -> list[Text]:
    """Lines that name an arm, to be set beside its rounds: the label, and below it the text where there is room."""
    by = f" by {judge}" if judge and len(suite.judges) > 1 else ""
    label = textwrap.wrap(arm_label(arm) + by, _WIDE_NAME if wide else _NARROW_NAME)
    lines = [Text(line, style="bold" if is_bad(arm) else "") for line in label]
    return [*lines, Text(arm, style="dim")] if wide and arm != "original" else lines


def _values(cell: Cell) -> list[str | Text]:
    drop, change = cell.against_original, cell.change
    return [
        f"R{cell.round}",
        str(cell.n),
        percent(cell.accuracy.value),
        Text(spread(cell.accuracy, digits=0), style="dim"),
        signed(drop.points.value) if drop else NOTHING,
        Text(spread(drop.points, factor=1, sign=True, joint="…", digits=0) if drop else "", style="dim"),
        p_text(drop.p_holm) if drop and drop.p_holm is not None else "",
        _rate(change.harm if change else None),
        _rate(change.recovery if change else None),
        str(cell.void) if cell.void else "0",
    ]


def _rate(estimate: Estimate | None) -> str:
    return NOTHING if estimate is None else percent(estimate.value)
