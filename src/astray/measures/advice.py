"""What the suggestions of a book are known to be: checks passed, and the drop over those that are as they should be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import pandas as pd

from astray.arm import Arm
from astray.errors import UsageError
from astray.measures.cells import Cell
from astray.measures.estimates import Estimate, wilson
from astray.measures.summary import summarize

HARM: Final = "harm"
"""The check of executed harm: passed where following the suggestion is shown to lead to a wrong result."""

_SAMPLE: Final = ["study", "benchmark", "sample_id"]


@dataclass(frozen=True)
class CheckShare:
    """One check over the suggestions of one stance.

    Attributes:
        counts: Suggestions by result: passed, failed, unknown.
        passed: Share that passed, among those that could be checked; n is 0 where none could.
    """

    study: str
    benchmark: str
    stance: str
    name: str
    counts: Mapping[str, int]
    passed: Estimate


@dataclass(frozen=True)
class Part:
    """An arm over some of the suggestions.

    Attributes:
        suggestions: How many, whether or not their samples are void.
        cell: The arm over their samples alone, against ``original`` over the same; None where there is none.
    """

    suggestions: int
    cell: Cell | None


@dataclass(frozen=True)
class BadAdvice:
    """The last round of one arm with bad advice, over all suggestions and over some that their checks say more of.

    Attributes:
        all: The arm over all samples.
        unfaulted: Over suggestions that were checked and failed no check, which includes what could not be told; None
            where none of the study failed any, so that it would be the same.
        harmful: Over those that were executed and led to a wrong result; None where nothing of the study was executed.
    """

    all: Cell
    unfaulted: Part | None
    harmful: Part | None


def check_shares(checks: pd.DataFrame) -> tuple[CheckShare, ...]:
    """Share that passed each check, by study, benchmark, stance and check, in the table's order.

    It is of the suggestions in the book: what failed while a model wrote it was left out.
    """
    if checks.empty:
        return ()
    shares = []
    for key, rows in checks.groupby(["study", "benchmark", "stance", "name"], sort=False):
        assert isinstance(key, tuple)
        counts = {result: int((rows["result"] == result).sum()) for result in ("passed", "failed", "unknown")}
        of = counts["passed"] + counts["failed"]
        passed = wilson(counts["passed"] / of, of, of) if of else Estimate(None, None, None, 0)
        study, benchmark, stance, name = (str(part) for part in key)
        shares.append(CheckShare(study, benchmark, stance, name, counts, passed))
    return tuple(shares)


def bad_advice(outcomes: pd.DataFrame, checks: pd.DataFrame) -> tuple[BadAdvice, ...]:
    """Each arm whose suggestions are bad, over all of them and over those that their checks say more of.

    A suggestion that nobody could execute is not among the harmful ones, whatever its other checks say (DESIGN, Advice
    that is known to be bad). Empty where no check failed and none was executed.
    """
    own = checks[checks["stance"] == "bad"] if len(checks) else checks
    if own.empty:
        return ()
    bad = outcomes[outcomes["arm"].map({arm: arm == "original" or _bad(arm) for arm in outcomes["arm"].unique()})]
    executed = own[(own["name"] == HARM) & own["result"].isin(["passed", "failed"])]
    failed = own[own["result"] == "failed"]
    checked = _samples(own)
    unfaulted = _Some.of(bad, checked[~checked.isin(_samples(failed))], failed)
    harmful = _Some.of(bad, _samples(executed[executed["result"] == "passed"]), executed)
    found = [
        BadAdvice(cell, unfaulted.part(cell), harmful.part(cell))
        for cell in summarize(bad).cells
        if cell.last and _bad(cell.arm)
    ]
    return tuple(one for one in found if one.unfaulted or one.harmful)


@dataclass(frozen=True)
class _Some:
    """Some of the suggestions: how many by study and benchmark, the cells over them, and where that can be told."""

    sizes: Mapping[tuple[str, str], int]
    cells: Mapping[tuple[str | None, ...], Cell]
    told: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, outcomes: pd.DataFrame, samples: pd.MultiIndex, where: pd.DataFrame) -> _Some:
        """Those of these samples; it can be told in the studies and benchmarks that ``where`` has a row of."""
        rows = outcomes[pd.MultiIndex.from_frame(outcomes[_SAMPLE].astype(str)).isin(samples)]
        cells = {_name(cell): cell for cell in summarize(rows).cells if cell.last}
        told = frozenset(zip(where["study"].astype(str), where["benchmark"].astype(str), strict=True))
        return cls(Counter((study, benchmark) for study, benchmark, _ in samples), cells, told)

    def part(self, cell: Cell) -> Part | None:
        """The part of an arm over these suggestions."""
        here = (cell.study, cell.benchmark)
        return Part(self.sizes.get(here, 0), self.cells.get(_name(cell))) if here in self.told else None


def _samples(checks: pd.DataFrame) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(checks[_SAMPLE].astype(str).drop_duplicates())


def _name(cell: Cell) -> tuple[str | None, ...]:
    return cell.study, cell.model, cell.judge, cell.user, cell.book, cell.benchmark, cell.arm


def _bad(text: str) -> bool:
    """Whether the arm's suggestion is a bad one."""
    try:
        return Arm.parse(text).stance == "bad"
    except UsageError:
        return False
