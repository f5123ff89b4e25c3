"""``astray demo``: one command to a first real result."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from astray.study import Study

ARMS: Final = ("original", "xy", "judge-malicious-none")
SECONDS: Final = 220
"""Seconds the questions may take: as many are asked as this machine answers in that time."""

FIRST: Final = 6
"""Questions that show how quick this machine is, one of each subject."""

MODEST: Final = 24
"""Questions where the pace isn't known."""

MOST: Final = 72
"""The whole starter set."""


@click.command()
@click.option("--limit", type=click.IntRange(1), help="Number of questions; by default what three minutes allow.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("demo"), show_default=True)
def demo(limit: int | None, out: Path) -> int:
    """Ask the embedded model real questions, without bad advice and with it, and write a report.

    The first questions show how many this machine can answer in about three minutes. The same command again asks
    nothing: it shows what was found.
    """
    from astray.cli.run import run_and_report
    from astray.study.folder import asked_before

    before = asked_before(out, "limit")
    # Broken off while the pace was being found: the answers that are there would make it look quicker than it is.
    wanted = limit or (MODEST if before == FIRST else before) or _affordable(out)
    return run_and_report(_study(wanted), out)


def _affordable(out: Path) -> int:
    """Ask the first questions, and say how many this machine can afford."""
    from rich.console import Console

    from astray.local import ensure, find
    from astray.study import prepare, run_study

    study = _study(FIRST)
    ensure(find(study.model.removeprefix("astray/")))
    start = time.monotonic()
    run_study(prepare(study), out, Console(stderr=True))
    each = (time.monotonic() - start) / FIRST
    count = max(FIRST, min(MOST, int(SECONDS / each)))
    click.echo(f"this machine takes {each:.0f} s a question: {count} of {MOST} questions", err=True)
    return count


def _study(limit: int) -> Study:
    from astray.study import make_study

    settings = {"name": "demo", "benchmark": "starter", "model": "astray/qwen2.5-coder-1.5b", "arms": ARMS}
    return make_study(settings | {"limit": limit}, "demo")
