"""What was found is quoted: by the judge, or below what it says where it doesn't."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from astray import prompts
from astray.answers.text import words
from astray.evidence import Passage

RUN: Final = 5
"""Words in a row that a critique shares with a passage make a quote."""

MOST_QUOTED: Final = 600
"""Characters of a passage that are quoted."""


def with_evidence(critique: str, passages: Sequence[Passage]) -> str:
    """The critique, with the first passage and its source below it where it neither quotes nor names any.

    A judge that is told to quote and doesn't would be grounded in name alone (WAFER-QA paper, section 3.2).
    """
    if not passages or any(_cites(critique, passage) for passage in passages):
        return critique
    first = passages[0]
    text = first.text if len(first.text) <= MOST_QUOTED else f"{first.text[:MOST_QUOTED].rstrip()} …"
    return prompts.load("judges/quoted").fill(critique=critique, text=text, source=first.source)


def _cites(critique: str, passage: Passage) -> bool:
    if passage.source.casefold() in critique.casefold():
        return True
    return bool(_runs(critique) & _runs(passage.text))


def _runs(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return {found[at : at + RUN] for at in range(len(found) - RUN + 1)}
