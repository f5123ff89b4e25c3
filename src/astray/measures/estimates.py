"""Estimates: a value with its 95% interval and its denominator, all made as ratios of sums over samples.

Rates get Wilson's interval (statsmodels), with an effective number of samples where a sample has several rows.
Differences and ratios of scores get a bootstrap over samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from scipy.stats import t as student
from statsmodels.stats.proportion import proportion_confint

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

DRAWS: Final = 2000
"""Bootstrap resamples."""

SEED: Final = 20_260_923
"""The bootstrap is seeded: the same rows give the same intervals, in whatever order they come."""

LEVEL: Final = 0.95
_Z: Final = float(norm.ppf((1 + LEVEL) / 2))
_FEW: Final = 64
"""Up to so many distinct rows are resampled as kinds, more of them one by one."""

_BLOCK: Final = 4_000_000


@dataclass(frozen=True)
class Estimate:
    """A value, its 95% interval, and ``n``, the number of samples in its denominator.

    ``value``, ``low`` and ``high`` are None where the denominator is 0: nothing to say is not zero.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int

    def scaled(self, factor: float) -> Estimate:
        """The same estimate in another unit (100 turns shares into points)."""
        if self.value is None or self.low is None or self.high is None:
            return self
        return Estimate(self.value * factor, self.low * factor, self.high * factor, self.n)


NOTHING: Final = Estimate(None, None, None, 0)
"""An estimate without a denominator."""


def share(samples: Ints, hits: Floats, of: Floats | None = None) -> Estimate:
    """Share ``Σ_i mean_e(hits) / Σ_i mean_e(of)``, the means over the rows (epochs) of sample i.

    Interval: Wilson where every sample has one row and all values are 0 or 1, else Wilson with an effective number
    of samples (`rate`). ``n`` counts the samples whose denominator isn't 0. Void rows must have been left out before.

    Args:
        samples: The sample each row belongs to.
        hits: What is counted, 0…1, never more than ``of``.
        of: What it is counted among; 1 for every row where None.
    """
    among = np.ones_like(hits) if of is None else of
    _, top, rows = sample_means(samples, hits)
    _, bottom, _ = sample_means(samples, among)
    n, total = int(np.count_nonzero(bottom)), float(bottom.sum())
    if n == 0:
        return NOTHING
    value = float(top.sum()) / total
    binary = is_binary(hits) and is_binary(among)
    if binary and bool(np.all(rows == 1)):
        return wilson(value, n, total)
    return rate(value, (top - value * bottom) / total, n=n, most=float(np.count_nonzero(among)) if binary else None)


def rate(value: float, influence: Floats, *, n: int, most: float | None) -> Estimate:
    """A rate with Wilson's interval on the effective number of samples.

    ``n_eff = p(1-p) / V · (z / t_{n-1})²`` with ``V = n/(n-1) · Σ_i influence_i²``, the variance between samples, so
    that rows of one sample don't count as so many samples (Korn & Graubard 1998, with Wilson's in place of the exact
    interval). Where nothing varies, or p is 0 or 1, it is n.

    Args:
        value: The rate, 0…1.
        influence: For each sample, what it adds to the deviation of the rate from its expectation.
        n: Samples in the denominator.
        most: More than so many the effective number can't be; None where there is no such bound.
    """
    variance = n / (n - 1) * float(influence @ influence) if n > 1 else 0.0
    effective = float(n)
    if variance > 1e-15 and 0 < value < 1:
        effective = value * (1 - value) / variance * (_Z / _student(n)) ** 2
    return wilson(value, n, effective if most is None else min(effective, most))


def wilson(value: float, n: int, effective: float) -> Estimate:
    """A rate with Wilson's interval for ``effective`` samples (statsmodels)."""
    low, high = proportion_confint(value * effective, effective, alpha=1 - LEVEL, method="wilson")
    return ordered(value, float(low), float(high), n)


def ratio(top: Floats, bottom: Floats, *, n: int, bounds: tuple[float, float]) -> Estimate:
    """``Σ top / Σ bottom`` over samples, with the bootstrap's interval; see `of_draws`."""
    total = float(bottom.sum())
    if n == 0 or total == 0:
        return NOTHING
    drawn = resampled_sums(np.column_stack([top, bottom]))
    return of_draws(float(top.sum()) / total, drawn[:, 0], drawn[:, 1], n=n, bounds=bounds)


