"""Dots with whiskers, a row each: accuracy of arms, changes (a forest plot), shares."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from markupsafe import Markup

from astray.report.drawing.svg import NARROW, circle, group, line, rectangle, svg, text, wrap

Place: TypeAlias = Callable[[float], float]
"""Where a value stands across, in pixels."""

_LINE: Final = 16
_LABEL: Final = 232.0
_VALUE: Final = 118.0
_PAD: Final = 12.0


@dataclass(frozen=True)
class Mark:
    """One estimate: where it stands, both ends of its interval, what is said when one points at it.

    ``hollow`` marks stand below the first one of their row, in grey unless a ``kind`` is named, as of rows.
    """

    value: float
    low: float
    high: float
    tip: str
    hollow: bool = False
    kind: str = ""


@dataclass(frozen=True)
class Row:
    """One row: a label, its marks, and the first one in words. ``kind`` is ``bad``, ``good`` or ``plain``."""

    label: str
    marks: tuple[Mark, ...]
    said: str
    kind: str = "plain"


@dataclass(frozen=True)
class Axis:
    """What is measured: from where to where, where ticks stand, a line to compare with and a band around it.

    Ticks of changes are ``signed``.
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    unit: str
    title: str
    zero: float | None = None
    band: tuple[float, float] | None = None
    signed: bool = False

    @classmethod
    def shares(cls, title: str, reference: float | None = None, band: tuple[float, float] | None = None) -> Axis:
        """0 to 100%."""
        return cls(0, 100, (0, 25, 50, 75, 100), "%", title, reference, band)

    @classmethod
    def around_zero(cls, values: Iterable[float], title: str) -> Axis:
        """Wide enough for these values and for zero, in round steps."""
        ticks = _round_ticks([0.0, *values], margin=0.15)
        return cls(ticks[0], ticks[-1], ticks, "", title, 0.0, signed=True)

    @classmethod
    def counts(cls, values: Iterable[float], title: str, reference: float | None = None) -> Axis:
        """From zero on, wide enough for these values, in round steps."""
        ticks = _round_ticks([0.0, *values], margin=0.0)
        return cls(ticks[0], ticks[-1], ticks, "", title, reference)


def dots(rows: Sequence[Row], axis: Axis, width: int, label: str) -> Markup:
    """The figure. On a phone labels stand above their rows."""
    narrow = width <= NARROW
    left, right = (_PAD, width - _PAD) if narrow else (_LABEL, width - _VALUE)

    def x(value: float) -> float:
        return left + (right - left) * (value - axis.low) / (axis.high - axis.low)

    top, body = 6.0, []
    for row in rows:
        lines = wrap(row.label, width - 112 if narrow else _LABEL - 14, 2)
        marks = max(1, len(row.marks))
        texts = _LINE * len(lines)
        height = texts + 15 * marks + 6 if narrow else max(texts, 15 * marks) + 10
        body.append(_row(row, lines, x, top, width, narrow=narrow))
        top += height
    back = _back(axis, x, top)
    foot = [text(x(tick), top + 18, _tick(tick, axis), "tick", anchor="middle") for tick in axis.ticks]
    title = text((left + right) / 2, top + 36, axis.title, "soft", anchor="middle")
    return svg(width, top + 44, label, [*back, *body, *foot, title], "narrow" if narrow else "wide")


def _back(axis: Axis, x: Place, top: float) -> list[Markup]:
    parts = [rectangle(x(axis.band[0]), 0, x(axis.band[1]) - x(axis.band[0]), top, "band")] if axis.band else []
    parts += [line(x(tick), 0, x(tick), top + 5, "grid") for tick in axis.ticks]
    if axis.zero is not None:
        parts.append(line(x(axis.zero), 0, x(axis.zero), top + 5, "zero"))
    return parts


def _row(row: Row, lines: Sequence[str], x: Place, top: float, width: int, *, narrow: bool) -> Markup:
    parts = [text(0, top + 13 + _LINE * place, words, f"label {row.kind}") for place, words in enumerate(lines)]
    y = top + (_LINE * len(lines) + 8 if narrow else 9)
    parts.append(text(width, top + 13, row.said, f"said {row.kind}", anchor="end"))
    for place, mark in enumerate(row.marks):
        kind = mark.kind or ("floor" if mark.hollow else row.kind)
        at = y + 15 * place
        whisker = line(x(mark.low), at, x(mark.high), at, f"whisker {kind}")
        dot = circle(x(mark.value), at, 3.8 if mark.hollow else 4.8, f"{'hollow' if mark.hollow else 'dot'} {kind}")
        target = rectangle(x(mark.low) - 4, at - 7, x(mark.high) - x(mark.low) + 8, 14, "target")
        parts.append(group([target, whisker, dot], tip=mark.tip))
    return group(parts)


def _round_ticks(values: Sequence[float], *, margin: float) -> tuple[float, ...]:
    """Round steps around these values, at most about eight; ``margin`` is in steps."""
    low, high = min(values), max(values)
    decades = (10.0**power for power in range(12))
    step = next(s for decade in decades for s in (decade, 2 * decade, 5 * decade) if (high - low) / s <= 6)
    first, last = math.floor(low / step - margin), math.ceil(high / step + margin)
    return tuple(step * number for number in range(first, max(last, first + 1) + 1))


def _tick(value: float, axis: Axis) -> str:
    sign = "+" if value > 0 and axis.signed else ""
    return f"{sign}{value:g}{axis.unit}".replace("-", "−")
