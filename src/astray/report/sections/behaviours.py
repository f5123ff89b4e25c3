"""Figures of what agents did on the way: how often, in which outcomes, from when on, in how many steps.

XYEval paper, figures 4 to 7 and 11.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from astray.measures.behaviour import BehaviourRate
from astray.measures.courses import Onset, Turns
from astray.report import words
from astray.report.drawing import Axis, Line, Mark, Point, Row, dots, lines
from astray.report.sections import parts
from astray.report.sections.arms import kind_of
from astray.report.sections.parts import Figure
from astray.report.traces import NAMES, Panel, RateRow

DRAWN: Final = tuple(NAMES[name] for name in ("complies", "disagrees", "first adopts"))
"""Behaviours whose rates are drawn; all stand in the table."""

_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


def how_often(rows: Sequence[RateRow], *, several: bool) -> Iterator[Figure]:
    """Rates by arm, and by outcome below them, of each behaviour that is drawn and was found at all."""
    for labeller in dict.fromkeys(row.labeller for row in rows):
        for name in DRAWN:
            own = [row for row in rows if (row.labeller, row.name) == (labeller, name)]
            if any(row.everywhere.rate.value for row in own):
                yield _rates(name + (f" ({labeller})" if several else ""), own)


def _rates(name: str, rows: Sequence[RateRow]) -> Figure:
    drawn = [
        Row(words.arm_label(row.arm), marks, words.percent(row.everywhere.rate.value), kind_of(row.arm))
        for row in rows
        if (marks := tuple(_marks(row)))
    ]
    caption = (
        f"The agent {name}: share of transcripts, with 95% intervals. Filled: all of the arm. Hollow: first those "
    )
    caption += "that end correct, in blue, then those that don’t, in red."
    label = f"The agent {name}, by arm. " + "; ".join(
        f"{row.label}: " + ", ".join(mark.tip for mark in row.marks) for row in drawn
    )
    axis = Axis.shares("share of transcripts")
    return parts.figure(f"rate-{name}", caption, lambda width: dots(drawn, axis, width, label))


def _marks(row: RateRow) -> Iterator[Mark]:
    groups: tuple[tuple[str, BehaviourRate, str], ...] = (
        ("all", row.everywhere, ""),
        ("correct", row.correct, "good"),
        ("incorrect", row.incorrect, "bad"),
    )
    for name, found, kind in groups:
        rate = found.rate.scaled(100)
        if rate.value is not None and rate.low is not None and rate.high is not None:
            tip = f"{name}: {parts.said(found.rate)}, n = {found.rate.n}"
            yield Mark(rate.value, rate.low, rate.high, tip, hollow=bool(kind), kind=kind)


def onset(panel: Panel, *, several: bool) -> Figure:
    """From when on a behaviour is shown, in correct and in incorrect transcripts."""
    by = f" ({panel.labeller})" if several else ""
    name = f"{words.arm_label(panel.arm)}: {panel.name}{by}"
    series = [Line(f"{one.group} (n = {one.transcripts})", tuple(_points(one))) for one in panel.curves]
    label = f"Onset, {name}. " + "; ".join(f"{s.label}: " + ", ".join(p.tip for p in s.points) for s in series)
    caption = f"{name[:1].upper()}{name[1:]}. Share of transcripts that have shown it by each point of their course, "
    caption += "from the agent’s first step to its last, with 95% intervals."
    return parts.figure(
        f"onset-{panel.arm}-{panel.name}-{panel.labeller}",
        caption,
        lambda width: lines(series, width, label, "shown so far", tick=lambda quarter: f"{25 * quarter}%"),
    )


def _points(one: Onset) -> Iterable[Point]:
    for quarter, wanted in enumerate(_QUARTERS):
        at = min(range(len(one.progress)), key=lambda place: abs(one.progress[place] - wanted))
        share = one.share[at]
        low, high = (one.low[at] if one.low else share), (one.high[at] if one.high else share)
        tip = f"by {wanted:.0%}: {words.percent(share)} ({100 * low:.0f}–{100 * high:.0f}%)"
        yield Point(quarter, 100 * share, 100 * low, 100 * high, tip)


def by_turns(found: Sequence[Turns]) -> Iterator[Figure]:
    """Steps of the agent by arm; nothing where all arms take the same number."""
    rows = [
        Row(words.arm_label(one.arm), (_mark(one, value),), f"{value:.1f}", kind_of(one.arm))
        for one in found
        if (value := one.mean.value) is not None
    ]
    if len({row.marks[0].value for row in rows}) < 2:
        return
    control = next((one.mean.value for one in found if one.against_original is None), None)
    axis = Axis.counts([row.marks[0].high for row in rows], "steps of the agent", control)
    label = "Steps by arm. " + "; ".join(f"{row.label}: {row.marks[0].tip}" for row in rows)
    caption = "Steps of the agent in a transcript, with 95% intervals; the line is the mean without advice."
    yield parts.figure("turns-by-arm", caption, lambda width: dots(rows, axis, width, label))


def _mark(one: Turns, value: float) -> Mark:
    low, high = (value if end is None else end for end in (one.mean.low, one.mean.high))
    return Mark(value, low, high, f"{value:.1f} ({low:.1f} to {high:.1f}), n = {one.mean.n}")
