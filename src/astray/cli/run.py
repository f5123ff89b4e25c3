"""``astray run``: run a study, or go on with one, and show what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from astray.cli.options import read_study, stopped, study_options

if TYPE_CHECKING:
    from astray.study import Study, Tables

VOID_SHARE: Final = 0.05
"""A larger share of void outcomes, in an arm of `VOID_SAMPLES` samples or more, ends a run with exit code 3."""

VOID_SAMPLES: Final = 20


@click.command()
@study_options
def run(what: str, out: Path | None, **given: Any) -> int:
    """Run BENCHMARK, or the study in STUDY.yaml, in every arm; the same command again does only what is missing."""
    study, folder = read_study(what, out, given)
    return run_and_report(study, folder)


def run_and_report(study: Study, out: Path) -> int:
    """Run what is missing of a study, make its tables and report, and return the exit code."""
    from rich.console import Console

    from astray.cli.report import write_and_show
    from astray.cli.show import show_plan
    from astray.study import collect, make_plan, prepare, replaced_settings, run_study
    from astray.study.folder import Folder

    notice = Console(stderr=True)
    prepared = prepare(study)
    if notice.is_terminal:
        show_plan(notice, study, make_plan(prepared))
    else:
        for note in replaced_settings(prepared):
            click.echo(f"astray: note: {note}", err=True)
    try:
        ran = run_study(prepared, out, notice)
    except KeyboardInterrupt:
        collect(prepared, Folder(out))
        raise
    tables = collect(prepared, ran.folder)
    if ran.gone:
        raise stopped(ran.gone, f"{_finished(tables)} answers are kept")
    write_and_show([out], out / "report")
    return _void_code(tables)


def _finished(tables: Tables) -> int:
    return sum(row.value is not None for row in tables.outcomes)


def _void_code(tables: Tables) -> int:
    """3 where too much of an arm is void, told in a line for each; else 0."""
    code = 0
    for arm in dict.fromkeys(row.arm for row in tables.outcomes):
        rows = [row for row in tables.outcomes if row.arm == arm]
        void = sum(row.value is None for row in rows)
        if len({row.sample_id for row in rows}) >= VOID_SAMPLES and void > VOID_SHARE * len(rows):
            share = 100 * void / len(rows)
            click.echo(
                f"astray: arm '{arm}': {void} of {len(rows)} answers ({share:.0f}%) could not be had; "
                "the report lists them, and the same command again asks for them once more",
                err=True,
            )
            code = 3
    return code
