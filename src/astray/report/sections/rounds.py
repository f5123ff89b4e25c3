"""Rounds: accuracy by round, what flips when, and how long right answers hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from astray.measures import Cell, Estimate, Survival, Track, survival
from astray.measures.tracks import CLASSES
from astray.report import words
from astray.report.drawing import Flow, Line, Point, flow, lines
from astray.report.drawing.flow import STATES
from astray.report.sections import parts
from astray.report.sections.arms import arm_entry, changes, name_of
from astray.report.sections.parts import Block, Entry, Figure, Grid, Panels, Patterns, Section
from astray.report.words import Suite
from astray.tables import NO_ANSWER

FLOWS: Final = "Answers from round to round. Full bands change sides, in the colour of what they become."


def rounds_section(suite: Suite, tracks: Sequence[Track]) -> Section | None:
    """The section; None where no arm has a second round."""
    courses = [cells for cells in by_track(suite) if len(cells) > 1]
    if not courses:
        return None
    followed = [track for track in tracks if len(track.rounds) > 1]
    blocks: list[Block] = [_accuracy(suite, courses)]
    flows = [(track, found) for track in followed if (found := flow_of(track)).total]
    if flows:
        blocks += [parts.Head("Who changes sides"), parts.Note(FLOWS)]
        blocks.append(Panels(tuple(_flow(track, found, suite) for track, found in flows)))
    patterns = tuple(pattern for cells in courses if (pattern := _patterns(cells[-1], suite)))
    blocks += [parts.Head("Commonest courses"), Panels(patterns)] if patterns else []
    blocks += _survival(followed, suite)
    blocks += [parts.Head("Round by round"), _table(suite, courses)]
    return Section("rounds", "Round by round", tuple(blocks))


def by_track(suite: Suite) -> list[list[Cell]]:
    """The cells of each arm, judge, user and book, rounds ascending."""
    found: dict[tuple[str | None, ...], list[Cell]] = {}
    for cell in suite.cells:
        found.setdefault((cell.arm, cell.judge, cell.user, cell.book), []).append(cell)
    return list(found.values())


def flow_of(track: Track) -> Flow:
    """Answers of a track by state and round; those void or absent in any round are left out."""
    known, correct = track.readings()
    whole = known.all(axis=1)
    silent = np.column_stack([_silent(track, place) for place in range(len(track.rounds))])[whole]
    state = np.where(correct[whole], 0, np.where(silent, 2, 1))
    counts = [dict(zip(STATES, _counts(column), strict=True)) for column in state.T]
    moves = []
    for before, after in pairwise(state.T):
        pairs = np.bincount(before * 3 + after, minlength=9)
        moves.append({(STATES[i // 3], STATES[i % 3]): int(n) for i, n in enumerate(pairs) if n})
    return Flow(track.rounds, tuple(counts), tuple(moves))


def _silent(track: Track, place: int) -> np.ndarray:
    return np.asarray(np.isin(track.outcome[:, place], [CLASSES.index(outcome) for outcome in NO_ANSWER]))


def _counts(column: np.ndarray) -> list[int]:
    return [int(n) for n in np.bincount(column, minlength=3)]


def _accuracy(suite: Suite, courses: Iterable[Sequence[Cell]]) -> Figure:
    series = []
    for cells in courses:
        found = [(cell.round, cell.accuracy, cell.n) for cell in cells if cell.accuracy.value is not None]
        dots = [
            Point(*(number, 100 * (a.value or 0), 100 * (a.low or 0), 100 * (a.high or 0)), tip=_tip(number, a, n))
            for number, a, n in found
        ]
        series.append(Line(name_of(cells[0], suite), tuple(dots)))
    label = "Accuracy by round. " + _in_words(series)
    caption = "Share of correct answers by round, with 95% intervals. R0 is the first answer."
    return parts.figure("accuracy-by-round", caption, lambda width: lines(series, width, label, "accuracy"))


def _tip(number: int, found: Estimate, n: int) -> str:
    return f"R{number}: {parts.said(found)}, n = {n}"


def _in_words(series: Iterable[Line]) -> str:
    return "; ".join(f"{line.label}: " + ", ".join(point.tip for point in line.points) for line in series)


def _flow(track: Track, found: Flow, suite: Suite) -> Figure:
    by = f" by {track.judge}" if track.judge and len(suite.judges) > 1 else ""
    name = words.arm_label(track.arm) + by
    told = []
    for place, moves in enumerate(found.moves):
        changed = [f"{before} to {after} {n}" for (before, after), n in moves.items() if before != after]
        told.append(f"R{found.rounds[place]} to R{found.rounds[place + 1]}: {', '.join(changed) or 'no change'}")
    label = f"Flow of answers, {name}, n = {found.total}. " + "; ".join(told)
    caption = f"{name[:1].upper()}{name[1:]}, n = {found.total}."
    return Figure(f"flow-{track.arm}", None, flow(found, label), caption)


def _patterns(cell: Cell, suite: Suite) -> Patterns | None:
    if cell.round < 2 or not cell.patterns:
        return None
    most = max(number for _, number in cell.patterns)
    rows = tuple((pattern, number, 100 * number / most) for pattern, number in cell.patterns)
    title = name_of(cell, suite)
    title = title[:1].upper() + title[1:]
    if cell.oscillating.n:
        share = words.percent(cell.oscillating.value)
        title += f" ({share} changed at least twice, {words.spread(cell.oscillating)}%)"
    return Patterns(title, rows, cell.oscillating.n, cell.arm)


def _survival(tracks: Sequence[Track], suite: Suite) -> list[Block]:
    curves = [(track, curve) for track in tracks if (curve := survival(track)).steps and curve.rows]
    if not curves:
        return []
    series = [Line(_name(track, suite), _steps(curve)) for track, curve in curves]
    label = "Share of right first answers that have not flipped yet. " + _in_words(series)
    caption = (
        "Of the answers right at R0, the share that has not flipped by each round (Kaplan–Meier, 95% intervals). "
        "What never flips is not counted as a flip after the last round."
    )
    drawn = parts.figure(
        "survival", caption, lambda width: lines(series, width, label, "not flipped so far", steps=True)
    )
    return [parts.Head("How long right answers hold"), drawn]


def _name(track: Track, suite: Suite) -> str:
    return words.arm_label(track.arm) + (f" by {track.judge}" if track.judge and len(suite.judges) > 1 else "")


def _steps(curve: Survival) -> tuple[Point, ...]:
    start = Point(0, 100.0, 100.0, 100.0, f"R0: {curve.rows} right answers")
    rest = [
        Point(
            *(step.round, 100 * (step.held.value or 0), 100 * (step.held.low or 0), 100 * (step.held.high or 0)),
            tip=f"by R{step.round}: {parts.said(step.held)}; {step.flipped} of {step.at_risk} flipped in it",
        )
        for step in curve.steps
        if step.held.value is not None
    ]
    return (start, *rest)


def _table(suite: Suite, courses: Iterable[Sequence[Cell]]) -> Grid:
    columns = ("Arm", "Round", "n", "Accuracy", "Change", "Harm", "Recovery", "Held")
    flips = ("Right to wrong", "Wrong to right", "Judge spoke")
    terms = (
        ("Held", "Of the answers right at R0, the share that has not flipped by this round."),
        ("Judge spoke", "Answers before which a judge criticised, void ones left out."),
    )
    rows = tuple(_row(cell, suite) for cells in courses for cell in cells)
    return Grid("rounds", "Every round of the arms with several.", (*columns, *flips), rows, texts=(0, 1), terms=terms)


def _row(cell: Cell, suite: Suite) -> tuple[Entry, ...]:
    drop, change = cell.against_original, cell.flips
    return (
        arm_entry(cell, suite),
        Entry(f"R{cell.round}", value=cell.round),
        parts.count(cell.n, "samples that aren’t void"),
        parts.rate(cell.accuracy),
        parts.points(drop.points) if drop else parts.NONE,
        parts.rate(change.harm, "answers that were right") if change else parts.NONE,
        parts.rate(change.recovery, "answers that weren’t right") if change else parts.NONE,
        parts.rate(cell.held, "answers that were right") if cell.held.n else parts.NONE,
        *(changes(cell) if change else (parts.NONE, parts.NONE)),
        parts.count(cell.judge_spoke, f"of {cell.rows - cell.void} answers") if cell.round else parts.NONE,
    )
