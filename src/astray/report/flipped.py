"""The samples whose answer flipped: correct before the advice and not after it, or the other way round."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any, Final, TypeAlias

import pandas as pd

from astray.report.conversation import Step, conversation
from astray.report.load import Material
from astray.report.words import Suite, arm_label, is_bad
from astray.tables import VOID

MOST_SHOWN: Final = 200
"""Flipped samples that are shown of one model and benchmark."""

Rows: TypeAlias = list[dict[str, Any]]
Run: TypeAlias = tuple[str, str, int]
"""An arm's text, a sample and an epoch: what one conversation is about."""


@dataclass(frozen=True)
class Reading:
    """What was read from one answer: where it stands, its class, and the answer itself."""

    where: str
    outcome: str
    answer: str | None


@dataclass(frozen=True)
class Flip:
    """One sample that flipped under one arm.

    Attributes:
        lost: True for right to wrong, False for wrong to right.
        readings: Every answer, first the one before the advice.
        steps: The conversation under the arm.
        plain: The conversation without advice, where that was another run.
    """

    arm: str
    label: str
    bad: bool
    sample_id: str
    epoch: int
    lost: bool
    question: str | None
    choices: tuple[tuple[str, str], ...]
    gold: str | None
    readings: tuple[Reading, ...]
    steps: tuple[Step, ...]
    plain: tuple[Step, ...]


@dataclass(frozen=True)
class Flips:
    """The flips that are shown, and how many there are by (arm, lost)."""

    shown: tuple[Flip, ...]
    counts: Mapping[tuple[str, bool], int]

    @property
    def total(self) -> int:
        """How many there are."""
        return sum(self.counts.values())

    @property
    def arms(self) -> tuple[str, ...]:
        """Arms with a flip, in order."""
        return tuple(dict.fromkeys(arm for arm, _ in self.counts))


def flipped(suite: Suite, material: Material) -> Flips:
    """Flipped samples of a suite.

    Before the advice is R_0 of the same arm where a challenge follows, else ``original``, as in the measures; after
    it is the arm's last round. Where there are too many to show, every arm shows its share.
    """
    runs = _runs(_of(material.outcomes, suite))
    found: dict[str, list[tuple[Run, Rows, bool]]] = defaultdict(list)
    counts: dict[tuple[str, bool], int] = {}
    for run, rounds in runs.items():
        before = _before(run, rounds, runs)
        if before and (lost := _direction(before, rounds[-1])) is not None:
            found[run[0]].append((run, [before, *[row for row in rounds if row is not before]], lost))
    for arm in suite.arms:
        for _, _, lost in found[arm]:
            counts[arm, lost] = counts.get((arm, lost), 0) + 1
        found[arm].sort(key=lambda item: (not item[2], item[0]))
    picked = _fair([found[arm] for arm in suite.arms], MOST_SHOWN)
    picked.sort(key=lambda item: (suite.arms.index(item[0][0]), not item[2], item[0]))
    return Flips(tuple(_views(picked, suite, material)), counts)


def _of(frame: pd.DataFrame, suite: Suite) -> pd.DataFrame:
    keep = (frame["study"] == suite.study) & (frame["benchmark"] == suite.benchmark)
    return frame[keep & (frame["model"] == suite.model)] if "model" in frame.columns else frame[keep]


def _runs(outcomes: pd.DataFrame) -> dict[Run, Rows]:
    runs: dict[Run, Rows] = defaultdict(list)
    columns = ["arm", "sample_id", "epoch", "round", "outcome", "answer"]
    for values in outcomes[columns].itertuples(index=False, name=None):
        row = dict(zip(columns, values, strict=True))
        runs[str(row["arm"]), str(row["sample_id"]), int(row["epoch"])].append(row)
    return {run: sorted(rows, key=lambda row: int(row["round"])) for run, rows in runs.items()}


def _before(run: Run, rounds: Rows, runs: Mapping[Run, Rows]) -> dict[str, Any] | None:
    arm, sample, epoch = run
    if arm == "original":
        return None
    if len(rounds) > 1 and rounds[0]["round"] == 0:
        return rounds[0]
    plain = runs.get(("original", sample, epoch))
    return plain[0] if plain else None


def _direction(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool | None:
    """True for lost, False for won, None for no flip."""
    if before["outcome"] in VOID or after["outcome"] in VOID:
        return None
    was, now = before["outcome"] == "correct", after["outcome"] == "correct"
    return None if was == now else was


def _fair(queues: Sequence[list[tuple[Run, Rows, bool]]], most: int) -> list[tuple[Run, Rows, bool]]:
    """The first of each queue, then the second of each, and so on."""
    turns = chain.from_iterable(zip_longest(*queues))
    return [item for item in turns if item is not None][:most]


def _views(picked: Sequence[tuple[Run, Rows, bool]], suite: Suite, material: Material) -> Iterable[Flip]:
    samples = {str(row["sample_id"]): row for row in _of(material.samples, suite).to_dict("records")}
    wanted = {run for run, _, _ in picked} | {("original", sample, epoch) for (_, sample, epoch), _, _ in picked}
    said = _said(_of(material.transcripts, suite), wanted)
    for run, rows, lost in picked:
        arm, sample, epoch = run
        sheet = samples.get(sample, {})
        other = rows[0]["arm"] != arm
        yield Flip(
            *(arm, arm_label(arm), is_bad(arm), sample, epoch, lost),
            question=sheet.get("question"),
            choices=_choices(sheet.get("choices")),
            gold=sheet.get("gold"),
            readings=tuple(_reading(row, other=other and row is rows[0]) for row in rows),
            steps=conversation(said.get(run, [])),
            plain=conversation(said.get(("original", sample, epoch), [])) if other else (),
        )


def _said(transcripts: pd.DataFrame, wanted: set[Run]) -> dict[Run, Rows]:
    said: dict[Run, Rows] = defaultdict(list)
    some = transcripts[transcripts["sample_id"].isin({sample for _, sample, _ in wanted})]
    for row in some.to_dict("records"):
        run = str(row["arm"]), str(row["sample_id"]), int(row["epoch"])
        if run in wanted:
            said[run].append({str(key): value for key, value in row.items()})
    return said


def _reading(row: Mapping[str, Any], *, other: bool) -> Reading:
    return Reading("without advice" if other else f"R{row['round']}", str(row["outcome"]), row["answer"])


def _choices(text: str | None) -> tuple[tuple[str, str], ...]:
    try:
        return tuple((str(label), str(choice)) for label, choice in json.loads(text or "[]"))
    except (ValueError, TypeError):
        return ()
