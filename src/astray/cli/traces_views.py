"""What ``astray traces calibrate`` prints."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.table import Table

from astray.measures.behaviour import looked, rates
from astray.measures.estimates import Estimate
from astray.measures.labellers import Calibration, agreement, calibrations, corrected_rates
from astray.tables import read


def show_calibration(study: Path, hand: pd.DataFrame) -> None:
    """Print how good the labellers of a study are against labels by hand, and their rates raw and corrected.

    Raises:
        InputError: The study has no labels.
    """
    labels, labellings, outcomes = (read(study, name) for name in ("behaviours", "labellings", "outcomes"))
    known = calibrations(labels, labellings, hand)
    console = Console()
    console.print(_calibrations(known))
    for first, second in combinations(sorted(set(labellings["labeller"])), 2):
        for one in agreement(labels, labellings, first, second):
            line = f"{one.behaviour}: {first} and {second}: kappa {_number(one.kappa)}, same {_share(one.agree)}"
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    table = _table("arm", "behaviour", "labeller", "raw", "corrected", "transcripts")
    for rate, better in corrected_rates(rates(looked(labels, labellings, outcomes)), known):
        if rate.group == "all":
            table.add_row(
                rate.arm, rate.behaviour, rate.labeller, _share(rate.rate), _share(better), str(rate.transcripts)
            )
    console.print(table)


def _calibrations(known: tuple[Calibration, ...]) -> Table:
    table = _table("labeller", "behaviour", "sensitivity", "specificity", "same step", "transcripts", "void")
    for one in known:
        numbers = f"{one.same_step} of {one.hits}", str(one.transcripts), str(one.void)
        table.add_row(one.labeller, one.behaviour, _share(one.sensitivity), _share(one.specificity), *numbers)
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in columns:
        table.add_column(name, overflow="fold")
    return table


def _share(one: Estimate) -> str:
    if one.value is None or one.low is None or one.high is None:
        return f"? (n {one.n})"
    return f"{100 * one.value:.0f}% [{100 * one.low:.0f}, {100 * one.high:.0f}] (n {one.n})"


def _number(one: Estimate) -> str:
    if one.value is None or one.low is None or one.high is None:
        return f"? (n {one.n})"
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}] (n {one.n})"
