"""Subsets: accuracy without advice, what each arm changes, and whether it changes all alike."""

from __future__ import annotations

from astray.report import words
from astray.report.sections import parts
from astray.report.sections.chapter import Chapter
from astray.report.sections.parts import Block, Entry, Grid, Section
from astray.report.subsets import subset_rows


def subsets_section(chapter: Chapter) -> Section | None:
    """The section; None where there are fewer than two subsets."""
    found = subset_rows(chapter.outcomes, chapter.suite.arms)
    if not found:
        return None
    columns = ("Subset", "n", "No advice", *(words.arm_label(arm) for arm in found[0].arms))
    rows = tuple(
        (
            parts.word(row.name),
            parts.count(row.n, "samples that aren’t void"),
            parts.rate(row.accuracy),
            *(parts.points(points) if points else parts.NONE for points in row.points),
        )
        for row in found
    )
    caption = "Accuracy without advice, and the change in points under each arm in its last round. "
    caption += "Small samples: read the intervals."
    blocks: list[Block] = [Grid("subsets", caption, columns, rows)]
    blocks += _alike(chapter)
    return Section("subsets", "Subsets", tuple(blocks))


def _alike(chapter: Chapter) -> list[Block]:
    """Whether an arm changes all subsets alike."""
    tested = [one for one in chapter.heterogeneity if one.p_value is not None]
    if not tested:
        return []
    rows = tuple(
        (
            parts.arm(one.arm, one.judge if one.judge and len(chapter.suite.judges) > 1 else ""),
            parts.count(len(one.points), f"n = {sum(one.n.values())} samples"),
            Entry(f"{one.spread or 0:.1f}", value=one.spread or 0.0, tip=f"n = {sum(one.n.values())} samples"),
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
