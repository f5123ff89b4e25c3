"""What a section of the page is made of: sentences, tables, figures. The templates know nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from markupsafe import Markup

from astray.measures import Estimate
from astray.report import words
from astray.report.drawing import NARROW, WIDE


@dataclass(frozen=True)
class Entry:
    """One place of a table.

    Attributes:
        text: What stands there.
        interval: Small, below it.
        value: What it is sorted by and copied as: a number, or a text.
        low: Lower end of the interval, in the unit of ``value``.
        high: Upper end.
        n: Samples in the denominator.
        tip: Said when one points at it.
        kind: ``key`` for what matters most, ``bad`` for arms that mislead, ``soft`` for asides.
        arm: With ``flip``: which conversations a click shows.
        flip: ``lost`` or ``won``.
    """

    text: str
    interval: str = ""
    value: float | str | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    tip: str = ""
    kind: str = ""
    arm: str = ""
    flip: str = ""


@dataclass(frozen=True)
class Grid:
    """A table: texts stand left, numbers right. The first column names its row."""

    name: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    texts: tuple[int, ...] = (0,)
    terms: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Figure:
    """A figure in its two widths; only the narrow one where it stands among `Panels`."""

    name: str
    wide: Markup | None
    narrow: Markup
    caption: str


@dataclass(frozen=True)
class Patterns:
    """The commonest courses of answers: pattern, count, share of the commonest."""

    title: str
    rows: tuple[tuple[str, int, float], ...]
    total: int
    arm: str


@dataclass(frozen=True)
class Panels:
    """Small blocks of one kind, as many beside each other as there is room for."""

    blocks: tuple[Figure | Patterns, ...]


@dataclass(frozen=True)
class Head:
    """A heading within a section."""

    text: str


@dataclass(frozen=True)
class Note:
    """A sentence; a warning where that is its kind."""

    text: str
    kind: str = ""


@dataclass(frozen=True)
class Listing:
    """A table that is folded away."""

    summary: str
    grid: Grid


Block: TypeAlias = Grid | Figure | Panels | Head | Note | Listing


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading of its own."""

    id: str
    title: str
    blocks: tuple[Block, ...] = field(default=())


NONE: Final = Entry(words.NOTHING)


def figure(name: str, caption: str, draw: Callable[[int], Markup]) -> Figure:
    """A figure drawn for both widths."""
    return Figure(name, draw(WIDE), draw(NARROW), caption)


def word(text: str, kind: str = "", tip: str = "") -> Entry:
    """A text."""
    return Entry(text, value=text, kind=kind, tip=tip)


def arm(text: str, by: str = "") -> Entry:
    """The name of an arm; its text and meaning on pointing at it."""
    label = words.arm_label(text) + (f", judge {by}" if by else "")
    return Entry(label, value=label, kind="bad" if words.is_bad(text) else "", tip=f"{text}: {words.arm_line(text)}")


def count(number: int, tip: str = "", *, arm: str = "", flip: str = "") -> Entry:
    """A number of things; a link to the conversations where an arm and a direction are given."""
    linked = bool(number and flip)
    return Entry(str(number), value=number, tip=tip, arm=arm if linked else "", flip=flip if linked else "")


def rate(found: Estimate, what: str = "samples", *, kind: str = "") -> Entry:
    """A share in percent."""
    if found.value is None:
        return NONE
    return _entry(words.percent(found.value), words.spread(found), found.scaled(100), f"n = {found.n} {what}", kind)


def points(found: Estimate, *, kind: str = "") -> Entry:
    """A change in percentage points."""
    if found.value is None:
        return NONE
    interval = words.spread(found, factor=1, sign=True, joint=" to ")
    return _entry(words.signed(found.value), interval, found, f"n = {found.n} samples in both", kind)


def relative(found: Estimate) -> Entry:
    """A change in percent of what was before."""
    if found.value is None:
        return NONE
    text, interval = f"{words.signed(100 * found.value)}%", words.spread(found, sign=True, joint=" to ")
    return _entry(text, interval, found.scaled(100), f"n = {found.n} samples in both", "")


def p(value: float | None, tip: str = "") -> Entry:
    """A p-value."""
    return NONE if value is None else Entry(words.p_text(value), value=value, tip=tip)


def _entry(text: str, interval: str, found: Estimate, tip: str, kind: str) -> Entry:
    return Entry(text, interval, found.value, found.low, found.high, found.n, tip, kind)


def said(found: Estimate, *, points: bool = False) -> str:
    """An estimate in a few words, for figures."""
    if points:
        return f"{words.signed(found.value)} ({words.spread(found, factor=1, sign=True, joint=' to ')})"
    return f"{words.percent(found.value)} ({words.spread(found)}%)"
