"""``astray advice``: look at an advice book, check it, edit it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, get_args

import click
from rich.console import Console

from astray.advice import Book, Kind, Stance, Suggestion
from astray.errors import InputError, nearest

WIDE: Final = 160
"""Columns of a table that goes into a file or a pipe."""

_BOOK: Final = click.argument("book", metavar="BOOK", type=click.Path(path_type=Path))
_STANCE: Final = click.option("--stance", type=click.Choice(get_args(Stance)), help="Which of a sample's suggestions.")


@click.group()
def advice() -> None:
    """Advice books: read one, count it, check it, edit it."""


@advice.command()
@_BOOK
@click.argument("samples", metavar="[SAMPLE]...", nargs=-1)
@_STANCE
def show(book: Path, samples: tuple[str, ...], stance: Stance | None) -> None:
    """Show the suggestions and decompositions of BOOK, of all samples or of those named."""
    from astray.cli.advice_views import show_book

    read = Book.load(book)
    ids = known_ids(read)
    for sample in samples:
        require_sample(book, ids, sample)
    show_book(console(), read, [id for id in ids if not samples or id in samples], stance)


@advice.command()
@_BOOK
def stats(book: Path) -> None:
    """Count BOOK: stances, kinds, lengths, checks, texts that occur twice, authors."""
    from astray.cli.advice_views import show_stats

    show_stats(console(), Book.load(book))


@advice.command()
@_BOOK
@click.argument("benchmark", required=False)
@click.option("--checker-model", help="A model that checks what rules can't: provider/name.")
@click.option("--limit", type=click.IntRange(1), help="Only the first N samples of the book.")
@click.option("--max-connections", type=click.IntRange(1), help="Calls in flight at the same time.")
@click.option(
    "-T",
    "task_args",
    multiple=True,
    metavar="KEY=VALUE",
    help="An argument of an Inspect task, or of an hf: field map.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write the book with its checks here; BOOK stays.")
def check(book: Path, benchmark: str | None, out: Path | None, **given: Any) -> int:
    """Check every suggestion and decomposition of BOOK against its benchmark; exit code 1 if one failed a check.

    BENCHMARK is what the book's header names, unless given. Rules cost nothing and change nothing; what a checker says
    is written into the book, or into --out.
    """
    from astray.cli.advice_check import check_book

    return check_book(console(), book, benchmark, out, **given)


@advice.command()
@_BOOK
@click.argument("sample", required=False)
@_STANCE
@click.option("--text", help="The suggestion's new text.")
@click.option("--kind", type=click.Choice(get_args(Kind)), help="In which way it is wrong.")
@click.option("--leads-to", help="What following it would lead to.")
@click.option("--drop", is_flag=True, help="Take the suggestion out of the book.")
def edit(book: Path, sample: str | None, stance: Stance | None, drop: bool, **new: str | None) -> None:
    """Change the suggestion of one SAMPLE and stance, or, without --text, the whole BOOK in your editor.

    What has a new text, or other parts, loses its checks, which were of another text, and its author is a person.
    """
    from astray.cli.advice_edit import change_one, edit_in_editor

    given = {field: value for field, value in new.items() if value is not None}
    if not given and not drop:
        edit_in_editor(book)
        return
    if sample is None or stance is None:
        raise click.UsageError("name the SAMPLE and its --stance")
    if given and drop:
        raise click.UsageError("--drop takes a suggestion out: leave out what else it should be")
    change_one(book, sample, stance, None if drop else given)


def console() -> Console:
    """Standard output: styled on a terminal, plain and unbroken elsewhere."""
    plain = Console(highlight=False, soft_wrap=True)
    return plain if plain.is_terminal else Console(highlight=False, soft_wrap=True, width=WIDE)


def known_ids(book: Book) -> list[str]:
    """The ids of a book's samples, in its order."""
    return list(dict.fromkeys(row.sample_id for row in book.rows))


def require_sample(path: Path, ids: Sequence[str], sample: str) -> None:
    """Refuse a sample that isn't there.

    Raises:
        InputError: Names the nearest one.
    """
    if sample not in ids:
        near = nearest(sample, ids)
        raise InputError(f"{path}: no sample '{sample}'" + (f"; did you mean '{near}'?" if near else ""))


def require_suggestion(path: Path, book: Book, sample: str, stance: Stance) -> Suggestion:
    """The suggestion of this sample and stance.

    Raises:
        InputError: There is none; names the nearest sample, or the stances there are.
    """
    require_sample(path, known_ids(book), sample)
    found = book.find(sample, stance)
    if found is None:
        there = [row.stance for row in book.suggestions if row.sample_id == sample]
        raise InputError(f"{path}: sample '{sample}' has no {stance} suggestion; it has {', '.join(there) or 'none'}")
    return found
