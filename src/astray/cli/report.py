"""``astray report``: the page and the table of one or more study folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click


@click.command()
@click.argument("folders", metavar="DIR [DIR]...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Where to write it; default: report/ in the first DIR.")
def report(folders: tuple[Path, ...], out: Path | None) -> None:
    """Write the report of study folders as a page and as files for papers, and print its table.

    Beside the page: tables (CSV, LaTeX, Markdown), figures (PDF, SVG), methods.md, results.json and its schema.
    Made from tables alone: nothing is run and no model is called.
    """
    write_and_show(folders, out or folders[0] / "report")


def write_and_show(folders: Sequence[Path], out: Path) -> None:
    """Write the page and the files for papers, and print the table and where the page is."""
    from rich.console import Console

    from astray.measures import Summary
    from astray.report import load, reading_notes, show, show_conversations, write_page, write_papers
    from astray.report.sections.chapter import unscored
    from astray.report.words import suites

    material = load(folders)
    results = write_papers(material, out)
    page = write_page(material, out, results)
    silent = unscored(material, suites(Summary(results.cells)))
    if results.cells or not silent:
        show(Summary(results.cells), Console())
    for suite in silent:
        click.echo(
            f"{suite.model} on {suite.benchmark} (study {suite.study}): transcripts without a score, on the page"
        )
    show_conversations(material.conversations, material.outcomes, Console())
    for note in reading_notes(material.outcomes):
        click.echo(note)
    click.echo(f"\nReport: {page}")
