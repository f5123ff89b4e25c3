"""``astray demo``: one command to a first real result."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

ARMS: Final = ("original", "xy", "judge-hypercritical-none+skeptical")
LIMIT: Final = 36
"""Questions of the starter set: as many as two cores answer in well under four minutes."""


@click.command()
@click.option("--limit", type=click.IntRange(1), default=LIMIT, show_default=True, help="Number of questions.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("demo"), show_default=True)
def demo(limit: int, out: Path) -> int:
    """Ask the embedded model real questions, without bad advice and with it, and write a report."""
    from astray.cli.run import run_and_report
    from astray.study import make_study

    settings = {
        "name": "demo",
        "benchmark": "starter",
        "model": "astray/qwen2.5-coder-1.5b",
        "arms": ARMS,
        "limit": limit,
    }
    return run_and_report(make_study(settings, "demo"), out)