def of_draws(value: float, tops: Floats, bottoms: Floats, *, n: int, bounds: tuple[float, float]) -> Estimate:
    """A ratio of sums with a percentile interval of the bootstrap over samples.

    The percentiles are those that make the interval as wide as Student's, ``Φ(-√(n/(n-1)) · t_{n-1})`` in place of
    2.5%: plain ones are too narrow for few samples (Hesterberg 2015, the expanded percentile interval).
    Where no resample differs from another (a single sample, or all alike) a bootstrap would claim certainty. The
    interval then allows for the share of unlike samples that n alike ones leave possible (exact binomial bound on
    0 of n, Clopper-Pearson), all of them at the far end of ``bounds``, the range the ratio can take.

    Args:
        value: The ratio over the samples themselves.
        tops: Its numerator in each resample.
        bottoms: Its denominator in each resample; those of 0 are left out.
        n: Samples.
        bounds: The least and the most that the ratio can be.
    """
    usable = bottoms > 0
    ratios = tops[usable] / bottoms[usable]
    if n == 1 or np.ptp(ratios) < 1e-12:
        unseen = float(proportion_confint(0, n, alpha=1 - LEVEL, method="beta")[1])
        return ordered(value, value - unseen * (value - bounds[0]), value + unseen * (bounds[1] - value), n)
    low, high = interval(ratios, n)
    return ordered(value, low, high, n)


def mean_change(change: Floats) -> Estimate:
    """Mean of per-sample changes of a score from 0 to 1, in percentage points, with the bootstrap's interval."""
    return ratio(change, np.ones(len(change)), n=len(change), bounds=(-1.0, 1.0)).scaled(100)


def interval(drawn: Floats, n: int) -> tuple[float, float]:
    """The expanded percentile interval of bootstrap values from n samples; see `of_draws`."""
    tail = _tail(n)
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(low), float(high)


def resampled_sums(columns: Floats) -> Floats:
    """Sums of each column over samples drawn with replacement: `DRAWS` rows.

    Resampling n samples is drawing how often each distinct row of ``columns`` comes up, which is multinomial; so
    the work grows with the number of distinct rows (three for differences of 0/1 values), not with n.
    """
    rows, counts = _kinds(columns)
    n = int(counts.sum())
    if len(rows) <= _FEW:
        return np.random.default_rng(SEED).multinomial(n, counts / n, size=DRAWS) @ rows
    every = np.repeat(rows, counts, axis=0)
    block = max(1, _BLOCK // n)
    return np.concatenate([_weights(n, start, min(block, DRAWS - start)) @ every for start in range(0, DRAWS, block)])


def _kinds(columns: Floats) -> tuple[Floats, Ints]:
    """Distinct rows in ascending order, and their numbers: what np.unique does for rows, a column at a time."""
    code = np.zeros(len(columns), dtype=np.int64)
    for column in columns.T:
        values, place = np.unique(column, return_inverse=True)
        code = np.unique(code * len(values) + place, return_inverse=True)[1]
    _, first, counts = np.unique(code, return_index=True, return_counts=True)
    return columns[first], counts


@lru_cache(maxsize=8)
def _weights(n: int, start: int, draws: int) -> NDArray[np.float32]:
    """How often each of n samples comes up in ``draws`` resamples; the same at every call."""
    drawn = np.random.default_rng([SEED, start]).integers(n, size=(draws, n))
    drawn += n * np.arange(draws)[:, None]
    return np.bincount(drawn.ravel(), minlength=draws * n).reshape(draws, n).astype(np.float32)


@lru_cache(maxsize=4096)
def _student(n: int) -> float:
    """Quantile of Student's distribution for n samples."""
    return float(student.ppf((1 + LEVEL) / 2, n - 1))


@lru_cache(maxsize=4096)
def _tail(n: int) -> float:
    """What an expanded percentile interval leaves out at either end."""
    return float(norm.cdf(-np.sqrt(n / (n - 1)) * _student(n)))


def sample_means(samples: Ints, values: Floats) -> tuple[Ints, Floats, Ints]:
    """Each sample once, in ascending order, with the mean of its rows and their number."""
    unique, inverse, counts = np.unique(samples, return_inverse=True, return_counts=True)
    return unique, np.bincount(inverse, weights=values, minlength=len(unique)) / np.maximum(counts, 1), counts


def is_binary(values: Floats) -> bool:
    """Whether all values are 0 or 1."""
    return bool(np.all((values == 0) | (values == 1)))


def ordered(value: float, low: float, high: float, n: int) -> Estimate:
    """An estimate whose interval holds its value."""
    return Estimate(value, min(low, value), max(high, value), n)
