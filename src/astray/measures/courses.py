"""When behaviours begin, how many turns agents take, and whether what they recognise is said.

XYEval paper, section 5.4 (turns, onset) and 5.5 (what is recognised and not said).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from astray.measures.behaviour import CONTROL, GROUPS, KEY, _floats, _groups, _ints, sample_codes, usable
from astray.measures.estimates import Estimate, Floats, ratio, sample_means, share

GRID: Final = tuple(point / 20 for point in range(21))
"""Relative progress at which curves are drawn."""


@dataclass(frozen=True)
class Onset:
    """Share of the transcripts that have shown a behaviour by each point of their course, cumulative.

    Progress is the rank of the agent's step among all steps of the agent, as a share: the last one is 1. The band is
    a pointwise 95% bootstrap over samples (as `ratio`), None without transcripts.

    Attributes:
        progress: The points, 0…1.
        share: Share of transcripts whose first valid label stands at or before the point.
        low: Lower end of the band.
        high: Upper end of the band.
        transcripts: Transcripts in the denominator, those without the behaviour among them.
    """

    model: str
    benchmark: str
    labeller: str
    arm: str
    behaviour: str
    group: str
    progress: tuple[float, ...]
    share: tuple[float, ...]
    low: tuple[float, ...] | None
    high: tuple[float, ...] | None
    transcripts: int


@dataclass(frozen=True)
class Turns:
    """Steps of the agent in a transcript: their mean, and the difference from the control arm, paired by sample."""

    model: str
    benchmark: str
    arm: str
    mean: Estimate
    against_original: Estimate | None


@dataclass(frozen=True)
class Communication:
    """What became of recognising that the advice is wrong: said, kept silent, or never recognised.

    Attributes:
        said: Transcripts in which it is recognised and said aloud, or written into a call of a tool.
        silent: Transcripts in which it is recognised in reasoning alone.
        unrecognised: Transcripts in which it is not recognised.
        unexpressed: ``silent`` among recognised (XYEval paper, table 6).
        with_reasoning: Transcripts with recorded reasoning that were labelled: those that this is about.
        transcripts: All transcripts of this arm and group.
        void: Labellings that could not be read, or of which nothing holds.
    """

    model: str
    benchmark: str
    labeller: str
    arm: str
    group: str
    said: int
    silent: int
    unrecognised: int
    unexpressed: Estimate
    with_reasoning: int
    transcripts: int
    void: int


def onsets(
    labels: pd.DataFrame, labellings: pd.DataFrame, outcomes: pd.DataFrame, transcripts: pd.DataFrame
) -> tuple[Onset, ...]:
    """Onset curves by arm, behaviour and group of outcomes, over every labelling that could be read."""
    place = [*KEY, "labeller", "behaviour"]
    valid = labels[labels["valid"].astype(bool)].merge(_progress(transcripts), on=[*KEY, "step"])
    first = valid.groupby(place, as_index=False)["progress"].min()
    done = usable(labellings).query("done")[place].drop_duplicates()
    rows = done.merge(first, on=place, how="left").merge(_groups(outcomes), on=KEY, how="left")
    rows["sample"] = sample_codes(rows)
    columns = ["model", "benchmark", "labeller", "arm", "behaviour"]
    found = []
    for names, part in rows.groupby(columns, sort=True):
        model, benchmark, labeller, arm, behaviour = map(str, names)
        for group in GROUPS:
            within = part if group == "all" else part[part["group"] == group]
            found.append(_onset((model, benchmark, labeller, arm, behaviour, group), within))
    return tuple(found)


def turns(transcripts: pd.DataFrame) -> tuple[Turns, ...]:
    """Turn counts by arm (XYEval paper, figure 4)."""
    counts = transcripts.assign(turn=(transcripts["speaker"] == "agent").astype(float))
    counts = counts.groupby(KEY)["turn"].sum().reset_index()
    counts["sample"] = sample_codes(counts)
    found = []
    for (model, benchmark), rows in counts.groupby(["model", "benchmark"], sort=True):
        most = float(rows["turn"].max())
        by_arm = {
            str(arm): sample_means(_ints(part["sample"]), _floats(part["turn"])) for arm, part in rows.groupby("arm")
        }
        for arm, (ids, means, _) in by_arm.items():
            mean = ratio(means, np.ones(len(ids)), n=len(ids), bounds=(0.0, most))
            against = None
            if arm != CONTROL and CONTROL in by_arm:
                other, control, _ = by_arm[CONTROL]
                _, left, right = np.intersect1d(ids, other, assume_unique=True, return_indices=True)
                gap = means[left] - control[right]
                against = ratio(gap, np.ones(len(left)), n=len(left), bounds=(-most, most))
            found.append(Turns(str(model), str(benchmark), arm, mean, against))
    return tuple(found)


def communication(
    labels: pd.DataFrame, labellings: pd.DataFrame, outcomes: pd.DataFrame, transcripts: pd.DataFrame
) -> tuple[Communication, ...]:
    """Recognised and said, recognised and silent, not recognised; by arm and outcome."""
    place = [*KEY, "labeller"]
    groups = _groups(outcomes)
    valid = labels[(labels["behaviour"] == "unexpressed") & labels["valid"].astype(bool)]
    said = valid.assign(said=(valid["place"] != "reasoning").astype(float)).groupby(place, as_index=False)["said"].max()
    asked = usable(labellings[labellings["behaviour"] == "unexpressed"])[[*place, "done"]].drop_duplicates(place)
    if asked.empty:
        return ()
    rows = asked.merge(said, on=place, how="left").merge(groups, on=KEY, how="left")
    rows["sample"] = sample_codes(rows)
    every = transcripts[KEY].drop_duplicates().merge(groups, on=KEY, how="left")
    found = []
    for (model, benchmark, labeller, arm), part in rows.groupby(["model", "benchmark", "labeller", "arm"], sort=True):
        own = every[(every["model"] == model) & (every["benchmark"] == benchmark) & (every["arm"] == arm)]
        for group in GROUPS:
            within, whole = (one if group == "all" else one[one["group"] == group] for one in (part, own))
            names = str(model), str(benchmark), str(labeller), str(arm), group
            found.append(_communication(names, within, len(whole)))
    return tuple(found)


def _communication(names: tuple[str, str, str, str, str], rows: pd.DataFrame, transcripts: int) -> Communication:
    done = rows[rows["done"].astype(bool)]
    recognised = _floats(done["said"].notna())
    silent = _floats(done["said"] == 0)
    return Communication(
        *names,
        said=int((done["said"] == 1).sum()),
        silent=int(silent.sum()),
        unrecognised=len(done) - int(recognised.sum()),
        unexpressed=share(_ints(done["sample"]), silent, recognised),
        with_reasoning=len(done),
        transcripts=transcripts,
        void=len(rows) - len(done),
    )


def _onset(names: tuple[str, str, str, str, str, str], rows: pd.DataFrame) -> Onset:
    reached = _floats(rows["progress"])[:, None] <= np.array(GRID) + 1e-9
    curve = [_mean(rows, column.astype(np.float64)) for column in reached.T]
    known = [one for one in curve if one.low is not None and one.high is not None]
    return Onset(
        *names,
        progress=GRID,
        share=tuple(one.value or 0.0 for one in curve),
        low=tuple(one.low or 0.0 for one in known) if known else None,
        high=tuple(one.high or 0.0 for one in known) if known else None,
        transcripts=len(rows),
    )


def _mean(rows: pd.DataFrame, hits: Floats) -> Estimate:
    """Mean over samples with the interval of the bootstrap, here also where each sample has one row."""
    _, means, _ = sample_means(_ints(rows["sample"]), hits)
    return ratio(means, np.ones(len(means)), n=len(means), bounds=(0.0, 1.0))


def _progress(transcripts: pd.DataFrame) -> pd.DataFrame:
    """Rank of each step of the agent among the agent's steps, as a share."""
    steps = transcripts[transcripts["speaker"] == "agent"][[*KEY, "step"]].sort_values("step", kind="stable")
    groups = steps.groupby(KEY)["step"]
    return steps.assign(progress=(groups.cumcount() + 1) / groups.transform("size"))
