"""Reading an answer that is no choice: the final text, number, yes or no, date, list or formula of a reply."""

from __future__ import annotations

import re
from typing import Final

from astray.answers.context import Weight, weigh
from astray.answers.quantities import quantities
from astray.answers.readings import Reading, answered, unanswered
from astray.answers.silence import silence
from astray.answers.stated import ANCHOR, ANSWER
from astray.answers.structured import Block, blocks, is_blank, without_blocks
from astray.answers.text import plain
from astray.tables import Outcome

MAX_WORDS: Final = 20
LOOSE: Final = "short_reply"
"""The strategy that takes a short reply as it stands; after criticism it may as well be a remark."""

_RUN_ON: Final = re.compile(
    r"\n[ \t]*(?:\*\*|#+[ \t]*)?(?:Question|Q|Passage|Human|User|Problem|Exercise|Instruction|Context|Input)\b[^\n]*",
    re.IGNORECASE,
)
_TAG: Final = re.compile(r"<(?:final_?)?answer>\s*(.*?)\s*(?:</(?:final_?)?answer>|\Z)", re.IGNORECASE | re.DOTALL)
_DISPLAY: Final = r"\\\[(?s:.{1,400}?)\\\]|\$\$(?s:.{1,400}?)\$\$|```\w*\n(?s:.{1,400}?)\n[ \t]*```"
"""What stands on lines of its own: a formula, a fence."""

