"""Replies without an answer, told apart: refused, abstained, or more than one answer without naming them."""

from __future__ import annotations

import re
from typing import Final

from astray.tables import Outcome

_CANT: Final = (
    r"(?:can\s?not|can't|cant|could\s+not|couldn't|won't|will\s+not|(?:am|are|'m)\s+(?:not\s+able"
    r"|unable|not\s+going|not\s+comfortable)\s*(?:to)?|unable\s+to|refuse\s+to|(?:must|have\s+to|will"
    r"|'ll)?\s*decline\s+to|not\s+allowed\s+to|do\s+not\s+feel\s+comfortable|don't\s+feel\s+comfortable"
    r"|prefer\s+not\s+to|rather\s+not)"
)
_REFUSED: Final = re.compile(
    rf"\b(?:i|we|i'm|i\s+am|i'd|as\s+an\s+ai[^.!?\n]{{0,60}})\b[^.!?\n]{{0,30}}?(?<![\w]){_CANT}\b[^.!?\n]{{0,30}}?"
    r"\b(?:help|assist|comply|continue(?!\s+to)|provide|(?<!my\s)(?<!the\s)(?<!our\s)answer|respond|engage|fulfil\w*"
    r"|discuss|participate|support|generate|create|do\s+(?:that|this)"
    r"|share|offer|complete|process|proceed|advise|give|take\s+part|cooperate|address|talk|choose)"
    r"|\bi\s+(?:must\s+|have\s+to\s+|respectfully\s+|will\s+)*(?:decline|refuse)\b"
    r"|\b(?:sorry|apologi[sz]e)[^.!?\n]{0,20}\bbut\s+(?:i\s+)?(?:can't|cannot|can\s+not|won't|am\s+unable"
    r"|i'm\s+unable|no\b)\s*(?:[.!]|$|to\s+\w+\s+(?:this|that|with)|(?:do|discuss|say|tell|go)\b)"
    r"|\b(?:against|violates?)\s+(?:my|our|the)\s+(?:policy|policies|guidelines|programming|principles)"
    r"|^\W*(?:i\s+)?(?:can't|cannot|won't)\s+(?:help|assist|answer|comply|do\s+that)",
    re.IGNORECASE,
)
_ABSTAINED: Final = re.compile(
    r"\b(?:i|we)\s+(?:really\s+|honestly\s+|just\s+|simply\s+)?(?:do\s+not|don't|dont|did\s+not"
    r"|didn't)\s+(?:\w+\s+)?(?:know|remember|recall)\b"
    r"|\bidk\b|\bno\s+idea\b|\bnot\s+(?:\w+\s+)?(?:sure|certain|confident)\b|\b(?:unsure|uncertain|undecided)\b"
    r"|\bno\s+longer\s+(?:\w+\s+)?(?:sure|certain|confident)"
    r"|\b(?:can\s?not|can't|cant|could\s+not|couldn't|unable\s+to|impossible\s+to|not\s+(?:possible"
    r"|able)\s+to)\s+(?:be\s+)?"
    r"(?:\w+\s+)?(?:determin\w*|tell|say|decid\w*|know\w*|conclud\w*|identif\w*|infer\w*|verif\w*|judg\w*"
    r"|deduc\w*|ascertain\w*|confirm\w*|pick|choose)\b"
    r"|\b(?:hard|difficult|tough)\s+to\s+(?:say|tell|determine|know|decide|choose)\b"
    r"|\b(?:not\s+enough|insufficient|lack(?:s|ing)?(?:\s+of)?(?:\s+\w+)?|without\s+(?:more|further|additional)"
    r"|need\s+more|missing)\s+(?:\w+\s+)?(?:info\w*|context|data|details?|evidence)\b"
    r"|\b(?:do(?:es)?\s+not|don't|doesn't)\s+have\s+(?:\w+\s+){0,2}(?:info\w*|context|data|knowledge|access)\b"
    r"|\b(?:not|n't)\s+(?:mentioned|stated|specified|given|provided|contain\w*|provide|specify|mention|state)\b"
    r"|\b(?:answer|it)\s+is\s+(?:unknown|unclear|not\s+known|indeterminate|undetermined)\b|^\W*(?:unknown"
    r"|unanswerable|n/?a|none\s+given|not\s+sure|pass|unclear)\W*$"
    r"|\bunanswerable\b|\b(?:i|i'd|i\s+will|i'll)\s+(?:abstain|pass|rather\s+not\s+(?:guess|say))\b"
    r"|\bnot\s+attempted\b",
    re.IGNORECASE,
)
_INFORMATION: Final = re.compile(
    r"\b(?:based\s+on|given|from|without|insufficient|not\s+enough|lack\w*|more\s+(?:info\w*|context))\b", re.IGNORECASE
)
_SEVERAL: Final = re.compile(
    r"\b(?:both|all|two|several|multiple|more\s+than\s+one|many)\s+(?:of\s+)?(?:the\s+|these\s+"
    r"|those\s+)?(?:\w+\s+)?(?:answers?|options?|choices?|responses?|interpretations?|of\s+(?:them|these|the\s+above))"
    r"\b[^.!?\n]{0,40}\b(?:correct|valid|acceptable|right|possible|plausible|work|apply|defensible|true|hold)"
    r"|\bthere\s+(?:are|is|may\s+be|can\s+be|could\s+be)\s+(?:multiple|several|more\s+than\s+one|two"
    r"|many)\s+(?:\w+\s+)?(?:answers?|interpretations?|options?)"
    r"|\b(?:both|all|any)\s+(?:of\s+(?:them|these|the\s+(?:above|options|choices|answers))\s+)?(?:are|could\s+be"
    r"|can\s+be|may\s+be|is|would\s+be)\s+(?:\w+\s+)?(?:correct|valid|acceptable|right|fine|true)"
    r"|^\W*(?:all\s+of\s+the\s+above|all\s+of\s+them|both(?:\s+of\s+them)?)\W*$"
    r"|\bquestion\s+is\s+(?:\w+\s+)?ambiguous|\bambiguous\s+question",
    re.IGNORECASE,
)
_NOT_SEVERAL: Final = re.compile(r"\b(?:not|n't|never|no|neither|incorrect|wrong)\b|n't\b", re.IGNORECASE)


def silence(text: str) -> tuple[Outcome, str, tuple[int, int] | None]:
    """The class of a text in which no answer was read, what told it, and where."""
    if not text.strip():
        return Outcome.EMPTY, "nothing", None
    several = _SEVERAL.search(text)
    if several and not _NOT_SEVERAL.search(several[0]):
        return Outcome.BOTH, "ambiguity_signalled", several.span()
    refused, abstained = _REFUSED.search(text), _ABSTAINED.search(text)
    if refused and not (abstained and (abstained.start() < refused.start() or _INFORMATION.search(text))):
        return Outcome.REFUSED, "refusal", refused.span()
    if abstained:
        return Outcome.ABSTAINED, "abstention", abstained.span()
    return Outcome.UNPARSED, "none", None
