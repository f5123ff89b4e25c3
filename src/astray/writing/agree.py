"""Whether answers that rules can't compare are the same: a grader says so, once all runs over a question are there.

Open-ended alternatives only; that of a question with choices is the very text of one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from inspect_ai.model import Model

from astray.answers import Verdict, same
from astray.answers.grader import compare
from astray.authors import About
from astray.authors.evidence import Run, by_rules

Pair = tuple[str, str, str]
"""A sample's id, and two answers to it: what one is compared with, and the other."""


@dataclass(frozen=True)
class Agreement:
    """Which answers are the same.

    Attributes:
        said: What a grader said of pairs that rules leave undecided: None where its reply could not be used. Where it
            wasn't asked, undecided counts as different.
    """

    said: Mapping[Pair, Verdict | None] = field(default_factory=dict)

    def alike(self, sample_id: str, one: str, other: str) -> bool:
        """Whether two answers to a question are the same, by rules or by the grader."""
        return by_rules(one, other) or self.said.get((sample_id, one, other)) is Verdict.EQUAL


def settle_all(grader: Model, runs: Mapping[str, Sequence[Run]], abouts: Iterable[About]) -> Agreement:
    """Ask the grader about every pair that rules leave undecided. What it said before is kept, and not asked again.

    Args:
        grader: Who says it.
        runs: The runs over each sample, where all of them found something.
        abouts: The samples.
    """
    asked = {about.sample_id: about for about in abouts if about.choices is None}
    pairs = [pair for id, about in asked.items() if id in runs for pair in _undecided(about, runs[id])]

    async def settle() -> list[Verdict | None]:
        return await asyncio.gather(*(compare(grader, asked[id].question, [one], other) for id, one, other in pairs))

    return Agreement(dict(zip(pairs, asyncio.run(settle()), strict=True)))


def golds_of(about: About) -> list[str]:
    """Every answer that counts as right."""
    return about.gold.split(" | ")


def _undecided(about: About, runs: Sequence[Run]) -> list[Pair]:
    """The first run's answer with those of the others, and with the right ones."""
    first, *others = [str(run.alternative) for run in runs]
    pairs = [(first, other) for other in others] + [(gold, first) for gold in golds_of(about)]
    different = [(one, other) for one, other in dict.fromkeys(pairs) if one != other]
    return [(about.sample_id, one, other) for one, other in different if same("short", one, other) is Verdict.UNDECIDED]
