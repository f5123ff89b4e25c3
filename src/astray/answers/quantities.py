"""Numbers as people write them: digits, words, fractions, powers, money, per cent, units."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from astray.answers.text import words

_UNITS: Final = {
    word: n
    for n, word in enumerate(
        words(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
            " sixteen seventeen eighteen nineteen"
        )
    )
}
_TENS: Final = {
    word: 10 * n for n, word in enumerate(words("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
_SCALES: Final = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SHORT_SCALES: Final = {"k": 10**3, "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9, "tn": 10**12}
_PARTS: Final = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "thirds": 3,
    "quarter": 4,
    "quarters": 4,
    "fourths": 4,
    "fifths": 5,
}
_DOZEN: Final = {"dozen": 12, "score": 20}
_SUPER: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_VULGAR: Final = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5", "⅘": "4/5",
    "⅙": "1/6", "⅚": "5/6", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8",
}  # fmt: skip

_DIGITS: Final = r"(?:\d{1,3}(?:,\d{2,3})*,\d{3}|\d{1,3}(?:[ \u00a0\u202f']\d{3})+(?!\d)|\d{1,3}(?:\.\d{3}){2,}|\d+)"
_DECIMAL: Final = rf"(?:{_DIGITS}(?:\.\d+|,\d{{1,2}}(?!\d)|,\d{{4,}})?|\.\d+)"
_WORDS: Final = "|".join(sorted({*_UNITS, *_TENS, *_SCALES, *_DOZEN, *_PARTS}, key=lambda w: (-len(w), w)))
_SIGN: Final = r"(?:(?<![\w)\]])[-−–+]\s?(?=[\d.$€£])|\b(?:minus|negative)\s+)"
_DIGITAL: Final = (
    rf"(?P<number>{_DECIMAL})(?:\^\{{?(?P<raised>\d{{1,3}})\}}?|\s*[×x*·]\s*10\s*(?:\^"
    rf"|\*\*)?\s*\{{?(?P<power>[-−]?\d{{1,4}})\}}?|[eE](?P<exp>[-+]?\d{{1,4}})\b)?"
    rf"(?:\s+(?P<mixed>\d+\s*/\s*\d+)|\s*[/⁄]\s*(?P<below>\d+)(?!\s*/|\d))?"
    rf"(?:[\s-]*(?P<scale>hundred|thousand|million|billion|trillion|dozen)s?\b|(?P<short>k|mn|bn|tn"
    rf"|[mb](?=\b))\b(?![\w/]))?"
)
_SPELLED: Final = rf"(?P<words>(?:\b(?:an?|{_WORDS})\b[\s-]+(?:and[\s-]+)?){{0,12}}\b(?:{_WORDS})\b)"
_NUMBER: Final = re.compile(
    rf"(?P<sign>{_SIGN})?(?:(?P<money>US\$|\\?\$|[€£¥₹]|USD\s|EUR\s"
    rf"|GBP\s)\s?(?P<sign2>[-−])?)?(?:(?<![\w.^])(?:{_DIGITAL})|{_SPELLED})"
    r"(?P<percent>\s*(?:%|\\%|per\s?cent\b|percent\b))?",
    re.IGNORECASE,
)
MAX_DIGITS: Final = 300


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text."""

    value: Fraction
    percent: bool
    money: str
    start: int
    end: int
    decimals: int
    """Digits after the decimal point, as written; -1 where it is exact by its form (a whole number, a fraction)."""
    doubtful: bool = False
    """Whether the same writing may mean another number: 1.000 may be a thousand."""


def quantities(text: str) -> list[Quantity]:
    """All numbers of a text, in order."""
    text = _spread(text)
    return [q for m in _NUMBER.finditer(text) if (q := _quantity(m)) is not None]


def lone(text: str) -> tuple[Quantity, str, str] | None:
    """The only number of a text, with the words before and after it."""
    spread = _spread(text)
    found = quantities(spread)
    if len(found) != 1:
        return None
    return found[0], spread[: found[0].start].strip(), spread[found[0].end :].strip()


