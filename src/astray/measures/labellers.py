"""How good a labeller is: against labels by hand, against another labeller, and what that means for its rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from statsmodels.stats.inter_rater import cohens_kappa

from astray.measures.behaviour import KEY, BehaviourRate, usable
from astray.measures.estimates import DRAWS, LEVEL, SEED, Estimate, share


@dataclass(frozen=True)
class Calibration:
    """One labeller and one behaviour against labels by hand, transcript by transcript.

    Attributes:
        sensitivity: Share of transcripts with the behaviour (by hand) in which the labeller finds it.
        specificity: Share of transcripts without it in which the labeller finds none.
        hits: Transcripts in which both find it.
        same_step: Transcripts among the hits in which both name at least one step in common.
        transcripts: Transcripts looked at by hand for this behaviour, with a labelling that says something.
        void: Transcripts looked at by hand whose labelling could not be read, holds nowhere, or is missing.
    """

    labeller: str
    behaviour: str
    sensitivity: Estimate
    specificity: Estimate
    hits: int
    same_step: int
    transcripts: int
    void: int


@dataclass(frozen=True)
class Agreement:
    """Two labellers over the transcripts that both labelled.

    Attributes:
        kappa: Cohen's kappa with its 95% interval; None where both say the same of every transcript.
        agree: Share of transcripts of which they say the same.
    """

    behaviour: str
    labellers: tuple[str, str]
    kappa: Estimate
    agree: Estimate


def calibrations(labels: pd.DataFrame, labellings: pd.DataFrame, hand: pd.DataFrame) -> tuple[Calibration, ...]:
    """Every labeller of the tables against labels by hand.

    Args:
        labels: The ``behaviours`` table.
        labellings: The ``labellings`` table.
        hand: Rows of key, ``behaviour`` and ``step``; a missing step says that it was looked for and is not there.
    """
    truth = hand.assign(there=hand["step"].notna()).groupby([*KEY, "behaviour"], as_index=False)["there"].max()
    found = []
    for labeller in sorted(set(labellings["labeller"])):
        seen = _seen(labels, labellings, labeller)
        rows = truth.merge(seen, on=[*KEY, "behaviour"], how="left")
        for behaviour, part in rows.groupby("behaviour", sort=True):
            found.append(_calibration(str(labeller), str(behaviour), part, _common_steps(labels, hand, labeller)))
    return tuple(found)


def agreement(labels: pd.DataFrame, labellings: pd.DataFrame, first: str, second: str) -> tuple[Agreement, ...]:
    """How far two labellers agree, by behaviour (Cohen's kappa, statsmodels)."""
    sides = [_seen(labels, labellings, name) for name in (first, second)]
    both = sides[0].merge(sides[1], on=[*KEY, "behaviour"], suffixes=("_a", "_b")).dropna(subset=["hit_a", "hit_b"])
    found = []
    for behaviour, rows in both.groupby("behaviour", sort=True):
        a, b = rows["hit_a"].to_numpy(dtype=int), rows["hit_b"].to_numpy(dtype=int)
        table = np.zeros((2, 2))
        np.add.at(table, (a, b), 1)
        agree = share(np.arange(len(rows), dtype=np.int64), (a == b).astype(float))
        found.append(Agreement(str(behaviour), (first, second), _kappa(table), agree))
    return tuple(found)


def corrected(raw: Estimate, calibration: Calibration) -> Estimate:
    """A rate corrected for what the labeller misses and makes up: ``(raw + spec - 1) / (sens + spec - 1)``, in 0…1.

    Rogan and Gladen (1978). The interval draws raw rate, sensitivity and specificity from their Jeffreys posteriors.
    No value where the labeller is no better than chance, or nothing is known of one side.
    """
    sens, spec = calibration.sensitivity, calibration.specificity
    if raw.value is None or sens.value is None or spec.value is None or sens.value + spec.value <= 1:
        return Estimate(None, None, None, raw.n)
    random = np.random.default_rng(SEED)
    drawn = [
        random.beta(one.value * one.n + 0.5, (1 - one.value) * one.n + 0.5, DRAWS)
        for one in (raw, sens, spec)
        if one.value is not None
    ]
    informed = drawn[1] + drawn[2] > 1
    values = np.clip((drawn[0] + drawn[2] - 1)[informed] / (drawn[1] + drawn[2] - 1)[informed], 0, 1)
    value = min(1.0, max(0.0, (raw.value + spec.value - 1) / (sens.value + spec.value - 1)))
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, min(float(low), value), max(float(high), value), raw.n)


def corrected_rates(
    rates: Sequence[BehaviourRate], calibrations: Sequence[Calibration]
) -> tuple[tuple[BehaviourRate, Estimate], ...]:
    """Raw rates, each with its corrected one, for labellers and behaviours that were calibrated; kinds left out."""
    known = {(one.labeller, one.behaviour): one for one in calibrations}
    return tuple(
        (rate, corrected(rate.rate, known[rate.labeller, rate.behaviour]))
        for rate in rates
        if rate.kind is None and (rate.labeller, rate.behaviour) in known
    )


def _seen(labels: pd.DataFrame, labellings: pd.DataFrame, labeller: str) -> pd.DataFrame:
    """Key, behaviour and ``hit``: 1 where the labeller finds it, 0 where not, NaN where void."""
    place = [*KEY, "behaviour"]
    own = usable(labellings[labellings["labeller"] == labeller])[[*place, "done"]]
    rows = own.sort_values("done", ascending=False, kind="stable").drop_duplicates(place)  # done for one suggestion
    valid = labels[(labels["labeller"] == labeller) & labels["valid"].astype(bool)]
    hit = pd.MultiIndex.from_frame(rows[place]).isin(pd.MultiIndex.from_frame(valid[place])).astype(float)
    return rows[place].assign(hit=np.where(rows["done"].astype(bool), hit, np.nan))


def _common_steps(labels: pd.DataFrame, hand: pd.DataFrame, labeller: str) -> pd.DataFrame:
    place = [*KEY, "behaviour"]
    valid = labels[(labels["labeller"] == labeller) & labels["valid"].astype(bool)]
    steps = hand.dropna(subset=["step"]).astype({"step": "int64"})
    return steps[[*place, "step"]].merge(valid[[*place, "step"]], on=[*place, "step"])[place].drop_duplicates()


def _calibration(labeller: str, behaviour: str, rows: pd.DataFrame, common: pd.DataFrame) -> Calibration:
    known = rows.dropna(subset=["hit"])
    there, hit = known["there"].to_numpy(dtype=bool), known["hit"].to_numpy(dtype=float)
    both = known[there & (hit == 1)]
    return Calibration(
        labeller,
        behaviour,
        sensitivity=_share(hit[there]),
        specificity=_share(1 - hit[~there]),
        hits=len(both),
        same_step=len(both.merge(common, on=[*KEY, "behaviour"])),
        transcripts=len(known),
        void=len(rows) - len(known),
    )


def _share(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Estimate:
    return share(np.arange(len(values), dtype=np.int64), values)


def _kappa(table: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Estimate:
    n = int(table.sum())
    if n == 0 or (table.sum(axis=0) == n).any() or (table.sum(axis=1) == n).any():
        return Estimate(None, None, None, n)
    result = cohens_kappa(table)
    return Estimate(float(result.kappa), float(result.kappa_low), float(result.kappa_upp), n)
