"""Having a book written: one task for each thing to be written, resumable; the book is made from their logs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai import Task
from rich.console import Console

from astray.advice import Book
from astray.authors import author
from astray.errors import AstrayError
from astray.study.engine import (
    Settings,
    answers_kept_in,
    connections_for,
    finished_logs,
    plain_errors,
    run_tasks,
    shared,
)
from astray.study.shared_model import Budget, SharedModel
from astray.tables import replacing
from astray.writing.book import Tally, book_before, collect_book, collect_book_and_tallies
from astray.writing.commission import Prepared


@dataclass(frozen=True)
class Wrote:
    """What came of a commission.

    Attributes:
        book: The book as it was saved.
        tallies: What came of each kind of thing that was asked for.
        gone: Why a model counts as gone, or None.
    """

    book: Book
    tallies: tuple[Tally, ...]
    gone: AstrayError | None = None


def logs_beside(book: Path) -> Path:
    """The folder of Inspect's logs for a book at this path."""
    return book.with_name(f"{book.stem}.logs")


def write_book(prepared: Prepared, path: Path, console: Console) -> Wrote:
    """Have written what is missing, and save the book from all that is finished.

    Raises:
        UsageError: Unknown model.
        ModelUnavailable: A model can't be had at the start.
        StudyMismatch: There is a book of another benchmark, author or seed at this path.
        AstrayError: Inspect refuses, or the folder can't be written; the message says so.
        KeyboardInterrupt: Interrupted; the book was saved from what is finished, see `save_finished`.
    """
    before = book_before(prepared, path)
    logs = logs_beside(path)
    make_folder(logs, "BOOK")
    with answers_kept_in(logs / "cache"), plain_errors():
        writer = shared(prepared.asked.author)
        roles = {"checker": shared(prepared.asked.checker)} if prepared.asked.checker else {}
        try:
            with _progress(prepared, console):
                gone = _run(prepared, logs, before, writer, roles)
        except (KeyboardInterrupt, AstrayError):
            save_finished(prepared, path)
            raise
    wrote = save_finished(prepared, path)
    return Wrote(wrote.book, wrote.tallies, gone)


def save_finished(prepared: Prepared, path: Path) -> Wrote:
    """Save the book from all that is finished, whole or not at all, and list beside its logs what is not in it."""
    logs = logs_beside(path)
    book, tallies = collect_book_and_tallies(prepared, finished_logs(logs), book_before(prepared, path))
    if book.rows:
        book.save(path)
    list_left_out(
        logs,
        (
            {"sample_id": id, "what": tally.what, "reason": reason}
            for tally in tallies
            for id, reason in (*tally.left_out, *tally.missing)
        ),
    )
    return Wrote(book, tallies)


def list_left_out(logs: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write ``left-out.jsonl`` beside the logs, whole or not at all: what isn't in what was written, and why."""
    with replacing(logs / "left-out.jsonl") as handle:
        handle.write("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode())


def make_folder(folder: Path, what: str) -> None:
    """Make the folder of logs beside what is written.

    Raises:
        AstrayError: It can't be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AstrayError(f"{folder}: can't be made ({error.strerror}); choose another --out {what}") from error


def _run(
    prepared: Prepared, logs: Path, before: Book | None, writer: SharedModel, roles: dict[str, SharedModel]
) -> AstrayError | None:
    """Neutral sentences last: they match the bad suggestions in length."""
    settings = Settings(
        limit=len(prepared.abouts),
        timeout=prepared.asked.timeout,
        connections=connections_for(prepared.asked.author, prepared.asked.max_connections),
        budget=Budget.of(prepared.asked.budget),
    )
    first = [what for what in prepared.asked.what if what != "neutral"]
    gone = None
    if first:
        tasks = [author(**prepared.task_arguments(what, None)) for what in first]
        gone = run_tasks(tasks, logs, writer, roles, settings)
    if gone or len(first) == len(prepared.asked.what):
        return gone
    book = collect_book(prepared, finished_logs(logs), before)
    return run_tasks([_neutral(prepared, book)], logs, writer, roles, settings)


def _neutral(prepared: Prepared, book: Book) -> Task:
    ids = {about.sample_id for about in prepared.abouts}
    bad = [row for row in book.suggestions if row.stance == "bad" and row.sample_id in ids]
    beside = Book.make(prepared.header, bad)
    if bad:
        beside.shelve()
    return author(**prepared.task_arguments("neutral", beside.hash if bad else None))


def _progress(prepared: Prepared, console: Console) -> AbstractContextManager[None]:
    if not console.is_terminal:
        return nullcontext()
    from astray.study.progress import progress_line

    answers: dict[str, int] = dict.fromkeys(prepared.asked.what, 1)
    return progress_line(answers, len(prepared.abouts), console, more="", last="making the book")
