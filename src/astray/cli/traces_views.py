"""What ``astray traces calibrate`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.table import Table

from astray.measures.behaviour import BehaviourRate, looked, rates
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
    better = corrected_rates(rates(looked(labels, labellings, outcomes)), known)
    labellers = sorted(set(labellings["labeller"]))
    console = Console()
    for name in labellers:
        console.print(f"\n{name} against labels by hand", markup=False, highlight=False)
        console.print(_calibrations([one for one in known if one.labeller == name]))
        console.print("\nrates, raw and corrected for what it misses and makes up", highlight=False)
        console.print(_rates([(rate, value) for rate, value in better if rate.labeller == name]))
    for first, second in combinations(labellers, 2):
        for one in agreement(labels, labellings, first, second):
            line = f"{one.behaviour}: {first} and {second}: kappa {_number(one.kappa)}, same {_share(one.agree)}"
            console.print(line, markup=False, highlight=False, soft_wrap=True)


def _calibrations(known: Sequence[Calibration]) -> Table:
    table = _table("behaviour", "sensitivity", "specificity", "same step", "n", "void")
    for one in known:
        numbers = f"{one.same_step} of {one.hits}", str(one.transcripts), str(one.void)
        table.add_row(one.behaviour, _share(one.sensitivity), _share(one.specificity), *numbers)
    return table


def _rates(found: Sequence[tuple[BehaviourRate, Estimate]]) -> Table:
    table = _table("behaviour", "arm", "raw", "corrected")
    for rate, better in found:
        if rate.group == "all":
            table.add_row(rate.behaviour, rate.arm, _share(rate.rate), _share(better))
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in columns:
        table.add_column(name, overflow="fold", no_wrap=name != "arm")
    return table


def _share(one: Estimate) -> str:
    if one.value is None or one.low is None or one.high is None:
        return f"? (n {one.n})"
    return f"{100 * one.value:.0f}% [{100 * one.low:.0f}, {100 * one.high:.0f}] (n {one.n})"


def _number(one: Estimate) -> str:
    if one.value is None or one.low is None or one.high is None:
        return f"? (n {one.n})"
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}] (n {one.n})"
