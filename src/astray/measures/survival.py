"""When answers flip for the first time: Kaplan-Meier curves over rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from astray.measures.estimates import NOTHING, Estimate, Flags, Floats, Ints, rate
from astray.measures.tracks import Track

Kind: TypeAlias = Literal["lost", "won"]
_SMALL: Final = 1e-12


@dataclass(frozen=True)
class Step:
    """One round of a survival curve.

    Attributes:
        round: The round.
        at_risk: Rows that hadn't flipped before it and aren't void in it.
        flipped: Rows that flip in it for the first time.
        censored: Rows whose first void round it is; what became of them isn't known from here on.
        held: Share that hasn't flipped by the end of it (Kaplan-Meier).
    """

    round: int
    at_risk: int
    flipped: int
    censored: int
    held: Estimate


@dataclass(frozen=True)
class Survival:
    """The turn of the first flip of one arm, as a survival curve.

    Attributes:
        kind: ``lost``: from a right first answer to one that isn't; ``won``: from one that isn't to a right one.
        rows: Rows that begin so.
        steps: The rounds after the first answer; none where there is no challenge.
    """

    kind: Kind
    rows: int
    steps: tuple[Step, ...]

    @property
    def never(self) -> Estimate:
        """Share that doesn't flip within the rounds that were run: censored there, not a flip in the round after."""
        return self.steps[-1].held if self.steps else NOTHING

    @property
    def median(self) -> int | None:
        """First round by which half have flipped; None where fewer ever do."""
        return next((step.round for step in self.steps if (step.held.value or 0) <= 0.5 and step.held.n), None)

    def at(self, round_: int) -> Estimate:
        """Share that hasn't flipped by the end of a round; n is 0 for the first answer and where nothing is known."""
        return next((step.held for step in self.steps if step.round == round_), NOTHING)


def survival(track: Track, *, kind: Kind = "lost") -> Survival:
    """Kaplan-Meier curve of the first flip: ``S(k) = Π_{j≤k} (1 - flipped_j / at risk_j)``.

    Rows begin at R_0 (right ones for ``lost``, those that aren't right for ``won``; void ones are left out). A row that
    is void in a round is censored there; a row that never flips is censored after the last round. Rows of a sample
    with several epochs share the weight of one sample. Interval: Wilson's on the effective number of samples, with
    the variance of the curve clustered by sample (Greenwood's where a sample has one row; see `rate`). DESIGN,
    Measures; wanted by the faults of turn-of-flip averages, which take "never" for a number.
    """
    if 0 not in track.rounds or len(track.rounds) < 2:
        return Survival(kind, 0, ())
    known, correct = track.readings()
    begins = known[:, 0] & (correct[:, 0] == (kind == "lost"))
    seen = np.logical_and.accumulate(known[begins], axis=1)[:, 1:]
    flips = seen & (correct[begins][:, 1:] != correct[begins][:, :1])
    before = np.cumsum(flips, axis=1) - flips == 0
    risk, event = seen & before, flips & before
    samples, weights = _weighted(track.samples[known[:, 0]], track.samples[begins])
    steps = _steps(track.rounds[1:], risk, event, samples, weights)
    return Survival(kind, int(begins.sum()), steps)


def _weighted(all_rows: Ints, rows: Ints) -> tuple[Ints, Floats]:
    """Position of each row's sample, and its weight: one over the rows of that sample."""
    unique, counts = np.unique(all_rows, return_counts=True)
    place = np.searchsorted(unique, rows)
    return place.astype(np.int64), 1 / counts[place]


def _steps(rounds: tuple[int, ...], risk: Flags, event: Flags, samples: Ints, weights: Floats) -> tuple[Step, ...]:
    width = int(samples.max(initial=-1)) + 1
    held, influence = 1.0, np.zeros(width)
    steps: list[Step] = []
    for place, number in enumerate(rounds):
        at_risk = np.bincount(samples, weights=weights * risk[:, place], minlength=width)
        flipped = np.bincount(samples, weights=weights * event[:, place], minlength=width)
        total = float(at_risk.sum())
        hazard = float(flipped.sum()) / total if total else 0.0
        held *= 1 - hazard
        if total and hazard < 1 - _SMALL:
            influence = influence - (flipped - hazard * at_risk) / (total * (1 - hazard))
        n = int(np.count_nonzero(at_risk))
        gone = steps[-1].held if steps and held < _SMALL else NOTHING  # all have flipped: the curve stays at 0
        later = risk[:, place - 1] & ~event[:, place - 1] if place else np.ones(len(risk), dtype=np.bool_)
        steps.append(
            Step(
                round=number,
                at_risk=int(risk[:, place].sum()),
                flipped=int(event[:, place].sum()),
                censored=int((later & ~risk[:, place]).sum()),
                held=rate(held, held * influence, n=n, most=float(risk[:, 0].sum())) if n else gone,
            )
        )
    return tuple(steps)
