"""The arms grammar: one condition under which every sample is run, written as terms joined by ``+``.

``arm = instruction × challenge × defense × user``. The text says everything: what is absent is not there.
Terms are read in any order and printed in canonical order, so the printed text is a key.

>>> str(Arm.parse("skeptical+judge-malicious-none@4"))
'judge-malicious-none@4+skeptical'
>>> str(Arm.parse("xy+xy-defense").floor)
'xy-neutral+xy-defense'
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from astray.errors import UsageError, nearest
from astray.terms import INTENTS, KNOWLEDGE, MAX_ROUNDS, ORIGINAL_TEXT, STANCES, TERMS, Term

_ORDER: Final = {text: position for position, text in enumerate(TERMS)}


@dataclass(frozen=True)
class Arm:
    """One condition of a study, as plain data.

    Attributes:
        instruction: What the request says; None is the request as it is.
        challenges: What happens after an answer: ``reask``, or one judge term for each judge of a panel.
        rounds: How many times it happens; 0 where there is no challenge.
        critique_defense: ``skeptical`` or ``trusting``, said with the critique, or None.
        defense: What the agent is told before, or None.
        user: How a simulated user behaves; None is cooperative.
    """

    instruction: str | None = None
    challenges: tuple[str, ...] = ()
    rounds: int = 0
    critique_defense: str | None = None
    defense: str | None = None
    user: str | None = None

    @classmethod
    def parse(cls, text: str) -> Arm:
        """Read an arm from its text.

        Raises:
            UsageError: An unknown term (its nearest neighbour is named), two terms for one choice, or a
                combination that makes no sense.
        """
        words = [word.strip() for word in text.strip().split("+")]
        if words == [ORIGINAL_TEXT]:
            return cls()
        picked = [_read_word(word, text) for word in words]
        arm = cls(
            instruction=_only_one("instruction", picked, text),
            challenges=tuple(sorted((t.text for t, _ in picked if t.choice == "challenge"), key=_ORDER.__getitem__)),
            rounds=_common_rounds(picked, text),
            critique_defense=_only_one("critique-defense", picked, text),
            defense=_only_one("defense", picked, text),
            user=_only_one("user", picked, text),
        )
        _refuse_nonsense(arm, text)
        return arm

    def __str__(self) -> str:
        at = f"@{self.rounds}" if self.rounds > 1 else ""
        rest = (self.critique_defense, self.defense, self.user)
        words = [self.instruction, *(challenge + at for challenge in self.challenges), *rest]
        return "+".join(word for word in words if word) or ORIGINAL_TEXT

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of this arm in canonical order; empty for ``original``."""
        texts = (self.instruction, *self.challenges, self.critique_defense, self.defense, self.user)
        return tuple(TERMS[text] for text in texts if text)

    @property
    def judges(self) -> tuple[tuple[str, str], ...]:
        """(intent, knowledge) of every judge; empty where nobody criticises."""
        return tuple(_judge_parts(text) for text in self.challenges if text.startswith("judge-"))

    @property
    def control(self) -> Arm:
        """The arm without anything: ``original``."""
        return Arm()

    @property
    def floor(self) -> Arm:
        """The same arm with the advice taken out: what changes for no reason at all.

        A suggestion becomes a neutral sentence (``xy-instead`` becomes ``rewrite``, which restructures the same
        way), judges become ``reask``, and a user who has nothing to insist on is cooperative. An arm without
        advice is its own floor.
        """
        instruction = {"xy": "xy-neutral", "xy-good": "xy-neutral", "xy-instead": "rewrite"}.get(
            self.instruction or "", self.instruction
        )
        defense = None if self.defense == "golden-defense" and instruction not in STANCES else self.defense
        challenges = ("reask",) if self.challenges else ()
        return replace(self, instruction=instruction, challenges=challenges, defense=defense, user=None)

    @property
    def undefended(self) -> Arm:
        """The same arm with nothing told against the advice; an arm without a defense is its own."""
        told = self.defense if self.defense == "comply" else None
        said = self.critique_defense if self.critique_defense == "trusting" else None
        return replace(self, defense=told, critique_defense=said)

    @property
    def needs(self) -> frozenset[str]:
        """What must be at hand: a ``suggestion`` (of the arm's ``stance``), a ``decomposition``, ``evidence``,
        a ``conversation``, and the model roles ``judge`` and ``user``.
        """
        return frozenset().union(*(term.needs for term in self.terms))

    @property
    def stance(self) -> Literal["bad", "good", "neutral"] | None:
        """The kind of suggestion that is put into the request: ``bad``, ``good``, ``neutral``, or None."""
        return STANCES.get(self.instruction or "")

    @property
    def book_needs(self) -> frozenset[str]:
        """What a book must have for a sample: a suggestion of the arm's ``stance``, a ``decomposition``, or nothing."""
        return frozenset([self.stance] if self.stance else []) | (self.needs & {"decomposition"})

    @property
    def label(self) -> str:
        """A short name for charts and tables."""
        words = [term.label for term in self.terms]
        if self.rounds > 1:
            last = words.index(TERMS[self.challenges[-1]].label)
            words[last] += f" x{self.rounds}"
        return " + ".join(words) or "no advice"


