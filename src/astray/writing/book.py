"""From the logs of authors to a book: what passed goes in, everything else is listed with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.log import EvalLog

from astray.advice import Book, Check, Decomposition, Suggestion, with_checks
from astray.authors import What, Written, written_in
from astray.errors import StudyMismatch
from astray.study.engine import finished_samples
from astray.writing.commission import EVERYTHING, Prepared

Row = Suggestion | Decomposition


@dataclass(frozen=True)
class Tally:
    """What came of one kind of thing to be written.

    Attributes:
        what: A stance, or ``decomposition``.
        asked: For how many samples it was asked for.
        written: How many are in the book.
        left_out: (sample id, reason) of each that failed its checks, or could not be read, to the last attempt.
        missing: (sample id, reason) of each that was not had: an error, or not asked yet.
        unusable: How many of those left out could not be read.
        checks: For each check, how often it came out which way.
    """

    what: What
    asked: int
    written: int
    left_out: tuple[tuple[str, str], ...]
    missing: tuple[tuple[str, str], ...]
    unusable: int
    checks: Mapping[str, Counter[str]]

    @property
    def not_had(self) -> int:
        """How many could not be had at all, which says nothing about the advice."""
        return len(self.missing) + self.unusable


@dataclass(frozen=True)
class Collected:
    """What the logs of a commission come to.

    Attributes:
        written: What was written last for a sample, or that nothing passed.
        errors: Why there is nothing, where a call failed.
        ever: (sample id, what, words) of all that was ever written: other words are a person's.
    """

    written: Mapping[tuple[str, What], Written]
    errors: Mapping[tuple[str, What], str]
    ever: frozenset[tuple[str, What, object]]


def book_before(prepared: Prepared, path: Path) -> Book | None:
    """The book that is at this path already; None where there is none.

    Raises:
        StudyMismatch: It is the book of another benchmark, author or seed.
        InputError: It can't be read.
    """
    if not path.exists():
        return None
    book, header = Book.load(path), prepared.header
    for name in ("benchmark", "author", "seed", "fingerprint"):
        there, now = getattr(book.header, name), getattr(header, name)
        if there != now:
            raise StudyMismatch(
                f"{path}: holds a book of another {name} ({there!r} there, {now!r} now); name another --out BOOK, "
                "or ask for the same to go on with this one"
            )
    return book


def collect_written(prepared: Prepared, logs: Iterable[EvalLog]) -> Collected:
    """What the logs say was written under this commission, or under one with another limit, checker or prompt.

    The newest counts, but a failed call never takes the place of what was written before.
    """
    written: dict[tuple[str, What], Written] = {}
    errors: dict[tuple[str, What], str] = {}
    ever: set[tuple[str, What, object]] = set()
    for log in sorted((log for log in logs if _belongs(prepared, log)), key=lambda log: log.eval.created):
        for sample in finished_samples(log):
            id, _, what = str(sample.id).rpartition("/")
            key = next((id, one) for one in EVERYTHING if one == what)
            found = written_in(sample.store)
            if found is not None:
                written[key] = found
                ever.add((*key, _words(found.row)))
            elif sample.error is not None:
                errors[key] = sample.error.message.strip().splitlines()[0][:200]
            else:
                errors[key] = (
                    f"ended by its {sample.limit.type} limit" if sample.limit else "ended before it was written"
                )
    return Collected(written, errors, frozenset(ever))


def collect_book(prepared: Prepared, logs: Iterable[EvalLog], before: Book | None = None) -> Book:
    """The book of all that was written and passed, beside what an earlier version of the book holds.

    What a person changed in the earlier version stays as it was changed.
    """
    return _book(prepared, collect_written(prepared, logs), before)


def collect_book_and_tallies(
    prepared: Prepared, logs: Iterable[EvalLog], before: Book | None
) -> tuple[Book, tuple[Tally, ...]]:
    """As `collect_book`, and what came of each kind of thing that is asked for now."""
    collected = collect_written(prepared, logs)
    book = _book(prepared, collected, before)
    return book, tuple(_tally(prepared, what, collected, book) for what in prepared.asked.what)


def _book(prepared: Prepared, collected: Collected, before: Book | None) -> Book:
    rows = _by_key(before)
    for key, written in collected.written.items():
        there = rows.pop(key, None)
        by_hand = there is not None and (*key, _words(there)) not in collected.ever
        row = there if by_hand else _kept(there, written.row)
        if row is not None:
            rows[key] = row
    places = {id: place for place, id in enumerate(prepared.order)}
    ordered = [
        rows[key]
        for key in sorted(rows, key=lambda key: (places.get(key[0], len(places)), key[0], EVERYTHING.index(key[1])))
    ]
    return Book.make(
        prepared.header,
        [row for row in ordered if isinstance(row, Suggestion)],
        [row for row in ordered if isinstance(row, Decomposition)],
    )


def _belongs(prepared: Prepared, log: EvalLog) -> bool:
    given, asked = log.eval.task_args, prepared.asked
    wanted = {"benchmark": asked.benchmark, "fingerprint": prepared.fingerprint, "seed": asked.seed}
    is_author = log.eval.task_registry_name == "astray/author" and log.eval.model == asked.author
    return is_author and all(given.get(name) == value for name, value in wanted.items())


def _by_key(book: Book | None) -> dict[tuple[str, What], Row]:
    rows: dict[tuple[str, What], Row] = {}
    for row in book.rows if book else ():
        rows[row.sample_id, row.stance if isinstance(row, Suggestion) else "decomposition"] = row
    return rows


def _kept(before: Row | None, now: Row | None) -> Row | None:
    """The row of now; where it is still the same advice, the row as it was with the checks of now."""
    if before is None or now is None or _words(before) != _words(now):
        return now
    return with_checks(before, _merged(before.checks, now.checks))


def _merged(before: tuple[Check, ...], now: tuple[Check, ...]) -> tuple[Check, ...]:
    """Newer checks in the place of older ones of the same name, but what is known is not made unknown."""
    merged = {check.name: check for check in before}
    for check in now:
        if check.name not in merged or check.result != "unknown":
            merged[check.name] = check
    return tuple(merged.values())


def _words(row: Row | None) -> object:
    if row is None:
        return None
    return row.text if isinstance(row, Suggestion) else row.parts


def _tally(prepared: Prepared, what: What, collected: Collected, book: Book) -> Tally:
    there = _by_key(book)
    keys: list[tuple[str, What]] = [(about.sample_id, what) for about in prepared.abouts]
    out = [collected.written[key] for key in keys if key not in there and key in collected.written]
    missing = [key for key in keys if key not in there and key not in collected.written]
    checks: dict[str, Counter[str]] = {}
    for checked in (*(there[key] for key in keys if key in there), *out):
        for check in checked.checks:
            checks.setdefault(check.name, Counter())[check.result] += 1
    return Tally(
        what=what,
        asked=len(keys),
        written=sum(key in there for key in keys),
        left_out=tuple((one.sample_id, one.reason or "") for one in out),
        missing=tuple((key[0], collected.errors.get(key, "not asked yet")) for key in missing),
        unusable=sum(one.unusable for one in out),
        checks=checks,
    )
