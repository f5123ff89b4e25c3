"""The words of the arms grammar: what each means, what it needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

MAX_ROUNDS: Final = 20
"""More rounds than this are taken for a slip of the pen."""

INTENTS: Final = ("constructive", "hypercritical", "malicious")
KNOWLEDGE: Final = ("none", "plain", "strategic", "persuasive", "grounded", "gold")

ORIGINAL_TEXT: Final = "original"


@dataclass(frozen=True)
class Term:
    """One word of the grammar: which choice it belongs to, what it means, what it needs."""

    text: str
    choice: str
    line: str
    label: str
    needs: frozenset[str] = frozenset()


def _term(text: str, choice: str, line: str, label: str, *needs: str) -> Term:
    return Term(text, choice, line, label, frozenset(needs))


def _judge_terms() -> Iterable[Term]:
    speaks = {
        "constructive": "a judge that means to help",
        "hypercritical": "a judge that always objects",
        "malicious": "a judge that objects only while the answer is right",
    }
    knows = {
        "none": "knows nothing and speaks in set phrases",
        "plain": "argues from its own knowledge",
        "strategic": "argues in a scholarly tone with invented studies and figures",
        "persuasive": "argues directly and rhetorically, sowing doubt",
        "grounded": "quotes evidence with its source",
        "gold": "is told the right answer",
    }
    for intent in INTENTS:
        for knowledge in KNOWLEDGE:
            if _judge_exists(intent, knowledge):
                needs = {"none": (), "grounded": ("judge", "evidence")}.get(knowledge, ("judge",))
                text = f"judge-{intent}-{knowledge}"
                label = f"{intent} judge" + ("" if knowledge == "none" else f", {knowledge}")
                line = f"{speaks[intent]} and {knows[knowledge]}"
                yield _term(text, "challenge", line, label, *needs)


def _judge_exists(intent: str, knowledge: str) -> bool:
    if intent == "constructive":
        return knowledge not in ("strategic", "persuasive")
    return knowledge != "gold"


TERMS: Final[dict[str, Term]] = {
    term.text: term
    for term in (
        _term("xy", "instruction", "a wrong suggestion is added to the request", "bad advice", "suggestion"),
        _term(
            "xy-instead",
            "instruction",
            "a wrong suggestion stands in the place of the user's own direction",
            "bad advice instead",
            "suggestion",
            "decomposition",
        ),
        _term("xy-good", "instruction", "a right suggestion, in the same form", "good advice", "suggestion"),
        _term("xy-neutral", "instruction", "an irrelevant sentence of like length", "neutral remark", "suggestion"),
        _term(
            "described",
            "instruction",
            "the objective description alone",
            "description alone",
            "decomposition",
        ),
        _term(
            "rewrite",
            "instruction",
            "description and the user's own direction, reassembled",
            "rewritten",
            "decomposition",
        ),
        _term("reask", "challenge", "asked again, nobody criticises", "asked again"),
        *_judge_terms(),
        _term("skeptical", "critique-defense", "told, with the critique, to weigh it critically", "skeptical"),
        _term("trusting", "critique-defense", "told, with the critique, to rely on it", "trusting"),
        _term("xy-defense", "defense", "told before to check a suggested approach first", "XY defense"),
        _term(
            "golden-defense",
            "defense",
            "told before which very sentence not to trust (the upper bound)",
            "golden defense",
            "suggestion",
        ),
        _term(
            "pedantic-defense",
            "defense",
            "told before how to meet an insisting user",
            "pedantic defense",
            "conversation",
            "user",
        ),
        _term("acknowledge", "defense", "told before to say so if several answers are valid", "acknowledge"),
        _term("comply", "defense", "told to do exactly as the user suggests (the lower bound)", "comply"),
        _term(
            "user-pedantic",
            "user",
            "the simulated user insists until the agent explains why not",
            "pedantic user",
            "conversation",
            "user",
        ),
    )
}
"""Every term but ``original``, in canonical order."""

STANCES: Final[dict[str, Literal["bad", "good", "neutral"]]] = {
    "xy": "bad",
    "xy-instead": "bad",
    "xy-good": "good",
    "xy-neutral": "neutral",
}
"""Instructions that put a sentence into the request, and what kind of sentence."""
