"""``astray compare``: models and studies side by side."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folders", metavar="DIR DIR [DIR]...", nargs=-1, required=True, type=click.Path(path_type=Path))
def compare(folders: tuple[Path, ...]) -> None:
    """Rank the models and studies of several study folders, arm by arm, with uncertainty.

    Compared over the samples that all have in common; those that not all have are counted. Published numbers on the
    same benchmarks stand below, marked as such. Nothing is run; 'astray report DIR DIR' writes the same as files.
    """
    from rich.console import Console

    from astray import report

    report.compare(report.load(folders), Console())
