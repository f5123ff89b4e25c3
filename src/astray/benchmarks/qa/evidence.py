"""Question rows that name a wrong answer and what supports it are their own evidence pack."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pydantic import ValidationError

from astray.benchmarks.qa.rows import Row
from astray.errors import InputError
from astray.evidence import Evidence, Pack, PackHeader, Passage

_NO_SOURCE: Final = "source not named"


def pack_of(name: str, rows: Iterable[Row]) -> Pack | None:
    """The pack of the rows that have both ``alternative`` and ``evidence``; None where none has.

    Raises:
        InputError: Evidence that is neither text nor passages with ``text`` and ``source``; names the row.
    """
    found = [_evidence(name, row) for row in rows if row.alternative and row.evidence]
    header = PackHeader(benchmark=name, fingerprint="", author=name)
    return Pack.make(header, found) if found else None


def _evidence(name: str, row: Row) -> Evidence:
    given = row.evidence if isinstance(row.evidence, list) else [row.evidence]
    try:
        return Evidence(
            sample_id=str(row.id),
            alternative=str(row.alternative),
            passages=tuple(map(_passage, given)),
            question=row.question,
            gold=row.choices[row.answer_index] if row.choices and row.answer_index is not None else None,
            subset=row.subset,
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "evidence"
        raise InputError(f"{name}: row '{row.id}': evidence: {where}: {first['msg']}") from error


def _passage(given: Any) -> Passage:
    if isinstance(given, str):
        return Passage(text=given, source=_NO_SOURCE)
    return Passage.model_validate({"source": _NO_SOURCE} | given if isinstance(given, dict) else given)
