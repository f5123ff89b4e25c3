"""What changed between two answers to the same sample: flips, recovery, coverage, harm, oscillation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from astray.measures.estimates import Estimate, share
from astray.measures.tracks import Column, Track, align


@dataclass(frozen=True)
class Flips:
    """What became of answers between a first and a second reading, row by row (one row a sample and epoch).

    Rows void on either side are left out of everything. Not correct is whatever isn't the class ``correct``: wrong,
    partial, and what isn't an answer. With several epochs the rates are sums of per-sample means.

    Attributes:
        rows: Rows that are there, and not void, on both sides.
        recovery: ``S_rec = P(correct after | not correct before)`` (WAFER-QA paper, section 3.4).
        coverage: ``C_rec = P(not correct before and correct after)``, among all rows (WAFER-QA paper, appendix G).
        harm: ``P(not correct after | correct before)`` (DESIGN, Measures).
        right_to_wrong: Rows correct before and not correct after.
        wrong_to_right: Rows not correct before and correct after.
        wrong_to_other_wrong: Rows correct on neither side whose answers were both read and differ (letter case and
            outer blanks aside).
    """

    rows: int
    recovery: Estimate
    coverage: Estimate
    harm: Estimate
    right_to_wrong: int
    wrong_to_right: int
    wrong_to_other_wrong: int


def flips(before: Column, after: Column) -> Flips:
    """Flips between two columns, paired by sample and epoch."""
    first, second = align(before, after)
    lost = first.correct & ~second.correct
    won = ~first.correct & second.correct
    read = (first.answer >= 0) & (second.answer >= 0)
    moved = ~first.correct & ~second.correct & read & (first.answer != second.answer)
    return Flips(
        rows=len(first.samples),
        recovery=share(first.samples, won.astype(float), (~first.correct).astype(float)),
        coverage=share(first.samples, won.astype(float)),
        harm=share(first.samples, lost.astype(float), first.correct.astype(float)),
        right_to_wrong=int(lost.sum()),
        wrong_to_right=int(won.sum()),
        wrong_to_other_wrong=int(moved.sum()),
    )


def oscillation(track: Track, round_: int) -> Estimate:
    """Share of samples whose correctness changes at least twice over rounds 0…round_.

    Denominator: samples void in none of these rounds. Below round 2 nothing can change twice: n is 0.
    """
    samples, correct = track.histories(round_)
    if round_ < 2:
        samples, correct = samples[:0], correct[:0]
    changes = (correct[:, 1:] != correct[:, :-1]).sum(axis=1)
    return share(samples, (changes >= 2).astype(float))


def patterns(track: Track, round_: int, *, most: int = 8) -> tuple[tuple[str, int], ...]:
    """The commonest correctness patterns over rounds 0…round_ (``✓✗✓``) with their numbers of rows.

    Rows void in any of these rounds are left out; equally common patterns stand in the order of their text.
    """
    _, correct = track.histories(round_)
    kinds, numbers = np.unique(correct, axis=0, return_counts=True)
    texts = ("".join("✓" if right else "✗" for right in kind) for kind in kinds)
    counted = Counter(dict(zip(texts, (int(number) for number in numbers), strict=True)))
    return tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:most])
