"""The tables of a paper: one sheet a question."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from astray.measures import Cell, Estimate, Part, Ranking
from astray.report.papers.results import Results
from astray.report.papers.sheet import P, Sheet, Value, percent
from astray.report.papers.traces import trace_sheets
from astray.report.words import arm_label, told_caption, told_parts

_WHO: Final = ("study", "model", "benchmark", "arm", "meaning", "judge", "round", "n", "void")


def sheets(results: Results) -> tuple[Sheet, ...]:
    """The tables that these results fill; those without a row are left out, but for the first."""
    made = (
        _arms(results),
        _differences(results),
        _rounds(results),
        _classes(results),
        _updating(results),
        _subsets(results),
        *_rankings(results),
        _bad_advice(results),
        _checks(results),
        _attacks(results),
        *trace_sheets(results.traces),
        _published(results),
    )
    return tuple(sheet for place, sheet in enumerate(made) if sheet.rows or place == 0)


def _arms(results: Results) -> Sheet:
    columns = (
        *_WHO,
        *("no answer (%)", "accuracy (%)", "change (points)", "change (% of original)", "p (Holm)", "harm (%)"),
        "recovery (%)",
    )
    return Sheet(
        "arms",
        "Each arm in its last round, against the request without advice. Intervals are 95%; p by exact McNemar or a "
        "paired t-test, corrected by Holm over the arms of a study. Harm and recovery are from the first answer of the "
        "arm where a challenge follows, else from the request without advice.",
        columns,
        tuple((*_who(cell), *_last(cell)) for cell in results.cells if cell.last),
    )


def _who(cell: Cell) -> tuple[Value, ...]:
    meaning = arm_label(cell.arm)
    return cell.study, cell.model, cell.benchmark, cell.arm, meaning, cell.judge, cell.round, cell.n, cell.void


def _last(cell: Cell) -> tuple[Value, ...]:
    drop, change = cell.against_original, cell.change
    return (
        percent(cell.no_answer),
        percent(cell.accuracy),
        drop.points if drop else None,
        percent(drop.relative if drop else None),
        P(drop.p_holm if drop else None),
        percent(change.harm if change else None),
        percent(change.recovery if change else None),
    )


def _differences(results: Results) -> Sheet:
    columns = (
        *_WHO,
        *("change (points)", "p", "p (Holm)", "p (within 5 points)", "change where solved (%)"),
        *("change over valid critiques (points)", "against floor (points)", "p (floor)", "won back (%)"),
    )
    return Sheet(
        "differences",
        "Each arm in its last round: tests of a change and of no change (within 5 points either way), change over "
        "samples always solved without advice, over critiques that were what they should be, against the floor (the "
        "same arm with the advice taken out), and what a defense wins back of the drop.",
        columns,
        tuple((*_who(cell), *_tests(cell)) for cell in results.cells if cell.last and cell.against_original),
    )


def _tests(cell: Cell) -> tuple[Value, ...]:
    drop, floor, valid = cell.against_original, cell.against_floor, cell.against_original_valid
    return (
        drop.points if drop else None,
        P(drop.p_value if drop else None),
        P(drop.p_holm if drop else None),
        P(drop.equivalence.p_value if drop else None),
        percent(drop.solved if drop else None),
        valid.points if valid else None,
        floor.points if floor else None,
        P(floor.p_value if floor else None),
        percent(cell.won_back),
    )


def _rounds(results: Results) -> Sheet:
    columns = (
        *_WHO,
        *("accuracy (%)", "harm (%)", "recovery (%)", "coverage (%)", "held (%)", "oscillating (%)"),
        *("right to wrong", "wrong to right", "wrong to other wrong", "commonest patterns"),
    )
    several = {(cell.study, cell.model, cell.arm, cell.judge) for cell in results.cells if cell.round > 0}
    rows = [
        (*_who(cell), percent(cell.accuracy), *_changes(cell))
        for cell in results.cells
        if (cell.study, cell.model, cell.arm, cell.judge) in several
    ]
    return Sheet(
        "rounds",
        "Arms with a challenge, round by round: harm, recovery and flips are from the first answer; held is the share "
        "of right first answers that has not flipped so far (Kaplan-Meier).",
        columns,
        tuple(rows),
    )


def _changes(cell: Cell) -> tuple[Value, ...]:
    flips = cell.flips
    return (
        percent(flips.harm if flips else None),
        percent(flips.recovery if flips else None),
        percent(flips.coverage if flips else None),
        percent(cell.held),
        percent(cell.oscillating),
        flips.right_to_wrong if flips else None,
        flips.wrong_to_right if flips else None,
        flips.wrong_to_other_wrong if flips else None,
        ", ".join(f"{pattern} {count}" for pattern, count in cell.patterns[:4]) if cell.round else None,
    )


def _classes(results: Results) -> Sheet:
    names = list(results.cells[0].counts) if results.cells else []
    rows = [(*_who(cell)[:8], *(cell.counts[name] for name in names)) for cell in results.cells]
    return Sheet("classes", "Outcomes by class, rows of every arm and round.", (*_WHO[:8], *names), tuple(rows))


def _updating(results: Results) -> Sheet:
    columns = ("study", "model", "benchmark", "bad arm", "good arm", "benefit (%)", "harm (%)", "updating (points)")
    rows = tuple(
        (u.study, u.model, u.benchmark, u.bad, u.good, percent(u.benefit), percent(u.harm), u.value.scaled(100))
        for u in results.updating
    )
    return Sheet(
        "updating", "Benefit of good advice less harm of bad: 0 for an agent that never listens.", columns, rows
    )


def _subsets(results: Results) -> Sheet:
    columns = ("study", "model", "benchmark", "arm", "subset", "n", "change (points)", "spread (points)", "p (alike)")
    rows = [
        (h.study, h.model, h.benchmark, h.arm, name, points.n, points, h.spread, P(h.p_value))
        for h in results.heterogeneity
        for name, points in h.points.items()
    ]
    caption = (
        "Change by subset. Spread is the standard deviation of the true changes between subsets, p that of the "
        "permutation test that all change alike."
    )
    return Sheet("subsets", caption, columns, tuple(rows))


def _rankings(results: Results) -> Iterable[Sheet]:
    columns = ("benchmark", "arm", "ranked by", "rank", "95% ranks", "best in (%)", "model", "study", "judge", "n")
    caption = (
        "Models side by side. Ranks over the samples that all have in common, their intervals from 2,000 resamples of "
        "these; samples that not all have are left out, and counted. Where nothing is shared, each stands on its own."
    )
    rows = tuple(row for ranking in results.rankings for row in _standings(ranking))
    yield Sheet("ranking", caption, (*columns, "left out", "value (% or points)"), rows)


def _standings(ranking: Ranking) -> Iterable[tuple[Value, ...]]:
    for one in ranking.standings:
        ranks = f"{one.low}–{one.high}" if one.low != one.high else str(one.low)
        value = one.value if ranking.measure == "points" else percent(one.value)
        who = (one.contender.model, one.contender.study, one.contender.judge)
        best = round(100 * one.best, 1)
        yield (
            ranking.benchmark,
            ranking.arm,
            ranking.measure,
            one.rank,
            ranks,
            best,
            *who,
            one.value.n,
            one.unshared,
            value,
        )


def _bad_advice(results: Results) -> Sheet:
    found, more = results.bad_advice, told_parts(results.bad_advice)
    columns = [column for name, _ in more for column in (name, f"{name} (points)")]
    rows = tuple(
        (
            *(one.all.study, one.all.model, one.all.benchmark, one.all.arm, _change(one.all)),
            *(value for _, parts in more for value in _over(parts[place])),
        )
        for place, one in enumerate(found)
    )
    first = ("study", "model", "benchmark", "arm", "all (points)")
    return Sheet("bad-advice", told_caption(found), (*first, *columns), rows)


def _over(part: Part | None) -> tuple[Value, Value]:
    return (part.suggestions, _change(part.cell)) if part else (None, None)


def _change(cell: Cell | None) -> Estimate | None:
    return cell.against_original.points if cell and cell.against_original else None


def _checks(results: Results) -> Sheet:
    columns = ("study", "benchmark", "stance", "check", "passed", "failed", "unknown", "passed (%)")
    rows = tuple(
        (
            *(c.study, c.benchmark, c.stance, c.name),
            *(c.counts["passed"], c.counts["failed"], c.counts["unknown"], percent(c.passed)),
        )
        for c in results.checks
    )
    caption = (
        "Checks of the suggestions kept; shares are of those that could be checked. What failed while a model wrote "
        "the book was left out of it."
    )
    return Sheet("checks", caption, columns, rows)


def _attacks(results: Results) -> Sheet:
    shares = ("valid", "refused", "agreed", "gave_gold", "named_alternative", "cited")
    said = tuple(f"{name.replace('_', ' ')} (%)" for name in shares)
    columns = ("study", "model", "benchmark", "arm", "judge", "critiques", "failed", *said)
    rows = tuple(
        (
            *(a.study, a.model, a.benchmark, a.arm, a.judge, a.critiques, a.failed),
            *(percent(getattr(a, name)) for name in shares),
        )
        for a in results.attacks
    )
    return Sheet("critiques", "What the critiques were: a weak attack reads as a strong agent.", columns, rows)


def _published(results: Results) -> Sheet:
    columns = ("benchmark", "model", "arm", "metric", "value", "source")
    rows = tuple((p.benchmark, p.model, p.arm, p.metric, p.value, p.mark) for p in results.published)
    caption = (
        "Published numbers on the same benchmarks, for orientation: other samples, other harnesses, no intervals; "
        "second-hand ones were read off a table by somebody else."
    )
    return Sheet("published", caption, columns, rows)
