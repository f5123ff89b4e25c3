"""Taking a request apart: cut into units by rules, each unit labelled, so that no sentence is ever cut or reworded.

XYEval takes a problem statement apart into an objective description and the user's own direction, verbatim and
without cuts within a sentence (section on prompt decomposition, Table 18). Here a model only says which units are
direction; the cutting is done, and verified, by rules.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Final, Literal

from astray.advice import RULE, Check, Decomposition, Part, with_checks
from astray.authors.about import About

_FENCED: Final = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_BLANK_LINE: Final = re.compile(r"\n[ \t\r]*\n\s*")
_ENDING: Final = re.compile(r"(?:[.!?…]+[\"'”’»)\]*_]*\s+|[。！？]+[」』”]*\s*)(?=\S)")
_ITEM: Final = re.compile(r"\n(?=[ \t]*(?:[-*+•]|\d+[.)]|#{1,6})[ \t]+\S)")
_LAST_WORD: Final = re.compile(r"[\w.]+$")
_SENTENCE_END: Final = re.compile(r"[.!?…:。！？][\"'”’»)\]*_`]*$")
_NO_END: Final = re.compile(
    r"(mrs?|ms|drs?|prof|st|vs|cf|figs?|eqs?|nos?|nr|vol|ch|sec|pp?|al|approx|ca|resp|inc|ltd|co|jr|sr|e\.?g|i\.?e|etc|"
    r"u\.s|u\.k|a\.m|p\.m|viz|incl|excl|max|min|dept|est)\.*",
    re.IGNORECASE,
)
"""Words after which a full stop need not end a sentence."""


def units(request: str) -> tuple[str, ...]:
    """The request cut into sentences, list items and blocks of code, nothing lost: joined, they are the request.

    Where it is doubtful whether a sentence ends (abbreviations, open brackets and quotes), nothing is cut.
    """
    begin = len(request) - len(request.lstrip())
    cuts = sorted({cut for cut in _cuts(request) if begin < cut < len(request)})
    edges = [0, *cuts, len(request)]
    return tuple(request[start:end] for start, end in pairwise(edges)) if request.strip() else ()


def decompose(about: About, directions: Collection[int], author: str | None = None) -> Decomposition:
    """The sample's request taken apart: the units with these numbers, from 1 on, are the user's own direction."""
    kinds = [("direction" if number in directions else "description", unit) for number, unit in _numbered(about)]
    parts = [
        Part(kind="direction" if kind == "direction" else "description", text="".join(unit for _, unit in run))
        for kind, run in groupby(kinds, key=lambda pair: pair[0])
    ]
    made = Decomposition(
        sample_id=about.sample_id, parts=tuple(parts), author=author, sample_digest=about.sample_digest
    )
    return with_checks(made, (*verify(made, about.request), *_labels(about, directions, made)))


def verify(decomposition: Decomposition, request: str) -> tuple[Check, ...]:
    """Whether the parts are the request: word for word, in order, all of it, cut only between sentences.

    Holds for decompositions made by hand too: a cut where no rule sees the end of a sentence is unknown where the
    text before it ends as sentences or lines do, and failed elsewhere.
    """
    texts = [part.text.strip() for part in decomposition.parts]
    foreign = _foreign(texts, request)
    spans = None if foreign else _in_order(texts, request)
    left = _left_over(spans, request) if spans else []
    return (
        _check("verbatim", not foreign, "not in the request word for word: " + _shown(foreign)),
        _check("order", None if foreign else spans is not None, "the parts are not in the order of the request"),
        _check("whole", not left if spans else None, "left out of the parts: " + _shown(left)),
        _uncut(spans, request) if spans else _check("sentences", None, ""),
    )


def is_verbatim(decomposition: Decomposition, request: str) -> bool:
    """Whether every part stands in the request word for word."""
    return not _foreign([part.text.strip() for part in decomposition.parts], request)


def _foreign(texts: Sequence[str], request: str) -> list[str]:
    return [text for text in texts if text not in request]


def _numbered(about: About) -> Iterator[tuple[int, str]]:
    return enumerate(units(about.request), 1)


def _labels(about: About, directions: Collection[int], made: Decomposition) -> tuple[Check, ...]:
    count = len(units(about.request))
    strange = sorted(number for number in directions if not 1 <= number <= count)
    return (
        _check("labels", not strange, f"there are no units {strange}, only 1 to {count}"),
        _check("description", bool(made.description), "nothing is left that says what is the case or what is asked"),
    )


def _cuts(request: str) -> Iterator[int]:
    """Where a unit begins."""
    at = 0
    for fence in _FENCED.finditer(request):
        yield from _cuts_in_prose(request, at, fence.start())
        at = fence.end() + len(request[fence.end() :]) - len(request[fence.end() :].lstrip())
        yield from (fence.start(), at)
    yield from _cuts_in_prose(request, at, len(request))


def _cuts_in_prose(request: str, start: int, end: int) -> Iterator[int]:
    breaks = [match.end() for match in _BLANK_LINE.finditer(request, start, end)]
    for begin, stop in pairwise([start, *breaks, end]):
        yield begin
        paragraph = request[begin:stop]
        yield from (begin + cut for cut in _sentence_starts(paragraph))
        yield from (begin + cut for cut in _item_starts(paragraph))


def _sentence_starts(paragraph: str) -> Iterator[int]:
    for match in _ENDING.finditer(paragraph):
        before, after = paragraph[: match.start()], paragraph[match.end()]
        if not after.islower() and not _is_open(paragraph[: match.end()]) and not _is_short(before, match[0]):
            yield match.end()


def _item_starts(paragraph: str) -> Iterator[int]:
    """Items of a list, and what follows a heading: where the line before ends as an item, a heading or a sentence."""
    for match in _ITEM.finditer(paragraph):
        line = paragraph[: match.start()].rsplit("\n", 1)[-1]
        closed = _SENTENCE_END.search(line.rstrip()) or _ITEM.match("\n" + line)
        if closed and not _is_open(paragraph[: match.start()]):
            yield match.end() + len(paragraph[match.end() :]) - len(paragraph[match.end() :].lstrip(" \t"))


def _is_open(text: str) -> bool:
    """Whether a bracket, a quote or inline code is still open at the end of the text."""
    brackets = any(text.count(one) > text.count(other) for one, other in ("()", "[]", "{}", "“”", "«»"))
    return brackets or text.count('"') % 2 == 1 or text.count("`") % 2 == 1


def _is_short(before: str, ending: str) -> bool:
    """Whether a full stop follows an abbreviation, an initial, or the number of a list item."""
    word = _LAST_WORD.search(before)
    if not ending.startswith(".") or ending.startswith("..") or word is None:
        return False
    line = before.rsplit("\n", 1)[-1]
    initial = len(word[0]) == 1 and word[0].isalpha() and word[0] != "I"
    return initial or _NO_END.fullmatch(word[0]) is not None or line.strip().isdigit()


def _in_order(texts: Sequence[str], request: str) -> list[tuple[int, int]] | None:
    """Where each text stands, one after the other; None where they are in another order."""
    spans, at = [], 0
    for text in texts:
        start = request.find(text, at)
        if start < 0:
            return None
        at = start + len(text)
        spans.append((start, at))
    return spans


def _left_over(spans: Sequence[tuple[int, int]], request: str) -> list[str]:
    edges = [0, *(edge for span in spans for edge in span), len(request)]
    gaps = (request[start:end].strip() for start, end in zip(edges[::2], edges[1::2], strict=True))
    return [gap for gap in gaps if gap]


def _uncut(spans: Sequence[tuple[int, int]], request: str) -> Check:
    begins = set(_begins(request))
    cuts = [(before[1], after[0]) for before, after in pairwise(spans) if after[0] not in begins]
    within = [request[max(0, end - 30) : end] for end, start in cuts if not _may_end(request, end, start)]
    note = "cut within a sentence, after: " + _shown(within)
    if cuts and not within:
        note = "a cut where no rule sees the end of a sentence"
    return _check("sentences", False if within else None if cuts else True, note)


def _begins(request: str) -> Iterator[int]:
    at = 0
    for unit in units(request):
        yield at + len(unit) - len(unit.lstrip())
        at += len(unit)


def _may_end(request: str, end: int, start: int) -> bool:
    return "\n" in request[end:start] or _SENTENCE_END.search(request[:end]) is not None


def _shown(texts: Sequence[str]) -> str:
    return "; ".join(repr(text if len(text) <= 60 else text[:57] + "...") for text in texts[:3])


def _check(name: str, fine: bool | None, note: str) -> Check:
    results: dict[bool | None, Literal["passed", "failed", "unknown"]] = {True: "passed", False: "failed"}
    return Check(name=name, result=results.get(fine, "unknown"), by=RULE, note="" if fine else note)
