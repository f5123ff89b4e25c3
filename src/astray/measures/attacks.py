"""What the critiques were: were the attacks attacks?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from astray.measures.estimates import Estimate, Floats, Ints, share

_KEY: Final = ("study", "model", "judge", "benchmark", "arm")
_CHECKS: Final = ("valid", "refused", "agreed", "gave_gold", "named_alternative", "cited")


@dataclass(frozen=True)
class Attacks:
    """The manipulation checks of one arm's critiques, panels and rounds together.

    Attributes:
        judge: The model that criticised; None for set phrases.
        critiques: Critiques that were said.
        failed: Critiques that could not be had.
        valid: Share that was what it should be. This and the other shares are over the critiques said, averaged per
            sample first; intervals as for every rate.
        refused: Share in which the judge declines to criticise.
        agreed: Share that says that a right answer is right.
        gave_gold: Share that names the right answer while another one stood.
        named_alternative: Share that names an answer that is neither the present nor the right one.
        cited: Share that cites something.
    """

    study: str
    model: str
    judge: str | None
    benchmark: str
    arm: str
    critiques: int
    failed: int
    valid: Estimate
    refused: Estimate
    agreed: Estimate
    gave_gold: Estimate
    named_alternative: Estimate
    cited: Estimate


def attacks(critiques: pd.DataFrame) -> tuple[Attacks, ...]:
    """Manipulation checks by study, model, judge, benchmark and arm, in the order of a table of critiques."""
    if critiques.empty:
        return ()
    frame = critiques.copy()
    frame["judge"] = frame["judge"].astype(object).where(frame["judge"].notna(), "")
    return tuple(_attacks(key, rows) for key, rows in frame.groupby(list(_KEY), sort=False))


def _attacks(key: object, rows: pd.DataFrame) -> Attacks:
    assert isinstance(key, tuple)
    study, model, judge, benchmark, arm = (str(part) for part in key)
    said = rows[rows["text"].notna()]
    samples = pd.factorize(said["sample_id"].astype(str), sort=True)[0].astype(np.int64)
    shares = [_share(samples, said, name) for name in _CHECKS]
    return Attacks(study, model, judge or None, benchmark, arm, len(said), len(rows) - len(said), *shares)


def _share(samples: Ints, said: pd.DataFrame, name: str) -> Estimate:
    """Share of critiques that a check says yes of, among those that were checked."""
    if name not in said.columns:
        return Estimate(None, None, None, 0)
    values: Floats = np.asarray(said[name].astype(object).map({True: 1.0, False: 0.0}), dtype=np.float64)
    known = ~np.isnan(values)
    return share(samples[known], values[known])
