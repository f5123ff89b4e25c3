"""Differences between an arm and what it is compared with, paired by sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
from scipy.special import logsumexp
from scipy.stats import binom, ttest_1samp
from statsmodels.stats.multitest import multipletests

from astray.measures.changes import Flips, flips
from astray.measures.equivalence import Equivalence, equivalence
from astray.measures.estimates import NOTHING, Estimate, Floats, Ints, is_binary, mean_change, of_draws, resampled_sums
from astray.measures.tracks import Column

Means: TypeAlias = tuple[Ints, Floats, Ints]
"""Codes of samples, each once, their means, and the number of rows that each is the mean of."""

_LEAST: Final = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Difference:
    """An arm against a reference, over the samples that aren't void in both; epochs are averaged per sample first.

    Attributes:
        reference: The arm it is compared with.
        reference_round: The round of that arm.
        n: Samples in both.
        before: Mean score of the reference over these samples; None without any.
        after: Mean score of the arm over the same samples.
        points: ``100 · Σ(S_arm - S_ref) / n``, in percentage points.
        relative: ``Δ = (S_arm - S_ref) / S_ref`` from raw sums, as a share (XYEval paper, section 5.1; DESIGN). None
            where S_ref is 0.
        solved: The same over samples whose mean reference score is 1 (XYEval paper, appendix D.3).
        p_value: Two-sided: exact McNemar where each sample has one 0/1 value on both sides, else a paired t-test on
            sample means, the sign test where all differences are alike. Never 0.
        p_holm: Corrected over the last rounds of all arms of the study (Holm); None for other rounds and references.
        test: ``mcnemar``, ``t``, ``sign``, or None without samples.
        equivalence: Whether "no change" can be claimed, within 5 points.
        flips: What changed, row by row; with several epochs, rows are paired by their number.
    """

    reference: str
    reference_round: int
    n: int
    before: float | None
    after: float | None
    points: Estimate
    relative: Estimate
    solved: Estimate
    p_value: float | None
    p_holm: float | None
    test: str | None
    equivalence: Equivalence
    flips: Flips


def difference(after: Column, before: Column, *, reference: str, reference_round: int) -> Difference:
    """Compare one round of an arm with one round of its reference."""
    new, old, single = paired(after, before)
    n = len(new)
    p, test = p_value(new, old, single=single)
    points, relative, solved = _changes(new, old)
    return Difference(
        reference=reference,
        reference_round=reference_round,
        n=n,
        before=float(old.mean()) if n else None,
        after=float(new.mean()) if n else None,
        points=points,
        relative=relative,
        solved=solved,
        p_value=p,
        p_holm=None,
        test=test,
        equivalence=equivalence(new, old, single=single),
        flips=flips(before, after),
    )


def paired(after: Column, before: Column) -> tuple[Floats, Floats, bool]:
    """Mean scores of the samples in both columns, after and before, and whether each is of a single row."""
    return matched(after.sample_scores, before.sample_scores)


def matched(after: Means, before: Means) -> tuple[Floats, Floats, bool]:
    """The means of the samples in both, and whether each is of a single row."""
    _, left, right = np.intersect1d(after[0], before[0], assume_unique=True, return_indices=True)
    single = bool(np.all(after[2][left] == 1) and np.all(before[2][right] == 1))
    return after[1][left], before[1][right], single


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction of a family of p-values, in the order given (statsmodels)."""
    if not p_values:
        return []
    corrected = multipletests(list(p_values), method="holm")[1]
    return [float(p) for p in corrected]


def holm_of(p_values: Sequence[float | None]) -> list[float | None]:
    """The same of a family of which some could not be tested: these stay None, and don't count."""
    found = iter(holm([p for p in p_values if p is not None]))
    return [None if p is None else next(found) for p in p_values]


def _changes(new: Floats, old: Floats) -> tuple[Estimate, Estimate, Estimate]:
    """(points, relative, solved); the last two from the same resamples."""
    n, known = len(new), old == 1
    if n == 0:
        return NOTHING, NOTHING, NOTHING
    change = new - old
    columns = np.column_stack([change, old, change * known, known])
    drawn, total = resampled_sums(columns), columns.sum(axis=0)
    relative = _relative(total[0], total[1], drawn[:, 0], drawn[:, 1], n)
    return mean_change(change), relative, _relative(total[2], total[3], drawn[:, 2], drawn[:, 3], int(total[3]))


def _relative(change: float, old: float, changes: Floats, olds: Floats, n: int) -> Estimate:
    """``(Σ new - Σ old) / Σ old`` with n the number of samples; None where Σ old is 0."""
    if old == 0:
        return Estimate(None, None, None, n)
    found = of_draws(float(change / old), changes, olds, n=n, bounds=(-n / old, n / old))
    return found if found.low is None else replace(found, low=max(-1.0, found.low))


def p_value(new: Floats, old: Floats, *, single: bool) -> tuple[float | None, str | None]:
    """(two-sided p, test) of a difference between paired scores; see `Difference`."""
    if len(new) == 0:
        return None, None
    if single and is_binary(new) and is_binary(old):
        return mcnemar(int((old > new).sum()), int((new > old).sum())), "mcnemar"
    change = new - old
    if np.ptp(change) < 1e-12:
        same = len(change) if abs(float(change[0])) > 1e-12 else 0
        return mcnemar(same, 0), "sign"
    return max(float(ttest_1samp(change, 0.0).pvalue), _LEAST), "t"


def mcnemar(lost: int, won: int) -> float:
    """Two-sided exact McNemar p-value, never 0; see `log_mcnemar`."""
    return max(float(np.exp(log_mcnemar(lost, won))), _LEAST)


def log_mcnemar(lost: int, won: int) -> float:
    """Natural logarithm of the two-sided exact McNemar p-value, for any number of discordant pairs.

    ``p = min(1, 2 · Σ_{j ≤ min(lost, won)} C(m, j) / 2^m)`` with m discordant pairs: the binomial test of ``lost``
    among them, summed as logarithms (scipy).
    """
    fewer = np.arange(min(lost, won) + 1)
    return min(0.0, float(np.log(2) + logsumexp(binom.logpmf(fewer, lost + won, 0.5))))
