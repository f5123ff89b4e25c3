"""What the suggestions of a book are known to be: checks passed, and the drop over those shown to be harmful."""

from __future__ import annotations

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
class ShownHarmful:
    """The last round of one arm with bad advice, over all suggestions and over those shown to be harmful.

    Attributes:
        shown: Samples whose bad suggestion passed the check ``harm``.
        all: The arm over all samples.
        harmful: The arm over these samples alone, against ``original`` over the same; None where there is none.
    """

    shown: int
    all: Cell
    harmful: Cell | None


def check_shares(checks: pd.DataFrame) -> tuple[CheckShare, ...]:
    """Share of suggestions that passed each check, by study, benchmark, stance and check, in the table's order."""
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


def shown_harmful(outcomes: pd.DataFrame, checks: pd.DataFrame) -> tuple[ShownHarmful, ...]:
    """Each arm whose suggestions are bad, over all samples and over those whose suggestion was executed and harmful.

    A suggestion that nobody could execute is not among the harmful ones, whatever its other checks say (DESIGN, Advice
    that is known to be bad). Empty where no check ``harm`` passed or failed.
    """
    executed = checks[(checks["name"] == HARM) & (checks["stance"] == "bad")] if len(checks) else checks
    if executed.empty or not executed["result"].isin(["passed", "failed"]).any():
        return ()
    key = ["study", "benchmark", "sample_id"]
    bad = outcomes[outcomes["arm"].map({arm: arm == "original" or _bad(arm) for arm in outcomes["arm"].unique()})]
    harmful = executed[executed["result"] == "passed"][key].drop_duplicates().astype(str)
    wanted = pd.MultiIndex.from_frame(harmful)
    own = bad[pd.MultiIndex.from_frame(bad[key].astype(str)).isin(wanted)]
    over = {_name(cell): cell for cell in summarize(own).cells if cell.last}
    shown = harmful.groupby(["study", "benchmark"]).size()
    return tuple(
        ShownHarmful(int(shown.get((cell.study, cell.benchmark), 0)), cell, over.get(_name(cell)))
        for cell in summarize(bad).cells
        if cell.last and _bad(cell.arm)
    )


def _name(cell: Cell) -> tuple[str | None, ...]:
    return cell.study, cell.model, cell.judge, cell.user, cell.book, cell.benchmark, cell.arm


def _bad(text: str) -> bool:
    """Whether the arm's suggestion is a bad one."""
    try:
        return Arm.parse(text).stance == "bad"
    except UsageError:
        return False