_LINE: Final = re.compile(
    rf"{ANCHOR}[ \t*_]*(?:\n\s*)?(?P<value>{_DISPLAY}|\\\[\s*[^\n]*|\$\$\s*[^\n]*|[^\n]*)", re.IGNORECASE
)
_HASHES: Final = re.compile(r"^####[ \t]*(?P<value>[^\n]+)$", re.MULTILINE)
_SENTENCE: Final = re.compile(
    rf"(?<!\w)(?:{ANSWER})\b[^.!?\n:]{{0,60}}?\b(?:is|was|are|=|would\s+be|should\s+be"
    rf"|remains)\b:?\s+(?P<value>(?:[^.\n]|\.(?=\w)"
    r"|(?<=\b\w)\.|(?<=\b(?:st|mr|ms|dr|jr|sr|mt|vs|no))\.|(?<=\bmrs)\.)+)",
    re.IGNORECASE,
)
_YES_NO: Final = re.compile(
    r"^\W*(?P<value>yes|no|true|false|correct|incorrect|yep|nope|yeah)\b(?=\W*$|\s*[,.;:!—–*\n]|\s+-|\s+(?:it"
    r"|they|he|she|that|this|there|the|you|we|i)\b)",
    re.IGNORECASE,
)
_BOOLEAN: Final = re.compile(r"\b(?:yes|no|true|false)\b", re.IGNORECASE)
_NO_IN_PHRASE: Final = re.compile(
    r"\bno\s+(?:doubt|one|matter|longer|question|more|way|evidence|idea|\w+)\b", re.IGNORECASE
)
_DENIED: Final = re.compile(r"\b(?:not|never|neither|nor)\b|n't\b", re.IGNORECASE)
_FENCE: Final = re.compile(r"^\s*```\w*\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)


def read_answer(reply: str, kind: str) -> Reading:
    """Read the text of the final answer out of a reply.

    Args:
        reply: The reply as it came.
        kind: ``short``, ``number``, ``boolean``, ``spans``, ``date`` or ``math``.

    Returns:
        The answer's text as ``label`` (without mark-up round it) and where it stands, or the class of non-answer.
    """
    source = plain(reply)
    text = source.text
    if not text.strip():
        return unanswered(Outcome.EMPTY, "reasoning_only" if source.reasoned else "nothing")
    cut = _RUN_ON.search(text)
    if cut and text[: cut.start()].strip():
        text = text[: cut.start()]
    reading = _read(text, kind)
    span = source.span(*reading.span) if reading.span else None
    if span and reading.label is not None and kind == "math" and reading.strategy != "structured":
        exact = bare(reply[span[0] : span[1]], kind)
        return Reading(exact or reading.label, reading.outcome, reading.strategy, span)
    return Reading(reading.label, reading.outcome, reading.strategy, span)


def _read(text: str, kind: str) -> Reading:
    objects = blocks(text)
    if objects and objects[-1].answer and kind != "math":
        return _structured(objects[-1], kind)
    if kind == "math" and objects and objects[-1].answer and text.lstrip("` \njson").startswith("{"):
        return _structured(objects[-1], kind)
    prose = without_blocks(text, objects) if kind != "math" else text
    if is_blank(prose):
        cut = bool(objects) and objects[-1].cut
        return unanswered(Outcome.EMPTY if cut else Outcome.UNPARSED, "reasoning_only" if cut else "none")
    found = _marked(prose, kind)
    if found is None:
        outcome, told, span = silence(prose)
        if outcome is not Outcome.UNPARSED and not _just(prose, kind):
            return unanswered(outcome, told, span)
        found = _unmarked(prose, kind)
    if found is None:
        return unanswered(Outcome.UNPARSED, "none")
    start, end, strategy = found
    return _checked(bare(prose[start:end], kind), strategy, (start, end), kind)


def _checked(value: str, strategy: str, span: tuple[int, int], kind: str) -> Reading:
    """An answer's text, unless the text says that there is none."""
    if not value:
        return unanswered(Outcome.UNPARSED, "none", span)
    outcome, told, _ = silence(value)
    if outcome in (Outcome.ABSTAINED, Outcome.REFUSED) and not (kind == "boolean" and _YES_NO.match(value)):
        return unanswered(outcome, told, span)
    if kind == "number" and not quantities(value) and not re.search(r"[\d∞√π\\]", value):
        return unanswered(Outcome.UNPARSED, "none", span)
    return answered(value, strategy, span)


def _structured(block: Block, kind: str) -> Reading:
    field = block.answer
    if field is None or field.null:
        span = (field.start, field.end) if field else None
        return unanswered(Outcome.ABSTAINED if field else Outcome.UNPARSED, "structured", span)
    value = field.value if isinstance(field.value, str) else "; ".join(field.value)
    if field.cut:
        return unanswered(Outcome.UNPARSED, "cut_off", (field.start, field.end))
    return _checked(bare(value, kind), "structured", (field.start, field.end), kind)


def _marked(text: str, kind: str) -> tuple[int, int, str] | None:
    """The last answer that is marked as one."""
    found: list[tuple[int, int, str]] = []
    for pattern, strategy in ((_TAG, "tagged"), (_HASHES, "hashes"), (_LINE, "final_line")):
        for match in pattern.finditer(text):
            start, end = match.span(1 if pattern is _TAG else "value")
            if text[start:end].strip(" *_$"):
                found.append((start, end, strategy))
    boxes = _boxes(text)
    if found:
        start, end, strategy = max(found)
        inner = [b for b in boxes if start <= b[0] <= end]
        if boxes and boxes[-1][0] > end:  # what was announced before was a step on the way
            return boxes[-1][0], boxes[-1][1], "boxed"
        return (inner[-1][0], inner[-1][1], strategy) if inner else (start, end, strategy)
    if boxes:
        return boxes[-1][0], boxes[-1][1], "boxed"
    for match in reversed(list(_SENTENCE.finditer(text))):
        start, end = match.span("value")
        if weigh(text, match.start(), start, start, Weight.EXPLICIT) >= Weight.WEAK:
            return start, end, "statement"
    return None


def _boxes(text: str) -> list[tuple[int, int]]:
    r"""The insides of ``\boxed{…}``, braces counted."""
    found: list[tuple[int, int]] = []
    for match in list(re.finditer(r"\\(?:boxed|fbox)\s*\{", text))[-40:]:
        depth, at = 1, match.end()
        while at < len(text) and depth and at - match.end() < 2000:
            depth += (text[at] == "{") - (text[at] == "}")
            at += 1
        if depth == 0:
            found.append((match.end(), at - 1))
    return found


def _just(text: str, kind: str) -> bool:
    """Whether a text is a bare answer of its kind, whatever words of doubt might be seen in it."""
    if kind == "boolean":
        return _YES_NO.match(text) is not None
    return kind == "number" and re.fullmatch(r"[\W\d]*\d[\W\d]*", text) is not None


def _unmarked(text: str, kind: str) -> tuple[int, int, str] | None:
    """An answer that is not marked: the reply itself if short, its yes or no, its last number."""
    start = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    if kind == "boolean":
        return _yes_no(text)
    if kind == "number":
        if len(text[start:end].split()) <= 6 and len(quantities(text)) == 1:
            return start, end, LOOSE
        numbers = list(re.finditer(r"[-−]?[$€£]?\d[\d.,/]*\d%?|\d%?", text))
        found = _last_number(text)
        return (*found, "last_number") if found and numbers else found and (*found, "last_number")
    if len(text.split()) <= MAX_WORDS:
        return start, end, LOOSE
    if kind == "spans" and re.match(r"\s*(?:[-*•]|\d+[.)])\s", text):
        return start, end, "list"
    return None


def _last_number(text: str) -> tuple[int, int] | None:
    found = quantities(text)
    return (found[-1].start, found[-1].end) if found and "½" not in text else None


def _yes_no(text: str) -> tuple[int, int, str] | None:
    first = _YES_NO.match(text)
    if first:
        return (*first.span("value"), "first_word")
    clear = _NO_IN_PHRASE.sub(lambda m: " " * len(m[0]), text)
    found = list(_BOOLEAN.finditer(clear))
    if len({m[0].lower() for m in found}) == 1 and not _DENIED.search(text) and len(text.split()) <= MAX_WORDS:
        return (*found[-1].span(), "mention")
    return None


def bare(value: str, kind: str) -> str:
    """An answer's text without fences, mark-up, quotes and full stop round it."""
    fenced = _FENCE.match(value)
    value = (fenced[1] if fenced else value).strip()
    before = None
    while before != value:
        before = value
        value = value.strip(" \t\n*_`")
        for opening, closing in (
            ('"', '"'),
            ("'", "'"),
            ("“", "”"),
            ("$$", "$$"),
            ("$", "$"),
            ("\\(", "\\)"),
            ("\\[", "\\]"),
        ):
            inside = value[len(opening) : len(value) - len(closing)]
            if (
                len(value) > len(opening + closing)
                and value.startswith(opening)
                and value.endswith(closing)
                and opening not in inside
            ):
                value = inside
            elif opening.startswith("\\") and value.endswith(closing) and opening not in value:
                value = value[: -len(closing)]
        if (value.endswith((".", "。")) and not re.search(r"\b\w\.$|\.\.$", value[-4:])) or (
            kind in ("number", "math") and value.endswith(".")
        ):
            value = value[:-1]
    return value
