"""Comparing an answer with gold: equal, different, or undecided where only a grader can tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from astray.answers.dates import same_date
from astray.answers.final import MAX_WORDS, bare, read_answer
from astray.answers.labels import core
from astray.answers.maths import same_maths
from astray.answers.quantities import Quantity, lone, quantities
from astray.answers.readings import Reading, Verdict
from astray.answers.spans import drop_scores, splits
from astray.answers.wording import alike, tokens
from astray.tables import Outcome

Gold = str | Sequence[str] | Sequence[Sequence[str]]

_CONVERTIBLE: Final = re.compile(
    r"^\W*(?:cents?|pence|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|decades?|km|cm"
    r"|mm|m|miles?|feet|foot|ft"
    r"|inch(?:es)?|in|yards?|yds?|met(?:er|re)s?|kilomet(?:er|re)s?|centimet(?:er|re)s?|kg|g|mg|grams?"
    r"|kilograms?|pounds?|lbs?|ounces?|oz|tons?|l|ml"
    r"|lit(?:er|re)s?|gallons?|quarts?|pints?|cups?|k|c|f|°\w?|degrees?|radians?|thousand\w*|million\w*"
    r"|billion\w*|dozens?|pairs?|percentage|points?)\b",
    re.IGNORECASE,
)
_HARMLESS: Final = re.compile(
    r"(?:the|a|an|is|are|was|it|it's|there|exactly|just|total|of|in|answer|so|and|or|he|she|they|has|have|had"
    r"|makes?|made|will|be|her|his"
    r"|therefore|thus|hence|final|only|equals?|=|:|\W)*",
    re.IGNORECASE,
)
_ONE_OF_SEVERAL: Final = re.compile(r"[\d%](?:\s*(?:or|and|to|-|–|,|/)\s*)[$€£]?\d+\D*$", re.IGNORECASE)
_DENIED: Final = re.compile(r"\b(?:not|never|neither|cannot)\b|n't\b", re.IGNORECASE)
_SEVERAL_EQUATIONS: Final = re.compile(r"[,;](?!\d{3})|\b(?:and|or)\b|[≠≈<>!]", re.IGNORECASE)
_TRUE: Final = frozenset(("yes", "true", "correct", "yep", "yeah", "1", "y", "t"))
_FALSE: Final = frozenset(("no", "false", "incorrect", "nope", "0", "n", "f"))


def same(kind: str, gold: Gold, reply: str) -> Verdict:
    """Compare a reply, or an answer read out of one, with gold.

    Args:
        kind: ``choice``, ``short``, ``number``, ``boolean``, ``spans``, ``date`` or ``math``.
        gold: The right answer, or several that are right; for ``spans`` a list of spans, or several such lists.
        reply: What was answered.

    Returns:
        ``equal`` or ``different`` only where rules leave no doubt; ``undecided`` is for a grader.

    Raises:
        ValueError: The kind is none of these.
    """
    compare = _COMPARE.get(kind)
    if compare is None:
        raise ValueError(f"Unknown kind of answer {kind!r}; there are {', '.join(_COMPARE)}.")
    verdicts = [compare(alias, reply) for alias in _aliases(kind, gold)]
    if Verdict.EQUAL in verdicts:
        return Verdict.EQUAL
    return Verdict.UNDECIDED if Verdict.UNDECIDED in verdicts or not verdicts else Verdict.DIFFERENT


def _aliases(kind: str, gold: Gold) -> list[list[str]]:
    """Each right answer as a list of its spans (of one, for most kinds)."""
    if isinstance(gold, str):
        return [[gold]]
    if kind == "spans" and all(isinstance(one, str) for one in gold):
        return [[str(one) for one in gold]] if gold else []
    return [[one] if isinstance(one, str) else list(one) for one in gold]


def _on_reading(kind: str, gold: str, reply: str, compare: Callable[[str, str, Reading | None], Verdict]) -> Verdict:
    """Compare the reply as it stands, then the answer read out of it."""
    if reply.strip() == gold.strip() and gold.strip():
        return Verdict.EQUAL
    reading = read_answer(reply, kind)
    if reading.label is None:
        nothing = reading.outcome in (Outcome.ABSTAINED, Outcome.REFUSED, Outcome.EMPTY)
        return Verdict.DIFFERENT if nothing else Verdict.UNDECIDED
    return compare(gold, reading.label, reading)


def _choice(gold: list[str], reply: str) -> Verdict:
    """Labels: the same label or another."""
    first, second = core(gold[0]), core(reply)
    if first == second or (first and first.casefold() == second.casefold()):
        return Verdict.EQUAL
    return Verdict.DIFFERENT


def _short(gold: list[str], reply: str) -> Verdict:
    if alike(gold[0], reply):
        return Verdict.EQUAL
    return _on_reading("short", gold[0], reply, _same_words)


def _same_words(gold: str, reply: str, _: Reading | None) -> Verdict:
    if alike(gold, reply):
        return Verdict.EQUAL
    first, second = lone(gold), lone(reply)
    if first is None or second is None or first[1] or first[2] or second[1] or second[2]:
        return Verdict.UNDECIDED
    return _same_bare_number(first[0], second[0], tokens(gold), tokens(reply))


def _same_bare_number(
    gold: Quantity, reply: Quantity, gold_words: tuple[str, ...], reply_words: tuple[str, ...]
) -> Verdict:
    """Two short answers that are nothing but a number: whole numbers are compared, versions and roundings are not."""
    if gold.percent != reply.percent or gold.money != reply.money or gold.decimals >= 0 or reply.decimals >= 0:
        return Verdict.UNDECIDED
    if gold.value == reply.value:
        return Verdict.EQUAL if gold_words == reply_words else Verdict.UNDECIDED
    near = abs(gold.value - reply.value) * 100 <= abs(gold.value) and abs(gold.value) > 3000
    return Verdict.UNDECIDED if near else Verdict.DIFFERENT


def _number(gold: list[str], reply: str) -> Verdict:
    def compare(gold: str, answer: str, reading: Reading | None) -> Verdict:
        verdict = _same_number(gold, answer, reading)
        guessed = reading is not None and reading.strategy == "last_number"
        return _guessed(verdict, gold, reply) if guessed else verdict

    return _on_reading("number", gold[0], reply, compare)


def _guessed(verdict: Verdict, gold: str, reply: str) -> Verdict:
    """What the last number of a reply is worth: less where it is one of several, denied, or gold came before it."""
    last = reply.strip().splitlines()[-1]
    if verdict is Verdict.EQUAL:
        return Verdict.UNDECIDED if _ONE_OF_SEVERAL.search(last) or _DENIED.search(last) else verdict
    golds = {q.value for q in quantities(gold)}
    return Verdict.UNDECIDED if golds & {q.value for q in quantities(reply)} else verdict


def _same_number(gold: str, reply: str, reading: Reading | None) -> Verdict:
    first, second = lone(gold), lone(_result(reply))
    if first is None or second is None:
        return Verdict.EQUAL if alike(gold, reply) and first is None else _none_equal(gold, reply)
    return _same_quantity(first, second)


def _result(text: str) -> str:
    """What an equation comes to; the text itself where it is none, or several."""
    left, equals, right = text.rpartition("=")
    return right if equals and right.strip() and not _SEVERAL_EQUATIONS.search(left) else text


def _none_equal(gold: str, reply: str) -> Verdict:
    """A reply with several numbers is different only if gold is none of them."""
    golds, replies = quantities(gold), quantities(reply)
    if len(golds) != 1 or not replies or any(q.percent or q.doubtful or q.decimals >= 0 for q in (*golds, *replies)):
        return Verdict.UNDECIDED
    return Verdict.UNDECIDED if any(q.value == golds[0].value for q in replies) else Verdict.DIFFERENT


def _same_quantity(gold: tuple[Quantity, str, str], reply: tuple[Quantity, str, str]) -> Verdict:
    (first, gold_before, gold_after), (second, before, after) = gold, reply
    framed = alike(gold_before, before) and alike(gold_after, after) if gold_after or gold_before else False
    plain_gold = not _mark(gold_before) and not _mark(gold_after)
    units = bool(_CONVERTIBLE.match(after) or _CONVERTIBLE.match(gold_after))
    if first.percent != second.percent or first.doubtful or second.doubtful:
        return Verdict.UNDECIDED
    if first.money and second.money and first.money[-1] != second.money[-1]:
        return Verdict.UNDECIDED
    if first.value != second.value:
        return Verdict.UNDECIDED if _rounds(first, second) or (units and not framed) else Verdict.DIFFERENT
    same_unit = framed or (plain_gold and _HARMLESS.fullmatch(before) and _unit_only(after))
    same_unit = same_unit or (_mark(gold_after) == _mark(after) and not _mark(before) and not _mark(gold_before))
    return Verdict.EQUAL if same_unit else Verdict.UNDECIDED


def _mark(words: str) -> str:
    return words.strip(" \t\n.,;:!?()[]{}*_`$\"'").casefold()


def _unit_only(after: str) -> bool:
    """Whether what follows a number is only the thing counted: a word or two, no other scale and no second thought."""
    words = _mark(after).split()
    if words and re.fullmatch(
        r"cents?|pence|k|c|thousands?|millions?|billions?|dozens?|percentage|%.*|or|and|to|minus|plus|times"
        r"|[-+*/^=<>!x×].*",
        words[0],
    ):
        return False
    return len(words) <= 3 and not re.search(
        r"\b(?:or|not|maybe|perhaps|more|less|plus|minus|than|half|remainder|squared|cubed)\b|[\^√]", after
    )


def _rounds(first: Quantity, second: Quantity) -> bool:
    """Whether one number is the other, rounded."""
    for rough, fine in ((first, second), (second, first)):
        places = rough.decimals if rough.decimals >= 0 else 0
        if rough.decimals < 0 and fine.decimals < 0 and fine.value.denominator == 1:
            continue
        if abs(rough.value - fine.value) * 10**places <= 1 and rough.value != 0:
            return True
    return False


def _boolean(gold: list[str], reply: str) -> Verdict:
    return _on_reading("boolean", gold[0], reply, _same_boolean)


def _same_boolean(gold: str, reply: str, _: Reading | None) -> Verdict:
    first, second = _truth(gold), _truth(reply)
    if first is None or second is None:
        return Verdict.EQUAL if first is None and alike(gold, reply) else Verdict.UNDECIDED
    return Verdict.EQUAL if first is second else Verdict.DIFFERENT


def _truth(text: str) -> bool | None:
    word = _mark(text)
    first = re.match(r"(yes|no|true|false)\b(?=\s*[,.;:!]|$|\s+(?:it|they|he|she|that|this|the|i)\b)", word)
    word = first[1] if first else word
    if first and re.search(
        r"\b(?:not|no|yes|but|however)\b|n't", text[text.lower().find(word) + len(word) :].lower()[:12]
    ):
        return None
    return True if word in _TRUE else False if word in _FALSE else None


def _spans(gold: list[str], reply: str) -> Verdict:
    if not [g for g in gold if g.strip()]:
        return Verdict.UNDECIDED
    if len(gold) == 1 and _one_span(gold[0], reply):
        return Verdict.EQUAL
    reading = read_answer(reply, "spans")
    texts = (
        [reply]
        if reading.label is None
        else [reading.label, reply]
        if len(reply.split()) <= MAX_WORDS
        else [reading.label]
    )
    best = 0.0
    for parts in (parts for text in texts for parts in splits(text, len(gold))):
        exact, f1 = drop_scores(gold, parts)
        if exact == 1.0:
            return Verdict.EQUAL
        best = max(best, f1, drop_scores([" ".join(gold)], [" ".join(parts)])[1])
    if reading.label is None and reading.outcome is Outcome.UNPARSED:
        return Verdict.UNDECIDED
    return Verdict.DIFFERENT if best == 0.0 else Verdict.UNDECIDED


def _one_span(gold: str, reply: str) -> bool:
    if alike(gold, reply):
        return True
    first, second = lone(gold), lone(reply)
    return bool(
        first
        and second
        and not any((*first[1:], *second[1:]))
        and first[0].value == second[0].value
        and not second[0].percent
    )


def _date(gold: list[str], reply: str) -> Verdict:
    verdict = same_date(gold[0], reply)
    if verdict is not None:
        return verdict
    if alike(gold[0], reply):
        return Verdict.EQUAL
    return _on_reading("date", gold[0], reply, lambda g, r, _: same_date(g, r) or _same_words(g, r, None))


def _math(gold: list[str], reply: str) -> Verdict:
    if bare(gold[0], "math") == bare(reply, "math") and gold[0].strip():
        return Verdict.EQUAL
    return _on_reading("math", gold[0], reply, lambda g, r, _: same_maths(bare(g, "math"), bare(r, "math")))


_COMPARE: Final[dict[str, Callable[[list[str], str], Verdict]]] = {
    "choice": _choice,
    "short": _short,
    "number": _number,
    "boolean": _boolean,
    "spans": _spans,
    "date": _date,
    "math": _math,
}
