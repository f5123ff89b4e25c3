"""Dates: day, month and year as far as they are given."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from astray.answers.readings import Verdict
from astray.answers.text import words

_MONTHS: Final = {
    name[:3]: n
    for n, name in enumerate(
        words("january february march april may june july august september october november december"), start=1
    )
}
_MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)\b\.?"
)
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR: Final = r"(?P<year>\d{3,4})"
_ERA: Final = r"(?:\s*(?P<era>b\.?c\.?(?:e\.?)?|a\.?d\.?|c\.?e\.?))?"
_SHAPES: Final = tuple(
    re.compile(
        rf"(?:on\s+|in\s+|the\s+|(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+)*{shape}{_ERA}\W*", re.IGNORECASE
    )
    for shape in (
        rf"{_DAY}\s*(?:of\s+)?{_MONTH}(?:,?\s*(?:of\s+)?{_YEAR})?",
        rf"{_MONTH}\s+(?:the\s+)?{_DAY}(?:,?\s+{_YEAR})?",
        rf"{_MONTH},?\s*(?:of\s+)?{_YEAR}",
        rf"{_YEAR}-(?P<month>\d{{1,2}})(?:-(?P<day>\d{{1,2}}))?(?:t[\d:.z+]*)?",
        rf"{_YEAR}/(?P<month>\d{{1,2}})/(?P<day>\d{{1,2}})",
        rf"{_YEAR}",
        rf"{_MONTH}",
    )
)
_NUMERIC: Final = re.compile(r"\W*(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})\W*")


@dataclass(frozen=True, slots=True)
class Date:
    """A date; what is not given is None."""

    year: int | None
    month: int | None
    day: int | None

    @property
    def parts(self) -> tuple[int | None, int | None, int | None]:
        """Year, month, day."""
        return self.year, self.month, self.day


def dates(text: str) -> tuple[Date, ...]:
    """What a text may mean as a date: none, one, or two where day and month may be exchanged."""
    text = text.strip()
    numeric = _NUMERIC.fullmatch(text)
    if numeric:
        first, second, year = (int(part) for part in numeric.groups())
        both = (Date(year, second, first), Date(year, first, second))
        return tuple(dict.fromkeys(d for d in both if _real(d)))
    for shape in _SHAPES:
        match = shape.fullmatch(text)
        if match:
            date = _date(match.groupdict())
            return (date,) if _real(date) else ()
    return ()


def _date(parts: dict[str, str | None]) -> Date:
    year, month, day, era = (parts.get(name) for name in ("year", "month", "day", "era"))
    number = int(year) if year else None
    if number is not None and era and era.lower().startswith("b"):
        number = -number
    named = None if month is None else int(month) if month.isdigit() else _MONTHS[month[:3].lower()]
    return Date(number, named, int(day) if day else None)


def _real(date: Date) -> bool:
    return (date.month is None or 1 <= date.month <= 12) and (date.day is None or 1 <= date.day <= 31)


def same_date(gold: str, reply: str) -> Verdict | None:
    """Compare two dates; None where one of them is none."""
    golds, replies = dates(gold), dates(reply)
    if not golds or not replies:
        return None
    verdicts = {_compare(g, r) for g in golds for r in replies}
    return verdicts.pop() if len(verdicts) == 1 else Verdict.UNDECIDED


def _compare(gold: Date, reply: Date) -> Verdict:
    if gold == reply:
        return Verdict.EQUAL
    if any(g is not None and r is not None and g != r for g, r in zip(gold.parts, reply.parts, strict=True)):
        return Verdict.DIFFERENT
    return Verdict.UNDECIDED
