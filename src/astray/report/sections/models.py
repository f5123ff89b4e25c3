"""Models side by side: changes by arm and model, ranks with their uncertainty, published numbers."""

from __future__ import annotations

from collections.abc import Sequence

from astray.measures import Published, Ranking
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
        blocks += [figure for arm in _shared(chapters) if (figure := _forest(chapters, arm))]
        blocks += [Head for ranking in results.rankings for Head in _ranking(ranking)]
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


def _forest(chapters: Sequence[Chapter], arm: str) -> Figure | None:
    rows, ends = [], []
    for chapter in chapters:
        for cell in chapter.suite.cells:
            drop = cell.against_original
            if cell.arm == arm and cell.last and drop and drop.points.value is not None:
                points = drop.points
                low, high = points.low or 0.0, points.high or 0.0
                mark = Mark(points.value or 0.0, low, high, f"{parts.said(points, points=True)} points, n = {drop.n}")
                said = f"{words.percent(drop.before)} → {words.percent(drop.after)}"
                rows.append(Row(name(chapter, chapters), (mark,), said, "bad" if words.is_bad(arm) else "plain"))
                ends += [low, high]
    if not rows:
        return None
    label = f"Change by model under {words.arm_label(arm)}. " + "; ".join(f"{r.label}: {r.marks[0].tip}" for r in rows)
    caption = f"{words.arm_label(arm)}: change in accuracy against no advice, in points with 95% intervals."
    axis = Axis.around_zero(ends, "change in accuracy, points")
    return parts.figure(f"models-{arm}", caption, lambda width: dots(rows, axis, width, label))


def _ranking(ranking: Ranking) -> list[Block]:
    rows = []
    for one in ranking.standings:
        who = one.contender
        ranks = f"{one.low}–{one.high}" if one.low != one.high else str(one.low)
        value = parts.points(one.value) if ranking.measure == "points" else parts.rate(one.value)
        label = who.model + (f" (judge {who.judge})" if who.judge and who.judge != who.model else "")
        rows.append(
            (
                Entry(str(one.rank), ranks, one.rank, one.low, one.high, one.value.n, f"95% of resamples: {ranks}"),
                parts.word(label),
                parts.word(who.study, "soft"),
                value,
                Entry(words.percent(one.best), value=100 * one.best, tip="share of resamples in which it is the best"),
                parts.count(one.value.n, "samples compared"),
                parts.count(one.unshared, "samples that not all have"),
            )
        )
    columns = ("Rank", "Model", "Study", "Value", "Best in", "n", "Left out")
    caption = "Ranks with 95% intervals from 2,000 resamples of the samples."
    return [
        parts.Head(headline(ranking)),
        Grid(f"ranking-{ranking.arm}-{ranking.measure}", caption, columns, tuple(rows), texts=(0, 1, 2)),
    ]


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
