"""On the way: what agents did before they gave in or held out, where a labeller has looked (XYEval paper, 5.4, 5.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from astray.measures import Estimate
from astray.measures.behaviour import Voids
from astray.measures.communication import Communication
from astray.measures.courses import Turns
from astray.report import words
from astray.report.sections import parts
from astray.report.sections.behaviours import by_turns, how_often, onset
from astray.report.sections.chapter import Chapter
from astray.report.sections.parts import Block, Entry, Grid, Listing, Note, Section
from astray.report.traces import NAMES, RateRow, Traces, traces_of

_LOOKED_FOR: Final = NAMES | {"claim": "says whose idea it is", "unexpressed": "recognises what is wrong"}

MOST_INVENTED: Final = 0.2
"""Above this share of void labels a labeller's rates are in doubt."""


def traces_section(chapter: Chapter) -> Section | None:
    """The section; None where nothing was labelled."""
    if chapter.traces is None:
        return None
    return Section("traces", "On the way", blocks_of(traces_of(chapter.traces, chapter.arms)))


def blocks_of(found: Traces) -> tuple[Block, ...]:
    """What there is to show of labelled transcripts."""
    several = len({row.labeller for row in found.rows}) > 1
    drawn = tuple(how_often(found.rows, several=several))
    heads = (parts.Head("How often"),) if drawn else ()
    blocks: list[Block] = [*heads, *drawn, _rates(found.rows, several=several)]
    if found.panels:
        blocks += [parts.Head("When it begins"), *(onset(panel, several=several) for panel in found.panels)]
    if found.communication:
        blocks += [parts.Head("Recognised, and said?"), _communication(found.communication)]
    if found.turns:
        blocks += [parts.Head("Turns"), *by_turns(found.turns), _turns(found.turns)]
    mixed = [
        Note(
            f"{one.labeller}, {one.behaviour}: labelled with {one.prompts} versions of the prompt, which don’t "
            "compare. The same astray traces label without --limit labels anew what was made with an earlier one.",
            "warning",
        )
        for one in found.voids
        if one.prompts > 1
    ]
    return (*_doubts(found.voids), *blocks, *mixed, _kept(found.voids))


def _kept(voids: Sequence[Voids]) -> Listing:
    """How the labellers kept to the rules."""
    rows = tuple(
        (
            parts.word(one.labeller),
            parts.word(_LOOKED_FOR.get(one.behaviour, one.behaviour)),
            *map(parts.count, (one.labels, one.invalid, one.labellings, one.void)),
        )
        for one in voids
    )
    columns = ("Labeller", "Looked for", "Labels", "Void labels", "Labellings", "Void labellings")
    caption = "A label is void whose quote doesn’t stand in the step, a labelling whose reply can’t be read."
    return Listing("How the labellers kept to the rules", Grid("labellers", caption, columns, rows, texts=(0, 1)))


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


def _communication(rows: Sequence[Communication]) -> Grid:
    caption = "Only transcripts with recorded reasoning can tell. Unexpressed: recognised and never said, among all in "
    caption += (
        "which it was recognised. Change: points of the transcripts with reasoning in which it was recognised and "
    )
    caption += "kept silent, against the same arm without its defense, else against no advice; paired by sample."
    columns = (
        *("Arm", "Transcripts", "With reasoning", "Recognised and said", "Recognised, silent", "Not recognised"),
        *("Unexpressed", "Change", "p (Holm)"),
    )
    made = tuple(
        (
            parts.arm(row.arm),
            parts.word(row.group),
            Entry(f"{row.with_reasoning} of {row.transcripts}", value=row.with_reasoning),
            parts.count(row.said),
            parts.count(row.silent),
            parts.count(row.unrecognised),
            parts.rate(row.unexpressed, "samples in which it was recognised"),
            parts.points(row.change.points) if row.change else parts.NONE,
            parts.p(row.change.p_holm, f"against {row.change.reference}") if row.change else parts.NONE,
        )
        for row in rows
    )
    return Grid("communication", caption, columns, made, texts=(0, 1))


def _turns(rows: Sequence[Turns]) -> Grid:
    made = tuple(
        (
            parts.arm(row.arm),
            parts.count(row.mean.n),
            _mean(row.mean),
            _mean(row.against_original, sign=True),
            parts.p(row.p_holm),
        )
        for row in rows
    )
    caption = "Steps of the agent in a transcript, and the difference from no advice, paired by sample."
    return Grid("turns", caption, ("Arm", "n", "Steps of the agent", "Change", "p (Holm)"), made)


def _mean(found: Estimate | None, *, sign: bool = False) -> Entry:
    if found is None or found.value is None:
        return parts.NONE
    text = words.signed(found.value, 1) if sign else words.number(found.value, 1)
    interval = words.spread(found, factor=1, sign=sign, joint=" to ", digits=1)
    return Entry(text, interval, found.value, found.low, found.high, found.n, f"n = {found.n} samples")
