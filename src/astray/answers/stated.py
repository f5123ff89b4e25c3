"""Answers that a reply states: on an anchored line, in a box, in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from astray.answers.context import Weight, hedged, sentence_after, sentence_before, weigh
from astray.answers.labels import WORD, WRAP, Found, Labels, accept, compiled, listed

ByText = Callable[[str], str | None]
"""The label of the choice whose text something is."""

ANSWER: Final = (
    r"(?:answers?|ans|antwort|lösung|réponse|reponse|respuesta|resposta|risposta|ответ|відповідь|odpowiedź"
    r"|odpověď|antwoord"
    r"|svaret|svar|vastaus|válasz|jawaban(?:nya)?|cevap|yanıt|răspuns(?:ul)?|απάντηση|答案|回答|答え|解答|正解|정답|답"
    r"|الإجابة|الجواب|תשובה|उत्तर|উত্তর|jibu|câu\s+trả\s+lời|đáp\s+án|คำตอบ)"
)
_NOUN: Final = (
    r"(?:choice|option|selection|pick|decision|conclusion|verdict|prediction|response|letter|label"
    r"|guess|final|solution)"
)
CLOSE: Final = r"[\s*_`$)\]}>\"'»”|]{0,12}"
COLON: Final = r"(?:[:：=→➜⇒]|->|=>|[-–—](?=\s))"
ANCHOR: Final = (
    rf"(?<![{WORD}])(?:{ANSWER}|{_NOUN})(?:\s*\([^()\n]{{0,40}}\))?(?:\s+(?:is|choice|option|letter"
    rf"|label|key))?{CLOSE}{COLON}"
)
_OWNER_NONE: Final = re.compile(
    r"\b(?:your|judge'?s?|user'?s?|critic'?s?|reviewer'?s?|feedback'?s?|suggested|proposed|wrong|incorrect|their"
    r"|his|her|student'?s?"
    r"|alternative|example|possible|not|no|another|other)\s+(?:final\s+|correct\s+)?[*_\"']*$",
    re.IGNORECASE,
)
_OWNER_PAST: Final = re.compile(r"\b(?:previous|initial|original|first|earlier|old|prior)\s+[*_\"']*$", re.IGNORECASE)
_OFF_MENU: Final = rf"{WRAP}(?:[A-Za-z]|\d{{1,2}})(?![{WORD}])(?={CLOSE}(?:[.,;!]|\n|$))"

_ADVERB: Final = (
    r"(?:still|indeed|clearly|definitely|therefore|thus|probably|possibly|perhaps|most|likely|actually|in\s+fact"
    r"|now|again|simply"
    r"|just|unchanged|correctly|certainly|obviously|then|the|either|both|that|to\s+be|be|also|very\s+likely"
    r"|in\s+my\s+(?:view|opinion)|for\s+sure"
    r"|option|choice|letter|answer|best|correct|right|one|my|final|same|ist|also)"
)
_COPULA: Final = (
    rf"(?:(?<![{WORD}])(?:is|was|remains?|stays?|would|must|should|will|could|may|might|can|has|seems?|appears?"
    rf"|are|were"
    rf"|ist|lautet|wäre|bleibt|est|serait|reste|es|sería|é|è|sarebbe|jest|adalah|är|er|là|это|является|be)(?![{WORD}])"
    r"|'s\b|=|是|为|為|は|が|은|는)"
)
_NOT_BUT: Final = r"(?:not\s+[^.!?\n]{1,30}?\bbut\s+(?:rather\s+)?(?:it's\s+|it\s+is\s+)?)?"
_ADVERBS: Final = rf"(?:[\s:,*_]+{_ADVERB}(?![{WORD}'])){{0,6}}[\s:,]*"
_IS: Final = (
    rf"(?<![{WORD}])(?:{ANSWER}|choice|option|selection|pick|guess|conclusion|solution"
    r"|(?:correct|right|best|true|accurate|appropriate)\s+(?:one|statement|response|match|explanation"
    r"|description|completion|word))"
    rf"(?P<mid>[^.!?\n:;]{{0,70}}?)(?P<verb>{_COPULA}){_ADVERBS}{_NOT_BUT}"
)
_TO: Final = r"(?:\s+(?:my|the|this|it|answer|choice|selection|response))*(?:\s+from\s+[^.!?\n]{1,20}?)?\s+to"
_VERB: Final = (
    r"(?:choos(?:e|ing)|chose|pick(?:ed|ing)?|select(?:ed|ing)?|(?:go|going|went)\s+(?:with|for|back\s+to)"
    r"|opt(?:ed|ing)?\s+for|vot(?:e|ing)\s+for"
    r"|answer(?:ed)?(?!\s*[:*])|stick(?:ing)?\s+(?:with|to|by)|stay(?:ing)?\s+(?:with|at)|stand(?:ing)?\s+(?:by"
    r"|with)|keep(?:ing)?\s+(?:my|the)"
    r"|maintain(?:ing)?|lean(?:ing)?\s+(?:towards?|to)|settl(?:e|ed|ing)\s+on|prefer|favou?r|guess|say|think|believe"
    r"|(?:confident|certain|sure)\s+(?:in|of|about|with|that)|hold(?:ing)?\s+(?:to|on\s+to)|retain|reaffirm"
    r"|reiterate|confirm|conclude"
    r"|decid(?:e|ed)\s+on|return(?:ing)?\s+to|revert(?:ing)?\s+to|agree\s+with|accept|submit|endorse"
    rf"|(?:switch|chang|revis|updat|correct|mov|adjust|amend)(?:e|ed|ing)?{_TO}|wähle|choisis|elijo|escolho"
    rf"|scelgo|выбираю|选择|选|選)"
)
_CHOSEN: Final = (
    rf"(?<![{WORD}])(?P<verb>{_VERB})(?P<mid>(?:\s+(?:my|the|original|initial|first|previous|earlier|current"
    rf"|final|revised|answer|choice"
    r"|selection|option|response|of|letter|that|it|it's|is|as|with|on|to|still|correct|best|most|likely|be"
    r"|should|would)){0,8})[\s:,\"'(]*"
)
_OPINION: Final = re.compile(r"(?:say|think|believe|guess|confident|certain|sure|conclude)", re.IGNORECASE)
_SUPPORTS: Final = (
    rf"(?<![{WORD}])(?P<verb>supports?|points?\s+(?:to|towards?)|favou?rs|indicates?|leads?\s+(?:me\s+|us\s+)?to"
    rf"|leaves?(?:\s+us\s+with)?"
    rf"|confirms?)(?P<mid>(?:\s+(?:only|my|the|answer|option|choice|of|that|it|is|still)){{0,5}})\s+"
)
_IT_IS: Final = (
    rf"(?<![{WORD}])(?:it|this|that|which|these|they|answer)(?P<verb>'?s(?=\s)|\s+(?:is|are|was|must|should|would|could"
    rf"|may|might|can|has\s+to|will|remains?)"
    rf"(?:\s+be)?){_ADVERBS}{_NOT_BUT}"
)
_MAYBE: Final = (
    rf"(?<![{WORD}])(?P<verb>probably|definitely|clearly|certainly|likely|obviously|maybe|perhaps"
    r"|if\s+i\s+(?:had|have|must)\s+(?:to\s+)?(?:guess|choose|pick|answer)[^,.\n]{0,20},)[\s:,]+"
)
_SO: Final = (
    r"(?:^|(?<=[.!?\n,;:—–])|(?<=\s))(?P<verb>therefore|thus|hence|so|consequently|finally|in\s+conclusion|∴|→"
    r"|=>|⇒)[\s,:]+"
    r"(?:(?:it\s+is|it's|the\s+answer)\s+)?"
)
_ENDED: Final = (
    rf"(?={CLOSE}(?:[.,;!]|\s*\n|\s*$|\s+(?:because|since|as|for|due|is\s+(?:the\s+)?(?:correct|right|best))\b))"
)
_LAST: Final = (
    r"(?:\A|(?<=[.!?\n;:])|(?<=[.!?][\"')*]))\s*(?:(?:but|so|and|then|still|again|yes|no|okay|ok|hence)\b[\s,:]*)?"
)


@dataclass(frozen=True, slots=True)
class Stated:
    """Something a reply states."""

    found: Found
    """No labels: something was stated that the item doesn't offer."""
    strategy: str
    weight: Weight
    start: int
    also: bool = False
    """Whether it comes on top of what was stated before."""


