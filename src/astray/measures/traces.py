"""All that is measured of labelled transcripts, of one study, model and benchmark each (XYEval paper, 5.4 and 5.5)."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from astray.measures.behaviour import BehaviourContrast, BehaviourRate, Voids, contrasts, looked, rates, voids
from astray.measures.communication import Communication, communication
from astray.measures.courses import Onset, Turns, onsets, turns

_SUITE = ["study", "model", "benchmark"]


@dataclass(frozen=True)
class TraceMeasures:
    """What agents did on the way, in one study, by one model, on one benchmark."""

    study: str
    model: str
    benchmark: str
    rates: tuple[BehaviourRate, ...]
    contrasts: tuple[BehaviourContrast, ...]
    onsets: tuple[Onset, ...]
    turns: tuple[Turns, ...]
    communication: tuple[Communication, ...]
    voids: tuple[Voids, ...]


def trace_measures(
    labels: pd.DataFrame, labellings: pd.DataFrame, outcomes: pd.DataFrame, transcripts: pd.DataFrame
) -> tuple[TraceMeasures, ...]:
    """Measure what was labelled; nothing of studies, models and benchmarks of which nothing was.

    Args:
        labels: The ``behaviours`` table.
        labellings: The ``labellings`` table.
        outcomes: The ``outcomes`` table.
        transcripts: The ``transcripts`` table.
    """
    if labellings.empty:
        return ()
    names = sorted(set(labellings[_SUITE].astype(str).itertuples(index=False, name=None)))
    every = labels, labellings, outcomes, transcripts
    return tuple(_measures(name, *(_within(table, name) for table in every)) for name in names)


def _measures(
    names: tuple[str, str, str],
    labels: pd.DataFrame,
    labellings: pd.DataFrame,
    outcomes: pd.DataFrame,
    transcripts: pd.DataFrame,
) -> TraceMeasures:
    rows = looked(labels, labellings, outcomes)
    return TraceMeasures(
        *names,
        rates=rates(rows),
        contrasts=contrasts(rows),
        onsets=onsets(labels, labellings, outcomes, transcripts),
        turns=turns(transcripts),
        communication=communication(labels, labellings, outcomes, transcripts),
        voids=voids(labellings),
    )


def _within(table: pd.DataFrame, names: tuple[str, str, str]) -> pd.DataFrame:
    keep = pd.Series(True, index=table.index)
    for column, name in zip(_SUITE, names, strict=True):
        keep &= table[column].astype(str) == name
    return table[keep]
