"""On the way: what agents did before they gave in or held out, where a labeller has looked (XYEval paper, 5.4, 5.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from astray.measures import Estimate
from astray.measures.behaviour import Voids
from astray.measures.courses import Communication, Onset, Turns
from astray.report import words
from astray.report.drawing import Line, Point, lines
from astray.report.sections import parts
from astray.report.sections.chapter import Chapter
from astray.report.sections.parts import Block, Entry, Figure, Grid, Note, Section
from astray.report.traces import Panel, RateRow, Traces, traces_of

MOST_INVENTED: Final = 0.2
"""Above this share of void labels a labeller's rates are in doubt."""

_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


def traces_section(chapter: Chapter) -> Section | None:
    """The section; None where nothing was labelled."""
    found = traces_of(chapter.behaviours, chapter.labellings, chapter.outcomes, chapter.transcripts, chapter.arms)
    return Section("traces", "On the way", blocks_of(found)) if found else None


def blocks_of(found: Traces) -> tuple[Block, ...]:
    """What there is to show of labelled transcripts."""
    several = len({row.labeller for row in found.rows}) > 1
    blocks: list[Block] = [_rates(found.rows, several=several)]
    if found.panels:
        blocks += [parts.Head("When it begins"), *(_onset(panel, several=several) for panel in found.panels)]
    if found.communication:
        blocks += [parts.Head("Recognised, and said?"), _communication(found.communication)]
    if found.turns:
        blocks += [parts.Head("Turns"), _turns(found.turns)]
    kept = "; ".join(
        f"{one.labeller}, {one.behaviour}: {one.invalid} of {one.labels} labels void (no such quote in the step), "
        f"{one.void} of {one.labellings} labellings void (the reply can’t be read)"
        for one in found.voids
    )
    mixed = [
        Note(
            f"{one.labeller}, {one.behaviour}: labelled with {one.prompts} versions of the prompt, which don’t "
            "compare. The same astray traces label without --limit labels anew what was made with an earlier one.",
            "warning",
        )
        for one in found.voids
        if one.prompts > 1
    ]
    return (*_doubts(found.voids), *blocks, *mixed, Note(f"How the labellers kept to the rules. {kept}."))


def _doubts(voids: Sequence[Voids]) -> list[Note]:
    """A warning for each labeller whose quotes are made up too often."""
    found = []
    for labeller in dict.fromkeys(one.labeller for one in voids):
        labels = sum(one.labels for one in voids if one.labeller == labeller)
        invalid = sum(one.invalid for one in voids if one.labeller == labeller)
        if labels and invalid > MOST_INVENTED * labels:
            text = (
                f"{labeller}: {invalid} of {labels} labels quote nothing that was said. Its rates say little; "
                "astray traces calibrate holds a labeller against labels by hand."
            )
            found.append(Note(text, "warning"))
    return found


def _rates(rows: Sequence[RateRow], *, several: bool) -> Grid:
    caption = (
        "Share of transcripts in which a labeller found it, with a quote that stands there: in all, in those that end "
        "correct, and in those that don’t. Change: points against no advice, paired by sample."
    )
    columns = ("The agent", "Arm", "n", "All", "Correct", "Incorrect", "Change", "p (Holm)", "Void")
    made = tuple(
        (
            parts.word(("… " if row.kind else "") + row.name + (f" ({row.labeller})" if several else "")),
            parts.arm(row.arm),
            parts.count(row.everywhere.transcripts, "transcripts"),
            *(parts.rate(one.rate) for one in (row.everywhere, row.correct, row.incorrect)),
            parts.points(row.change.points) if row.change else parts.NONE,
            parts.p(row.change.p_holm) if row.change else parts.NONE,
            parts.count(row.everywhere.void, "labellings that can’t be read"),
        )
        for row in rows
    )
    return Grid("behaviours", caption, columns, made, texts=(0, 1))


def _onset(panel: Panel, *, several: bool) -> Figure:
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


def _communication(rows: Sequence[Communication]) -> Grid:
    caption = "Only transcripts with recorded reasoning can tell. Unexpressed: recognised and never said, among all in "
    caption += "which it was recognised."
    columns = ("Arm", "Transcripts", "With reasoning", "Recognised and said", "Recognised, silent", "Not recognised")
    made = tuple(
        (
            parts.arm(row.arm),
            parts.word(row.group),
            Entry(f"{row.with_reasoning} of {row.transcripts}", value=row.with_reasoning),
            parts.count(row.said),
            parts.count(row.silent),
            parts.count(row.unrecognised),
            parts.rate(row.unexpressed, "samples in which it was recognised"),
        )
        for row in rows
    )
    return Grid("communication", caption, (*columns, "Unexpressed"), made, texts=(0, 1))


def _turns(rows: Sequence[Turns]) -> Grid:
    made = tuple(
        (parts.arm(row.arm), parts.count(row.mean.n), _mean(row.mean), _mean(row.against_original)) for row in rows
    )
    caption = "Steps of the agent in a transcript, and the difference from no advice, paired by sample."
    return Grid("turns", caption, ("Arm", "n", "Steps of the agent", "Change"), made)


def _mean(found: Estimate | None) -> Entry:
    if found is None or found.value is None:
        return parts.NONE
    interval = "" if found.low is None or found.high is None else f"{found.low:.1f} to {found.high:.1f}"
    return Entry(f"{found.value:.1f}", interval, found.value, found.low, found.high, found.n, f"n = {found.n} samples")
