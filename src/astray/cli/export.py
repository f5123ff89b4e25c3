"""``astray export``: a book for another harness."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def export() -> None:
    """Bring an advice book to another harness, which then runs the arms."""


@export.command()
@click.option("--book", type=click.Path(path_type=Path), required=True, help="A book for tau2:DOMAIN.")
@click.option("--arms", multiple=True, default=["xy"], show_default=True, help="Arms, separated by commas.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="The folder to write.")
def tau2(book: Path, arms: tuple[str, ...], out: Path) -> None:
    """Write data folders with the treated tasks, and a module that registers users and agents, for tau2-bench itself.

    The tasks are those of $TAU2_DATA_DIR where it is set, else those of inspect-evals' wheel.
    """
    from astray.advice import Book
    from astray.arm import parse_arms
    from astray.benchmarks.tau2.export import export_tau2

    commands = export_tau2(Book.load(book), parse_arms(arms), out.absolute())
    click.echo(f"{out}: written; where tau2-bench is installed:")
    for command in commands:
        click.echo(command)
    click.echo("then: astray import tau2 RESULTS.json … --book BOOK --out STUDY")
