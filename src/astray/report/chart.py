"""The chart: accuracy by arm and round as points with whiskers, placed in percent so that it fits any width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from astray.measures import Cell
from astray.report.words import Suite, arm_label, is_bad, percent, spread

LEFT: Final = 7.0
RIGHT: Final = 97.0
"""Where 0% and 100% stand, in percent of the width; the space before is for round numbers."""

LABEL: Final = 20
ROW: Final = 22
GAP: Final = 14
TOP: Final = 10
AXIS: Final = 28
"""Heights in pixels."""


@dataclass(frozen=True)
class Dot:
    """One round of an arm: places across in percent of the width, down in pixels."""

    y: int
    at: float
    low: float
    high: float
    tag: str
    value: str
    first: bool
    right: bool
    link: tuple[float, int] | None


@dataclass(frozen=True)
class Bar:
    """One arm: its label and its dots."""

    arm: str
    label: str
    y: int
    bad: bool
    dots: tuple[Dot, ...]


@dataclass(frozen=True)
class Chart:
    """All that the template draws. ``text`` says the same in words."""

    height: int
    ticks: tuple[tuple[float, str], ...]
    reference: Dot | None
    bars: tuple[Bar, ...]
    text: str

    @property
    def bottom(self) -> int:
        """Where the axis stands."""
        return self.height - AXIS


def chart(suite: Suite) -> Chart:
    """The chart of a suite; cells without any outcome are left out."""
    bars: list[Bar] = []
    y = TOP
    for arm, judge in dict.fromkeys((cell.arm, cell.judge) for cell in suite.cells):
        cells = [c for c in suite.cells if (c.arm, c.judge) == (arm, judge) and c.accuracy.value is not None]
        if not cells:
            continue
        by = f" by {judge}" if judge and len(suite.judges) > 1 else ""
        bars.append(Bar(arm, arm_label(arm) + by, y + 14, is_bad(arm), _dots(cells, y + LABEL)))
        y += LABEL + ROW * len(cells) + GAP
    original = next((bar.dots[0] for bar in bars if bar.arm == "original"), None)
    return Chart(
        height=y + AXIS,
        ticks=tuple((_place(share / 100), f"{share}%") for share in (0, 25, 50, 75, 100)),
        reference=original,
        bars=tuple(bars),
        text="; ".join(_in_words(cell) for cell in suite.cells if cell.accuracy.value is not None),
    )


def _dots(cells: Sequence[Cell], top: int) -> tuple[Dot, ...]:
    dots: list[Dot] = []
    for place, cell in enumerate(cells):
        accuracy = cell.accuracy
        value, low, high = accuracy.value or 0.0, accuracy.low or 0.0, accuracy.high or 0.0
        dots.append(
            Dot(
                y=top + ROW * place + ROW // 2,
                at=_place(value),
                low=_place(low),
                high=_place(high),
                tag=f"R{cell.round}" if len(cells) > 1 else "",
                value=percent(value),
                first=len(cells) > 1 and cell.round == 0,
                right=high < 0.86,
                link=(dots[-1].at, dots[-1].y) if dots else None,
            )
        )
    return tuple(dots)


def _place(share: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * share, 3)


def _in_words(cell: Cell) -> str:
    return f"{arm_label(cell.arm)}, round {cell.round}: {percent(cell.accuracy.value)} ({spread(cell.accuracy)}%)"
