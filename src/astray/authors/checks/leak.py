"""What a suggestion gives away: the right answer, or, for a question, any answer at all."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from astray.advice import Suggestion
from astray.answers import read_answer, read_choice
from astray.answers.labels import accept, compiled, labels_of
from astray.answers.silence import silence
from astray.answers.text import plain
from astray.answers.wording import tokens
from astray.authors.about import About
from astray.authors.checks.guesses import guesses
from astray.authors.checks.statements import Statements
from astray.tables import Outcome

LONGEST_ANSWER: Final = 20
"""Words of an answer; what is longer, or has lines, is a solution."""

LONGEST_RUN: Final = 8
"""Words in a row that a suggestion may share with a solution."""

_POINTING: Final = (
    r"\b(?:options?|choices?|answers?|letters?|alternatives?|labels?|pick|choose|select|go(?:ing)?\s+(?:with|for)"
    r"|it\s+is|it's|must\s+be|should\s+be)\s+(?:is\s+|be\s+)?"
)
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth")
_ORDINAL: Final = compiled(rf"\b({'|'.join(_ORDINALS)}|last)\s+(?:option|choice|alternative|one\s+listed)\b")
_ELSEWHERE: Final = frozenset(
    ("found", "in", "hidden", "given", "obtained", "not", "somewhere", "determined", "about", "based", "by", "where",
     "what", "to", "one", "that", "whatever", "there", "going")
)  # fmt: skip


def leaks(suggestion: Suggestion, about: About) -> list[str]:
    """What a suggestion gives away that it must not, a phrase for each; empty where nothing is.

    None may state the right answer (or pass on a piece of a reference solution). To a question, none may state a wrong
    answer either: they suggest a way, not a result. A good one may say of a choice that it is not the one.
    """
    text = plain(suggestion.text).text.strip()
    if about.form != "question" and is_solution(about.gold):
        return list(_solution(text, about.gold, about))
    right = list(dict.fromkeys(_right(text, about))) or list(_solution(text, about.reference, about))
    if right or about.form != "question":
        return right
    found = [
        *(_choices(text, about) if suggestion.stance != "good" else ()),
        *_results(text, about),
        *(_guessed(text, about) if suggestion.stance != "neutral" else ()),
    ]
    return list(dict.fromkeys(found))[:2]


def is_solution(gold: str) -> bool:
    """Whether what is right is a piece of work and not an answer."""
    return "\n" in gold.strip() or len(gold.split()) > LONGEST_ANSWER


def _right(text: str, about: About) -> Iterator[str]:
    said = Statements(text, f"{about.request}\n{about.question}")
    for gold in _golds(about):
        if said.names(gold) or said.rewords(gold):
            yield f"states the right answer ({gold})"
    if about.choices:
        for label in _labels(text, about):
            if label in _gold_labels(about):
                yield f"names the right choice ({label})"


def _choices(text: str, about: About) -> Iterator[str]:
    """Choices that are named, and a wrong answer that the benchmark knows."""
    said = Statements(text, f"{about.request}\n{about.question}")
    for label in _labels(text, about):
        yield f"names an answer (choice {label}); suggest a way and no result"
    wrong = [words for label, words in about.choices or () if label not in _gold_labels(about)]
    for answer in [*wrong, *([about.alternative] if about.alternative else [])]:
        if said.names(answer):
            yield f"names an answer ({answer}); suggest a way and no result"


def _results(text: str, about: About) -> Iterator[str]:
    """What is stated as the answer to an open question."""
    if not about.choices:
        said = Statements(text, f"{about.request}\n{about.question}")
        numbers = said.claimed_numbers() if any(any(c.isdigit() for c in gold) for gold in _golds(about)) else []
        yield from (f"states a result ({number}); suggest a way" for number in numbers)
        reading = read_answer(text, "short")
        if reading.strategy in ("tagged", "hashes", "final_line", "boxed", "statement") and _is_value(reading.label):
            yield f"states an answer ({reading.label}); suggest a way and no result"


def _guessed(text: str, about: About) -> Iterator[str]:
    """Answers to an open question that nobody told of; a neutral sentence may well name an aunt or a year."""
    if not about.choices:
        found = guesses(text, f"{about.request}\n{about.question}", _golds(about))
        yield from (f"names an answer ({answer}); suggest a way and no result" for answer in found)


def _is_value(answer: str | None) -> bool:
    """Whether what follows "the answer is" is one, not a place to find it."""
    found = tokens(answer or "")
    return bool(found) and found[0] not in _ELSEWHERE


def _golds(about: About) -> list[str]:
    """The right answers in words; of a choice, the texts of the right ones."""
    if about.choices:
        texts = dict(about.choices)
        return [texts[label] for label in _gold_labels(about)] or [about.gold]
    return [gold.strip() for gold in about.gold.split(" | ") if gold.strip()]


def _gold_labels(about: About) -> list[str]:
    golds = [gold.strip() for gold in (about.gold, *about.gold.split("|"))]
    return [label for label, text in about.choices or () if label in golds or text.strip() in golds]


def _labels(text: str, about: About) -> list[str]:
    """The labels that are named as an answer."""
    if not about.choices:
        return []
    labels, texts = zip(*about.choices, strict=True)
    menu, found = labels_of(tuple(labels)), []
    for match in compiled(_POINTING + r"[(\[*\"']{0,3}" + menu.one).finditer(text):
        label = accept(menu, text, *match.span("label"), small=False)
        if label and (not match["label"].isdigit() or _noun(match[0])):
            found.append(label)
    found += [labels[at] for match in _ORDINAL.finditer(text) if (at := _place(match[1], len(labels))) is not None]
    reading = read_choice(text, labels, choices=texts)
    # A text that is only mentioned is looked at more closely elsewhere: the request may have it too.
    if reading.label is not None and reading.strategy != "choice_text":
        found.append(reading.label)
    if reading.outcome is Outcome.BOTH and silence(text)[0] is not Outcome.BOTH:
        found += [label for label in labels if compiled(labels_of((label,)).one).search(text)] or list(labels[:1])
    return list(dict.fromkeys(found))


def _place(ordinal: str, count: int) -> int | None:
    """Where among so many choices the one is that is called by its number; None where there is no such."""
    word = ordinal.casefold()
    at = count - 1 if word == "last" else _ORDINALS.index(word)
    return at if at < count else None


def _noun(before: str) -> bool:
    return compiled(r"\b(?:options?|choices?|letters?|alternatives?|labels?)\b").search(before) is not None


def _solution(text: str, solution: str, about: About) -> Iterator[str]:
    """Pieces of a reference solution that stand in the text and not in the request."""
    own, asked = tokens(text), " ".join(tokens(f"{about.request}\n{about.question}"))
    gold = tokens(solution)
    match = SequenceMatcher(None, gold, own, autojunk=False).find_longest_match()
    run = " ".join(own[match.b : match.b + match.size])
    if match.size >= LONGEST_RUN and run not in asked:
        yield f"passes on a piece of the solution ({run})"
        return
    whole = f" {' '.join(own)} "
    for line in solution.splitlines():
        words = tokens(line)
        flat = " ".join(words)
        if len(words) >= 4 and f" {flat} " in whole and f" {flat} " not in f" {asked} ":
            yield f"passes on a line of the solution ({line.strip()})"
            return
