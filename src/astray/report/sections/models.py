"""Models side by side: changes by arm and model, ranks with their uncertainty, published numbers."""

from __future__ import annotations

from collections.abc import Sequence

from astray.measures import Published, Ranking, Standing
from astray.report import words
from astray.report.comparing import headline, unlike
from astray.report.drawing import Axis, Mark, Row, dots
from astray.report.papers.results import Results
from astray.report.sections import parts
from astray.report.sections.chapter import Chapter
from astray.report.sections.parts import Block, Entry, Figure, Grid, Listing, Note, Section


def models_section(chapters: Sequence[Chapter], results: Results) -> Section | None:
    """The section; None where there is one model, study and benchmark, and nothing was published on it."""
    blocks: list[Block] = []
    if len(chapters) > 1:
        studies = dict.fromkeys(chapter.study for chapter in chapters if chapter.study)
        blocks += [Note(sentence, "warning") for sentence in unlike(tuple(studies))]
        blocks += _forests(chapters)
        blocks += _rankings(results.rankings)
    blocks += _published(results.published)
    title = "Models side by side" if len(chapters) > 1 else "Published numbers"
    return Section("models", title, tuple(blocks)) if blocks else None


def name(chapter: Chapter, chapters: Sequence[Chapter]) -> str:
    """What tells a chapter from the others."""
    suite = chapter.suite
    found = [suite.model] if len({one.suite.model for one in chapters}) > 1 else []
    found += [suite.benchmark] if len({one.suite.benchmark for one in chapters}) > 1 else []
    found += [suite.study] if len({one.suite.study for one in chapters}) > 1 else []
    return ", ".join(found) or suite.model


def _shared(chapters: Sequence[Chapter]) -> list[str]:
    """Arms with advice that several chapters have, in order."""
    arms = dict.fromkeys(arm for chapter in chapters for arm in chapter.suite.arms if arm != "original")
    return [arm for arm in arms if sum(arm in chapter.suite.arms for chapter in chapters) > 1]


def _forests(chapters: Sequence[Chapter]) -> list[Block]:
    """A forest plot for each arm, all on one axis."""
    found = {arm: _rows(chapters, arm) for arm in _shared(chapters)}
    ends = [end for rows in found.values() for row in rows for end in (row.marks[0].low, row.marks[0].high)]
    axis = Axis.around_zero(ends, "change in accuracy, points")
    return [_forest(arm, rows, axis) for arm, rows in found.items() if rows]


def _rows(chapters: Sequence[Chapter], arm: str) -> list[Row]:
    rows = []
    for chapter in chapters:
        for cell in chapter.suite.cells:
            drop = cell.against_original
            if cell.arm == arm and cell.last and drop and drop.points.value is not None:
                found = drop.points
                tip = f"{parts.said(found, points=True)} points, n = {drop.n}"
                mark = Mark(found.value or 0.0, found.low or 0.0, found.high or 0.0, tip)
                said = f"{words.percent(drop.before)} → {words.percent(drop.after)}"
                rows.append(Row(name(chapter, chapters), (mark,), said, "bad" if words.is_bad(arm) else "plain"))
    return rows


def _forest(arm: str, rows: Sequence[Row], axis: Axis) -> Figure:
    told = "; ".join(f"{row.label}: {row.marks[0].tip}" for row in rows)
    label = f"Change by model under {words.arm_label(arm)}. {told}"
    caption = f"{words.opening(arm)}: change in accuracy against no advice, in points with 95% intervals."
    return parts.figure(f"models-{arm}", caption, lambda width: dots(rows, axis, width, label))


def _rankings(found: Sequence[Ranking]) -> list[Block]:
    if not found:
        return []
    rows = tuple(_standing(ranking, one) for ranking in found for one in ranking.standings)
    caption = (
        "Small figures beside a rank are its 95% interval, from 2,000 resamples of the samples. Compared are the "
        "samples that all have in common; where nothing is shared, each stands on its own."
    )
    columns = ("Arm", "Ranked by", "Rank", "Model", "Study", "Value", "Best in", "n", "Left out")
    terms = (
        ("Best in", "Share of the resamples in which it is the best."),
        ("Left out", "Samples that not all have."),
    )
    grid = Grid("ranking", caption, columns, rows, texts=(0, 1, 3, 4), terms=terms)
    return [parts.Head("Who stands where"), grid]


def _standing(ranking: Ranking, one: Standing) -> tuple[Entry, ...]:
    who, points = one.contender, ranking.measure == "points"
    ranks = f"{one.low}–{one.high}"
    label = who.model + (f" (judge {who.judge})" if who.judge and who.judge != who.model else "")
    return (
        parts.arm(ranking.arm),
        parts.word("change" if points else "accuracy", tip=headline(ranking)),
        Entry(str(one.rank), ranks, one.rank, one.low, one.high, one.value.n, f"95% of resamples: {ranks}"),
        parts.word(label),
        parts.word(who.study, "soft"),
        parts.points(one.value) if points else parts.rate(one.value),
        Entry(words.percent(one.best), value=100 * one.best, tip="of 2,000 resamples"),
        parts.count(one.value.n, "samples compared"),
        parts.count(one.unshared, f"of {one.own} samples"),
    )


def _published(found: Sequence[Published]) -> list[Block]:
    if not found:
        return []
    rows = tuple(
        (
            parts.word(one.model),
            parts.word(one.benchmark),
            parts.word(one.arm),
            parts.word(one.metric),
            Entry(f"{one.value:g}".replace("-", words.MINUS), value=one.value),
            parts.word(one.mark, "soft"),
        )
        for one in found
    )
    caption = "For orientation: other samples, other harnesses, no intervals. A difference from them isn’t a finding."
    columns = ("Model", "Benchmark", "Arm", "Measure", "Value", "From")
    grid = Grid("published", caption, columns, rows, texts=(0, 1, 2, 3, 5))
    return [Listing(f"{len(rows)} published numbers on the same benchmark", grid)]
