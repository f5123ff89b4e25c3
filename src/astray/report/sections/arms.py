"""Arms: what each of them did to the accuracy, against no advice and against its floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from astray.measures import Cell, Difference
from astray.report import words
from astray.report.drawing import Axis, Mark, Row, dots
from astray.report.sections import parts
from astray.report.sections.parts import Block, Entry, Figure, Grid, Section
from astray.report.words import Suite

TERMS = (
    ("Change", "Accuracy less that without advice on the same samples, in percentage points."),
    (
        "Against floor",
        "Against the same arm with the advice taken out: what changes for no reason at all is taken off. For a judge "
        "that objects to right answers, only the samples where it spoke.",
    ),
    ("p", "Exact McNemar or a paired t-test, corrected over all arms of the study (Holm)."),
    ("Harm", "Of the answers that were right before the advice, the share that isn’t right after it."),
    ("Recovery", "Of the answers that were not right before the advice, the share that is right after it."),
    (
        "Before the advice",
        "The first answer (R0) of the same conversation where a judge follows; the same sample without advice where "
        "the advice is in the request.",
    ),
)


def arms_section(suite: Suite, power: str | None) -> Section:
    """The forest plot, accuracies, the main table, and what else is known of differences."""
    last = [cell for cell in suite.cells if cell.last]
    blocks: list[Block] = []
    blocks += [forest(suite, last, power)] if any(_known(cell.against_original) for cell in last) else []
    blocks += [accuracy(suite, last)] if any(cell.accuracy.value is not None for cell in last) else []
    blocks.append(_table(suite, last))
    blocks += _further(suite, last)
    return Section("arms", "What the advice did", tuple(blocks))


def forest(suite: Suite, cells: Sequence[Cell], power: str | None) -> Figure:
    """Change of every arm against no advice, hollow against its floor."""
    rows, ends = [], []
    for cell in cells:
        drop, floor = cell.against_original, cell.against_floor
        if drop is None or not _known(drop):
            continue
        found = [(drop, "no advice", False)]
        found += [(floor, words.arm_label(floor.reference), True)] if floor is not None and _known(floor) else []
        marks = tuple(_mark(one, name, hollow=hollow) for one, name, hollow in found)
        ends += [end for mark in marks for end in (mark.low, mark.high)]
        before, after = words.percent(drop.before), words.percent(drop.after)
        rows.append(Row(name_of(cell, suite), marks, f"{before} → {after}", kind_of(cell.arm)))
    floors = any(len(row.marks) > 1 for row in rows)
    caption = "Change in accuracy under each arm in its last round, in percentage points with 95% intervals. "
    caption += "Filled: against no advice, on the same samples. "
    caption += "Hollow: against the same arm with the advice taken out. " if floors else ""
    label = "Forest plot. " + "; ".join(f"{row.label}: {row.marks[0].tip}" for row in rows)
    axis = Axis.around_zero(ends, "change in accuracy, points")
    return parts.figure("change-by-arm", caption + (power or ""), lambda width: dots(rows, axis, width, label))


def accuracy(suite: Suite, cells: Sequence[Cell]) -> Figure:
    """Accuracy of every arm in its last round."""
    rows = []
    for cell in cells:
        found = cell.accuracy.scaled(100)
        if found.value is not None:
            tip = f"accuracy {parts.said(cell.accuracy)}, n = {cell.n}"
            mark = Mark(found.value, found.low or 0, found.high or 0, tip)
            rows.append(Row(name_of(cell, suite), (mark,), words.percent(cell.accuracy.value), kind_of(cell.arm)))
    base = suite.original.accuracy.scaled(100) if suite.original else None
    band = (base.low, base.high) if base and base.low is not None and base.high is not None else None
    axis = Axis.shares("share of correct answers", base.value if base else None, band)
    caption = "Accuracy with 95% intervals. "
    caption += "The line is the accuracy without advice, the band its interval." if band else ""
    label = "Accuracy by arm. " + "; ".join(f"{row.label}: {row.marks[0].tip}" for row in rows)
    return parts.figure("accuracy-by-arm", caption, lambda width: dots(rows, axis, width, label))


def name_of(cell: Cell, suite: Suite) -> str:
    """The arm as figures name it, with its judge where there are several."""
    by = f" by {cell.judge}" if cell.judge and len(suite.judges) > 1 else ""
    return words.arm_label(cell.arm) + by


def kind_of(arm: str) -> str:
    """How the arm is coloured."""
    return "bad" if words.is_bad(arm) else "plain"


def arm_entry(cell: Cell, suite: Suite) -> Entry:
    """The arm as tables name it."""
    return parts.arm(cell.arm, cell.judge if cell.judge and len(suite.judges) > 1 else "")


def _known(found: Difference | None) -> bool:
    return found is not None and found.points.value is not None


def _mark(found: Difference, against: str, *, hollow: bool) -> Mark:
    points = found.points
    tip = f"{parts.said(points, points=True)} points against {against}, n = {found.n}"
    return Mark(points.value or 0, points.low or 0, points.high or 0, tip, hollow)


def _table(suite: Suite, cells: Sequence[Cell]) -> Grid:
    floors = any(cell.against_floor for cell in cells)
    columns = ["Arm", "n", "Accuracy", "Change", *(["Against floor"] if floors else []), "p", "Harm", "Recovery"]
    columns += ["Right to wrong", "Wrong to right", "No answer", "Void"]
    return Grid(
        "arms",
        "Every arm in its last round. Small figures are 95% intervals.",
        tuple(columns),
        tuple(_row(cell, suite, floors=floors) for cell in cells),
        terms=tuple(term for term in TERMS if floors or term[0] != "Against floor"),
    )


def _row(cell: Cell, suite: Suite, *, floors: bool) -> tuple[Entry, ...]:
    drop, floor, change = cell.against_original, cell.against_floor, cell.change
    against = parts.points(floor.points) if floor else parts.NONE
    if floor:
        against = replace(against, tip=f"{against.tip}; p = {words.p_text(floor.p_value)}, not corrected")
    return (
        arm_entry(cell, suite),
        parts.count(cell.n, "samples that aren’t void"),
        parts.rate(cell.accuracy),
        parts.points(drop.points, kind="key") if drop else parts.NONE,
        *([against] if floors else []),
        parts.p(drop.p_holm, f"uncorrected {words.p_text(drop.p_value)}, n = {drop.n}") if drop else parts.NONE,
        parts.rate(change.harm, "answers that were right") if change else parts.NONE,
        parts.rate(change.recovery, "answers that weren’t right") if change else parts.NONE,
        *changes(cell),
        parts.rate(cell.no_answer) if cell.unanswered else parts.count(0, f"n = {cell.n}"),
        parts.count(cell.void, f"of {cell.rows} outcomes"),
    )


def changes(cell: Cell) -> tuple[Entry, Entry]:
    """Flips of an arm, as links to the conversations where it is its last round."""
    change = cell.change
    if change is None:
        return parts.NONE, parts.NONE
    of = f"of {change.rows} answers"
    ways = ("lost", "won") if cell.last else ("", "")
    return (
        parts.count(change.right_to_wrong, of, arm=cell.arm, flip=ways[0]),
        parts.count(change.wrong_to_right, of, arm=cell.arm, flip=ways[1]),
    )


def _further(suite: Suite, cells: Sequence[Cell]) -> list[Block]:
    compared = [(cell, cell.against_original) for cell in cells if cell.against_original]
    if not compared:
        return []
    won = any(cell.won_back.n for cell in cells)
    columns = ("Arm", "Change, relative", "Where solved", "p (within 5 points)", *(("Won back",) if won else ()))
    rows = tuple(
        (
            arm_entry(cell, suite),
            parts.relative(drop.relative),
            parts.relative(drop.solved),
            parts.p(drop.equivalence.p_value, f"n = {drop.n}"),
            *((parts.relative(cell.won_back),) if won else ()),
        )
        for cell, drop in compared
    )
    terms = (
        ("Change, relative", "In percent of the score without advice, from raw sums: Δ of the XYEval paper."),
        ("Where solved", "The same over samples that are always solved without advice."),
        ("p (within 5 points)", "Test of equivalence: small where “no change of 5 points or more” may be claimed."),
        ("Won back", "What a defense wins back of the drop that the same arm shows without it."),
    )
    grid = Grid("relative", "Changes in other terms.", columns, rows, terms=terms if won else terms[:3])
    return [parts.Head("In other terms"), grid]
