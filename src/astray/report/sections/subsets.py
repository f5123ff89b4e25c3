"""Subsets: accuracy without advice, what each arm changes, and whether it changes all alike."""

from __future__ import annotations

from astray.report import words
from astray.report.sections import parts
from astray.report.sections.chapter import Chapter
from astray.report.sections.parts import Block, Grid, Note, Section
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
    blocks += [
        Note(
            f"{words.arm_label(one.arm)}: subsets differ by a standard deviation of {one.spread or 0:.0f} points "
            f"beyond chance; p of “all change alike” is {words.p_text(one.p_value)} (permutation test, uncorrected)."
        )
        for one in chapter.heterogeneity
        if one.p_value is not None
    ]
    return Section("subsets", "Subsets", tuple(blocks))