def anchored(labels: Labels, text: str, by_text: ByText) -> Iterator[Stated]:
    """Lines such as ``ANSWER: B``, in any wrapping; what follows may also be the text of a choice."""
    for match in compiled(ANCHOR).finditer(text):
        weight = _owned(text, match.start())
        if weight is Weight.NONE:
            continue
        found = _after_anchor(labels, text, match, by_text)
        if found is not None:
            quoted = re.search(r"^\s*>", _line(text, match.start()))
            yield Stated(found, "final_line", Weight.WEAK if quoted else weight, match.start())


def _owned(text: str, at: int) -> Weight:
    """Whose answer an anchored line speaks of."""
    before = sentence_before(text, at)
    if _OWNER_NONE.search(before):
        return Weight.NONE
    return Weight.WEAK if _OWNER_PAST.search(before) else Weight.EXPLICIT


def _line(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return text[start : end if end >= 0 else len(text)]


def _after_anchor(labels: Labels, text: str, anchor: re.Match[str], by_text: ByText) -> Found | None:
    """What an anchored line gives: labels, the text of a choice, a label that isn't offered, or nothing."""
    rest = re.compile(r"\s*([^\n]{1,2000})").match(text, anchor.end())
    label = by_text(rest[1]) if rest else None
    if rest and label:
        return Found((label,), rest.start(1), rest.end(1))
    match = compiled(labels.wrapped).match(text, anchor.end())
    if match:
        formal = anchor[0].isupper() and "\n" not in text[anchor.end() : match.start("label")]
        return listed(labels, text, match, small=True, formal=formal)
    run = re.compile(rf"{WRAP}([A-Z]{{2,10}})(?![{WORD}])").match(text, anchor.end())
    if run and _ascending(labels, run[1]):
        return Found(tuple(run[1]), run.start(1), run.end(1))
    off = re.compile(_OFF_MENU).match(text, anchor.end())
    return Found((), off.start(), off.end()) if off else None


def _ascending(labels: Labels, run: str) -> bool:
    return all(c in labels.given for c in run) and list(run) == sorted(set(run))


def tagged(labels: Labels, text: str, _: object = None) -> Iterator[Stated]:
    r"""``<answer>B</answer>`` and ``\boxed{B}`` with nothing but the label in it; a heading, then the label."""
    for pattern, strategy in (
        (rf"<(?:final_?)?(?:answer|choice)>{labels.wrapped}(?=[^<\n]{{0,200}}</)", "tagged"),
        (rf"\\(?:boxed|fbox)\s*\{{{labels.wrapped}(?={CLOSE}\}}|{CLOSE}[.):]|[\s)]*\}}|\s*$)", "boxed"),
        (
            rf"^[ \t#*_]*(?:final\s+|correct\s+|my\s+)?{ANSWER}[\s*_:#]*\n\s*{labels.wrapped}(?={CLOSE}(?:\n|$|[.):]))",
            "final_line",
        ),
    ):
        for match in re.compile(pattern, re.IGNORECASE | re.MULTILINE).finditer(text):
            found = listed(labels, text, match, small=True)
            if found:
                yield Stated(found, strategy, Weight.EXPLICIT, match.start())


def worded(labels: Labels, text: str, by_text: ByText) -> Iterator[Stated]:
    """Sentences such as "the answer is photosynthesis", where that is the text of a choice."""
    for pattern, usual in ((_IS, Weight.EXPLICIT), (_IT_IS, Weight.LOOSE)):
        for match in compiled(pattern).finditer(text):
            stated = _worded(text, match, by_text, usual)
            if stated:
                yield stated


def _worded(text: str, match: re.Match[str], by_text: ByText, usual: Weight) -> Stated | None:
    for start in (match.end("verb"), match.end()):
        end = _texted(text, start, by_text)
        label = by_text(text[start:end]) if end is not None else None
        if end is None or label is None:
            continue
        weight = weigh(text, match.start(), start, end, Weight.WEAK if hedged(match["verb"]) else usual)
        return (
            None if weight is Weight.NONE else Stated(Found((label,), start, end), "choice_text", weight, match.start())
        )
    return None


def _texted(text: str, start: int, by_text: ByText) -> int | None:
    """Where the text of a choice that begins at a place ends: with the line, or with the sentence."""
    line = text[start : start + 2000].split("\n", 1)[0]
    for rest in (line, sentence_after(text, start)):
        if rest.strip() and by_text(rest) is not None:
            return start + len(rest.rstrip())
    return None


def sentences(labels: Labels, text: str, _: object = None) -> Iterator[Stated]:
    """Sentences such as "the answer is B", "I'll go with C", "the evidence supports B", "so it must be D"."""
    for pattern, weight, small, ended in (
        (_IS, Weight.EXPLICIT, True, False),
        (_CHOSEN, Weight.EXPLICIT, True, False),
        (_SUPPORTS, Weight.LOOSE, False, False),
        (_IT_IS, Weight.LOOSE, False, False),
        (_IT_IS, Weight.LOOSE, True, True),
        (_MAYBE, Weight.LOOSE, False, True),
        (_SO, Weight.LOOSE, False, True),
    ):
        whole = pattern + labels.wrapped + (_ENDED if ended else "")
        for match in compiled(whole).finditer(text):
            stated = _sentence(labels, text, match, weight, small=small)
            if stated:
                yield stated


def _sentence(labels: Labels, text: str, match: re.Match[str], weight: Weight, *, small: bool) -> Stated | None:
    found = listed(labels, text, match, small=small)
    if found is None:
        return None
    if _OPINION.match(match["verb"]) and not re.compile(_ENDED, re.IGNORECASE).match(text, found.end):
        return None
    label_at = match.start("label")
    if len(found.labels) == 1 and hedged(match["verb"]):
        weight = Weight.WEAK
    weight = weigh(text, match.start(), label_at, found.end, weight)
    if weight is Weight.NONE:
        return None
    return Stated(
        found, "statement", weight, match.start(), also=bool(re.search(r"\balso\b", text[match.start() : label_at]))
    )


def last_word(labels: Labels, text: str, _: object = None) -> Iterator[Stated]:
    """A last sentence that is nothing but a label."""
    text = text.rstrip()
    window = max(0, len(text.rstrip()) - 200)
    ends = list(compiled(rf"{_LAST}{labels.wrapped}{CLOSE}[.!]?\s*\Z").finditer(text, window))
    match = ends[-1] if ends else None
    if match and accept(labels, text, *match.span("label"), small=False):
        found = listed(labels, text, match, small=False)
        if found:
            yield Stated(found, "bare_label", Weight.LOOSE, match.start("label"))
