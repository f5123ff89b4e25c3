"""Measures: pure functions from the outcomes table to small typed results.

Void rows (``error``, ``grader_failed``, ``judge_failed``) are left out of every rate and difference, and counted.
What isn't an answer counts as not correct. Everything is paired by sample; epochs are averaged per sample first.
"""

from astray.measures.advice import BadAdvice, CheckShare, Part, bad_advice, check_shares
from astray.measures.alternatives import by_alternative
from astray.measures.attacks import Attacks, attacks
from astray.measures.cells import Cell
from astray.measures.changes import Flips, flips, oscillation, patterns
from astray.measures.differences import Difference, difference, holm, log_mcnemar, mcnemar
from astray.measures.equivalence import Equivalence, equivalence
from astray.measures.estimates import Estimate, ratio, share
from astray.measures.heterogeneity import Heterogeneity, heterogeneity
from astray.measures.power import detectable_drop, mcnemar_power
from astray.measures.published import Published, published
from astray.measures.ranking import Contender, Ranking, Standing, rankings
from astray.measures.subsets import accuracy_by_subset
from astray.measures.summary import Summary, floor_of, summarize
from astray.measures.survival import Step, Survival, survival
from astray.measures.tracks import Column, Track, tracks
from astray.measures.updating import Updating, updating
from astray.measures.winning import won_back

__all__ = [
    "Attacks",
    "BadAdvice",
    "Cell",
    "CheckShare",
    "Column",
    "Contender",
    "Difference",
    "Equivalence",
    "Estimate",
    "Flips",
    "Heterogeneity",
    "Part",
    "Published",
    "Ranking",
    "Standing",
    "Step",
    "Summary",
    "Survival",
    "Track",
    "Updating",
    "accuracy_by_subset",
    "attacks",
    "bad_advice",
    "by_alternative",
    "check_shares",
    "detectable_drop",
    "difference",
    "equivalence",
    "flips",
    "floor_of",
    "heterogeneity",
    "holm",
    "log_mcnemar",
    "mcnemar",
    "mcnemar_power",
    "oscillation",
    "patterns",
    "published",
    "rankings",
    "ratio",
    "share",
    "summarize",
    "survival",
    "tracks",
    "updating",
    "won_back",
]
