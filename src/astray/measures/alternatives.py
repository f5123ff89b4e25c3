"""The same measures by what is known of the alternative that grounded judges argue for: is it wrong after all?"""

from __future__ import annotations

from typing import Final

import pandas as pd

from astray.measures.summary import Summary, summarize

_SAMPLE: Final = ["study", "benchmark", "sample_id"]
_WORDS: Final = {True: "wrong", False: "not wrong"}


def by_alternative(outcomes: pd.DataFrame) -> tuple[tuple[str, Summary], ...]:
    """(``wrong``, ``not wrong`` or ``unknown``; the summary of all arms over these samples), as far as there are any.

    An agent that takes up an alternative which a verifier finds not wrong was not led astray (WAFER-QA paper, section
    3.3: such items are checked by hand). Samples for which no grounded judge had evidence are in no summary: all is
    empty where no arm has such a judge. Nothing is corrected across the three.
    """
    if not {"no_evidence", "alternative_wrong"} <= set(outcomes.columns):
        return ()
    quoted = outcomes[outcomes["no_evidence"].astype(object).eq(False)]
    marks = quoted.groupby(_SAMPLE)["alternative_wrong"].agg(_mark).rename("mark")
    marked = outcomes.merge(marks.reset_index(), on=_SAMPLE, how="inner")
    kinds = [word for word in (*_WORDS.values(), "unknown") if (marked["mark"] == word).any()]
    return tuple((kind, summarize(marked[marked["mark"] == kind].drop(columns="mark"))) for kind in kinds)


def _mark(said: pd.Series[bool]) -> str:
    """One doubt is enough."""
    words = {_WORDS.get(one, "unknown") for one in said.astype(object)}
    return next(word for word in ("not wrong", "unknown", "wrong") if word in words)
