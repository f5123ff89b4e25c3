"""What stands round a statement: is it the speaker's own, is it denied, supposed, somebody else's, or past?"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final


class Weight(IntEnum):
    """How much a statement counts."""

    NONE = 0
    """Denied, supposed, or somebody else's."""
    WEAK = 1
    """Past, hedged, conditional or asked: read only where nothing else was said."""
    LOOSE = 2
    """A mention that sounds like an answer; doesn't overrule an explicit one."""
    EXPLICIT = 3


_SENTENCE_END: Final = re.compile(r"[!?。！？\n]|\.(?=\s|$|[\"')*\]])")
_CLAUSE: Final = re.compile(
    r"[,;:—–]|\s-\s|\b(?:and|but|so|because|since|therefore|thus|hence|yet|instead|rather|however|although"
    r"|though|while)\b",
    re.IGNORECASE,
)
_SURE: Final = re.compile(
    r"\b(?:no|not|without|beyond)\s+(?:a\s+|any\s+)?(?:doubt|question|change|only|just|my mistake)\w*"
    r"|\bnot\s+(?:change|alter)\w*",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:not|never|neither|nor|cannot|disagree|reject\w*|rul(?:e|ed|ing) out|eliminat\w+|den(?:y|ied)|incorrect\w*"
    r"|wrong\w*|mistake\w*|false|doubt|unlikely|refuse|avoid|against|no (?:longer|reason|need|way|basis|evidence)"
    r"|rather than|instead of|hesita\w+|unable|hard to|too \w+ to)\b|n't\b|\bcant\b|\bdont\b",
    re.IGNORECASE,
)
_SUPPOSED: Final = re.compile(
    r"\b(?:if|whether|suppos\w+|unless|imagin\w+|assum\w+|would have|could have|might have|wonder\w*)\b", re.IGNORECASE
)
_OTHERS: Final = re.compile(
    r"\b(?:you|your|user|judge|critic\w*|critique|reviewer|feedback|suggestion|colleague|experts?|they|some"
    r"|others|people"
    r"|someone|one|students?|many|he|she|claim|notion|idea|argument|assertion|temptation|it)\b[^.!?\n]*?"
    r"\b(?:say\w*|said|suggest\w*|claim\w*|argu\w+|think\w*|thought|believ\w+|propos\w+|mention\w*|recommend\w*"
    r"|insist\w*"
    r"|assert\w*|stat(?:e|es|ed|ing)|impl(?:y|ies|ied)|convinced|want\w*|ask\w*|prefer\w*|chose|choos\w+|pick\w*"
    r"|select\w*|that"
    r"|tempt\w*|seems? like)\b",
    re.IGNORECASE,
)
_ADOPTED: Final = re.compile(
    r"\bas\s+(?:you|your|the\s+(?:judge|feedback|critique|reviewer|user|critic))\b"
    r"|\b(?:agree|accept|concede|right|correct|thank\w*|realis\w*|realiz\w*|convinced me|shows? me|see now|now see)\b",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:initial\w*|original\w*|previous\w*|earlier|at first|first|formerly|used to)\b", re.IGNORECASE
)
_PAST_VERB: Final = re.compile(r"\b(?:was|chose|picked|selected|answered|said|thought|went|had|gave)\b", re.IGNORECASE)
_HEDGED: Final = re.compile(r"\b(?:could|may|might|can)\b", re.IGNORECASE)
_TAKEN_BACK: Final = re.compile(
    r"[^.!?\n]{0,60}\b(?:wrong|incorrect|mistake\w*|error|not (?:right|correct|true|accurate|the)|isn't|wasn't"
    r"|inaccurate)\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"[\s,)*\"']*\b(?:only (?:if|when)|if|when|whenever|unless|in (?:an?|some|certain|other|general|theory|principle"
    r"|a sense|another)"
    r"|assuming|provided|insofar|as far as|for (?:other|some|certain))\b",
    re.IGNORECASE,
)
_CORRECTION: Final = re.compile(
    r"\b(?:wait|actually|correction|on (?:second thoughts?|reflection|closer|further|reconsideration)|scratch that|upon"
    r"|i (?:made|was|am) (?:a mistake|an error|wrong|mistaken|in error)|let me (?:reconsider|re-?check|correct"
    r"|revise|re-?evaluate"
    r"|re-?examine|rethink)|apologi[sz]e|sorry|instead|hmm+|oops|my mistake|revis\w+|reconsider\w*"
    r"|chang\w+ my)\b|\bno,",
    re.IGNORECASE,
)


def sentence_before(text: str, at: int) -> str:
    """The part of the sentence that stands before a place."""
    window = text[max(0, at - 240) : at]
    ends = list(_SENTENCE_END.finditer(window))
    return window[ends[-1].end() :] if ends else window


def clause_before(text: str, at: int) -> str:
    """The part of the clause that stands before a place."""
    sentence = sentence_before(text, at)
    ends = list(_CLAUSE.finditer(sentence))
    return sentence[ends[-1].end() :] if ends else sentence


def sentence_after(text: str, at: int) -> str:
    """The rest of the sentence, with the mark that ends it."""
    window = text[at : at + 240]
    end = _SENTENCE_END.search(window)
    return window[: end.end()] if end else window


def weigh(text: str, start: int, stop: int, end: int, weight: Weight) -> Weight:
    """Lower the weight of a statement by what stands round it.

    Args:
        text: The text.
        start: Where the statement begins.
        stop: Where its label begins.
        end: Where its label ends.
        weight: What it counts by itself.
    """
    own = text[start:stop]
    before = _SURE.sub(" ", clause_before(text, start))
    if _DENIED.search(before) or _SUPPOSED.search(before):
        return Weight.NONE
    if _OTHERS.search(before + own) and not _ADOPTED.search(before):
        return Weight.NONE
    rest = sentence_after(text, end)
    past = _PAST.search(before + own) and _PAST_VERB.search(before + own)
    if past and _TAKEN_BACK.match(rest):
        return Weight.NONE
    if past or rest.rstrip().endswith("?") or _CONDITION.match(rest):
        return min(weight, Weight.WEAK)
    return weight


def hedged(words: str) -> bool:
    """Whether a verb says that something may be, not that it is."""
    return _HEDGED.search(words) is not None


def corrected(between: str) -> bool:
    """Whether a speaker takes back, between two statements, what was said first."""
    return _CORRECTION.search(between) is not None
