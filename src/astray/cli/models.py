"""``astray models``: the embedded models, and where their files are."""

from __future__ import annotations

import click

from astray.local import DEFAULT, KNOWN, ensure, find, local_path, path


@click.group()
def models() -> None:
    """The embedded models: which there are, fetch one, where its file is."""


@models.command("list")
def list_models() -> None:
    """List name, size, licence, and the path of the file or "not fetched"."""
    for spec in KNOWN.values():
        place = local_path(spec) or "not fetched"
        click.echo(f"{spec.name}  {spec.bytes / 1e6:5.0f} MB  {spec.licence}  {place}")


@models.command()
@click.argument("name", default=DEFAULT)
def pull(name: str) -> None:
    """Fetch the file of NAME, or go on with it; once fetched it is there for good."""
    click.echo(f"{name} is in {ensure(find(name))}", err=True)


@models.command("path")
@click.argument("name", default=DEFAULT)
def show_path(name: str) -> None:
    """Print the path of the file of NAME."""
    click.echo(path(find(name)))
