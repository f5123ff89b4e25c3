"""What a remark states: answers it names, not those it happens to mention, and numbers it gives as a result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

from astray.answers.quantities import lone, quantities
from astray.answers.text import words
from astray.answers.wording import tokens

SMALL: Final = 12
"""Whole numbers up to this one are in every other sentence: they count only where they are claimed as the answer."""

_EVERYWHERE: Final = frozenset(
    words(
        "yes no true false both neither all none one two three four five six seven eight nine ten eleven twelve zero"
        " always never same more less first second third other correct incorrect right wrong up down left not it"
    )
)
_FILLING: Final = frozenset(
    words("the a an of in on at to from by for with and or is are was were be it its they their that this as into")
)
_CLAUSE: Final = re.compile(r"[.,;:!?…]+[\"')\]]*(?=\s|$)|\n|\s[-–—]\s|—")
_COUNTED: Final = re.compile(r"\bhow many (?:more |other |different )?(\w+)")
_BE: Final = (
    r"(?:is|was|are|be|becomes?|(?:must|should|would|will|could|may|might|can only|has to|have to|ought to|going to) be"
    r"|(?:comes?|works?) (?:out )?(?:to|at|as)|equals?|gives?|makes?)"
)
_HEDGE: Final = (
    r"(?: (?:just|simply|probably|definitely|exactly|about|clearly|likely|only|really|surely|actually|around|roughly"
    r"|of course|obviously|certainly|then))*"
)
_CLAIM: Final = re.compile(
    rf"(?:\b(?:answer|solution|result|total|sum|product|difference|outcome|it|this|that|which|right one) {_BE}"
    rf"|\b(?:number|count|amount|value|cost|price|chance|probability|year)(?: of(?: \w+){{1,3}})? {_BE}"
    r"|\b(?:its|thats|itll be|answer|answers|answer is that its|pick|choose|select|say|answer with|go with|going with"
    r"|go for|gets?|end up with|arrive at|i think|i guess|hence|thus|therefore|so)|="
    rf"){_HEDGE}(?: (?:choice|option|answer|letter))?$"
)
_COMPUTED: Final = re.compile(
    r"\b(?:giv(?:es|ing)|yield(?:s|ing)?|produc(?:es|ing)|mak(?:es?|ing)|reach(?:es|ing)?|leav(?:es|ing)|total(?:s|l?ing)"
    r"|(?:work(?:s|ing)? out|com(?:es?|ing)(?: out)?) (?:to(?: be)?|at|as)|\d+ (?:is|are|be)"
    r"|(?:add(?:s|ing)? up|amount(?:s|ing)?|sum(?:s|ming)?) to|result(?:s|ing) in"
    rf"|(?:for|makes|making) total of){_HEDGE}$"
)
_CONFIRMED: Final = re.compile(rf"{_BE} (?:right|correct|answer|right (?:answer|one)|best (?:answer|choice)|what)\b")
_REASON: Final = frozenset(words("because since as and so but for here then given if when"))
_GROUND: Final = frozenset(words("because since as so"))
_SCALED: Final = frozenset(words("times percent % of more less fewer fold larger smaller divided x per and or to"))


@dataclass(frozen=True)
class Statements:
    """A remark on a request, ready to be asked what it states.

    Attributes:
        text: The remark.
        asked: All that the request says: what stands there already gives nothing away.
    """

    text: str
    asked: str

    def names(self, answer: str) -> bool:
        """Whether an answer stands in the remark: claimed as the answer, or named where the request doesn't name it.

        Words and numbers that occur in any talk ("yes", "2") must be claimed.
        """
        wanted = tokens(answer)
        if not wanted:
            return False
        if self._claims(wanted) or self._has_number(answer):
            return True
        plain = len(wanted) == 1 and (wanted[0] in _EVERYWHERE or len(wanted[0]) == 1 or wanted[0].isdigit())
        return not plain and _has(self._tokens, wanted) and not _has(self._asked, wanted)

    def rewords(self, answer: str) -> bool:
        """Whether every telling word of an answer is there, in whatever order, and not all of them in the request."""
        wanted = {_stem(word) for word in tokens(answer)} - _FILLING
        own, asked = ({_stem(word) for word in found} for found in (self._tokens, self._asked))
        return len(wanted) >= 3 and wanted <= own and not wanted <= asked

    def claimed_numbers(self) -> list[str]:
        """Numbers that the remark gives as the result and that the request doesn't have."""
        return [written for value, written, claimed in self._numbers if claimed and value not in self._asked_numbers]

    @cached_property
    def _tokens(self) -> tuple[str, ...]:
        return tokens(self.text)

    @cached_property
    def _asked(self) -> tuple[str, ...]:
        return tokens(self.asked)

    @cached_property
    def _clauses(self) -> list[str]:
        return [clause for clause in _CLAUSE.split(self.text) if clause.strip()]

    @cached_property
    def _numbers(self) -> list[tuple[Fraction, str, bool]]:
        """(value, as written, whether it is claimed as the answer) of every number."""
        counted = {_stem(word) for word in _COUNTED.findall(self.asked.casefold())}
        found = []
        for clause in self._clauses:
            for q in quantities(clause):
                before, after = tokens(clause[: q.start]), tokens(clause[q.end :])
                new = q.value != 1 and q.value not in self._asked_numbers
                counts = new and bool(after) and _stem(after[0]) in counted
                claimed = counts or _claimed(before, after, 3) or _computed(before, after, q.value)
                found.append((q.value, clause[q.start : q.end].strip(), claimed))
        return found

    @cached_property
    def _asked_numbers(self) -> frozenset[Fraction]:
        return frozenset(quantity.value for quantity in quantities(self.asked))

    def _has_number(self, answer: str) -> bool:
        """Whether an answer that is a number is stated: claimed, or large or broken and not in the request."""
        alone = lone(answer)
        if alone is None or len(tokens(answer)) > 4:
            return False
        value = alone[0].value
        rare = value.denominator != 1 or abs(value) > SMALL
        shown = rare and value not in self._asked_numbers
        return any(found == value and (claimed or shown) for found, _, claimed in self._numbers)

    def _claims(self, wanted: tuple[str, ...]) -> bool:
        for clause in self._clauses:
            found = tokens(clause)
            for start in _places(found, wanted):
                if _claimed(found[:start], found[start + len(wanted) :], 0):
                    return True
        return False


