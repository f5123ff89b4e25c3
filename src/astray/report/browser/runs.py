"""Conversations as the browser lists them: one for each sample, arm and epoch, those that flipped first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import pandas as pd

from astray.report.words import is_bad
from astray.tables import NO_ANSWER, VOID
from astray.terms import ORIGINAL_TEXT as ORIGINAL

_COLUMNS: Final = ("study", "model", "benchmark", "sample_id", "arm", "epoch", "round", "outcome", "answer")

Suite: TypeAlias = tuple[str, str, str]
"""Study, model, benchmark."""

Row: TypeAlias = tuple[int, str, str | None]
"""Round, outcome, answer."""

Key: TypeAlias = tuple[str, str, str, str, str, int]
"""Study, model, benchmark, sample, arm, epoch."""


@dataclass(frozen=True)
class Run:
    """One conversation.

    Attributes:
        suite: Study, model, benchmark.
        before: The answer under ``original``, where the arm has no answer of its own before the advice.
        rows: Its answers, rounds ascending.
        advised: Whether advice was shown: a suggestion, or a critique before one of the answers.
    """

    suite: Suite
    sample: str
    arm: str
    epoch: int
    before: Row | None
    rows: tuple[Row, ...]
    advised: bool

    @property
    def key(self) -> Key:
        """What its transcript is found by."""
        return (*self.suite, self.sample, self.arm, self.epoch)

    @property
    def flip(self) -> str:
        """``lost``: right before the advice, not after it; ``won``: the other way round; else nothing.

        Before the advice is R_0 of the same arm where a challenge follows, else ``original``; after it is the last
        round. Void on either side is no flip.
        """
        first = self.before or (self.rows[0] if len(self.rows) > 1 and self.rows[0][0] == 0 else None)
        last = self.rows[-1] if self.rows else None
        if first is None or last is None or first[1] in VOID or last[1] in VOID:
            return ""
        was, now = first[1] == "correct", last[1] == "correct"
        return "" if was == now else "lost" if was else "won"

    @property
    def trail(self) -> str:
        """Its answers at a glance: ✓ right, ✗ wrong, – none, ○ void, · no score; an arrow where advice came between."""
        own = "".join(sign(outcome) for _, outcome, _ in self.rows) or "·"
        return f"{sign(self.before[1])}→{own}" if self.before else own


def sign(outcome: str) -> str:
    """One answer as a sign."""
    if outcome == "correct":
        return "✓"
    return "○" if outcome in VOID else "–" if outcome in NO_ANSWER else "✗"


def collect(outcomes: pd.DataFrame, advised: set[Key], said: Collection[Key] = ()) -> list[Run]:
    """All conversations of a table of outcomes, and those that were said without any, in the order they are read in.

    Samples with an answer that bad advice turned wrong come first, then those with any other flip, then the rest; all
    conversations on a sample stand together, in the order of the arms.
    """
    grouped: dict[Key, list[Spoken]] = {**_grouped(outcomes)}
    for key in said:
        grouped.setdefault(key, [])
    runs = [
        Run(
            suite=key[:3],
            sample=key[3],
            arm=key[4],
            epoch=key[5],
            before=_before(key, rows, grouped),
            rows=tuple((number, outcome, answer) for number, outcome, answer, _ in rows),
            advised=key in advised or any(spoke for *_, spoke in rows),
        )
        for key, rows in grouped.items()
    ]
    return _ordered(runs)


Spoken: TypeAlias = tuple[int, str, str | None, bool]


def _grouped(outcomes: pd.DataFrame) -> dict[Key, list[Spoken]]:
    grouped: dict[Key, list[Spoken]] = defaultdict(list)
    columns = [outcomes[name].tolist() for name in (*_COLUMNS, "judge_spoke")]
    for study, model, benchmark, sample, arm, epoch, number, outcome, answer, spoke in zip(*columns, strict=True):
        key = (str(study), str(model), str(benchmark), str(sample), str(arm), int(epoch))
        grouped[key].append((int(number), str(outcome), None if answer is None else str(answer), spoke is True))
    for rows in grouped.values():
        rows.sort(key=lambda row: row[0])
    return grouped


def _before(key: Key, rows: Sequence[Spoken], grouped: Mapping[Key, Sequence[Spoken]]) -> Row | None:
    if key[4] == ORIGINAL or (len(rows) > 1 and rows[0][0] == 0):
        return None
    plain = grouped.get((*key[:4], ORIGINAL, key[5])) if rows else None
    return plain[0][:3] if plain else None


def _ordered(runs: Iterable[Run]) -> list[Run]:
    interest: dict[tuple[str, str, str], int] = defaultdict(int)
    found = list(runs)
    bad = {arm: is_bad(arm) for arm in {run.arm for run in found}}
    arms = {arm: place for place, arm in enumerate(dict.fromkeys(run.arm for run in found))}
    arms = {ORIGINAL: -1, **{arm: place for arm, place in arms.items() if arm != ORIGINAL}}
    for run in found:
        place = (run.suite[0], run.suite[2], run.sample)
        worth = 2 if run.flip == "lost" and bad[run.arm] else 1 if run.flip else 0
        interest[place] = max(interest[place], worth)
    suites = {suite: place for place, suite in enumerate(dict.fromkeys(run.suite for run in found))}

    def order(run: Run) -> tuple[Any, ...]:
        place = (run.suite[0], run.suite[2], run.sample)
        return -interest[place], place, suites[run.suite], arms[run.arm], run.epoch

    return sorted(found, key=order)
