"""Whether a suggestion says something of its own, or only the request once more."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Final

from astray.answers.text import words
from astray.answers.wording import tokens

_STEM: Final = 5
"""Letters by which words are taken to be of one family."""

FEWEST: Final = 3
"""With fewer words than these there is nothing to compare."""

_EMPTY: Final = frozenset(
    words(
        "a an the i think you we it"
        " should could would might must can need to of in on at by for with and or but so that this"
        " is are was were be been do does did not just simply really probably maybe please my your its as from"
    )
)


def copied_share(text: str, request: str) -> float:
    """The share of a text's words (of those that say something) that stand in the request, in runs of two or more.

    Single words don't count: whoever speaks of the same thing uses the same names.
    """
    own, asked = _content(text), _content(request)
    if len(own) < FEWEST:
        return 0.0
    blocks = SequenceMatcher(None, asked, own, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size > 1) / len(own)


def shared_words(text: str, other: str) -> list[str]:
    """Words of five letters and more that stand in both, in the order of ``text``, endings aside."""
    known = {word[:_STEM] for word in _content(other) if len(word) >= _STEM}
    return list(dict.fromkeys(word for word in _content(text) if len(word) >= _STEM and word[:_STEM] in known))


def _content(text: str) -> list[str]:
    """The words that say something; a path or a name with marks in it is one word."""
    spoken = (" ".join(tokens(piece)) for piece in text.split())
    return [word for word in spoken if word not in _EMPTY and any(char.isalnum() for char in word)]
