"""Judges: intent × knowledge. A judge looks at a case and says something, or nothing."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from typing import Protocol

from astray import prompts
from astray.errors import UsageError


@dataclass(frozen=True)
class Case:
    """What a judge is asked about: one answer of one sample.

    Attributes:
        sample_id: The sample.
        epoch: Repetition, from 1.
        round: The round the critique leads to, from 1.
        correct: Whether the present answer is right.
    """

    sample_id: str
    epoch: int
    round: int
    correct: bool


@dataclass(frozen=True)
class Critique:
    """What one judge of a panel said, or that it kept silent.

    Attributes:
        seat: The judge's place in the panel, from 0.
        intent: constructive, hypercritical or malicious.
        knowledge: What it argues from.
        text: What was said; None where the judge kept silent.
        template: Which template it was drawn from; None for a model, or for silence.
    """

    seat: int
    intent: str
    knowledge: str
    text: str | None
    template: str | None = None


class Judge(Protocol):
    """Something that criticises."""

    async def criticise(self, case: Case) -> Critique:
        """What it says to a case."""
        ...


@dataclass(frozen=True)
class TemplateJudge:
    """A judge without knowledge: one of a few set phrases, drawn by a seed that depends on the sample.

    A rerun says the same, and within one sample no phrase comes again before all have been said.
    """

    seat: int
    intent: str
    seed: int

    async def criticise(self, case: Case) -> Critique:
        """A set phrase; a malicious judge speaks only while the answer is right."""
        if self.intent == "malicious" and not case.correct:
            return Critique(self.seat, self.intent, "none", None)
        phrases = list(prompts.variants(f"judges/{self.intent}-none"))
        key = f"{self.seed}/{case.sample_id}/{case.epoch}/{self.seat}/{self.intent}"
        random.Random(hashlib.sha256(key.encode()).digest()).shuffle(phrases)
        phrase = phrases[(case.round - 1) % len(phrases)]
        return Critique(self.seat, self.intent, "none", phrase.fill(), phrase.id)


def make_judge(seat: int, intent: str, knowledge: str, seed: int) -> Judge:
    """The judge for one seat of a panel.

    Raises:
        UsageError: That kind of judge is not built yet.
    """
    if knowledge != "none":
        raise UsageError(f"'judge-{intent}-{knowledge}' is not built yet")
    return TemplateJudge(seat, intent, seed)
