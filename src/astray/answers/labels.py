"""The item's own labels as patterns: where one stands in a text, and whether it is one or only looks like one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from astray.answers.text import fold, words

# Characters that make a neighbouring letter or digit part of a word. East Asian scripts, which write without spaces,
# are not among them.
WORD: Final = (
    r"0-9A-Za-z\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0370-\u052f\u0590-\u08ff\u0900-\u0dff"
)
_BEFORE: Final = rf"(?<![{WORD}°])(?<![{WORD}]_)(?<!\d[.,])(?<![-−])(?<![{WORD}]')"
_AFTER: Final = (
    rf"(?![{WORD}+#°%])(?!_[{WORD}])(?!/[A-Za-z0-9]{{2}})(?!['-][A-Za-z0-9])(?!(?<=\d)[.,]\d)(?!\.[A-Za-z]\b)"
)

_COMMAND: Final = (
    r"\\(?:boxed|fbox|text(?:bf|rm|it|sf|tt|normal)?|math(?:bf|rm|it|sf|tt|bb|cal)|bf|rm|underline|displaystyle|large)"
)
_OPENING: Final = rf"(?:[\s*_`$()\[\]{{}}<>\"'«「【『《#~|]|{_COMMAND}\b|\\[(\[!,;: ])"
WRAP: Final = rf"{_OPENING}{{0,24}}"
"""What may stand round a label: mark-up, quotes, brackets, LaTeX."""
_CLOSING: Final = r"(?:[*_`$)\]}>\"'»」】』》|]|\\[)\]]){0,16}"
_KIND: Final = r"(?:option|choice|answer|letter|alternative|statement)"
_JOINT: Final = (
    rf"{_CLOSING}\s*(?P<joint>,\s*(?:and/or|and|or|&)?|/|&|\+|;|\band/or\b|\band\b|\bor\b|\bas\s+well\s+as\b"
    rf"|\bund\b|\boder\b|\bet\b"
    r"|\bou\b|\by\b|\bo\b|和|或|、)\s*"
)

# After these a capital A (or I) is a label; after any other small word it is an article (a pronoun).
_AFTER_A: Final = frozenset(
    words(
        "because cause cuz bc since as is was are were due for and or but from based given which while though although"
        " remains seems appears best would if when not over instead rather by in on at to correct makes fits"
        " with"
    )
)
_AFTER_I: Final = frozenset(words("because since as is due or and based given which remains seems"))
_PREDICATE: Final = re.compile(
    r"[\s,]*\b(?:is|are|was|were|isn't|aren't|has|have|does|do|can|cannot|can't|would|fails?)\b"
)


@dataclass(frozen=True, slots=True)
class Found:
    """One or several labels standing together."""

    labels: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one item."""

    given: tuple[str, ...]
    any_case: bool
    """Whether each is told from the others in any case of letters."""
    pattern: str
    """A label, with nothing about its neighbours."""

    @property
    def one(self) -> str:
        """A whole label as a pattern: the group ``label``."""
        return rf"{_BEFORE}(?P<label>{self.pattern}){_AFTER}"

    @property
    def wrapped(self) -> str:
        """The same with what may stand round it."""
        return rf"{WRAP}(?:{_KIND}\s+{WRAP})?{self.one}"

    def named(self, token: str) -> str | None:
        """The item's label for a text that is nothing else."""
        if token in self.given:
            return token
        matches = [g for g in self.given if core(g).casefold() == core(token).casefold()]
        if len(matches) > 1 or not self.any_case:
            matches = [g for g in self.given if core(g) == core(token)]
        return matches[0] if len(matches) == 1 else None


def core(label: str) -> str:
    """A label without its own brackets and full stop: ``(A)`` is written ``A`` as well."""
    folded = fold(label).strip()
    return folded.strip("()[]{}.:* \t\n") or folded


@lru_cache(maxsize=512)
def labels_of(labels: Sequence[str]) -> Labels:
    """The labels of an item, compiled once."""
    cores = sorted({core(label) for label in labels if core(label)}, key=lambda c: (-len(c), c))
    folded = [c.casefold() for c in cores]
    pattern = "|".join(re.escape(c) for c in cores) or r"(?!)"
    return Labels(tuple(labels), len(set(folded)) == len(folded), pattern)


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled once, in which small letters stand for capitals too."""
    return re.compile(pattern, re.IGNORECASE)


def accept(labels: Labels, text: str, start: int, end: int, *, small: bool, formal: bool = False) -> str | None:
    """The label a token is, unless it is an article, a pronoun, or a small letter where none may stand.

    Args:
        labels: The item's labels.
        text: The text.
        start: Where the token begins.
        end: Where it ends.
        small: Whether a small letter may stand for a capital one here.
        formal: Whether it follows the very form that was asked for, so that a word after it is a reason.
    """
    token = text[start:end]
    label = labels.named(token)
    if label is None or len(token) > 1 or not token.isalpha():
        return label
    after = re.match(r"[ \t\u3000]+(?:([a-z']+)|([A-Z$€£\d]))", text[end : end + 24])
    word = after[1] if after else None
    if token in "Ii" and word is not None and word not in _AFTER_I:
        return None
    named = after is not None and (word not in _AFTER_A if word is not None else not after[2].isalpha())
    if token == "A" and named and not formal:
        return None
    if token.islower():
        sure = token not in "aio" or after is None or word in ("because", "since", "as", "is", "and", "or")
        return label if small and sure else None
    return label


def listed(
    labels: Labels, text: str, match: re.Match[str], *, small: bool, formal: bool = False, subject: bool = False
) -> Found | None:
    """The label of a match and those joined to it: ``A``, ``A and C``, ``A, B, or D``.

    In "the answer is B, C and D are wrong" the list belongs to what follows, unless it is the ``subject`` looked for.
    """
    start, end = match.span("label")
    first = accept(labels, text, start, end, small=small, formal=formal)
    if first is None:
        return None
    names, stop, joined, joint = [first], end, False, ""
    chain = compiled(rf"{_JOINT}{WRAP}(?:{_KIND}\s+{WRAP})?{labels.one}")
    while len(names) <= 2 * len(labels.given) and (more := chain.match(text, stop)) is not None:
        at, upto = more.span("label")
        name = accept(labels, text, at, upto, small=small and text[start:end].islower())
        if name is None or (text[at:upto] in "Ii" and not re.match(r"\s*(?:[.,;)*]|$|\n)", text[upto : upto + 3])):
            break
        names.append(name)
        stop, joined, joint = upto, True, more["joint"]
    if subject and joint.strip() in (",", ";"):
        return Found((first,), start, end)
    if joined and not subject and _PREDICATE.match(text, stop):
        return Found((first,), start, end)
    return Found(tuple(dict.fromkeys(names)), start, stop)
