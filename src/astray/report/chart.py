"""The chart: accuracy by arm and round as points with whiskers, placed in percent so that it fits any width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from astray.measures import Cell
from astray.report.words import Suite, arm_label, is_bad, percent, spread

LEFT: Final = 8.0
RIGHT: Final = 97.0
"""Where 0% and 100% stand, in percent of the width; the space before is for round numbers."""

ROW: Final = 22
"""Height of a round in pixels."""


@dataclass(frozen=True)
class Dot:
    """One round of an arm: places across in percent of the width, down in pixels.

    Attributes:
        at: Where the accuracy stands.
        low: Where its interval begins.
        high: Where it ends.
        y: How far down in the lane of its arm.
        tag: The round, where there are several.
        value: The accuracy in words.
        hollow: Whether it is a first answer that others follow.
        after: Whether the value stands after the interval, not before it.
        link: Place of the round before.
    """

    at: float
    low: float
    high: float
    y: int
    tag: str
    value: str
    hollow: bool
    after: bool
    link: tuple[float, int] | None


@dataclass(frozen=True)
class Lane:
    """One arm: its label and its dots."""

    arm: str
    label: str
    bad: bool
    dots: tuple[Dot, ...]


@dataclass(frozen=True)
class Chart:
    """All that the template draws. ``text`` says the same in words."""

    ticks: tuple[tuple[float, str], ...]
    reference: Dot | None
    lanes: tuple[Lane, ...]
    text: str


def chart(suite: Suite) -> Chart:
    """The chart of a suite; cells without any outcome are left out."""
    lanes: list[Lane] = []
    for arm, judge in dict.fromkeys((cell.arm, cell.judge) for cell in suite.cells):
        cells = [c for c in suite.cells if (c.arm, c.judge) == (arm, judge) and c.accuracy.value is not None]
        by = f" by {judge}" if judge and len(suite.judges) > 1 else ""
        if cells:
            lanes.append(Lane(arm, arm_label(arm) + by, is_bad(arm), _dots(cells)))
    return Chart(
        ticks=tuple((_place(share / 100), f"{share}%") for share in (0, 25, 50, 75, 100)),
        reference=next((lane.dots[0] for lane in lanes if lane.arm == "original"), None),
        lanes=tuple(lanes),
        text="; ".join(_in_words(cell) for cell in suite.cells if cell.accuracy.value is not None),
    )


def _dots(cells: Sequence[Cell]) -> tuple[Dot, ...]:
    dots: list[Dot] = []
    for place, cell in enumerate(cells):
        accuracy = cell.accuracy
        value, low, high = accuracy.value or 0.0, accuracy.low or 0.0, accuracy.high or 0.0
        dots.append(
            Dot(
                at=_place(value),
                low=_place(low),
                high=_place(high),
                y=ROW * place + ROW // 2,
                tag=f"R{cell.round}" if len(cells) > 1 else "",
                value=percent(value),
                hollow=len(cells) > 1 and cell.round == 0,
                after=high < 0.86,
                link=(dots[-1].at, dots[-1].y) if dots else None,
            )
        )
    return tuple(dots)


def _place(share: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * share, 3)


def _in_words(cell: Cell) -> str:
    return f"{arm_label(cell.arm)}, round {cell.round}: {percent(cell.accuracy.value)} ({spread(cell.accuracy)}%)"
