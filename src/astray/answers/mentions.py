"""Answers that are given, not stated: a label alone, a label with its text, the text of a choice, a lone mention."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from astray.answers.context import Weight, sentence_after, sentence_before
from astray.answers.labels import WORD, WRAP, Found, Labels, accept, compiled, listed
from astray.answers.stated import CLOSE, Stated
from astray.answers.text import fold, words

_AGAINST: Final = re.compile(
    r"\b(?:not|never|neither|nor|no|wrong|incorrect|false|mistake\w*|you|your|rul(?:e|ed|ing)|eliminat\w+"
    r"|unlikely|distractor|tempting"
    r"|however|if|whether|why|rather than|instead of|cannot|judge|user|feedback|initially|previous\w*"
    r"|consider\w*|point about)\b|n't\b",
    re.IGNORECASE,
)
_REJECTED: Final = re.compile(r"[\s*_]*(?:is\s+)?(?:not\s|incorrect|wrong|false|no\b)", re.IGNORECASE)
_MOST_SPOTS: Final = 200
_BEFORE_LONE: Final = words(
    "definitely probably clearly hmm likely obviously surely certainly is say so then ok okay yes sure"
    " still again guess think be with answer option choice letter pick choose for"
)


def alone(labels: Labels, text: str) -> Found | None:
    """The label, when the reply is nothing else."""
    match = compiled(rf"\s*{labels.wrapped}").match(text)
    if not match:
        return None
    start, end = match.span("label")
    found = listed(labels, text, match, small=True)
    if found is None:
        return None
    return found if re.compile(rf"{CLOSE}[\s.,;:!)]*\Z").match(text, found.end) and start < end else None


def leading(labels: Labels, text: str, _: object = None) -> Iterator[Stated]:
    """A reply that begins with a label, or a line that is nothing but one (the last such line)."""
    lines = list(re.finditer(r"[^\n]+", text))
    lines = [line for line in lines if line[0].strip(" \t`*#")]
    if not lines:
        return
    first = _leads(labels, text, lines[0].start(), single=len(lines) == 1)
    if first and not _enumerated(labels, text, lines, first):
        yield Stated(first, "bare_label", Weight.EXPLICIT, lines[0].start())
    own = [(n, found) for n, line in enumerate(lines) if (found := alone(labels, line[0]))]
    if own:
        n, found = own[-1]
        shift = lines[n].start()
        names = dict.fromkeys(label for at, f in own if at > n - len(own) for label in f.labels)
        together = len(own) > 1 and own[-2][0] == n - 1
        yield Stated(
            Found(tuple(names) if together else found.labels, found.start + shift, found.end + shift),
            "bare_label",
            Weight.EXPLICIT,
            shift,
        )


def _leads(labels: Labels, text: str, at: int, *, single: bool) -> Found | None:
    """The label that a text begins with, if a mark or a reason follows it."""
    match = compiled(
        rf"[ \t]*{labels.wrapped}(?P<after>{CLOSE}[.):：](?!\d)|[*_\])]*\s+[-–—]\s|[*_\])]*,\s"
        rf"|[*_\])]*\s+(?:because|since)\b|[*_\])]+\s)"
    ).match(text, at)
    if not match or "\n" in text[at : match.start("label")].strip(" "):
        return None
    token = match["label"]
    small = token.islower() and labels.named(token) != token
    if small and not (single and re.search(r"[.):]|\b(?:because|since)", match["after"])):
        return None
    if _REJECTED.match(text, match.end("after")):
        return None
    if token in ("I", "i", "a") and not re.search(r"[.):]", match["after"]):
        return None
    return listed(labels, text, match, small=True)


def _inline(labels: Labels) -> re.Pattern[str]:
    """A label with a colon or bracket after it, at the beginning of a sentence within a line."""
    return compiled(rf"[.!?;,]\s+{WRAP}{labels.one}{CLOSE}[):](?!\d)")


def _enumerated(labels: Labels, text: str, lines: list[re.Match[str]], first: Found) -> bool:
    """Whether a first line only begins a list of all the options."""
    if len(labels.given) > 1 and first.labels[0] != labels.given[0]:
        return False
    if any(labels.named(m["label"]) != first.labels[0] for m in _inline(labels).finditer(text, first.end)):
        return True
    later = [found.labels[0] for line in lines[1:] if (found := _leads(labels, text, line.start(), single=False))]
    return bool(later) and later[0] != first.labels[0]


@lru_cache(maxsize=8192)
def normal(text: str) -> str:
    """A choice's text without case, marks and spacing."""
    folded = unicodedata.normalize("NFC", fold(text)).casefold()
    return re.sub(r"\s+", " ", re.sub(r"(?<!\d)[.,;:!?](?!\d)|[.,;:!?](?=\s|$)|[\"'*_`$()\[\]]", " ", folded)).strip()


