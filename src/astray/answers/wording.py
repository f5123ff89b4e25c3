"""Texts compared as words: the normal form that both sides of a comparison are brought to."""

from __future__ import annotations

import re
import string
import unicodedata
from functools import lru_cache
from typing import Final

_ARTICLES: Final = frozenset(("a", "an", "the"))
_LETTERS: Final = (("ø", "o"), ("ł", "l"), ("đ", "d"), ("ı", "i"), ("æ", "ae"), ("œ", "oe"))
_MARKS: Final = frozenset(string.punctuation)
_TOKEN: Final = re.compile(
    r"(?:(?<=\s)|(?<=^)|(?<=[(\[$€£]))[-+±]?\d[\d,]*(?:[.:/]\d+)*%?|\d[\d,]*(?:[.:/]\d+)*%?|[^\W\d_]+(?:\+\+|#)?"
    r"|\w+|[$€£¥₹°&^~=<>%√∞π]"
)


@lru_cache(maxsize=16384)
def tokens(text: str) -> tuple[str, ...]:
    """The words of a text: without case, articles and marks; numbers keep the marks that are part of them.

    Unlike in SQuAD's script no two numbers become one (``1.5`` and ``15``), and a text of nothing but articles or
    marks ("The The", "A") keeps them.
    """
    found = _TOKEN.findall(_flat(text))
    words = [re.sub(r"(?<=\d),(?=\d)|,$", "", token) for token in found]
    kept = [w for n, w in enumerate(words) if w not in _ARTICLES or _is_letter(words, n)]
    kept = kept or words
    return tuple(kept) if kept else tuple(text.split())


def _is_letter(words: list[str], at: int) -> bool:
    """Whether an "a" is the name of something: "vitamin A" at the end, unlike the article, which something follows."""
    return words[at] == "a" and at == len(words) - 1


def _flat(text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    text = "".join(_char(c) for c in text).casefold()
    text = re.sub(r"(?<=\w)['`](?=\w)|(?<=\w)'(?=\s|$)", "", text)
    text = re.sub(r"\b(?:[^\W\d_]\.){2,}[^\W\d_]?(?!\w)", lambda m: m[0].replace(".", ""), text)
    return re.sub(r"\s+", " ", text.replace("&", " and ")).strip()


@lru_cache(maxsize=4096)
def _char(char: str) -> str:
    if char.isascii():
        return char
    if char in "’‘ʼ′`":
        return "'"
    if char in "−﹣－" or char in "–—‐‑‒":
        return "-"
    if unicodedata.category(char) == "Cf":
        return ""
    shape = unicodedata.decomposition(char)
    if shape.startswith("<super>"):
        digit = unicodedata.normalize("NFKC", char)
        return f"^{digit}" if digit.isdigit() else digit
    if shape.startswith("<fraction>"):
        return " " + unicodedata.normalize("NFKC", char).replace("⁄", "/")
    return unicodedata.normalize("NFKC", char)


@lru_cache(maxsize=16384)
def unaccented(word: str) -> str:
    """A word in Latin letters without accents; others as they are, because there marks change the word."""
    split = unicodedata.normalize("NFD", word)
    if not all(c.isascii() or unicodedata.combining(c) or c in "øłßđıæœ" for c in split):
        return word
    plain = "".join(c for c in split if not unicodedata.combining(c))
    for letter, written in _LETTERS:
        plain = plain.replace(letter, written)
    return plain


@lru_cache(maxsize=16384)
def squad(text: str) -> str:
    """SQuAD's own normal form: small letters, no punctuation, no articles, single spaces."""
    bare = "".join(c for c in _flat(text) if c not in _MARKS)
    return " ".join(word for word in bare.split() if word not in _ARTICLES)


def alike(one: str, other: str) -> bool:
    """Whether two texts are the same words in the same order; accents may be missing on one side.

    They must be the same by SQuAD's form, which joins what a mark divides, and by :func:`tokens`, which keeps numbers
    and symbols apart.
    """
    first, second = tokens(one), tokens(other)
    if len(first) != len(second) or not first or unaccented(squad(one)) != unaccented(squad(other)):
        return False
    return all(
        a == b or (unaccented(a) == unaccented(b) and unaccented(b) in (a, b))
        for a, b in zip(first, second, strict=True)
    )
