"""The answer of a study in sentences: what the advice did, and how sure that is."""

from __future__ import annotations

from typing import Final

from astray.arm import Arm
from astray.errors import UsageError
from astray.measures import Cell, Difference, Estimate
from astray.report.words import Suite, arm_label, is_bad, number, p_text, percent, signed, spread

_JUDGES: Final = {
    "constructive": "a judge that means to help",
    "hypercritical": "a judge that always objects",
    "malicious": "a judge that objects to right answers",
}
_INSTRUCTIONS: Final = {
    "xy": "bad advice in the request",
    "xy-instead": "bad advice in place of the user's own direction",
    "xy-good": "good advice in the request",
    "xy-neutral": "a neutral remark in the request",
    "described": "the bare description as the request",
    "rewrite": "the request rewritten",
}
_TOLD: Final = {
    "skeptical": "told to be skeptical",
    "trusting": "told to trust it",
    "xy-defense": "warned of bad advice",
    "golden-defense": "warned of that very sentence",
    "pedantic-defense": "told how to meet an insisting user",
    "acknowledge": "told to name all valid answers",
    "comply": "told to do as the user says",
}
_LEVEL: Final = 0.05
"""Below this p, as tables show it, a change is called one."""


def findings(suite: Suite) -> tuple[str, ...]:
    """The answer of a study in sentences: what bad advice in the request did, then what a judge did.

    For each kind the arm that comes first in the study speaks, in its last round: the choice doesn't depend on
    the results. Where its floor alone changes accuracy clearly, that is said too.
    """
    tested = [cell for cell in suite.cells if cell.last and cell.against_original is not None]
    asked = next((cell for cell in tested if is_bad(cell.arm) and not _rounds(cell.arm)), None)
    judged = next((cell for cell in tested if is_bad(cell.arm) and _rounds(cell.arm)), None)
    chosen = [cell for cell in (asked, judged) if cell] or tested[:1]
    if not chosen:
        return (_alone(suite),)
    pairs = [(_finding(cell, cell.against_original), _floor(cell, suite)) for cell in chosen if cell.against_original]
    return tuple(sentence for pair in pairs for sentence in pair if sentence)


def _finding(cell: Cell, drop: Difference) -> str:
    start = _condition(cell.arm)
    if drop.before is None or drop.after is None or drop.points.value is None:
        return f"{start}: nothing can be said, since no sample has an outcome both with and without it."
    before, after, points = 100 * drop.before, 100 * drop.after, drop.points.value
    digits = 0 if round(after) - round(before) == round(points) else 1
    verb = "went" if not _clear(drop) else "fell" if points < 0 else "rose"
    change = f"accuracy {verb} from {number(before, digits)}% to {number(after, digits)}%"
    if points == 0:
        change = f"accuracy stayed at {number(after, digits)}%"
    interval = f"95% interval {spread(drop.points, factor=1, sign=True, joint=' to ')}, n = {drop.n}"
    return f"{start}, {change}: {signed(points, digits)} points ({interval}).{_doubt(drop)}"


def _floor(cell: Cell, suite: Suite) -> str | None:
    """What the arm does beyond its floor, where the floor alone does something."""
    beyond = cell.against_floor
    if beyond is None or beyond.points.value is None:
        return None
    place = beyond.reference, beyond.reference_round
    alone = next((one.against_original for one in suite.cells if (one.arm, one.round) == place), None)
    if alone is None or not _clear(alone):
        return None
    return (
        f"{_condition(beyond.reference)}, accuracy changed by {_change(alone.points)} already, with none of that "
        f"advice; beyond this floor the change is {_change(beyond.points)}."
    )


def _alone(suite: Suite) -> str:
    if not suite.cells:
        return "Transcripts without a score: nothing can be said of accuracy."
    cell = suite.original or (suite.cells[0] if suite.cells else None)
    if cell is None or cell.accuracy.value is None:
        return "There is nothing to report: no outcome that isn't void."
    rate, interval = percent(cell.accuracy.value), spread(cell.accuracy, joint=" to ")
    return f"Nothing was compared. {arm_label(cell.arm)}: accuracy {rate} (95% interval {interval}%, n = {cell.n})."


def _condition(text: str) -> str:
    """How a sentence about the arm begins."""
    try:
        arm = Arm.parse(text)
    except UsageError:
        return f"Under “{text}”"
    words = [_INSTRUCTIONS[arm.instruction]] if arm.instruction else []
    words += [_JUDGES[intent] for intent, _ in arm.judges]
    words += [f"the agent {_TOLD.get(term, f'under {term}')}" for term in (arm.critique_defense, arm.defense) if term]
    words += ["a user who insists"] if arm.user else []
    rounds = f"After {arm.rounds} round{'s' if arm.rounds != 1 else ''} "
    if arm.challenges == ("reask",):
        return rounds + "of being asked again" + (f", with {' and '.join(words)}" if words else "")
    return (rounds + "with " if arm.rounds else "With ") + " and ".join(words)


def _change(points: Estimate) -> str:
    return f"{signed(points.value)} points ({spread(points, factor=1, sign=True, joint=' to ')})"


def _doubt(drop: Difference) -> str:
    """What stands against calling it a change: with few samples an interval may promise more than an exact test."""
    if _clear(drop):
        return ""
    if _beyond_zero(drop.points):
        return f" The paired test leaves room for chance (p = {p_text(_p(drop))})."
    return " These samples can't tell that from no change."


def _clear(drop: Difference) -> bool:
    return _beyond_zero(drop.points) and _p(drop) < _LEVEL


def _beyond_zero(points: Estimate) -> bool:
    return (points.high or 0.0) < 0 or (points.low or 0.0) > 0


def _p(drop: Difference) -> float:
    """As tables show it: corrected where it is one of several."""
    found = drop.p_holm if drop.p_holm is not None else drop.p_value
    return 1.0 if found is None else found


def _rounds(arm: str) -> int:
    """Rounds of an arm; 0 where it isn't of this grammar."""
    try:
        return Arm.parse(arm).rounds
    except UsageError:
        return 0
