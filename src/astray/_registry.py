"""What Inspect sees: everything of astray that is registered with it."""

from astray.authors import author, checks_scorer, compose
from astray.authors.evidence import evidence, seek, support_scorer
from astray.benchmarks.qa.benchmark import ask, grade
from astray.benchmarks.tau2 import converse, reward
from astray.judges import find_evidence, rounds_scorer, with_rounds
from astray.local.provider import astray_provider
from astray.study.task import arm
from astray.traces.task import label, labelling, labels_scorer

__all__ = [
    "arm",
    "ask",
    "astray_provider",
    "author",
    "checks_scorer",
    "compose",
    "converse",
    "evidence",
    "find_evidence",
    "grade",
    "label",
    "labelling",
    "labels_scorer",
    "reward",
    "rounds_scorer",
    "seek",
    "support_scorer",
    "with_rounds",
]