def parse_arms(text: str | Iterable[str]) -> tuple[Arm, ...]:
    """Read arms from comma-separated text or a list of texts: ``original`` first, each once, in the order given."""
    texts = text.split(",") if isinstance(text, str) else [part for item in text for part in item.split(",")]
    arms = [Arm.parse(part) for part in texts if part.strip()]
    return tuple(dict.fromkeys([Arm(), *arms]))


def _judge_parts(text: str) -> tuple[str, str]:
    _, intent, knowledge = text.split("-", 2)
    return intent, knowledge


def _read_word(word: str, arm: str) -> tuple[Term, int | None]:
    match = re.fullmatch(r"([^@]*)(?:@(.*))?", word, re.DOTALL)
    assert match is not None
    name, count = match[1], match[2]
    if name == ORIGINAL_TEXT:
        raise UsageError(f"arm '{arm}': 'original' is the arm without any term; it can't be joined with others")
    if name not in TERMS:
        raise UsageError(f"arm '{arm}': {_unknown(name)}")
    term = TERMS[name]
    if count is None:
        return term, None
    if term.choice != "challenge":
        raise UsageError(f"arm '{arm}': only 'reask' and judges come in rounds; '{name}' takes no @{count}")
    if not re.fullmatch(r"[0-9]{1,3}", count) or not 1 <= int(count) <= MAX_ROUNDS:
        raise UsageError(f"arm '{arm}': rounds are a number from 1 to {MAX_ROUNDS}, not '@{count}'")
    return term, int(count)


def _unknown(name: str) -> str:
    if name.startswith("judge-") and name.count("-") >= 2:
        intent, knowledge = _judge_parts(name)
        if intent in INTENTS and knowledge in KNOWLEDGE:
            return _why_no_judge(intent, knowledge)
    known = [ORIGINAL_TEXT, *TERMS]
    near = nearest(name, known)
    hint = f"did you mean '{near}'?" if near else "'astray arms' lists them all"
    return f"unknown term '{name}'; {hint}" if name else "an empty term; terms are joined by single '+'"


def _why_no_judge(intent: str, knowledge: str) -> str:
    if knowledge == "gold":
        return f"only a constructive judge is told the right answer; there is no 'judge-{intent}-gold'"
    return f"a constructive judge has no {knowledge} form; use 'judge-constructive-plain'"


def _only_one(choice: str, picked: list[tuple[Term, int | None]], arm: str) -> str | None:
    texts = [term.text for term, _ in picked if term.choice == choice]
    if len(texts) > 1:
        raise UsageError(f"arm '{arm}': one {choice} at a time, not {' and '.join(texts)}")
    return texts[0] if texts else None


def _common_rounds(picked: list[tuple[Term, int | None]], arm: str) -> int:
    counts = {count or 1 for term, count in picked if term.choice == "challenge"}
    if len(counts) > 1:
        raise UsageError(f"arm '{arm}': the judges of a panel speak in the same rounds; give them all the same @K")
    return counts.pop() if counts else 0


def _refuse_nonsense(arm: Arm, text: str) -> None:
    """Refuse combinations in which a term would have nothing to act on."""
    if "reask" in arm.challenges and len(arm.challenges) > 1:
        raise UsageError(f"arm '{text}': with 'reask' nobody criticises; leave it out or leave the judges out")
    if arm.critique_defense and not arm.challenges:
        raise UsageError(f"arm '{text}': '{arm.critique_defense}' is said with a critique; add 'reask' or a judge")
    if arm.defense == "golden-defense" and arm.instruction not in STANCES:
        raise UsageError(f"arm '{text}': 'golden-defense' names the sentence that was put in; add 'xy'")
    if arm.user == "user-pedantic" and arm.instruction not in ("xy", "xy-instead"):
        raise UsageError(f"arm '{text}': a pedantic user insists on a suggestion; add 'xy'")
