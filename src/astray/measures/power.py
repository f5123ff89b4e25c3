"""What a study can show at all: the smallest drop that its number of samples makes visible."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom

_NEGLIGIBLE: Final = 1e-9


def detectable_drop(
    n: int, *, accuracy: float = 0.6, discordance: float = 0.1, power: float = 0.8, alpha: float = 0.05
) -> float | None:
    """The smallest drop in points that a paired exact McNemar test finds with the given power; None if there is none.

    Assumptions: each sample is answered once under both arms, right or wrong; ``discordance`` is the share of samples
    that change for no reason, half of them each way; the advice turns a further share d of all samples from right
    to wrong, and none the other way. So ``P(right→wrong) = discordance/2 + d`` can't exceed ``accuracy``, the
    accuracy without advice, and d is the drop that is returned (times 100). No correction for several arms is
    in it: with m arms give ``alpha/m``, which is what Holm asks of the first of them.

    Args:
        n: Samples that aren't void in both arms.
        accuracy: Accuracy without advice, 0…1.
        discordance: Share of samples that change without advice, 0…1.
        power: Probability of finding the drop.
        alpha: Two-sided level of the test.
    """
    noise = min(discordance, 2 * accuracy, 2 * (1 - accuracy))
    most = accuracy - noise / 2
    if n < 1 or most <= 0 or mcnemar_power(n, drop=most, discordance=noise, alpha=alpha) < power:
        return None
    drop = brentq(lambda d: mcnemar_power(n, drop=d, discordance=noise, alpha=alpha) - power, 0.0, most, xtol=1e-5)
    return 100 * float(drop)


def mcnemar_power(n: int, *, drop: float, discordance: float, alpha: float = 0.05) -> float:
    """Probability that the exact McNemar test rejects, under the assumptions of `detectable_drop`.

    The number m of discordant pairs is binomial in n, and the lost among them binomial in m (scipy).
    """
    changed = discordance + drop
    if changed <= 0:
        return 0.0
    low, high = binom.ppf([_NEGLIGIBLE, 1 - _NEGLIGIBLE], n, min(changed, 1.0))
    m = np.arange(int(low), int(high) + 1)
    lost = (discordance / 2 + drop) / changed
    critical = binom.isf(alpha / 2, m, 0.5) + 1
    rejects = binom.sf(critical - 1, m, lost) + binom.cdf(m - critical, m, lost)
    return float(np.sum(binom.pmf(m, n, min(changed, 1.0)) * rejects))
