"""Checking a whole book: by rules, and by a model that is asked in parallel; what is checked is kept, come what may."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import click
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, Model, get_model
from rich.console import Console
from rich.progress import Progress, TaskID

from astray import _compat
from astray.advice import Book, Decomposition, Suggestion, was_edited
from astray.authors.checks import recheck, reverify
from astray.benchmarks import Benchmark, Manner, find_benchmark
from astray.cache import cache_folder
from astray.cli.advice import known_ids
from astray.cli.advice_views import show_checks, show_edited, show_failures
from astray.cli.options import key_value
from astray.errors import AstrayError, InputError, ModelUnavailable, UsageError, nearest
from astray.local import ensure, find
from astray.study.engine import EMBEDDED_CONNECTIONS, MAX_RETRIES, answers_kept_in
from astray.study.task import refuse_other_samples
from astray.writing import refuse_own_checker


@dataclass
class _Work:
    """What is to be checked, and what became of it so far; decompositions have been verified.

    ``author`` is the book's, where a row doesn't name another.
    """

    author: str | None
    benchmark: Benchmark
    base: Task
    samples: dict[str, Sample]
    checker: Model | None
    rows: Sequence[Suggestion]
    parts: Sequence[Decomposition] = ()
    done: dict[tuple[str, str], Suggestion] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


def check_book(
    console: Console,
    path: Path,
    benchmark: str | None,
    out: Path | None,
    *,
    checker_model: str | None,
    limit: int | None,
    max_connections: int | None,
    task_args: Sequence[str],
) -> int:
    """Check what a book holds, show what came of it, and return the exit code: 1 if something failed a check.

    Raises:
        UsageError: Unknown benchmark or checker, or one that would check its own work.
        InputError: The book or the benchmark can't be read, or the book has a sample that the benchmark hasn't.
        StudyMismatch: The book was written for another version of the benchmark.
        ModelUnavailable: The checker could not be asked even once.
    """
    book = Book.load(path)
    refuse_own_checker(checker_model, {book.header.author, *(row.author for row in book.rows)})
    found = find_benchmark(benchmark or book.header.benchmark, dict(map(key_value, task_args)))
    base = found.task(Manner())
    refuse_other_samples(book, base)
    samples = {str(sample.id): sample for sample in base.dataset}
    ids = known_ids(book)
    _refuse_unknown(path, found, samples, ids)
    wanted = set(ids[:limit])
    rows = [row for row in book.suggestions if row.sample_id in wanted]
    parts = [reverify(row, found, samples[row.sample_id]) for row in book.decompositions if row.sample_id in wanted]
    checker = _checker(checker_model, max_connections) if checker_model else None
    work = _Work(book.header.author, found, base, samples, checker, rows, parts)
    try:
        _run(work)
    finally:
        if (work.done or not rows) and (checker or out) and len(work.errors) < max(1, len(work.done)):
            _write(book, work, out or path)
    return _tell(console, work, out or (path if checker else None))


def _checker(name: str, connections: int | None) -> Model:
    """The model of this name, fetched where it is embedded.

    Raises:
        UsageError: No such model or provider.
        AstrayError: It lacks a key or a package.
    """
    embedded = name.removeprefix("astray/")
    if embedded != name:
        ensure(find(embedded))
        connections = connections or EMBEDDED_CONNECTIONS
    config = GenerateConfig(max_connections=connections, max_retries=MAX_RETRIES)
    try:
        return get_model(name, config=config, memoize=False)
    except (ValueError, ImportError) as error:
        raise UsageError(f"model '{name}': {_compat.plain(error)}") from error
    except _compat.PrerequisiteError as error:
        raise AstrayError(_compat.plain(error)) from error


def _run(work: _Work) -> None:
    notice = Console(stderr=True)
    shown = Progress(console=notice, transient=True) if notice.is_terminal and work.checker else None
    _compat.forget_connections()
    with answers_kept_in(cache_folder("answers")), shown or nullcontext():
        anyio.run(_all, work, shown)


async def _all(work: _Work, shown: Progress | None) -> None:
    bar = shown.add_task("checking", total=len(work.rows)) if shown else None
    async with anyio.create_task_group() as group:
        for row in work.rows:
            group.start_soon(_one, work, row, shown, bar)


async def _one(work: _Work, row: Suggestion, shown: Progress | None, bar: TaskID | None) -> None:
    arguments = (row, row.author or work.author, work.benchmark, work.base, work.samples[row.sample_id])
    try:
        checked = await recheck(*arguments, work.checker)
    except Exception as error:  # whatever a provider raises: the others go on
        if work.checker is None:
            raise
        work.errors.append(f"{type(error).__name__}: {_compat.plain(error)}"[:300])
        checked = await recheck(*arguments)
    work.done[row.sample_id, row.stance] = checked
    if shown is not None and bar is not None:
        shown.advance(bar)


def _refuse_unknown(path: Path, benchmark: Benchmark, samples: dict[str, Sample], ids: Sequence[str]) -> None:
    unknown = [id for id in ids if id not in samples]
    if unknown:
        near = nearest(unknown[0], samples)
        hint = f"; did you mean '{near}'?" if near else ""
        more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        raise InputError(f"{path}: has advice for '{unknown[0]}'{more}, not a sample of '{benchmark.name}'{hint}")


def _write(book: Book, work: _Work, path: Path) -> None:
    rows = [work.done.get((row.sample_id, row.stance), row) for row in book.suggestions]
    verified = {row.sample_id: row for row in work.parts}
    parts = [verified.get(row.sample_id, row) for row in book.decompositions]
    Book.make(book.header, rows, parts).save(path)


def _tell(console: Console, work: _Work, written: Path | None) -> int:
    """Print what came of it; 1 where something failed a check, else 0."""
    if work.errors and len(work.errors) == len(work.rows):
        raise ModelUnavailable(f"the checker could not be asked: {work.errors[0]}; the book is as it was")
    rows = [work.done[row.sample_id, row.stance] for row in work.rows]
    show_checks(console, rows)
    if written is None:
        show_edited(console, [row for row in work.rows if was_edited(row)])
    count, cut = show_failures(console, rows), show_failures(console, work.parts)
    console.print()
    console.print(f"{count} of {len(rows)} suggestions failed a check")
    if work.parts:
        console.print(f"{cut} of {len(work.parts)} decompositions failed a check")
    if work.errors:
        click.echo(
            f"astray: the checker could not be asked about {len(work.errors)} suggestions ({work.errors[0]}); "
            "the same command again asks only about these",
            err=True,
        )
    if written:
        console.print(f"written to {written}")
    return 1 if count or cut else 0
