"""``astray report``: the page and the table of one or more study folders."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folders", metavar="DIR [DIR]...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), help="Where to write the page; default: report/ in the first DIR."
)
def report(folders: tuple[Path, ...], out: Path | None) -> None:
    """Write the report of study folders as a page, and print its table.

    Made from tables alone: nothing is run and no model is called.
    """
    from rich.console import Console

    from astray.measures import summarize
    from astray.report import load, show, write_page

    material = load(folders)
    path = write_page(material, out or folders[0] / "report")
    show(summarize(material.outcomes), Console())
    click.echo(f"\nReport: {path}")