def _spread(text: str) -> str:
    """Fractions and superscripts of one character, written out."""
    for char, written in _VULGAR.items():
        if char in text:
            text = re.sub(rf"(?<=\d)\s*{char}", f" {written}", text).replace(char, written)
    return re.sub(r"(?<=10)[⁻⁰¹²³⁴-⁹]+", lambda m: "^" + m[0].translate(_SUPER), text)


def _quantity(match: re.Match[str]) -> Quantity | None:
    if len(match[0]) > MAX_DIGITS or re.match(r"\^|[eE][-+]?\d", match.string[match.end() : match.end() + 3]):
        return None
    value = _spelled(match["words"]) if match["words"] else _written(match)
    if value is None:
        return None
    negative = bool(match["sign"] and match["sign"].strip() != "+") or bool(match["sign2"])
    decimals = -1
    point = re.search(r"[.,](\d+)$", match["number"] or "")
    if point and _is_decimal(match["number"]):
        decimals = len(point[1])
    return Quantity(
        -value if negative else value,
        bool(match["percent"]),
        (match["money"] or "").strip().upper(),
        match.start(),
        match.end(),
        decimals if not (match["below"] or match["scale"] or match["short"]) else -1,
        doubtful=bool(
            re.fullmatch(r"\d{1,3}\.\d{3}|\d{1,3},\d{1,2}", match["number"] or "")
            or (match["short"] or "").lower() in ("m", "b")
        ),
    )


def _is_decimal(number: str) -> bool:
    return ("." in number and number.count(".") == 1) or bool(re.search(r",\d{1,2}$|,\d{4,}$", number))


def _plain_digits(number: str) -> str:
    number = re.sub(r"[ \u00a0\u202f']", "", number)
    if number.count(".") > 1:
        number = number.replace(".", "")
    if re.search(r"^\d+,(?:\d{1,2}|\d{4,})$", number):
        return number.replace(",", ".")
    return number.replace(",", "")


def _written(match: re.Match[str]) -> Fraction | None:
    """The value of a number in digits."""
    power = int((match["power"] or match["exp"] or "0").replace("−", "-"))
    if abs(power) > MAX_DIGITS:
        return None
    digits = _plain_digits(match["number"])
    raised = int(match["raised"] or "1")
    if len(digits) * raised > MAX_DIGITS:
        return None
    value = Fraction(digits) ** raised * Fraction(10) ** power
    if match["mixed"]:
        above, below = (int(part) for part in match["mixed"].split("/"))
        return value + Fraction(above, below) if below else None
    if match["below"]:
        below = int(match["below"])
        if not below:
            return None
        value /= below
    scale = (match["scale"] or "").lower()
    if scale:
        value *= _SCALES.get(scale, _DOZEN.get(scale, 1))
    if match["short"]:
        value *= _SHORT_SCALES[match["short"].lower()]
    return value


def _spelled(words: str) -> Fraction | None:
    """The value of a number in words; None where the words make no number ("one two", "third" alone)."""
    parts = [w for w in re.split(r"[\s-]+", words.lower()) if w not in ("and", "a", "an")]
    if not parts:
        return None
    if parts[-1] in _PARTS:
        above = _whole(parts[:-1]) if len(parts) > 1 else Fraction(1)
        ordinal = len(parts) == 1 and parts[0] in ("third", "thirds", "fourths", "fifths", "quarters", "halves")
        return None if above is None or ordinal else above / _PARTS[parts[-1]]
    return _whole(parts)


def _whole(parts: list[str]) -> Fraction | None:
    total, part, last = 0, 0, 10**15
    for word in parts:
        if word in _UNITS or word in _TENS:
            n = _UNITS.get(word, _TENS.get(word, 0))
            if last < 100 and not (last >= 20 and n < 10):
                return None
            part, last = part + n, n
        elif word == "hundred" or word in _DOZEN:
            n = _SCALES.get(word) or _DOZEN[word]
            part, last = (part or 1) * n, n
        elif word in _SCALES:
            total, part, last = total + (part or 1) * _SCALES[word], 0, 10**15
        else:
            return None
    return Fraction(total + part)
