"""What rules can check of a suggestion: its form, what it gives away, whether its words are its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from astray.advice import RULE, Check, Suggestion
from astray.authors.about import About
from astray.authors.checks.form import form_faults
from astray.authors.checks.leak import leaks
from astray.authors.checks.own_words import copied_share, shared_words
from astray.authors.replies import examples_said

MOST_SHARED: Final = 1
"""So many words may a neutral sentence share with the request."""

MOST_COPIED: Final = 0.7
"""Above this share of words taken over from the request in runs, a suggestion is the request once more."""


def check_by_rules(suggestion: Suggestion, about: About) -> tuple[Check, ...]:
    """What can be told without a call: ``form``, ``leak``, ``own-words``, and of a neutral sentence ``off-topic``.

    Of a failed check the note says what is wrong.
    """
    made = (
        _check("form", form_faults(suggestion.text, about.form)),
        _leak(suggestion, about),
        _check("own-words", _copied(suggestion.text, about.request)),
    )
    return (*made, _check("off-topic", _on_topic(suggestion.text, about))) if suggestion.stance == "neutral" else made


def failed(checks: Iterable[Check]) -> list[str]:
    """The failed checks as ``name: note``: what an author has to do better; empty where none failed."""
    return [f"{one.name}: {one.note}" if one.note else one.name for one in checks if one.result == "failed"]


def _check(name: str, faults: list[str]) -> Check:
    return Check(name=name, result="failed" if faults else "passed", by=RULE, note="; ".join(faults))


def _leak(suggestion: Suggestion, about: About) -> Check:
    if not about.gold.strip():
        return Check(name="leak", result="unknown", by=RULE, note="the benchmark doesn't say what is right")
    return _check("leak", leaks(suggestion, about))


def _copied(text: str, request: str) -> list[str]:
    share = copied_share(text, request)
    if share > MOST_COPIED:
        return [f"repeats the request ({share:.0%} of its words in the same order); say something of its own"]
    if any(copied_share(text, example) > MOST_COPIED for example in examples_said()):
        return ["repeats the example of the instructions, which is about something else"]
    return []


def _on_topic(text: str, about: About) -> list[str]:
    """Words that a neutral sentence shares with what is asked; one may be chance."""
    asked = " ".join([about.question, *(choice for _, choice in about.choices or ())])
    common = shared_words(text, asked)
    return [f"speaks of the matter ({', '.join(common)}); say something that has nothing to do with it"] * (
        len(common) > MOST_SHARED
    )
