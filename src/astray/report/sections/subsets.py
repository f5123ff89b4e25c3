"""Subsets: accuracy without advice, what each arm changes, and whether it changes all alike."""

from __future__ import annotations

from astray.measures import Heterogeneity, accuracy_by_subset
from astray.report.sections import parts
from astray.report.sections.chapter import Chapter
from astray.report.sections.parts import Block, Entry, Grid, Section


def subsets_section(chapter: Chapter) -> Section | None:
    """The section; None where there are fewer than two subsets."""
    accuracy = accuracy_by_subset(chapter.outcomes)
    compared = [one for one in chapter.heterogeneity if one.points]
    if len(accuracy) < 2 or not compared:
        return None
    columns = ("Subset", "n", "No advice", *(_arm(one, chapter).text for one in compared))
    rows = tuple(
        (
            parts.word(name),
            parts.count(found.n, "samples that aren’t void"),
            parts.rate(found),
            *(parts.points(one.points[name]) if name in one.points else parts.NONE for one in compared),
        )
        for name, found in accuracy.items()
    )
    caption = "Accuracy without advice, and the change in points under each arm in its last round. "
    caption += "Small samples: read the intervals."
    blocks: list[Block] = [Grid("subsets", caption, columns, rows)]
    blocks += _alike(chapter)
    return Section("subsets", "Subsets", tuple(blocks))


def _arm(found: Heterogeneity, chapter: Chapter) -> Entry:
    return parts.arm(found.arm, found.judge if found.judge and len(chapter.suite.judges) > 1 else "")


def _alike(chapter: Chapter) -> list[Block]:
    """Whether an arm changes all subsets alike."""
    tested = [one for one in chapter.heterogeneity if one.p_value is not None]
    if not tested:
        return []
    rows = tuple(
        (
            _arm(one, chapter),
            parts.count(len(one.points), _samples(one)),
            Entry(f"{one.spread or 0:.1f}", value=one.spread or 0.0, tip=_samples(one)),
            parts.p(one.p_value, "permutation test, not corrected"),
        )
        for one in tested
    )
    caption = (
        "Whether an arm changes all subsets alike: standard deviation of the true changes between subsets, in points, "
        "and p of “all change alike” (permutation test, not corrected)."
    )
    grid = Grid("alike", caption, ("Arm", "Subsets", "Spread", "p (alike)"), rows)
    return [parts.Head("Are all subsets alike?"), grid]


def _samples(found: Heterogeneity) -> str:
    return f"n = {sum(points.n for points in found.points.values())} samples"
