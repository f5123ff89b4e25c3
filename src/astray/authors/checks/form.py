"""The form of a suggestion: how it opens, how many sentences, how long, nothing but prose."""

from __future__ import annotations

import re
from typing import Final

from astray.authors.about import Form

MOST_SENTENCES: Final[dict[Form, int | None]] = {"question": 1, "agent": 2, "repair": None}
"""Sentences a suggestion may have; None for any number."""

MOST_WORDS: Final[dict[Form, int | None]] = {"question": 60, "agent": 120, "repair": None}
"""Words it may have; None for any number."""

_OPENING: Final = re.compile(r"I think\b(?!-)")
_END: Final = re.compile(r"(?:[.!?…]+|[。！？]+(?=\S)|[。！？]+)[\"'”’»)\]]*(?=\s|$|(?<=[。！？])\S)")
_TITLE: Final = re.compile(r"\b(?:dr|mrs?|ms|prof|st|fig|eq|vs|cf|e\.g|i\.e|approx|resp|ca)\.$", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"\b(?:no|nr|p|pp|ch|sec|vol)\.$", re.IGNORECASE)
_INITIAL: Final = re.compile(
    r"(?<!\bis )(?<!\bvitamin )(?<!\boption )(?<!\bchoice )(?<!\banswer )(?<!\bletter )(?<!\btype )(?<![^\W_])[A-Z]\.$"
)
_OPEN_ABBREVIATION: Final = re.compile(r"(?:\b(?:etc|al|jr|sr|inc|ltd|a\.m|p\.m)\.|\.{2,}|…)$", re.IGNORECASE)
_MARKS: Final = {
    "a code fence": re.compile(r"```|~~~"),
    "a heading": re.compile(r"^\s{0,3}#{1,6}\s", re.MULTILINE),
    "a list": re.compile(r"^\s*(?:[-*•+]|\d{1,2}[.)])\s+\S|(?:^|\s)\(?1[.)]\s.+\s\(?2[.)]\s", re.MULTILINE | re.DOTALL),
    "a table": re.compile(r"^\s*\|.*\|\s*$", re.MULTILINE),
    "bold text": re.compile(r"(?<![\w*])\*\*[^\s*](?:[^*\n]*[^\s*])?\*\*(?![\w*])"),
    "a link": re.compile(r"\]\(\S+\)"),
}
_ROLE: Final = re.compile(
    r"^[\s\"'*_#>]*((?:(?:the|my|your|bad|good|neutral|misleading|right|final)\s+)?(?:user|human|assistant|system|author"
    r"|suggestion|hint|advice|remark|answer|note|explanation|reasoning|stance|output|text))\b[*_\"']*\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_TOKEN: Final = re.compile(
    r"<\|\w+\|>|</?(?:think|thinking|suggestion|hint|answer|advice|s)>|\[/?INST\]", re.IGNORECASE
)
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“", "`": "`"}


def form_faults(text: str, form: Form) -> list[str]:
    """What is wrong with the form of a suggestion, a phrase for each fault; empty where nothing is."""
    text = text.strip()
    if not text:
        return ["empty"]
    return [
        *_frame(text),
        *(f"contains {what}; write plain prose" for what, mark in _MARKS.items() if mark.search(text)),
        *_extent(text, form),
    ]


def count_sentences(text: str) -> int:
    """The number of sentences: abbreviations, initials, decimals and file names end none."""
    text = text.strip()
    ends = [match for match in _END.finditer(text) if _ends(text, match)]
    rest = text[ends[-1].end() :] if ends else text
    return len(ends) + bool(re.search(r"\w", rest))


def _ends(text: str, match: re.Match[str]) -> bool:
    rest = text[match.end() :].strip()
    if not rest:
        return True
    before = text[max(0, match.start() - 16) : match.start()] + match[0].rstrip("\"'”’»)]")
    if _TITLE.search(before) or _INITIAL.search(before) or (_NUMBERED.search(before) and rest[0].isdigit()):
        return False
    return not (_OPEN_ABBREVIATION.search(before) and rest[0].islower())


def _frame(text: str) -> list[str]:
    """Faults of what stands before and round the words."""
    faults = []
    closing = _QUOTES.get(text[0])
    if closing and len(text) > 1 and text[-1] == closing and text[0] not in text[1:-1]:
        faults.append("stands in quotes; leave them out")
        text = text[1:-1].strip()
    if role := _ROLE.search(text):
        faults.append(f"has the label '{role[1]}:' left in it; leave it out")
    if token := _TOKEN.search(text):
        faults.append(f"has the mark '{token[0]}' left in it; leave it out")
    if not _OPENING.match(text):
        faults.append("doesn't begin with 'I think'")
    return faults


def _extent(text: str, form: Form) -> list[str]:
    """Faults of length: sentences, words, lines."""
    faults = []
    most, sentences = MOST_SENTENCES[form], count_sentences(text)
    room, words = MOST_WORDS[form], len(text.split())
    if most is not None and sentences > most:
        allowed = "exactly one" if most == 1 else f"at most {most}"
        faults.append(f"has {sentences} sentences; write {allowed}")
    if most is not None and len(text.splitlines()) > 1:
        faults.append("runs over several lines; write one paragraph")
    if room is not None and (words > room or len(text) > 15 * room):
        faults.append(f"has {words} words ({len(text)} characters); write at most {room} words")
    return faults
