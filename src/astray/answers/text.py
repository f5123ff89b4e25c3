"""A reply made plain before it is read: reasoning taken out, characters folded, every place traced to the original."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "′": "'", "“": '"', "”": '"', "„": '"', "‟": '"'})
_LINE_ENDS: Final = frozenset("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
_KEYCAP: Final = "\u20e3"

# Latin letters that a Cyrillic or Greek letter looks exactly like.
_LOOKALIKE: Final = dict(
    zip("АВСЕНІЈКМОРЅТХаесіјорѕх" + "ΑΒΕΗΙΚΜΝΟΡΤΧΖ", "ABCEHIJKMOPSTXaecijopsx" + "ABEHIKMNOPTXZ", strict=True)
)
# Of these, the ones with the same place in their own alphabet, so that no reading of them could mean another label.
_SAME_PLACE: Final = frozenset("Аа" + "ΑΒΕ")

_TAGS: Final = r"think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis|(?:chain[_-]of[_-]thought)"
_OPEN: Final = re.compile(
    rf"<\s*(?:{_TAGS})(?:\s[^<>]{{0,80}})?>|\[THINK\]|◁think▷|<\|begin_of_thought\|>"
    r"|<\|channel\|>\s*(?:analysis|commentary)[^<]{0,40}<\|message\|>",
    re.IGNORECASE,
)
_CLOSE: Final = re.compile(
    rf"<\s*/\s*(?:{_TAGS})\s*>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|end\|>"
    r"|<\|channel\|>\s*final[^<]{0,40}<\|message\|>",
    re.IGNORECASE,
)
_CONTROL: Final = re.compile(r"<\|[a-z_]{1,40}\|>|</?s>|<(?:eos|bos|pad|end_of_turn)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Plain:
    """Text to read, and for each stretch of it where it stood in the reply."""

    text: str
    starts: tuple[int, ...]
    """Places in ``text`` at which a new stretch begins."""
    shifts: tuple[int, ...]
    """For each stretch, what to add to a place in it to have the place in the reply."""
    reply_length: int
    reasoned: bool
    """Whether a block of reasoning was taken out."""

    def place(self, at: int) -> int:
        """The place in the reply of a place in the text."""
        if not self.starts:
            return 0
        return min(at + self.shifts[max(0, bisect_right(self.starts, at) - 1)], self.reply_length)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span in the reply of a span in the text."""
        first = self.place(start)
        last = self.place(end - 1) + 1 if end > start else first
        return first, min(max(first, last), self.reply_length)


def plain(reply: str) -> Plain:
    """Take out what is never read (reasoning, control tokens, invisible characters) and fold what looks alike."""
    kept, reasoned = _outside_reasoning(reply)
    if reply.isascii() and "\r" not in reply:
        return _joined(reply, kept, reasoned)
    source = _without_lookalikes(reply)
    pieces: list[str] = []
    origin: list[int] = []
    for start, end in kept:
        for at in range(start, end):
            piece = _fold(source[at])
            pieces.append(piece)
            origin.extend([at] * len(piece))
        pieces.append("\n")
        origin.append(max(start, end - 1))
    return _traced("".join(pieces), origin, len(reply), reasoned)


def _joined(reply: str, kept: list[tuple[int, int]], reasoned: bool) -> Plain:
    """The short way for ASCII, where nothing is folded: stretches are copied whole."""
    starts: list[int] = []
    shifts: list[int] = []
    pieces: list[str] = []
    length = 0
    for start, end in kept:
        starts.append(length)
        shifts.append(start - length)
        pieces.append(reply[start:end] + "\n")
        length += end - start + 1
    return Plain("".join(pieces), tuple(starts), tuple(shifts), len(reply), reasoned)


def _traced(text: str, origin: list[int], reply_length: int, reasoned: bool) -> Plain:
    starts: list[int] = []
    shifts: list[int] = []
    for at, source in enumerate(origin):
        if not shifts or source - at != shifts[-1]:
            starts.append(at)
            shifts.append(source - at)
    return Plain(text, tuple(starts), tuple(shifts), reply_length, reasoned)


def fold(text: str) -> str:
    """Fold a label or a choice the way a reply is folded."""
    return "".join(_fold(char) for char in text)


@lru_cache(maxsize=4096)
def _fold(char: str) -> str:
    """One character: compatibility form, plain quotes and spaces, nothing invisible, boxed letters as letters."""
    if char.isascii():
        return "\n" if char in _LINE_ENDS else char
    code = ord(char)
    if char in _LINE_ENDS:
        return "\n"
    if 0x1F150 <= code <= 0x1F169 or 0x1F170 <= code <= 0x1F189:
        return chr(ord("A") + (code - 0x1F150) % 32)
    if 0xFE00 <= code <= 0xFE0F or char == _KEYCAP or unicodedata.category(char) in ("Cf", "Cs"):
        return ""
    folded = unicodedata.normalize("NFKC", char).translate(_QUOTES)
    return " " if unicodedata.category(char) == "Zs" else folded


def _without_lookalikes(reply: str) -> str:
    """Replace a letter that stands alone and looks like a Latin one, where it can't be a letter of its own script.

    In a text written in Cyrillic or Greek, a lone letter may be a word or the third of its own alphabet, so there only
    those are replaced that follow a colon, end the line, and have the same place in both alphabets.
    """
    lone = [m for m in re.finditer(r"(?<![^\W_])[^\W\d_](?![^\W_])", reply) if m[0] in _LOOKALIKE]
    if not lone:
        return reply
    chars = list(reply)
    places = {m.start() for m in lone}
    foreign = any(at not in places and _script(char) in ("CYRILLIC", "GREEK") for at, char in enumerate(reply))
    for match in lone:
        at = match.start()
        anchored = re.search(r"[:：]\s*[*($\[]*$", reply[max(0, at - 8) : at]) and re.match(
            r"[*)$\].]*\s*(?:$|\n)", reply[at + 1 : at + 8]
        )
        if not foreign or (anchored and match[0] in _SAME_PLACE):
            chars[at] = _LOOKALIKE[match[0]]
    return "".join(chars)


@lru_cache(maxsize=4096)
def _script(char: str) -> str:
    return unicodedata.name(char, "").split(" ", 1)[0] if not char.isascii() and char.isalpha() else ""


def _outside_reasoning(reply: str) -> tuple[list[tuple[int, int]], bool]:
    """The stretches of a reply that are no reasoning and no control token, and whether reasoning was found.

    A block that never closes goes to the end; one that only closes began with the reply (the opening tag is often in
    the prompt's template). Openings inside a block don't nest: models write about the tag while they are in it.
    """
    marks = sorted(
        [(m.start(), m.end(), "open") for m in _OPEN.finditer(reply)]
        + [(m.start(), m.end(), "close") for m in _CLOSE.finditer(reply)]
        + [(m.start(), m.end(), "token") for m in _CONTROL.finditer(reply)]
    )
    kept: list[tuple[int, int]] = []
    inside, at, reasoned = False, 0, False
    for start, end, what in marks:
        if what == "close" and (inside or not reply[start:end].startswith("<|end")):
            if not inside:
                kept.clear()
            inside, at, reasoned = False, end, True
        elif not inside and start >= at:
            kept.append((at, start))
            at = end
            if what == "open":
                inside = reasoned = True
    if not inside:
        kept.append((at, len(reply)))
    return [(a, b) for a, b in kept if b > a], reasoned


def words(text: str) -> tuple[str, ...]:
    """A list of words, written as one text."""
    return tuple(text.split())
