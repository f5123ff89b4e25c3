"""``astray plan``: what a study would take and could show, before a call is paid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from astray.cli.options import read_study, study_options


@click.command()
@study_options
def plan(what: str, out: Path | None, **given: Any) -> None:
    """Show the calls each arm takes and the smallest drop the samples can show. Costs nothing."""
    from rich.console import Console

    from astray.cli.show import show_plan
    from astray.study import make_plan, prepare

    study, _ = read_study(what, out, given)
    show_plan(Console(), study, make_plan(prepare(study)))
