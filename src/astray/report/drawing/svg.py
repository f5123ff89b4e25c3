"""The few SVG elements that figures are made of. Colours are classes; figure.css says what they look like."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from markupsafe import Markup, escape

WIDE: Final = 720
"""Width of a figure in pixels where there is room."""

NARROW: Final = 330
"""Its width on a phone: the same size of text, placed otherwise."""

CHARACTER: Final = 6.7
"""Width of a character at 13 pixels, generously."""


def svg(width: float, height: float, label: str, body: Iterable[Markup], kind: str) -> Markup:
    """A whole figure. ``label`` says in words what it shows; ``kind`` is its class (``wide`` or ``narrow``)."""
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="drawing {}" viewBox="0 0 {} {}" width="{}" height="{}" '
        'role="img" aria-label="{}">{}</svg>'
    ).format(kind, *(_number(n) for n in (width, height, width, height)), label, Markup("").join(body))


def group(parts: Iterable[Markup], *, tip: str = "", kind: str = "") -> Markup:
    """Elements that belong together; ``tip`` is shown when one points at them."""
    title = Markup("<title>{}</title>").format(tip) if tip else Markup("")
    return Markup("<g{}>{}{}</g>").format(_class(kind), title, Markup("").join(parts))


def text(x: float, y: float, words: str, kind: str = "", *, anchor: str = "start") -> Markup:
    """A line of text at its baseline."""
    place = Markup("") if anchor == "start" else Markup(' text-anchor="{}"').format(anchor)
    return Markup('<text x="{}" y="{}"{}{}>{}</text>').format(_number(x), _number(y), _class(kind), place, words)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight line."""
    numbers = (_number(n) for n in (x1, y1, x2, y2))
    return Markup('<line x1="{}" y1="{}" x2="{}" y2="{}"{}/>').format(*numbers, _class(kind))


def circle(x: float, y: float, radius: float, kind: str) -> Markup:
    """A dot."""
    return Markup('<circle cx="{}" cy="{}" r="{}"{}/>').format(_number(x), _number(y), _number(radius), _class(kind))


def rectangle(x: float, y: float, width: float, height: float, kind: str) -> Markup:
    """A box; never of negative size."""
    numbers = (_number(n) for n in (x, y, max(0.0, width), max(0.0, height)))
    return Markup('<rect x="{}" y="{}" width="{}" height="{}"{}/>').format(*numbers, _class(kind))


def path(data: str, kind: str) -> Markup:
    """Any shape, as SVG path data made of numbers."""
    return Markup('<path d="{}"{}/>').format(data, _class(kind))


def points(places: Iterable[tuple[float, float]]) -> str:
    """Path data of straight lines through these places."""
    return "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in places)


def wrap(words: str, room: float, most: int = 3) -> Sequence[str]:
    """A text in at most so many lines of a width in pixels; what doesn't fit ends in an ellipsis."""
    limit = max(4, int(room / CHARACTER))
    found: list[str] = [""]
    for word in words.split():
        if found[-1] and _length(found[-1]) + 1 + _length(word) > limit:
            found.append("")
        found[-1] = f"{found[-1]} {word}".strip()
    found = [_cut(one, limit) for one in found]
    return found if len(found) <= most else [*found[: most - 1], _cut(f"{found[most - 1]} …", limit)]


def _cut(one: str, limit: int) -> str:
    if _length(one) <= limit:
        return one
    while _length(one) > limit - 1:
        one = one[:-1]
    return one + "…"


def _length(words: str) -> int:
    """Characters, those of double width twice."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in words)


def _class(kind: str) -> Markup:
    return Markup(' class="{}"').format(escape(kind)) if kind else Markup("")


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
