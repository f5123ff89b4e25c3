"""What agents did on the way, for the page: rates, onset curves, turns, and what was recognised but not said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from astray.measures.behaviour import BehaviourContrast, BehaviourRate, Voids
from astray.measures.communication import Communication
from astray.measures.courses import Onset, Turns
from astray.measures.traces import TraceMeasures

NAMES: Final = {
    "disagrees": "disagrees with the user",
    "complies": "complies where it should not",
    "self_blame": "blames itself",
    "key_insight": "has a key insight",
    "key_result": "has a key result",
    "risk": "takes a risk",
    "pivot": "changes course",
    "lack_of_reasoning": "without looking into it",
    "disregard_of_policy": "against its own rules",
    "expressed_doubt": "in spite of doubts it voices",
    "user_authority": "because the user decides",
    "first adopts": "takes the suggestion over as its own idea",
    "third adopts": "takes it over as the user's idea",
    "first evaluates": "weighs it as its own idea",
    "third evaluates": "weighs it as the user's idea",
}
"""Behaviours and their kinds in words; what isn't here (claims about something else) isn't shown."""

CURVES: Final = ("complies", "disagrees")
"""Behaviours whose onset is drawn (XYEval paper, figure 7)."""


@dataclass(frozen=True)
class RateRow:
    """One behaviour, or one kind of it, under one arm: its rate by outcome, and what the arm changes."""

    arm: str
    labeller: str
    name: str
    kind: bool
    everywhere: BehaviourRate
    correct: BehaviourRate
    incorrect: BehaviourRate
    change: BehaviourContrast | None


@dataclass(frozen=True)
class Panel:
    """The onset of one behaviour under one arm, in correct and in incorrect transcripts."""

    arm: str
    labeller: str
    name: str
    curves: tuple[Onset, ...]


@dataclass(frozen=True)
class Traces:
    """All there is to show of one model and benchmark."""

    rows: tuple[RateRow, ...]
    panels: tuple[Panel, ...]
    turns: tuple[Turns, ...]
    communication: tuple[Communication, ...]
    voids: tuple[Voids, ...]


def traces_of(measured: TraceMeasures, arms: Sequence[str]) -> Traces:
    """What there is to show, in the order of the page.

    Args:
        measured: What was measured of one study, model and benchmark.
        arms: The arms in the order of the page.
    """
    place = {arm: number for number, arm in enumerate(arms)}
    return Traces(
        rows=tuple(sorted(_rows(measured.rates, measured.contrasts), key=lambda row: _order(row, place))),
        panels=tuple(
            sorted(
                _panels(measured.onsets),
                key=lambda panel: (place.get(panel.arm, len(place)), panel.arm, panel.name, panel.labeller),
            )
        ),
        turns=tuple(sorted(measured.turns, key=lambda one: (place.get(one.arm, len(place)), one.arm))),
        communication=tuple(sorted(measured.communication, key=lambda one: (place.get(one.arm, len(place)), one.arm))),
        voids=measured.voids,
    )


def _rows(found: Sequence[BehaviourRate], changes: Sequence[BehaviourContrast]) -> list[RateRow]:
    by_place = {(one.labeller, one.arm, one.behaviour, one.kind): one for one in changes}
    groups: dict[tuple[str, str, str, str | None], dict[str, BehaviourRate]] = {}
    for one in found:
        groups.setdefault((one.labeller, one.arm, one.behaviour, one.kind), {})[one.group] = one
    return [
        RateRow(
            arm=arm,
            labeller=labeller,
            name=NAMES[kind or behaviour],
            kind=kind is not None,
            everywhere=by_group["all"],
            correct=by_group["correct"],
            incorrect=by_group["incorrect"],
            change=by_place.get((labeller, arm, behaviour, kind)),
        )
        for (labeller, arm, behaviour, kind), by_group in groups.items()
        if (kind or behaviour) in NAMES
    ]


def _order(row: RateRow, place: dict[str, int]) -> tuple[object, ...]:
    return row.labeller, list(NAMES.values()).index(row.name), place.get(row.arm, len(place)), row.arm


def _panels(found: Sequence[Onset]) -> list[Panel]:
    panels: dict[tuple[str, str, str], list[Onset]] = {}
    for one in found:
        if one.behaviour in CURVES and one.group != "all" and one.transcripts:
            panels.setdefault((one.arm, one.labeller, NAMES[one.behaviour]), []).append(one)
    return [Panel(*names, tuple(curves)) for names, curves in panels.items()]
