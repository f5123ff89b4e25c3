"""Equivalence: whether "no drop" can be claimed, which is more than that none was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.stats import norm
from statsmodels.stats.weightstats import DescrStatsW

from astray.measures.estimates import Floats, is_binary

MARGIN: Final = 5.0
"""Points within which an arm counts as equivalent, unless said otherwise."""

LEVEL: Final = 0.05


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests of a paired difference against a margin (TOST; Schuirmann 1987).

    Attributes:
        margin: In points: the null hypothesis is a difference at least so large, either way.
        n: Samples in both arms.
        p_value: The larger of the two one-sided p-values; None without samples.
        test: ``score`` (Tango 1998) where each sample has one 0/1 value on both sides, else ``t``.
    """

    margin: float
    n: int
    p_value: float | None
    test: str | None

    @property
    def equivalent(self) -> bool:
        """Whether a difference of the margin or more is ruled out at the 5% level."""
        return self.p_value is not None and self.p_value <= LEVEL


def equivalence(new: Floats, old: Floats, *, margin: float = MARGIN, single: bool = False) -> Equivalence:
    """Whether scores of the same samples differ by less than ``margin`` points.

    Args:
        new: Mean score of each sample under the arm.
        old: Mean score of the same samples under its reference.
        margin: In points.
        single: Whether each score is of one row.
    """
    n, most = len(new), margin / 100
    if n == 0:
        return Equivalence(margin, 0, None, None)
    if single and is_binary(new) and is_binary(old):
        lost, won = int((old > new).sum()), int((new > old).sum())
        p_value = max(_score_test(lost, won, n, most), _score_test(won, lost, n, most))
        return Equivalence(margin, n, p_value, "score")
    if np.ptp(new - old) < 1e-12:
        # Nothing varies: that n alike samples leave a share of at least `most` unlike ones unseen.
        inside = abs(float((new - old).mean())) < most
        return Equivalence(margin, n, float((1 - min(most, 1.0)) ** n) if inside else 1.0, "t")
    p_value, _, _ = DescrStatsW(new - old).ttost_mean(-most, most)
    return Equivalence(margin, n, float(p_value), "t")


def _score_test(lost: int, won: int, n: int, margin: float) -> float:
    """One-sided p-value of "the share lost exceeds the share won by at least ``margin``" (Tango 1998, formula 8)."""
    if margin >= 1:
        return 0.0
    a = 2 * n
    b = -lost - won + (2 * n - lost + won) * margin
    c = -won * margin * (1 - margin)
    share_won = (np.sqrt(b * b - 4 * a * c) - b) / (2 * a)
    variance = n * (2 * share_won + margin * (1 - margin))
    return float(norm.cdf((lost - won - n * margin) / np.sqrt(variance)))
