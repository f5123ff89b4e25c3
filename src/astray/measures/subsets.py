"""The same measures by subset: a subject, a domain, a source."""

from __future__ import annotations

import pandas as pd

from astray.measures.summary import Summary, summarize


def by_subset(outcomes: pd.DataFrame) -> tuple[tuple[str, Summary], ...]:
    """(subset, its summary) for every subset of a table of outcomes, in alphabetical order; empty where none is named.

    Samples without a subset are in no summary. Nothing is corrected across subsets.
    """
    named = outcomes[outcomes["subset"].notna()]
    return tuple((str(name), summarize(rows)) for name, rows in named.groupby("subset", sort=True))
