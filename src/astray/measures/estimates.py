"""Estimates: a value with its 95% interval and its denominator, all made as ratios of sums over samples.

Every rate and every difference of astray is ``Σ numerator_i / Σ denominator_i`` over samples i, so one bootstrap
serves them all. Where the samples hold single 0/1 values the interval of a rate is Wilson's (statsmodels).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from statsmodels.stats.proportion import proportion_confint

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

DRAWS: Final = 2000
"""Bootstrap resamples."""

SEED: Final = 20_260_923
"""The bootstrap is seeded: the same rows give the same intervals, in whatever order they come."""

LEVEL: Final = 0.95
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


def share(samples: Ints, hits: Floats, of: Floats | None = None) -> Estimate:
    """Share ``Σ_i mean_e(hits) / Σ_i mean_e(of)``, the means over the rows (epochs) of sample i.

    Interval: Wilson where every sample has one row and all values are 0 or 1, else a bootstrap clustered by
    sample. ``n`` counts the samples whose denominator isn't 0. Void rows must have been left out before.

    Args:
        samples: The sample each row belongs to.
        hits: What is counted, 0…1, never more than ``of``.
        of: What it is counted among; 1 for every row where None.
    """
    among = np.ones_like(hits) if of is None else of
    _, top, rows = sample_means(samples, hits)
    _, bottom, _ = sample_means(samples, among)
    n = int(np.count_nonzero(bottom))
    if n == 0:
        return Estimate(None, None, None, 0)
    if bool(np.all(rows == 1)) and is_binary(hits) and is_binary(among):
        low, high = proportion_confint(float(top.sum()), float(bottom.sum()), alpha=1 - LEVEL, method="wilson")
        return _ordered(float(top.sum() / bottom.sum()), float(low), float(high), n)
    return ratio(top, bottom, n=n, bounds=(0.0, 1.0))


def ratio(top: Floats, bottom: Floats, *, n: int, bounds: tuple[float, float]) -> Estimate:
    """``Σ top / Σ bottom`` over samples, with a percentile interval of the bootstrap clustered by sample.

    Where no resample differs from another (a single sample, or all alike) a bootstrap would claim certainty. The
    interval then allows for the share of unlike samples that n alike ones leave possible (exact binomial bound on
    0 of n, Clopper-Pearson), all of them at the far end of ``bounds``, the range the ratio can take.
    """
    total = float(bottom.sum())
    if n == 0 or total == 0:
        return Estimate(None, None, None, 0)
    value = float(top.sum()) / total
    drawn = resampled_sums(np.column_stack([top, bottom]))
    usable = drawn[:, 1] > 0
    ratios = drawn[usable, 0] / drawn[usable, 1]
    if np.ptp(ratios) < 1e-12:
        _, unseen = proportion_confint(0, n, alpha=1 - LEVEL, method="beta")
        low, high = value - unseen * (value - bounds[0]), value + unseen * (bounds[1] - value)
    else:
        low, high = np.quantile(ratios, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return _ordered(value, float(low), float(high), n)


def resampled_sums(columns: Floats) -> Floats:
    """Sums of each column over samples drawn with replacement: `DRAWS` rows.

    Resampling n samples is drawing how often each distinct row of ``columns`` comes up, which is multinomial; so
    the work grows with the number of distinct rows (four for 0/1 pairs), not with n.
    """
    rows, counts = np.unique(columns, axis=0, return_counts=True)
    n = int(counts.sum())
    random = np.random.default_rng(SEED)
    block = max(1, _BLOCK // len(rows))
    drawn = [
        random.multinomial(n, counts / n, size=min(block, DRAWS - start)) @ rows for start in range(0, DRAWS, block)
    ]
    return np.concatenate(drawn)


def sample_means(samples: Ints, values: Floats) -> tuple[Ints, Floats, Ints]:
    """Each sample once, in ascending order, with the mean of its rows and their number."""
    unique, inverse, counts = np.unique(samples, return_inverse=True, return_counts=True)
    return unique, np.bincount(inverse, weights=values, minlength=len(unique)) / np.maximum(counts, 1), counts


def is_binary(values: Floats) -> bool:
    """Whether all values are 0 or 1."""
    return bool(np.all((values == 0) | (values == 1)))


def _ordered(value: float, low: float, high: float, n: int) -> Estimate:
    return Estimate(value, min(low, value), max(high, value), n)
