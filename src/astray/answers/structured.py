"""Structured replies: the answer field of a JSON object, fenced, with prose round it, ill-formed or cut off."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from astray.answers.text import words

_KEYS: Final = words(
    "answer finalanswer final choice finalchoice selectedanswer selectedoption selectedchoice selected option"
    " label letter correctanswer myanswer revisedanswer prediction"
)
_BEGIN: Final = re.compile(
    r"\{\s*(?:[\"'](?=[A-Za-z_])|(?i:answer|final_?answer|choice|reasoning|explanation|thoughts?)\s*:)|\{\s*$"
)
_KEY: Final = re.compile(r"[\s,]*(?:\"([^\"\n]{1,60})\"|'([^'\n]{1,60})'|([A-Za-z_]\w{0,60}))\s*:\s*")
_ESCAPE: Final = re.compile(r"\\(?:([\"\\/])|n(?![a-z])|u([0-9a-fA-F]{4}))")


@dataclass(frozen=True, slots=True)
class Field:
    """One value of an object."""

    key: str
    value: str | tuple[str, ...]
    """The text of a string or literal; of a list, its texts."""
    start: int
    end: int
    cut: bool
    """Whether the reply ends inside it."""
    null: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """One object in a text."""

    start: int
    end: int
    fields: tuple[Field, ...]
    cut: bool

    @property
    def answer(self) -> Field | None:
        """The field that holds the answer."""
        for key in _KEYS:
            for field in reversed(self.fields):
                if field.key == key:
                    return field
        return None


def blocks(text: str) -> list[Block]:
    """All objects of a text, outermost only; what is inside a nested object counts as a field of the outer one."""
    found: list[Block] = []
    at = 0
    while (begin := _BEGIN.search(text, at)) is not None and len(found) < 200:
        block = _object(text, begin.start(), 0)
        if block.fields or block.cut:
            found.append(block)
        at = max(block.end, begin.start() + 1)
    return found


def _object(text: str, start: int, depth: int) -> Block:
    fields: list[Field] = []
    at = start + 1
    while (key := _KEY.match(text, at)) is not None:
        name = re.sub(r"[\W_]", "", next(g for g in key.groups() if g)).lower()
        if key.end() >= len(text.rstrip()):
            return Block(start, len(text), tuple(fields), cut=True)
        if text[key.end()] == "{" and depth < 5:
            inner = _object(text, key.end(), depth + 1)
            fields.extend(inner.fields)
            at = inner.end
            if inner.cut:
                return Block(start, len(text), tuple(fields), cut=True)
            continue
        field = _value(text, name, key.end())
        fields.append(field)
        at = field.end
        if field.cut:
            return Block(start, len(text), tuple(fields), cut=True)
    close = re.compile(r"[\s,;]*\}").match(text, at)
    if close:
        return Block(start, close.end(), tuple(fields), cut=False)
    cut = not text[at:].strip(" \n\t,`\"'")
    return Block(start, len(text) if cut else at, tuple(fields), cut=cut)


def _value(text: str, key: str, start: int) -> Field:
    quote = text[start]
    if text.startswith('"""', start):
        end = text.find('"""', start + 3)
        stop = end if end >= 0 else len(text)
        return Field(key, text[start + 3 : stop], start + 3, min(len(text), stop + 3), cut=end < 0)
    if quote in "\"'":
        return _string(text, key, start)
    if quote == "[":
        return _list(text, key, start)
    literal = re.compile(r"[^,}\n]{0,400}").match(text, start)
    end = literal.end() if literal else start
    value = text[start:end].strip()
    return Field(key, value, start, end, cut=end >= len(text.rstrip()), null=value in ("null", "None", "undefined"))


def _string(text: str, key: str, start: int) -> Field:
    """A quoted value: it ends at a quote after which another field or the end of the object comes."""
    quote = text[start]
    closing = re.compile(
        rf"(?<!\\)(?:\\\\)*{quote}(?=\s*(?:\}}|\]|,?\s*(?:\"[^\"\n]{{1,60}}\"|'[^'\n]{{1,60}}')\s*:|,\s*\}}"
        rf"|,\s*[A-Za-z_]\w{{0,60}}\s*:|,?\s*(?:```)?\s*\Z))"
    )
    close = closing.search(text, start + 1)
    if close is None:
        return Field(key, _plain(text[start + 1 :].rstrip("`\n ")), start + 1, len(text), cut=True)
    end = close.end() - 1
    return Field(key, _plain(text[start + 1 : end]), start + 1, end + 1, cut=False)


def _list(text: str, key: str, start: int) -> Field:
    end = text.find("]", start)
    inner = text[start + 1 : end if end >= 0 else len(text)]
    items = re.findall(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|([^\s,\"'\[\]]+)", inner[:4000])
    values = tuple(_plain(next((g for g in item if g), "")) for item in items)
    return Field(key, values, start, end + 1 if end >= 0 else len(text), cut=end < 0)


def _plain(value: str) -> str:
    r"""Undo the escapes of a string, but not ``\b`` and ``\t``: models write LaTeX into JSON without doubling it."""
    return _ESCAPE.sub(lambda m: m[1] or (_code(m[2]) if m[2] else "\n"), value)


def _code(digits: str) -> str:
    char = chr(int(digits, 16))
    return "" if "\ud800" <= char <= "\udfff" else char


def is_blank(prose: str) -> bool:
    """Whether nothing but a fence is left of a text when its objects are taken out."""
    return re.sub(r"[\s`]+", "", prose).lower() in ("", "json")


def without_blocks(text: str, found: list[Block]) -> str:
    """The text with every object blanked, so that what stands in it is not read as prose."""
    for block in found:
        text = text[: block.start] + re.sub(r"[^\n]", " ", text[block.start : block.end]) + text[block.end :]
    return text
