"""``astray import``: results of another harness as the tables of a study."""

from __future__ import annotations

from pathlib import Path

import click


@click.group("import")
def import_() -> None:
    """Bring results of another harness into tables, and report on them."""


@import_.command()
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--book", type=click.Path(path_type=Path), help="The book that was exported: for harm and compliance.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="The study folder.")
def tau2(results: tuple[Path, ...], book: Path | None, out: Path) -> None:
    """Make a study of the RESULTS (results.json, or its folder) of tau2-bench itself: of all its arms at once."""
    from astray.advice import Book
    from astray.benchmarks.tau2.imported import import_tau2
    from astray.cli.report import write_and_show

    rows = import_tau2(results, out, Book.load(book) if book else None)
    click.echo(f"{out}: {len(rows.outcomes)} simulations")
    write_and_show([out], out / "report")
