"""Answers that a remark guesses: names and years, where what is right is one, known by the shape of the sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from astray.answers.text import words
from astray.answers.wording import tokens

LONGEST_NAME: Final = 5
"""Words of a name."""

_CAPITAL: Final = r"[A-ZÀ-ÖØ-Þ][\w’'-]*"
_NAME: Final = rf"(?P<name>{_CAPITAL}(?:\s+(?:(?:of|the|de|da|von|van|del|la|le|and)\s+)?{_CAPITAL}){{0,4}})"
_REASONS: Final = "because|since|as|given|that|who|which|where|when|and|for|judging|so|considering"
_END: Final = rf"(?=\s*(?:[,.;:!?…—]|$)|\s+(?:{_REASONS})\b)"
_OPENING: Final = r"\bI think (?:that )?"
_BE: Final = (
    r"(?:['’]s|\s(?:is|was|are|were|has to be|(?:must|should|would|will|could|may|might) (?:be|have been)))"
    r"(?:\s(?:probably|clearly|surely|simply|just|actually|likely|definitely|really|most likely|called|named|the))*"
)
_IS: Final = re.compile(rf"{_OPENING}(?P<subject>[^,.;:!?…—]{{2,80}}?){_BE}(?P<by>(?:\s\w+)?\sby)?\s+{_NAME}{_END}")
_DID: Final = re.compile(rf"{_OPENING}{_NAME}\s+(?P<rest>[^,.;:!?…—]+?){_END}")
_YEAR: Final = re.compile(
    rf"{_OPENING}(?:the )?(?P<subject>[^,.;:!?…—]{{2,80}}?)(?!\s(?:would |might )?(?:helps?|pays?)\b)"
    r"(?:\s[a-z'’]+){1,3}?\s(?:in|around|about|by)"
    r"(?:\s(?:the\s)?(?:year|early|late))*\s(?P<year>[12]\d{3})\b"
)
_A_YEAR: Final = re.compile(r"\b[12]\d{3}\b")
_WHO: Final = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
_ITS: Final = frozenset(words("it this that they he she answer right author writer one city place country person name"))
_SMALL: Final = frozenset(words("of the de da von van del la le and"))
_HELPING: Final = frozenset(words("is was are were did does do be been has had must have it this that them one"))


def guesses(text: str, asked: str, golds: Sequence[str]) -> Iterator[str]:
    """Names and years that a remark gives as the answer, where the right answers are names or years.

    "I think it was Sydney, because ..." and "I think Charles Dickens wrote it" name an answer, whether right or wrong.
    A common word that answers ("I think it was rust") has no such shape: that is for a model to tell.
    """
    if any(_is_name(gold) for gold in golds):
        yield from (match["name"] for match in _IS.finditer(text) if _is_answer(match, asked))
        yield from (match["name"] for match in _DID.finditer(text) if _answers(match["name"], match["rest"], asked))
    if any(_A_YEAR.search(gold) for gold in golds):
        yield from (match["year"] for match in _YEAR.finditer(text) if _is_year(match, asked))


def _is_name(gold: str) -> bool:
    parts = gold.split()
    telling = [part for part in parts if part not in _SMALL]
    return bool(telling) and len(parts) <= LONGEST_NAME and all(part[0].isupper() for part in telling)


def _is_asked(subject: str, asked: str) -> bool:
    """Whether something is said of what is asked of: its words are the request's, or stand for it."""
    known = set(tokens(asked))
    return all(word in known or word in _ITS for word in tokens(subject.replace("’s", "").replace("'s", "")))


def _is_answer(match: re.Match[str], asked: str) -> bool:
    """Whether a name is said to be what is asked; one that the request has, only after a pronoun ("it was Bach")."""
    pronoun = set(tokens(match["subject"])) <= _ITS
    new = pronoun or not set(tokens(match["name"])) <= set(tokens(asked))
    deed = match["by"] is None or _WHO.search(asked) is not None
    return match["name"] != "I" and new and deed and _is_asked(match["subject"], asked)


def _is_year(match: re.Match[str], asked: str) -> bool:
    """Whether a year that the request hasn't is given for what is asked of."""
    return match["year"] not in tokens(asked) and _is_asked(match["subject"], asked)


def _answers(name: str, rest: str, asked: str) -> bool:
    """Whether a name that the request hasn't, with these words after it, says what is asked.

    It does where they are the request's own ("is the capital"), or, who it was being asked, a deed ("wrote it").
    """
    known, said = set(tokens(asked)), tokens(rest)
    if set(tokens(name)) <= known or name == "I":
        return False
    own = said[1:] if _WHO.search(asked) else said
    return all(word in known or word in _HELPING for word in own)