def _claimed(before: tuple[str, ...], after: tuple[str, ...], unit: int) -> bool:
    """Whether what stands between these words is claimed as the answer; a unit of so many words may follow it."""
    if _CONFIRMED.match(" ".join(after[:4])):
        return True
    if not _CLAIM.search(" ".join(before[-10:])):
        return False
    if after and after[0] in _SCALED and after[0] not in _REASON:
        return False
    return len(after) <= unit or any(word in _REASON for word in after[: unit + 1])


def _computed(before: tuple[str, ...], after: tuple[str, ...], value: Fraction) -> bool:
    """Whether a number is what a computation comes to; a small one only where no word goes on ("making two groups")."""
    if not _COMPUTED.search(" ".join(before[-10:])):
        return False
    if not after or after[0] in _GROUND:
        return True
    rare = value.denominator != 1 or abs(value) > SMALL
    return rare and after[0] not in _SCALED and (len(after) <= 2 or any(word in _GROUND for word in after[:3]))


def _has(text: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return next(_places(text, wanted), None) is not None


def _places(text: tuple[str, ...], wanted: tuple[str, ...]) -> Iterator[int]:
    """Where a run of words stands, whatever its endings in the plural."""
    own, run = [_stem(word) for word in text], [_stem(word) for word in wanted]
    return (at for at in range(len(own) - len(run) + 1) if own[at : at + len(run)] == run)


def _stem(word: str) -> str:
    """A word without the ending of its plural, roughly."""
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses", "uses")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
