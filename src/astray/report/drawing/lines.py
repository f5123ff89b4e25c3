"""Lines over rounds: accuracy, or a survival curve as steps. Every line has a colour, a dash and a mark of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from markupsafe import Markup

from astray.report.drawing.svg import NARROW, circle, group, line, path, points, rectangle, svg, text, wrap

_HEIGHT: Final = 230.0
_LEFT: Final = 44.0
KINDS: Final = 8
"""Lines that can be told apart; further ones begin again."""


@dataclass(frozen=True)
class Point:
    """One round of a line: value and interval in percent."""

    round: int
    value: float
    low: float
    high: float
    tip: str


@dataclass(frozen=True)
class Line:
    """One arm over the rounds."""

    label: str
    points: tuple[Point, ...]


def lines(
    series: Sequence[Line],
    width: int,
    label: str,
    title: str,
    *,
    steps: bool = False,
    tick: Callable[[int], str] = "R{}".format,
) -> Markup:
    """The figure: percent upward, rounds across (or what ``tick`` calls them), the key below."""
    narrow = width <= NARROW
    most = max((point.round for one in series for point in one.points), default=1) or 1
    right = width - (16.0 if narrow else 30.0)
    shift = min(9.0, (right - _LEFT) / most / 3 / max(1, len(series)))

    def x(round_: float, place: int) -> float:
        inset = shift * (len(series) - 1) / 2 + 6
        return _LEFT + inset + (right - _LEFT - 2 * inset) * round_ / most + shift * (place - (len(series) - 1) / 2)

    body = [*_frame(right)]
    for round_ in range(most + 1):
        middle = (x(round_, 0) + x(round_, len(series) - 1)) / 2
        body.append(text(middle, _y(0) + 20, tick(round_), "tick", anchor="middle"))
    body.append(text(0, 12, title, "soft"))
    for place, one in enumerate(series):
        body.append(_line(one, place, x, steps=steps))
    key, height = _key(series, width)
    return svg(width, height + 4, label, [*body, *key], "narrow" if narrow else "wide")


def _y(percent: float) -> float:
    return 26 + (_HEIGHT - 26) * (1 - percent / 100)


def _frame(right: float) -> list[Markup]:
    parts = []
    for percent in (0, 25, 50, 75, 100):
        parts.append(line(_LEFT, _y(percent), right, _y(percent), "grid"))
        parts.append(text(_LEFT - 6, _y(percent) + 4, f"{percent}%", "tick", anchor="end"))
    return parts


def _line(one: Line, place: int, x: Callable[[float, int], float], *, steps: bool) -> Markup:
    kind = f"line{place % KINDS}"
    places = [(x(point.round, place), _y(point.value)) for point in one.points]
    track = places
    if steps:
        corners = [(b[0], a[1]) for a, b in pairwise(places)]
        track = [spot for pair in zip(places, [*corners, places[-1]], strict=True) for spot in pair] if places else []
    parts = [path(points(track), f"course {kind}")] if len(track) > 1 else []
    for point, (at, height) in zip(one.points, places, strict=True):
        whisker = line(at, _y(point.low), at, _y(point.high), f"whisker {kind}")
        target = rectangle(at - 8, _y(point.high) - 4, 16, _y(point.low) - _y(point.high) + 8, "target")
        parts.append(group([target, whisker, _mark(at, height, place)], tip=point.tip))
    return group(parts)


def _mark(x: float, y: float, place: int) -> Markup:
    kind = f"line{place % KINDS}"
    if place % 3 == 1:
        return rectangle(x - 4, y - 4, 8, 8, f"dot {kind}")
    if place % 3 == 2:
        return path(points([(x, y - 5.5), (x + 5.5, y + 4), (x - 5.5, y + 4), (x, y - 5.5)]), f"dot {kind}")
    return circle(x, y, 4.5, f"dot {kind}")


def _key(series: Sequence[Line], width: int) -> tuple[list[Markup], float]:
    top, parts = _y(0) + 46, []
    for place, one in enumerate(series):
        parts += [
            path(points([(4, top - 4), (32, top - 4)]), f"course line{place % KINDS}"),
            _mark(18, top - 4, place),
        ]
        for words in wrap(one.label, width - 44, 2):
            parts.append(text(42, top, words, "label"))
            top += 18
        top += 3
    return parts, top - 14
