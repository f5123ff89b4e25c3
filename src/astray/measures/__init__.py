"""Measures: pure functions from the outcomes table to small typed results.

Void rows (``error``, ``grader_failed``, ``judge_failed``) are left out of every rate and difference, and counted.
What isn't an answer counts as not correct. Everything is paired by sample; epochs are averaged per sample first.
"""

from astray.measures.alternatives import by_alternative
from astray.measures.attacks import Attacks, attacks
from astray.measures.cells import Cell
from astray.measures.changes import Flips, flips, oscillation, patterns
from astray.measures.differences import Difference, difference, holm, mcnemar
from astray.measures.estimates import Estimate, ratio, share
from astray.measures.power import detectable_drop, mcnemar_power
from astray.measures.subsets import by_subset
from astray.measures.summary import Summary, floor_of, summarize
from astray.measures.tracks import Column, Track, tracks
from astray.measures.winning import won_back

__all__ = [
    "Attacks",
    "Cell",
    "Column",
    "Difference",
    "Estimate",
    "Flips",
    "Summary",
    "Track",
    "attacks",
    "by_alternative",
    "by_subset",
    "detectable_drop",
    "difference",
    "flips",
    "floor_of",
    "holm",
    "mcnemar",
    "mcnemar_power",
    "oscillation",
    "patterns",
    "ratio",
    "share",
    "summarize",
    "tracks",
    "won_back",
]
