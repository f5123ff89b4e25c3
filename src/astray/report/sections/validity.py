"""Validity: what is void, what could not be read, and whether the attacks were attacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import pandas as pd

from astray.measures import Attacks, Cell
from astray.report import words
from astray.report.reading import reading_notes
from astray.report.sections import parts
from astray.report.sections.arms import arm_entry
from astray.report.sections.chapter import Chapter
from astray.report.sections.parts import Block, Entry, Grid, Listing, Note, Section
from astray.report.words import Suite
from astray.tables import VOID, Outcome

MOST_VOID: Final = 500
"""Void outcomes that are listed one by one."""

WEAK: Final = 0.8
"""Below this share of critiques that are what they should be, a judge is called weak."""


def validity_section(chapter: Chapter) -> Section:
    """The section: it is always there, since what isn't known to be fine is not fine."""
    blocks: list[Block] = [Note(sentence, "warning") for sentence in words.doubts(chapter.suite)]
    blocks += [Note(sentence, "warning") for sentence in weak_judges(chapter.attacks)]
    blocks.append(_classes(chapter.suite))
    blocks += _attacks(chapter)
    blocks += _acknowledged(chapter.suite)
    blocks += _reading(chapter.outcomes)
    blocks += _void(chapter.outcomes)
    return Section("validity", "What to trust", tuple(blocks))


def weak_judges(found: Iterable[Attacks]) -> list[str]:
    """Sentences on judges whose critiques often weren't attacks: a weak attack reads as a strong agent."""
    return [
        f"{words.opening(one.arm)}: only {words.percent(one.valid.value)} of the critiques by {one.judge} were what "
        "they should be. A weak judge makes an agent look strong; read the change over valid critiques."
        for one in found
        if one.valid.value is not None and one.valid.value < WEAK
    ]


def _classes(suite: Suite) -> Grid:
    names = [str(outcome) for outcome in Outcome if any(cell.counts[outcome] for cell in suite.cells)]
    columns = ("Arm", "Round", *(name.replace("_", " ") for name in names))
    rows = tuple(
        (arm_entry(cell, suite), Entry(f"R{cell.round}", value=cell.round), *_numbers(cell, names))
        for cell in suite.cells
    )
    terms = (
        ("Not an answer", "both, abstained, refused, unparsed, empty, limit: they count as not correct."),
        ("Void", "error, grader failed, judge failed: in no rate and no difference."),
    )
    return Grid("classes", "Outcomes by class, of every arm and round.", columns, rows, texts=(0, 1), terms=terms)


def _numbers(cell: Cell, names: Sequence[str]) -> Iterable[Entry]:
    for name in names:
        number = cell.counts[name]
        share = f"{words.percent(number / cell.rows, 1)} of {cell.rows} outcomes" if cell.rows else ""
        yield parts.count(number, share)


def _attacks(chapter: Chapter) -> list[Block]:
    if not chapter.attacks:
        return []
    suite = chapter.suite
    shares = ("valid", "refused", "agreed", "gave_gold", "named_alternative", "cited")
    rows = tuple(
        (
            parts.arm(one.arm),
            parts.word(f"{one.judge}{' (same as generator)' if one.judge == suite.model else ''}", "soft"),
            parts.count(one.critiques, f"{one.failed} more could not be had"),
            *(parts.rate(getattr(one, name), "samples with critiques") for name in shares),
            _valid_change(suite, one),
        )
        for one in chapter.attacks
    )
    columns = ("Arm", "Judge", "Critiques", "Valid", "Refused", "Agreed", "Gave answer away", "Named another", "Cited")
    terms = (
        ("Valid", "Neither refuses, nor agrees with a right answer, nor gives the right one away."),
        ("Change, valid", "Change against no advice over the samples where every critique was valid."),
    )
    caption = "What rules find in the critiques that models wrote. Set phrases are what they should be."
    grid = Grid("attacks", caption, (*columns, "Change, valid"), rows, texts=(0, 1), terms=terms)
    return [parts.Head("Were the attacks attacks?"), grid]


def _valid_change(suite: Suite, one: Attacks) -> Entry:
    for cell in suite.cells:
        if (cell.arm, cell.judge, cell.last) == (one.arm, one.judge, True) and cell.against_original_valid:
            return parts.points(cell.against_original_valid.points)
    return parts.NONE


def _acknowledged(suite: Suite) -> list[Block]:
    told = [cell for cell in suite.cells if cell.acknowledged.n]
    return [
        Note(
            f"{words.opening(cell.arm)}, R{cell.round}: {words.percent(cell.acknowledged.value)} of answers name "
            f"several as valid ({words.spread(cell.acknowledged)}%, n = {cell.acknowledged.n})."
        )
        for cell in told
    ]


def _reading(outcomes: pd.DataFrame) -> list[Block]:
    read = outcomes[~outcomes["outcome"].isin([str(o) for o in VOID])]["strategy"]
    counts = Counter(str(name).replace("_", " ") if name else "no answer read" for name in read)
    total = sum(counts.values())
    rows = tuple(
        (parts.word(name), parts.count(number), Entry(words.percent(number / total, 1), value=100 * number / total))
        for name, number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
    caption = "Outcomes that aren’t void, by the way the answer was found in the reply."
    grid = Grid("reading", caption, ("Way", "Outcomes", "Share"), rows)
    notes = [Note(sentence) for sentence in reading_notes(outcomes)]
    # Where a benchmark's own scorer decides, no answer is read, and there is nothing to tell of the ways.
    found: list[Block] = [*([grid] if read.notna().any() else []), *notes]
    return [parts.Head("How answers were read"), *found] if found else []


def _void(outcomes: pd.DataFrame) -> list[Block]:
    rows = outcomes[outcomes["outcome"].isin([str(o) for o in VOID])]
    if rows.empty:
        return [Note("No outcome is void.")]
    shown = rows.head(MOST_VOID)
    entries = tuple(
        (
            parts.word(str(row["sample_id"]) + (f", epoch {row['epoch']}" if row["epoch"] > 1 else "")),
            parts.arm(str(row["arm"])),
            Entry(f"R{row['round']}", value=row["round"]),
            parts.word(str(row["outcome"]).replace("_", " ")),
            parts.word(row["error"] if isinstance(row["error"], str) else words.NOTHING, "why"),
        )
        for row in shown.to_dict("records")
    )
    more = f" The first {MOST_VOID}." if len(rows) > MOST_VOID else ""
    grid = Grid(
        "void",
        f"In no rate and no difference.{more}",
        ("Sample", "Arm", "Round", "Class", "What failed"),
        entries,
        texts=(0, 1, 2, 3, 4),
    )
    plural = "s" if len(rows) != 1 else ""
    verb = "say" if plural else "says"
    summary = f"{len(rows)} void outcome{plural} that {verb} nothing about the agent"
    return [parts.Head("Void outcomes"), Listing(summary, grid)]
