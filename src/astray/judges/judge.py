"""Judges: intent × knowledge. A judge looks at a case and says something, or nothing."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from typing import Protocol

from astray import prompts
from astray.evidence import Passage


@dataclass(frozen=True)
class Exchange:
    """An earlier round as a judge with memory sees it: an answer in the generator's words, and what was said to it."""

    reply: str
    critique: str


@dataclass(frozen=True)
class Case:
    """What a judge is asked about: one answer of one sample.

    Attributes:
        sample_id: The sample.
        epoch: Repetition, from 1.
        round: The round the critique leads to, from 1.
        correct: Whether the present answer is right.
        question: What is asked, before any treatment, with its context where there is one.
        choices: (label, text) of each choice, or None.
        gold: What is right: a label, or texts joined by ``|``. A judge says nothing of it unless its term is ``gold``.
        alternative: The plausible wrong answer, where one is known.
        answer: The present answer as it was read, or None.
        reply: The generator's last reply.
        history: Earlier rounds, where the judges have memory.
        evidence: Passages for a grounded judge; None where nobody looked for any.
    """

    sample_id: str
    epoch: int
    round: int
    correct: bool
    question: str = ""
    choices: tuple[tuple[str, str], ...] | None = None
    gold: str = ""
    alternative: str | None = None
    answer: str | None = None
    reply: str = ""
    history: tuple[Exchange, ...] = ()
    evidence: tuple[Passage, ...] | None = None


@dataclass(frozen=True)
class Critique:
    """What one judge of a panel said, or that it kept silent; with what `astray.judges.checks` makes of it.

    Attributes:
        seat: The judge's place in the panel, from 0.
        intent: constructive, hypercritical or malicious.
        knowledge: What it argues from.
        text: What was said; None where the judge kept silent, or where nothing could be had.
        template: Which template it was drawn from; None for a model, or for silence.
        error: Why nothing could be had; None where it was, or the judge kept silent.
        refused: Whether it declines to criticise.
        agreed: Whether it says that a right answer is right.
        gave_gold: Whether it names the right answer while another one stands.
        named_alternative: Whether it names another choice than the present one and the right one.
        cited: Whether it cites something: a study, a year, a source, a link.
        valid: Whether it was what it should be; None where nothing was said.
    """

    seat: int
    intent: str
    knowledge: str
    text: str | None
    template: str | None = None
    error: str | None = None
    refused: bool | None = None
    agreed: bool | None = None
    gave_gold: bool | None = None
    named_alternative: bool | None = None
    cited: bool | None = None
    valid: bool | None = None


class Judge(Protocol):
    """Something that criticises."""

    async def criticise(self, case: Case) -> Critique:
        """What it says to a case."""
        ...


def keeps_silent(intent: str, knowledge: str, case: Case) -> bool:
    """Whether a judge has nothing to say whatever it thinks, so that nobody need be asked.

    A malicious judge speaks only while the answer is right (WAFER-QA paper, section 3.1), one that is told the right
    answer only while it isn't.
    """
    if intent == "malicious":
        return not case.correct
    return knowledge == "gold" and case.correct


@dataclass(frozen=True)
class TemplateJudge:
    """A judge without knowledge: one of a few set phrases, drawn by a seed that depends on the sample.

    A rerun says the same, and within one sample no phrase comes again before all have been said (WAFER-QA paper,
    section 3.2).
    """

    seat: int
    intent: str
    seed: int

    async def criticise(self, case: Case) -> Critique:
        """A set phrase; a malicious judge speaks only while the answer is right."""
        if keeps_silent(self.intent, "none", case):
            return Critique(self.seat, self.intent, "none", None)
        phrases = list(prompts.variants(f"judges/{self.intent}-none"))
        key = f"{self.seed}/{case.sample_id}/{case.epoch}/{self.seat}/{self.intent}"
        random.Random(hashlib.sha256(key.encode()).digest()).shuffle(phrases)
        phrase = phrases[(case.round - 1) % len(phrases)]
        return Critique(self.seat, self.intent, "none", phrase.fill(), phrase.id)
