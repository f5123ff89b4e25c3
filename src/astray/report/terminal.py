"""The report in the terminal: one sentence, one line on what was run, one table."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from astray.measures import Cell, Estimate, Summary
from astray.report.words import (
    NOTHING,
    Suite,
    arm_label,
    doubts,
    findings,
    is_bad,
    p_text,
    percent,
    signed,
    spread,
    suites,
    what_was_run,
)

_WIDE = 100


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


def table(suite: Suite, *, wide: bool) -> Table:
    """The table of a suite; in a narrow terminal the text of an arm is left out and its label wraps."""
    grid = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
    grid.add_column("arm", min_width=14)
    for name in ("", "n", "accuracy", "", "Δ points", "", "p", "harm", "recov.", "void"):
        grid.add_column(name, justify="left" if name == "" else "right", no_wrap=True)
    for cell in suite.cells:
        grid.add_row(_name(suite, cell, wide=wide), *_values(cell))
    return grid


def _name(suite: Suite, cell: Cell, *, wide: bool) -> Text:
    """Label of the arm in its first row; its text below, or in its second row where it has one."""
    rounds = [other.round for other in suite.cells if (other.arm, other.judge) == (cell.arm, cell.judge)]
    place = rounds.index(cell.round)
    name = Text()
    if place == 0:
        name.append(arm_label(cell.arm), style="bold" if is_bad(cell.arm) else "")
        name.append(f" by {cell.judge}" if len(suite.judges) > 1 and cell.judge else "")
    if wide and cell.arm not in ("original", arm_label(cell.arm)) and place == min(1, len(rounds) - 1):
        name.append("\n" if place == 0 else "")
        name.append(cell.arm, style="dim")
    return name


def _values(cell: Cell) -> list[str | Text]:
    drop, change = cell.against_original, cell.change
    return [
        f"R{cell.round}",
        str(cell.n),
        percent(cell.accuracy.value),
        Text(spread(cell.accuracy), style="dim"),
        signed(drop.points.value) if drop else NOTHING,
        Text(spread(drop.points, factor=1, sign=True, joint="…") if drop else "", style="dim"),
        p_text(drop.p_holm) if drop and drop.p_holm is not None else "",
        _rate(change.harm if change else None),
        _rate(change.recovery if change else None),
        str(cell.void) if cell.void else "0",
    ]


def _rate(estimate: Estimate | None) -> str:
    return NOTHING if estimate is None else percent(estimate.value)
