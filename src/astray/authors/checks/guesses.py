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
_IT_IS: Final = re.compile(rf"{_OPENING}(?:it|this|that|he|she|the (?:right )?answer){_BE}\s+{_NAME}{_END}")
_DID: Final = re.compile(rf"{_OPENING}{_NAME}\s+(?P<rest>[^,.;:!?…—]+?){_END}")
_YEAR: Final = re.compile(
    rf"{_OPENING}(?:it|this|that|they|he|she)\b(?:\s[a-z'’]+){{0,4}}?\s(?:in|around|about|by|from)"
    r"(?:\s(?:the\s)?(?:year|early|late))*\s(?P<year>[12]\d{3})\b"
)
_A_YEAR: Final = re.compile(r"\b[12]\d{3}\b")
_WHO: Final = re.compile(r"\bwho(?:m|se)?\b", re.IGNORECASE)
_SMALL: Final = frozenset(words("of the de da von van del la le and"))
_HELPING: Final = frozenset(words("is was are were did does do be been has had must have it this that them one"))


def guesses(text: str, asked: str, golds: Sequence[str]) -> Iterator[str]:
    """Names and years that a remark gives as the answer, where the right answers are names or years.

    "I think it was Sydney, because ..." and "I think Charles Dickens wrote it" name an answer, whether right or wrong.
    A common word that answers ("I think it was rust") has no such shape: that is for a model to tell.
    """
    if any(_is_name(gold) for gold in golds):
        yield from (match["name"] for match in _IT_IS.finditer(text) if match["name"] != "I")
        yield from (match["name"] for match in _DID.finditer(text) if _answers(match["name"], match["rest"], asked))
    if any(_A_YEAR.search(gold) for gold in golds):
        yield from (match["year"] for match in _YEAR.finditer(text) if match["year"] not in tokens(asked))


def _is_name(gold: str) -> bool:
    parts = gold.split()
    telling = [part for part in parts if part not in _SMALL]
    return 0 < len(parts) <= LONGEST_NAME and all(part[0].isupper() for part in telling)


def _answers(name: str, rest: str, asked: str) -> bool:
    """Whether a name that the request hasn't, with these words after it, says what is asked.

    It does where they are the request's own ("is the capital"), or, who it was being asked, a deed ("wrote it").
    """
    known, said = set(tokens(asked)), tokens(rest)
    if set(tokens(name)) <= known or name == "I":
        return False
    own = said[1:] if _WHO.search(asked) else said
    return all(word in known or word in _HELPING for word in own)
