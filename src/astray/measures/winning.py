"""What a defense wins back of what bad advice costs."""

from __future__ import annotations

import numpy as np

from astray.measures.estimates import Estimate, ratio
from astray.measures.tracks import Column


def won_back(defended: Column, undefended: Column, original: Column) -> Estimate:
    """``(S_defended - S_undefended) / (S_original - S_undefended)``: 1 is all of the drop, 0 nothing, below 0 harm.

    From raw sums over the samples that are void in none of the three; epochs are averaged per sample first. None
    where the undefended arm shows no drop: there is nothing to win back. The interval is the bootstrap's over the
    resamples that show a drop (XYEval paper, section 5.1: the defenses of its Table 3; the share is DESIGN's).
    """
    sides = [dict(zip(*column.sample_scores[:2], strict=True)) for column in (defended, undefended, original)]
    common = sorted(set.intersection(*(set(side) for side in sides)))
    told, bare, clean = (np.array([side[sample] for sample in common], dtype=np.float64) for side in sides)
    drop = clean - bare
    if drop.sum() <= 0:
        return Estimate(None, None, None, len(common))
    most = len(common) / float(drop.sum())
    return ratio(told - bare, drop, n=len(common), bounds=(-most, most))
