"""Numbers that the papers published, to stand beside one's own: facts with where they are from, always marked."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

_TAU: Final = str.maketrans({"τ": "tau", "²": "2"})


@dataclass(frozen=True)
class Published:
    """One published number.

    Attributes:
        paper: Its arXiv id.
        place: Section, table (T) or appendix.
        provenance: ``paper prose``, or ``second-hand reading``: read off a table by somebody else, so perhaps off.
        benchmark: As the paper names it.
        model: As the paper names it.
        arm: The condition, in astray's own terms where it has them; judges stand with ``skeptical``, as in the paper.
        metric: What was measured; shares and accuracies in percent, ``delta_xy`` in percent of the original score.
    """

    paper: str
    place: str
    provenance: str
    benchmark: str
    model: str
    arm: str
    metric: str
    value: float

    @property
    def second_hand(self) -> bool:
        """Whether it wasn't in the paper's own prose."""
        return self.provenance != "paper prose"

    @property
    def mark(self) -> str:
        """How it is marked wherever it is shown."""
        kind = "second-hand" if self.second_hand else "published"
        return f"{kind}: {self.paper}, {self.place}"


def published(benchmark: str | None = None) -> tuple[Published, ...]:
    """The numbers of arXiv 2506.03332 and 2609.23939 that astray knows; of one benchmark where it is given.

    A benchmark is found by its name in letters and digits: ``inspect_evals/arc_challenge`` is ARC-Challenge,
    ``tau2:airline`` is tau2-bench airline. These numbers have no intervals, other samples and other harnesses: a
    difference from them isn't a finding.
    """
    if benchmark is None:
        return _rows()
    name = _plain(benchmark)
    return tuple(row for row in _rows() if _same(name, _plain(row.benchmark)))


@cache
def _rows() -> tuple[Published, ...]:
    text = (files("astray.measures") / "published.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    names = ("paper", "place", "provenance", "benchmark", "model", "arm", "metric")
    found = []
    for row in rows:
        paper, place, provenance, benchmark, model, arm, metric = (row[name] for name in names)
        found.append(Published(paper, place, provenance, benchmark, model, arm, metric, float(row["value"])))
    return tuple(found)


def _plain(name: str) -> str:
    """Letters and digits of a benchmark's name, without its owner and the word bench."""
    own = name.translate(_TAU).casefold().rsplit("/", 1)[-1]
    return re.sub(r"[^a-z0-9]|\bbench\b", "", re.sub(r"[-_:.]", " ", own))


def _same(asked: str, known: str) -> bool:
    return bool(asked) and (asked == known or (len(asked) > 3 and known.startswith(asked)))
