"""Accuracy by subset: a subject, a domain, a source."""

from __future__ import annotations

import pandas as pd

from astray.measures.estimates import Estimate, share
from astray.measures.heterogeneity import subset_places
from astray.measures.tracks import tracks
from astray.terms import ORIGINAL_TEXT as ORIGINAL


def accuracy_by_subset(outcomes: pd.DataFrame) -> dict[str, Estimate]:
    """Accuracy without advice in every subset, in alphabetical order; empty where no subset is named.

    Args:
        outcomes: Outcomes of one study, model and benchmark. Samples without a subset are left out.
    """
    named = outcomes[outcomes["subset"].notna() & (outcomes["arm"] == ORIGINAL) & (outcomes["round"] == 0)]
    if named.empty:
        return {}
    ((names, where),) = subset_places(named).values()
    column = tracks(named)[0].at(0)
    groups = (column.pick(where[column.samples] == place) for place in range(len(names)))
    return {name: share(group.samples, group.score) for name, group in zip(names, groups, strict=True)}
