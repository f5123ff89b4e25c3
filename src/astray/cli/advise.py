"""``astray advise``: have the advice book of a benchmark written by a model, or go on with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from astray.cli.options import BUDGET, key_value, stopped
from astray.errors import AstrayError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from astray.writing import Commission, Tally, Wrote
    from astray.writing.commission import Prepared

NOT_HAD_SHARE: Final = 0.05
"""A larger share of advice that could not be had, of `NOT_HAD_SAMPLES` or more, ends with exit code 3."""

NOT_HAD_SAMPLES: Final = 20

_RULES_TAKE: Final = ("benchmark", "limit", "task_args", "out")
"""What is asked of rules; everything else is for models that write and check."""

SHOWN: Final = 10
"""Samples left out that are named on the terminal, for each thing written; all are in the logs' folder."""


@click.command()
@click.argument("benchmark")
@click.option("--author-model", help="The model that writes: provider/name; where rules write, none is needed.")
@click.option("--checker-model", help="Another model, which checks what rules can't tell.")
@click.option("--what", default="bad,good,neutral", show_default=True, help="What to write; also: decomposition.")
@click.option("--limit", type=click.IntRange(1), help="Only for the first N samples; may grow later.")
@click.option("--attempts", type=click.IntRange(1), default=3, show_default=True, help="Tries before one is left out.")
@click.option("--seed", type=int, default=0, show_default=True, help="For the author's draws.")
@click.option("--max-connections", type=click.IntRange(1), help="Calls in flight at the same time.")
@click.option("--budget", type=click.IntRange(1), help=BUDGET)
@click.option("--timeout", type=click.FloatRange(1), default=600, help="Seconds for one try of one call; default 600.")
@click.option(
    "-T",
    "task_args",
    multiple=True,
    metavar="KEY=VALUE",
    help="An argument of an Inspect task, or of an hf: field map.",
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The book, a .jsonl file.")
def advise(out: Path, **given: Any) -> int:
    """Have the advice for BENCHMARK written and checked; the same command again does only what is missing."""
    from rich.console import Console

    from astray.writing import prepare_commission, save_finished, write_book
    from astray.writing.book import book_before

    if given["author_model"] is None:
        return _by_rule(given["benchmark"], dict(map(key_value, given["task_args"])), given["limit"], out)
    notice = Console(stderr=True)
    prepared = prepare_commission(_commission(given))
    show_plan(Console(), prepared, book_before(prepared, out))
    try:
        wrote = write_book(prepared, out, notice)
    except KeyboardInterrupt:
        click.echo(f"astray: {_state(out, save_finished(prepared, out).tallies)}", err=True)
        raise
    if wrote.gone:
        raise stopped(wrote.gone, _state(out, wrote.tallies))
    show_tallies(Console(), wrote, out)
    if not wrote.book.rows:
        raise AstrayError(f"{out}: not written, for nothing passed its checks; try another --author-model")
    return _code(wrote.tallies)


def _for_models() -> list[str]:
    """The options on the command line that rules have no use for."""
    context = click.get_current_context()
    options = {str(param.name): param.opts[0] for param in context.command.params if param.name not in _RULES_TAKE}
    return [options[name] for name in options if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]


def _by_rule(name: str, task_args: dict[str, Any], limit: int | None, out: Path) -> int:
    """Save the book that rules write for a benchmark, with what was checked of it.

    Raises:
        UsageError: The benchmark has no rule author, or one that has no use for an option; names it.
    """
    from astray.advice import Book
    from astray.benchmarks import find_benchmark

    benchmark = find_benchmark(name, task_args)
    by_rules = bool(benchmark.nature.roles)
    if by_rules and (unused := _for_models()):
        raise UsageError(
            f"{unused[0]}: without an --author-model, rules write the book of '{name}', and no model is asked; "
            f"leave {unused[0]} out, or name an --author-model"
        )
    book = benchmark.book if by_rules else None
    if book is None:
        raise UsageError(f"'{name}' has no rule author; name an --author-model, e.g. astray/qwen2.5-coder-1.5b")
    if limit is not None:
        first = list(dict.fromkeys(row.sample_id for row in book.suggestions))[:limit]
        book = Book.make(book.header, [row for row in book.suggestions if row.sample_id in first])
    book.save(out)
    harm = [check.result for row in book.suggestions for check in row.checks if check.name == "harm"]
    words = {"passed": "harmful", "failed": "harmless", "unknown": "undefined"}
    shown = ", ".join(f"{sum(one == result for one in harm)} {word}" for result, word in words.items())
    click.echo(f"{len(harm)} wrong beliefs by rule; executed: {shown}")
    click.echo(f"book: {out} ({len(book.rows)} rows)")
    return 0


def show_plan(console: Console, prepared: Prepared, before: Any) -> None:
    """Say in a line what is going to be asked of whom."""
    asked = prepared.asked
    ids = {about.sample_id for about in prepared.abouts}
    there = {what: sum(before.has(id, what) for id in ids) if before else 0 for what in asked.what}
    least, most = prepared.calls(there)
    more = f", and those of checker {asked.checker}" if asked.checker else ""
    more += ", and those it takes to look around in sandboxes" if prepared.looks else ""
    calls = str(least) if least == most else f"{least} to {most}"
    what = ", ".join(asked.what)
    line = f"{asked.benchmark}, {len(ids)} samples, {what}: {calls} calls of author {asked.author}{more}"
    console.print(line, highlight=False, soft_wrap=True)


def show_tallies(console: Console, wrote: Wrote, out: Path) -> None:
    """Print what came of each kind of advice, and which samples are left out and why."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("what")
    for name in ("asked", "written", "left out", "missing"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("passed", overflow="fold")
    for tally in wrote.tallies:
        numbers = (tally.asked, tally.written, len(tally.left_out), len(tally.missing))
        table.add_row(tally.what, *map(str, numbers), _shares(tally))
    console.print(table)
    for tally in wrote.tallies:
        _show_absent(console, tally)
    if wrote.book.rows:
        console.print(f"book: {out} ({len(wrote.book.rows)} rows)", highlight=False, soft_wrap=True)


def _show_absent(console: Console, tally: Tally) -> None:
    absent = (*tally.left_out, *tally.missing)
    for id, reason in absent[:SHOWN]:
        console.print(f"{id}/{tally.what}: {reason}", markup=False, highlight=False, soft_wrap=True)
    if len(absent) > SHOWN:
        console.print(f"and {len(absent) - SHOWN} more of {tally.what}; left-out.jsonl beside the logs has them all")


def _shares(tally: Tally) -> str:
    words = []
    for name, counts in tally.checks.items():
        known = counts["passed"] + counts["failed"]
        share = f"{name} {100 * counts['passed'] / known:.0f}%" if known else f"{name} unknown"
        words.append(share + (f" ({counts['unknown']} unknown)" if known and counts["unknown"] else ""))
    return ", ".join(words)


def _state(out: Path, tallies: tuple[Tally, ...]) -> str:
    missing = sum(len(tally.missing) for tally in tallies)
    return f"{out}: {sum(tally.written for tally in tallies)} written, {missing} still missing"


def _code(tallies: tuple[Tally, ...]) -> int:
    """3 where too much could not be had, told in a line for each; else 0."""
    code = 0
    for tally in tallies:
        if tally.asked >= NOT_HAD_SAMPLES and tally.not_had > NOT_HAD_SHARE * tally.asked:
            click.echo(
                f"astray: {tally.what}: {tally.not_had} of {tally.asked} could not be had; "
                "the same command again asks once more for those that failed",
                err=True,
            )
            code = 3
    return code


def _commission(given: dict[str, Any]) -> Commission:
    from astray.writing import Commission
    from astray.writing.commission import EVERYTHING

    named = [word.strip() for word in given["what"].split(",") if word.strip()]
    if strange := [word for word in named if word not in EVERYTHING]:
        raise UsageError(f"--what {strange[0]}: there are {', '.join(EVERYTHING)}")
    if not named:
        raise UsageError(f"--what: name some of {', '.join(EVERYTHING)}")
    return Commission(
        benchmark=given["benchmark"],
        author=given["author_model"],
        checker=given["checker_model"],
        what=tuple(what for what in EVERYTHING if what in named),
        limit=given["limit"],
        attempts=given["attempts"],
        seed=given["seed"],
        task_args=dict(map(key_value, given["task_args"])),
        max_connections=given["max_connections"],
        budget=given["budget"],
        timeout=given["timeout"],
    )
