"""Bringing what a reader made into the tables of a folder, beside what is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, TypeVar

from astray.advice import Book
from astray.arm import Arm
from astray.errors import InputError
from astray.tables import Outcome, OutcomeRow, TranscriptRow, write
from astray.traces.book import rows_of
from astray.traces.readers.atif import read_atif
from astray.traces.readers.base import Imported
from astray.traces.readers.chat import read_chat
from astray.traces.readers.mcp_atlas import read_mcp_atlas
from astray.traces.readers.tau2 import read_tau2
from astray.traces.trace import Key, Step

READERS: Final[dict[str, Callable[[Path], list[Imported]]]] = {
    "atif": read_atif,
    "tau2": read_tau2,
    "mcp-atlas": read_mcp_atlas,
    "chat": read_chat,
}
"""Formats by name."""

R = TypeVar("R", TranscriptRow, OutcomeRow)


@dataclass(frozen=True)
class From:
    """Where imported transcripts belong.

    Attributes:
        study: Name of the study they become part of.
        benchmark: The benchmark's name.
        arm: The arm they were run under.
        model: The model that acted, where the file doesn't say.
        book: The advice book whose suggestions are looked for in what users say.
    """

    study: str
    benchmark: str
    arm: Arm
    model: str | None = None
    book: Book | None = None


@dataclass(frozen=True)
class Brought:
    """How many transcripts were brought, how many of them with a score, and in how many advice is known.

    Runs of which nothing is recorded have no transcript; they are counted apart.
    """

    transcripts: int
    scored: int
    advised: int
    empty: int


def bring(runs: Sequence[Imported], where: From, folder: Path) -> Brought:
    """Add runs to the tables of a folder; the same runs again take their own place.

    Raises:
        InputError: A score isn't a number from 0 to 1, or two runs would be one; names the sample.
        InputError: The folder is that of a study that astray ran, whose tables are made anew from its logs.
    """
    if (folder / "study.yaml").is_file():
        raise InputError(
            f"{folder}: is a study that was run here, and its tables come from its logs; name another --out"
        )
    for one in runs:
        _check_score(one)
    keys = [_key(one, where) for one in runs]
    _check_apart(keys)
    transcripts = [row for one, key in zip(runs, keys, strict=True) for row in _transcript(one, key, where.book)]
    outcomes = [_outcome(one, key) for one, key in zip(runs, keys, strict=True) if _ended(one)]
    new = set(keys)
    tables = folder / "tables"
    write(tables, "transcripts", [*_kept(folder, "transcripts", TranscriptRow, new), *transcripts])
    write(tables, "outcomes", [*_kept(folder, "outcomes", OutcomeRow, new), *outcomes])
    advised = {_key_of(row) for row in transcripts if row.advice}
    there = sum(bool(one.steps) for one in runs)
    return Brought(there, sum(row.value is not None for row in outcomes), len(advised), len(runs) - there)


def _check_apart(keys: Sequence[Key]) -> None:
    twice = next((key for key, number in Counter(keys).items() if number > 1), None)
    if twice:
        raise InputError(
            f"sample '{twice.sample_id}': two runs of it by '{twice.model}' have the number {twice.epoch}; where the "
            "file has several models, leave out --model"
        )


def _check_score(one: Imported) -> None:
    value = one.value
    if value is None or (isinstance(value, int | float) and 0 <= value <= 1):
        return
    raise InputError(f"sample '{one.sample_id}': scored {value!r}; a score is a number from 0 to 1")


def _kept(folder: Path, name: str, kind: type[R], new: set[Key]) -> list[R]:
    return [row for row in rows_of(folder, name, kind) if _key_of(row) not in new]


def _key_of(row: TranscriptRow | OutcomeRow) -> Key:
    return Key(row.study, row.model, row.benchmark, row.sample_id, row.arm, row.epoch)


def _key(one: Imported, where: From) -> Key:
    model = where.model or one.model or "unknown"
    return Key(where.study, model, where.benchmark, one.sample_id, str(where.arm), one.epoch)


def _transcript(one: Imported, key: Key, book: Book | None) -> Iterator[TranscriptRow]:
    row = book.find(one.sample_id, "bad") if book else None
    for step in one.steps:
        yield TranscriptRow(
            **asdict(key), **asdict(step) | {"advice": step.advice or _advice(step, row.text if row else None)}
        )


def _advice(step: Step, suggestion: str | None) -> str | None:
    said = step.speaker in ("user", "simulated user") and suggestion and suggestion in step.text
    return suggestion if said else None


def _ended(one: Imported) -> bool:
    return one.value is not None or one.outcome is not None


def _outcome(one: Imported, key: Key) -> OutcomeRow:
    value = one.value or 0.0
    scored = Outcome.CORRECT if value == 1 else Outcome.WRONG if value == 0 else Outcome.PARTIAL
    outcome = one.outcome or scored
    return OutcomeRow(
        **asdict(key),
        round=max((step.round for step in one.steps), default=0),
        outcome=outcome,
        value=None if outcome.void else value,
        limit=one.why if outcome is Outcome.LIMIT else None,
        error=one.why if outcome.void else None,
        turns=sum(step.by_agent for step in one.steps),
        grading=None if outcome.void else "scorer",
    )
