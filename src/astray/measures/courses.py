"""When behaviours begin, and how many turns agents take (XYEval paper, section 5.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pandas as pd

from astray.measures.behaviour import CONTROL, GROUPS, KEY, floats, groups_of, ints, means_of, sample_codes, usable
from astray.measures.differences import Means, holm_of, matched, p_value
from astray.measures.estimates import Estimate, Floats, ratio, sample_means

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
    """Steps of the agent in a transcript: their mean, and the difference from the control arm, paired by sample.

    Attributes:
        p_value: Paired t-test on sample means, the sign test where all differences are alike; None for the control
            arm, and without pairs.
        p_holm: The same, corrected over the arms (Holm).
    """

    model: str
    benchmark: str
    arm: str
    mean: Estimate
    against_original: Estimate | None
    p_value: float | None = None
    p_holm: float | None = None


def onsets(
    labels: pd.DataFrame, labellings: pd.DataFrame, outcomes: pd.DataFrame, transcripts: pd.DataFrame
) -> tuple[Onset, ...]:
    """Onset curves by arm, behaviour and group of outcomes, over every labelling that could be read."""
    place = [*KEY, "labeller", "behaviour"]
    valid = labels[labels["valid"].astype(bool)].merge(_progress(transcripts), on=[*KEY, "step"])
    first = valid.groupby(place, as_index=False)["progress"].min()
    done = usable(labellings).query("done")[place].drop_duplicates()
    rows = done.merge(first, on=place, how="left").merge(groups_of(outcomes), on=KEY, how="left")
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
    found: list[Turns] = []
    for (model, benchmark), rows in counts.groupby(["model", "benchmark"], sort=True):
        means = {str(arm): means_of(part, "turn") for arm, part in rows.groupby("arm")}
        family = [_turns((str(model), str(benchmark), arm), means, float(rows["turn"].max())) for arm in means]
        tested = holm_of([one.p_value for one in family])
        found += [replace(one, p_holm=p) for one, p in zip(family, tested, strict=True)]
    return tuple(found)


def _turns(names: tuple[str, str, str], means: Mapping[str, Means], most: float) -> Turns:
    """One arm's turns; ``most`` is the most that any transcript took."""
    ids, own, _ = means[names[-1]]
    mean = ratio(own, np.ones(len(ids)), n=len(ids), bounds=(0.0, most))
    if names[-1] == CONTROL or CONTROL not in means:
        return Turns(*names, mean, None)
    new, old, _ = matched(means[names[-1]], means[CONTROL])
    # A count of 0 or 1 is no verdict: never McNemar.
    p, _ = p_value(new, old, single=False)
    return Turns(*names, mean, ratio(new - old, np.ones(len(new)), n=len(new), bounds=(-most, most)), p)


def _onset(names: tuple[str, str, str, str, str, str], rows: pd.DataFrame) -> Onset:
    reached = floats(rows["progress"])[:, None] <= np.array(GRID) + 1e-9
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
    _, means, _ = sample_means(ints(rows["sample"]), hits)
    return ratio(means, np.ones(len(means)), n=len(means), bounds=(0.0, 1.0))


def _progress(transcripts: pd.DataFrame) -> pd.DataFrame:
    """Rank of each step of the agent among the agent's steps, as a share."""
    steps = transcripts[transcripts["speaker"] == "agent"][[*KEY, "step"]].sort_values("step", kind="stable")
    groups = steps.groupby(KEY)["step"]
    return steps.assign(progress=(groups.cumcount() + 1) / groups.transform("size"))
