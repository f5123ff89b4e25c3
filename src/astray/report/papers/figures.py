"""Figures for papers, as PDF and SVG: a forest plot of the arms, and accuracy by round."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from astray.measures import Cell, Difference
from astray.report.papers.formats import one_line
from astray.report.words import Suite, arm_label, is_bad

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BAD, _OTHER, _FLOOR = "#b3261e", "#1f5f8b", "#8a8a8a"
_COLOURS: Final = ("#1f5f8b", "#b3261e", "#6b8e23", "#8b5fbf", "#c77700", "#00838f", "#5d4037", "#9e9e9e")
_MARKS: Final = "osD^vP*X"
_STYLE: Final[dict[Any, Any]] = {
    "font.size": 8,
    "text.parse_math": False,  # a dollar in a name is a dollar
    "pdf.fonttype": 42,  # outlines that publishers accept
    "svg.fonttype": "none",
    "svg.hashsalt": "astray",
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_LONGEST: Final = 60


def figures(suite: Suite) -> Iterator[tuple[str, str, bytes]]:
    """(name, ending, bytes) of each figure that the suite fills, as PDF and SVG; the same bytes at every call."""
    from matplotlib import rc_context

    with rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*[Gg]lyph.*")  # a script the font lacks shows as a box
        for name, figure in (("forest", forest(suite)), ("rounds", rounds(suite))):
            if figure is not None:
                yield name, "pdf", _saved(figure, "pdf")
                yield name, "svg", _saved(figure, "svg")


def forest(suite: Suite) -> Figure | None:
    """Change in points of every arm in its last round, with 95% intervals; hollow marks are against the floor."""
    cells = [cell for cell in suite.cells if cell.last and _points(cell.against_original)]
    if not cells:
        return None
    figure, axes = _blank(6.5, 0.9 + 0.32 * len(cells))
    for place, cell in enumerate(cells):
        against, floor = cell.against_original, cell.against_floor
        assert against is not None
        _whisker(axes, against, place, _BAD if is_bad(cell.arm) else _OTHER, filled=True)
        if floor is not None and _points(floor):
            _whisker(axes, floor, place + 0.28, _FLOOR, filled=False)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(cells)), [_label(cell, suite) for cell in cells])
    axes.set_ylim(len(cells) - 0.4, -0.6)
    axes.set_xlabel("change in accuracy, percentage points\n(filled: against no advice; hollow: against the floor)")
    axes.set_title(_title(suite), loc="left")
    return figure


def rounds(suite: Suite) -> Figure | None:
    """Accuracy by round of every arm with a challenge, with 95% intervals."""
    courses: dict[tuple[str, str | None], list[Cell]] = {}
    for cell in suite.cells:
        if cell.accuracy.value is not None:
            courses.setdefault((cell.arm, cell.judge), []).append(cell)
    several = [cells for cells in courses.values() if len(cells) > 1]
    if not several:
        return None
    figure, axes = _blank(6.5, 3.4 + 0.16 * len(several))
    for place, cells in enumerate(several):
        shift = 0.06 * (place - (len(several) - 1) / 2) / max(1, len(several) / 6)
        _course(
            axes, cells, shift, _COLOURS[place % len(_COLOURS)], _MARKS[place % len(_MARKS)], _label(cells[0], suite)
        )
    axes.set_xticks(sorted({cell.round for cells in several for cell in cells}))
    axes.set_ylim(0, 100)
    axes.set_xlabel("round")
    axes.set_ylabel("accuracy (%)")
    axes.set_title(_title(suite), loc="left")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=1, frameon=False)
    return figure


def _blank(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, min(height, 40.0)), layout="constrained")
    return figure, figure.subplots()


def _points(difference: Difference | None) -> bool:
    return difference is not None and difference.points.value is not None


def _whisker(axes: Axes, difference: Difference, place: float, colour: str, *, filled: bool) -> None:
    points = difference.points
    assert points.value is not None
    assert points.low is not None
    assert points.high is not None
    axes.plot([points.low, points.high], [place, place], color=colour, linewidth=1.2, solid_capstyle="butt")
    axes.plot([points.value], [place], "o", color=colour, markersize=4.5, markerfacecolor=colour if filled else "white")


def _course(axes: Axes, cells: Sequence[Cell], shift: float, colour: str, mark: str, label: str) -> None:
    at = [cell.round + shift for cell in cells]
    middle = [100 * (cell.accuracy.value or 0) for cell in cells]
    below = [m - 100 * (cell.accuracy.low or 0) for m, cell in zip(middle, cells, strict=True)]
    above = [100 * (cell.accuracy.high or 0) - m for m, cell in zip(middle, cells, strict=True)]
    style: dict[str, Any] = {"color": colour, "marker": mark, "markersize": 4.0, "linewidth": 1.2, "elinewidth": 0.8}
    axes.errorbar(at, middle, yerr=[below, above], label=label, **style)


def _label(cell: Cell, suite: Suite) -> str:
    by = f" by {cell.judge}" if cell.judge and len(suite.judges) > 1 else ""
    return _short(arm_label(cell.arm) + by)


def _title(suite: Suite) -> str:
    return _short(f"{suite.model} on {suite.benchmark}, n = {suite.samples}")


def _short(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _saved(figure: Figure, ending: str) -> bytes:
    """The figure as a file, without a date in it."""
    date = {"pdf": "CreationDate", "svg": "Date"}[ending]
    out = io.BytesIO()
    figure.savefig(out, format=ending, metadata={date: None, "Creator": "astray"})
    return out.getvalue()
