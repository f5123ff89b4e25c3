"""Reading a choice: ordered ways of finding the label that a reply gives."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from astray.answers.context import Weight, corrected
from astray.answers.labels import Found, Labels, labels_of
from astray.answers.mentions import alone, by_text, leading, mentioned, short, texts_in
from astray.answers.predicates import predicates
from astray.answers.readings import Reading, answered, unanswered
from astray.answers.silence import silence
from astray.answers.stated import ByText, Stated, anchored, last_word, sentences, tagged, worded
from astray.answers.structured import Block, Field, blocks, is_blank, without_blocks
from astray.answers.text import Plain, plain
from astray.tables import Outcome

STATED: Final = (anchored, tagged, worded, sentences, predicates, leading, last_word)
_RUN_ON: Final = re.compile(
    r"\n[ \t]*(?:\*\*|#+[ \t]*)?(?:Question|Q|Passage|Human|User|Problem|Exercise"
    r"|Instruction|Context|Input)\s*\d*\s*[:.]",
    re.IGNORECASE,
)
MAX_READ: Final = 30_000
"""Characters from the end of a reply that are read; an answer that stands earlier is no last word."""


def read_choice(reply: str, labels: Sequence[str], *, choices: Sequence[str] | None = None) -> Reading:
    """Read which of an item's labels a reply gives.

    Args:
        reply: The reply as it came, without reasoning that the provider keeps apart.
        labels: The item's own labels, in order.
        choices: The texts of the choices, in the same order, for replies that give the text and no label.

    Returns:
        The label and where it stands, or the class of non-answer. The last answer stated counts; several at once are
        ``both``; blocks of reasoning are never read.
    """
    source = plain(reply)
    menu = labels_of(tuple(labels))
    text = source.text
    if len(text) > MAX_READ:
        text = " " * (len(text) - MAX_READ) + text[-MAX_READ:]
    if not text.strip():
        return unanswered(Outcome.EMPTY, "reasoning_only" if source.reasoned else "nothing")
    match = partial(by_text, menu, tuple(choices or ()))
    cut = _RUN_ON.search(text)
    if cut and text[: cut.start()].strip():
        early = _read(menu, text[: cut.start()], match, tuple(choices or ()), firm=True)
        if early is not None:
            return _placed(early, source)
    found = _read(menu, text, match, tuple(choices or ()), firm=False)
    return _placed(found or unanswered(Outcome.UNPARSED, "none"), source)


def _placed(reading: Reading, source: Plain) -> Reading:
    """The reading with its span in the reply as it was given."""
    span = source.span(*reading.span) if reading.span else None
    return Reading(reading.label, reading.outcome, reading.strategy, span)


def _read(menu: Labels, text: str, match: ByText, choices: tuple[str, ...], *, firm: bool) -> Reading | None:
    """Try every way in order; with ``firm`` only those that leave no doubt."""
    label = match(text)
    if label is not None:
        return answered(label, "choice_text", (len(text) - len(text.lstrip()), len(text.rstrip())))
    whole = alone(menu, text)
    if whole:
        return _reading(whole, "bare_label")
    objects = blocks(text)
    fields = _fields(menu, text, objects, match)
    prose = without_blocks(text, objects)
    stated = [*fields, *(s for way in STATED for s in way(menu, prose, match))]
    best = _last(stated, prose)
    if best:
        return _reading(best.found, best.strategy)
    if firm:
        return None
    if objects and (objects[-1].answer or is_blank(prose)):
        return _silent_object(objects[-1], prose)
    weak = _only(stated)
    if weak:
        return _reading(weak.found, "hedged")
    outcome, told, span = silence(prose)
    if outcome is not Outcome.UNPARSED:
        return unanswered(outcome, told, span)
    for found, strategy in (
        (texts_in(menu, choices, prose), "choice_text"),
        (mentioned(menu, prose), "bare_label"),
        (short(menu, prose), "bare_label"),
    ):
        if found:
            return _reading(found, strategy)
    return unanswered(outcome, told, span)


def _reading(found: Found, strategy: str) -> Reading:
    span = (found.start, found.end)
    if len(found.labels) == 1:
        return answered(found.labels[0], strategy, span)
    return unanswered(
        Outcome.BOTH if found.labels else Outcome.UNPARSED, strategy if found.labels else "off_menu", span
    )


def _last(stated: Sequence[Stated], text: str) -> Stated | None:
    """The last answer stated, earlier ways first where several find the same.

    A loose mention counts only if nothing explicit was said, or if what was said is taken back before it.
    """
    backwards = list(stated)[::-1]
    ordered = sorted(backwards, key=lambda s: (s.found.end, s.weight))
    best: Stated | None = None
    for one in ordered:
        if one.weight is Weight.EXPLICIT and not one.also:
            best = one
    for one in ordered:
        if one.weight is Weight.LOOSE and not one.also:
            later = best is not None and one.start >= best.found.end
            if (
                best is None
                or best.weight is Weight.LOOSE
                or (later and corrected(text[best.found.end : one.found.start]))
            ):
                best = one
    return _with_more(best, [s for s in ordered if s.also and s.weight >= Weight.LOOSE])


def _with_more(best: Stated | None, more: Sequence[Stated]) -> Stated | None:
    """The answer together with those that were then said to be right as well."""
    for one in more:
        if best is None:
            best = one
        elif one.found.end > best.found.end:
            names = tuple(dict.fromkeys((*best.found.labels, *one.found.labels)))
            best = replace(best, found=Found(names, best.found.start, one.found.end))
    return best


def _only(stated: Sequence[Stated]) -> Stated | None:
    """A weak statement, if all of them give the same label, or one that names several."""
    weak = [s for s in stated if s.weight is Weight.WEAK and s.found.labels]
    together = [s for s in weak if len(s.found.labels) > 1]
    if len({label for s in weak for label in s.found.labels}) == 1:
        return weak[-1]
    return together[-1] if together else None


def _fields(menu: Labels, text: str, objects: list[Block], match: ByText) -> list[Stated]:
    """The answers that structured replies give."""
    found: list[Stated] = []
    for block in objects:
        field = block.answer
        labels = _field(menu, field, match) if field else None
        if field and labels is not None:
            end = field.end - (text[field.end - 1 : field.end] in ("'", '"'))
            found.append(Stated(Found(labels, field.start, end), "structured", Weight.EXPLICIT, field.start))
    return found


def _field(menu: Labels, field: Field, match: ByText) -> tuple[str, ...] | None:
    """The labels in an answer field: none for a label that isn't offered, None where it says something else."""
    values = (field.value,) if isinstance(field.value, str) else field.value
    names: list[str] = []
    for value in values:
        text = plain(value).text.strip()
        if field.cut and not _unambiguous(menu, text):
            return ()
        label = match(text)
        whole = None if label else alone(menu, text)
        said = None if label or whole else _last([s for way in STATED for s in way(menu, text, match)], text)
        found = (label,) if label else whole.labels if whole else said.found.labels if said else None
        if found is None:
            return () if re.fullmatch(r"\W*\w{1,2}\W*", text) else None
        names.extend(found)
    return tuple(dict.fromkeys(names)) if names else None


def _unambiguous(menu: Labels, text: str) -> bool:
    """Whether a value that was cut off can only be this label."""
    longer = [
        label for label in menu.given if label.casefold().startswith(text.casefold()) and label != menu.named(text)
    ]
    return bool(text) and menu.named(text) is not None and not longer


def _silent_object(block: Block, prose: str) -> Reading:
    """The class of a structured reply that gives no answer."""
    field = block.answer
    if field is None:
        outcome = Outcome.EMPTY if block.cut else Outcome.UNPARSED
        return unanswered(outcome, "reasoning_only" if block.cut else "none", (block.start, block.end))
    if field.null:
        return unanswered(Outcome.ABSTAINED, "structured", (field.start, field.end))
    value = field.value if isinstance(field.value, str) else ", ".join(field.value)
    outcome, told, _ = silence(value) if value.strip() else (Outcome.UNPARSED, "none", None)
    return unanswered(outcome, told, (field.start, field.end))
