"""Formulas compared: the same by their writing, or by exact proof; in doubt undecided. Nothing is run as code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from astray.answers.formula import MAX_LENGTH, Tree, Unreadable, parse, rounded, symbols, value_of
from astray.answers.notation import spelling
from astray.answers.prover import prove
from astray.answers.readings import Verdict
from astray.answers.wording import alike

_TEXT: Final = re.compile(r"\\(?:text(?:bf|rm|it)?|mathrm|mathbf)\s*\{([^{}]*)\}")
_BRACKETS: Final = {"(": ")", "[": "]", "\\{": "\\}", "{": "}"}
_NAMED: Final = re.compile(r"\s*(\\?[A-Za-z]+(?:_(?:\w|\{\w+\}))?)\s*=\s*([^=]+)")


def same_maths(gold: str, reply: str) -> Verdict:
    """Compare two formulas, or two lists of them."""
    if _words(gold) is not None and _words(reply) is not None:
        return Verdict.EQUAL if alike(_words(gold) or "", _words(reply) or "") else Verdict.UNDECIDED
    if max(len(gold), len(reply)) > MAX_LENGTH:
        return Verdict.UNDECIDED
    first, second = spelling(gold), spelling(reply)
    if first == second and first:
        return Verdict.EQUAL
    (name, left), (other, right) = _named(gold), _named(reply)
    if name is not None and other is not None and name != other:
        return Verdict.UNDECIDED
    return _same_lists(left, right)


def _words(text: str) -> str | None:
    """The words of an answer that is no formula, written as text."""
    plain = _TEXT.sub(r"\1", text).strip()
    return plain if re.fullmatch(r"[A-Za-z]{2,}(?:[ ,'-]+[A-Za-z]+)*", plain) else None


def _named(text: str) -> tuple[str | None, str]:
    """``x = 5`` as its name and its value."""
    match = _NAMED.fullmatch(text)
    return (match[1], match[2]) if match else (None, text)


def _same_lists(gold: str, reply: str) -> Verdict:
    kind, golds = _items(gold)
    other, replies = _items(reply)
    if kind != other or len(golds) != len(replies):
        return Verdict.UNDECIDED
    verdicts = [_same_formula(g, r) for g, r in zip(golds, replies, strict=True)]
    if all(v is Verdict.EQUAL for v in verdicts):
        return Verdict.EQUAL
    # Lists without brackets, and sets, may stand in another order.
    ordered = len(golds) == 1 or kind in ("(", "[", "(]", "[)")
    alone = len([v for v in verdicts if v is not Verdict.EQUAL]) == 1
    if Verdict.DIFFERENT in verdicts and (ordered or alone):
        return Verdict.DIFFERENT
    return Verdict.UNDECIDED


def _items(text: str) -> tuple[str, Sequence[str]]:
    """The brackets round a list (none: ``""``) and what is in it."""
    text = re.sub(r"\\(?:left|right)(?![A-Za-z])", "", text).strip()
    parts = _split(text)
    if len(parts) > 1:
        return "", parts
    for opening in _BRACKETS:
        if text.startswith(opening) and text.endswith((")", "]", "}")) and len(text) > 2:
            inside = _split(text[len(opening) :].removesuffix("\\}")[: -1 if not text.endswith("\\}") else None])
            if len(inside) > 1:
                closing = text[-1]
                return opening if closing == _BRACKETS[opening][-1] else opening + closing, inside
    return "", parts


def _split(text: str) -> list[str]:
    """The parts between commas that stand in no bracket; a comma between thousands is none."""
    text = text.replace("{,}", "")
    if re.fullmatch(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", text):
        return [text.replace(",", "")]
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _same_formula(gold: str, reply: str) -> Verdict:
    if spelling(gold) == spelling(reply) and gold.strip():
        return Verdict.EQUAL
    try:
        first, second = parse(gold), parse(reply)
    except Unreadable:
        return Verdict.UNDECIDED
    verdict = _same_value(first, second) or prove(first, second)
    names = symbols(first) | symbols(second)
    # Another letter may be another name of the same thing, i a number, a decimal rounded.
    doubt = symbols(first) != symbols(second) or "i" in names or rounded(first) or rounded(second)
    if verdict is Verdict.DIFFERENT and doubt:
        return Verdict.UNDECIDED
    return verdict


def _same_value(first: Tree, second: Tree) -> Verdict | None:
    """Two plain numbers, compared without the prover; None for anything else."""
    one, other = value_of(first), value_of(second)
    if one is None or other is None:
        return None
    return Verdict.EQUAL if one == other else Verdict.DIFFERENT
