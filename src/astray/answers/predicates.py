"""Answers stated with the label as the subject: "B is correct", "both B and C are acceptable", "option B fits best"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from astray.answers.context import Weight, clause_before, hedged, weigh
from astray.answers.labels import WORD, Labels, compiled, listed
from astray.answers.stated import CLOSE, Stated

_ADVERB: Final = (
    r"(?:the|a|an|also|still|indeed|clearly|definitely|likely|probably|most|more|my|our|in\s+fact|actually|both"
    r"|all|equally|certainly|therefore"
    r"|final|only|one|single|correctly|obviously|thus|then|possible|potentially|be|to\s+be|together)"
)
_RIGHT: Final = r"(?:correct|right|best|accurate|appropriate|suitable|strongest)"
_SEVERAL: Final = (
    r"(?:correct|right|acceptable|valid|plausible|possible|defensible|reasonable|true|fine|fit|work|apply|answers?)"
)
_THING: Final = (
    r"(?:answers?|choices?|options?|one|response|match|fit|selection|statement|explanation|description|conclusion)"
)
_COPULA: Final = (
    r"(?:is|are|was|were|seems?|appears?|looks?|remains?|sounds?|would|must|should|could|may|might"
    r"|can|has|have|'s|stays|stands)"
)
_STOP: Final = (
    rf"(?=\W*(?:$|\n)|\s*[.,;:!?)*\"\]—–]|\s+(?:because|since|as|here|based|according|given|for|in|to"
    rf"|but|and|though|only|if|when|with|by)(?![{WORD}]))"
)
_IS_RIGHT: Final = (
    rf"(?P<verb>(?<![{WORD}]){_COPULA})(?P<adv>(?:\s+{_ADVERB}(?![{WORD}])){{0,5}})\s+[*_]*"
    rf"(?:{_RIGHT}(?:\s+{_THING})?|{_THING}){_STOP}"
)
_ARE_RIGHT: Final = (
    rf"(?P<verb>(?:(?<![{WORD}]){_COPULA})?)(?P<adv>(?:\s+{_ADVERB}(?![{WORD}])){{0,5}})\s+[*_]*{_SEVERAL}(?![{WORD}])"
)
_ALSO_RIGHT: Final = (
    rf"(?P<verb>(?<![{WORD}]){_COPULA})\s+(?:be\s+)?(?P<adv>also|equally|just\s+as)\s+(?:be\s+)?(?:a\s+|an\s+)?"
    rf"(?:correct|right|acceptable|valid|fine)(?:\s+{_THING})?{_STOP}"
)
_BEST: Final = (
    r"(?P<verb>makes?(?:\s+the)?\s+(?:most|more|perfect|better)\s+sense|fits?\s+(?:the\s+\w+\s+)?best|wins|it\s+is"
    r"|(?:best|most\s+accurately|most\s+closely|correctly|accurately)\s+(?:describes?|fits|answers|explains?"
    r"|matche?s|represents?"
    r"|completes|captures|reflects|defines|summari[sz]es))(?P<adv>)"
)
_BETWEEN: Final = rf"(?P<gap>{CLOSE}(?:\s*[(:,\"–—-][^.!?\n]{{0,70}}?)?[\s)*_\"']*)"
# What may stand right before a label that is a subject; another word makes it a name ("vitamin C is best").
_INTRODUCED: Final = re.compile(
    r"(?:^|[^\w\s]|\b(?:option|choice|answer|letter|alternative|statement|response|that|think|believe|and|or|but"
    r"|so|because|since|however"
    r"|therefore|thus|hence|while|yet|both|either|of|for|though|although|so|then|confident|sure|certain|maintain"
    r"|conclude|indeed"
    r"|clearly|actually|still|considered|agree|see|say|know|wait|yes|no|hence|as|only))[\s*_\"'(]*$",
    re.IGNORECASE,
)


def predicates(labels: Labels, text: str, _: object = None) -> Iterator[Stated]:
    """Every label or list of labels that is called right."""
    at = 0
    for match in compiled(labels.one).finditer(text):
        if match.start() < at:
            continue
        found = listed(labels, text, match, small=False, subject=True)
        if found is None:
            continue
        at = found.end
        several = len(found.labels) > 1
        for pattern in (_ALSO_RIGHT, _IS_RIGHT, _BEST, _ARE_RIGHT) if several else (_ALSO_RIGHT, _IS_RIGHT, _BEST):
            called = compiled(_BETWEEN + pattern).match(text, found.end)
            stated = called and _called(labels, text, found.start, called, several=several)
            if stated:
                also = pattern is _ALSO_RIGHT and not several
                yield Stated(found, "statement", stated, found.start, also=also)
                break


def _called(labels: Labels, text: str, start: int, called: re.Match[str], *, several: bool) -> Weight | None:
    """How much it counts that a label is called right; None when it isn't."""
    if any(
        not re.search(r"\b(?:not|than|over|unlike|nor|versus|vs\.?|to)\W+(?:\w+\W+)?$", called["gap"][: other.start()])
        for other in compiled(labels.one).finditer(called["gap"])
    ):
        return None
    if re.search(r"\b(?:not|n't|neither|wrong|incorrect|never|hardly)\b", called["gap"]) and not called[
        "gap"
    ].lstrip().startswith(","):
        return None
    weight = Weight.EXPLICIT
    if not _INTRODUCED.search(clause_before(text, start)[-40:]) or (hedged(called["verb"]) and not several):
        weight = Weight.WEAK
    if re.search(r"\bonly\b", called["adv"]) and not re.search(r"\bthe\b", called["adv"]):
        weight = Weight.WEAK
    if re.search(r"\balso\b", called["adv"]) and not several:
        weight = Weight.EXPLICIT
    weight = weigh(text, start, start, called.end(), weight)
    return weight or None