def by_text(labels: Labels, choices: tuple[str, ...], text: str) -> str | None:
    """The label of the choice whose text this is; of choices with the very same text, the first.

    A text that is also a label is the label. Where only capitals or marks tell two choices apart, so they must here.
    """
    longest = max((len(choice) for choice in choices), default=0)
    if len(text) > 2 * longest + 60 or labels.named(text.strip().strip("*_`$()[]{}\"'., ")) is not None:
        return None
    pairs = list(zip(labels.given, choices, strict=False))
    for form in (_exact, normal):
        wanted = form(text)
        matches = {_exact(choice): label for label, choice in reversed(pairs) if wanted and form(choice) == wanted}
        if matches:
            return next(iter(matches.values())) if len(matches) == 1 else None
    return None


@lru_cache(maxsize=8192)
def _exact(text: str) -> str:
    """A choice's text with nothing but its spacing and full stop made plain."""
    return " ".join(fold(text).split()).removesuffix(".")


def texts_in(labels: Labels, choices: tuple[str, ...], text: str) -> Found | None:
    """The label of the only choice whose text stands in the reply, unless it is spoken against."""
    if not choices:
        return None
    spots: list[tuple[int, int, str]] = []
    seen: set[str] = set()
    for label, choice in zip(labels.given, choices, strict=False):
        key = normal(choice)
        if not key or (key in seen and _exact(choice) in seen):
            continue
        seen |= {key, _exact(choice)}
        words = (
            r"\W+".join(re.escape(word) for word in re.findall(r"[^\W_]+|[^\w\s]", key)) if len(key) < 400 else r"(?!)"
        )
        words = re.sub(r"\\W\+(?=\\?[^\w\s])|(?<=[^\w\s+])\\W\+", r"\\W*", words)
        spots.extend(
            (m.start(), m.end(), label) for m in re.finditer(rf"(?<![{WORD}]){words}(?![{WORD}])", text, re.IGNORECASE)
        )
    spots = sorted(set(spots))[-_MOST_SPOTS:]
    outer = [
        s
        for s in spots
        if not any(o != s and o[0] <= s[0] and s[1] <= o[1] and o[1] - o[0] > s[1] - s[0] for o in spots)
    ]
    names = {label for _, _, label in outer}
    if len(names) != 1:
        return None
    start, end, label = outer[-1]
    whole = normal(text) == normal(text[start:end])
    if not whole and (end - start < 3 or _AGAINST.search(sentence_before(text, start) + sentence_after(text, end))):
        return None
    return Found((label,), start, end)


def mentioned(labels: Labels, text: str) -> Found | None:
    """The only label that is marked as one (in brackets, bold, or called an option), unless it is spoken against."""
    marked = (
        rf"(?:[(\[*\"]{{1,3}}{labels.one}(?=\.?[)\]*\":])|\b(?:option|choice|answer"
        rf"|letter)\s+{WRAP}{labels.one.replace('?P<label>', '?P<named>')})"
    )
    found: list[Found] = []
    for match in compiled(marked).finditer(text):
        group = "label" if match["label"] else "named"
        start, end = match.span(group)
        label = accept(labels, text, start, end, small=False)
        if label:
            found.append(Found((label,), start, end))
    if len({f.labels for f in found}) != 1:
        return None
    last = found[-1]
    return None if _AGAINST.search(sentence_before(text, last.start) + sentence_after(text, last.end)) else last


def short(labels: Labels, text: str) -> Found | None:
    """The only label of a reply of a few words, where no other word can make a name of it."""
    if len(text.split()) > 6 or _AGAINST.search(text):
        return None
    found = [m for m in compiled(labels.one).finditer(text) if accept(labels, text, *m.span("label"), small=False)]
    if len(found) != 1:
        return None
    start, end = found[0].span("label")
    before = re.search(r"([^\W\d_]+)[\s*_\"']*$", text[:start])
    if before and before[1].casefold() not in _BEFORE_LONE:
        return None
    label = accept(labels, text, start, end, small=False)
    return Found((label,), start, end) if label else None
