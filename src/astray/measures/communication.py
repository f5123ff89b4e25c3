"""Whether what agents recognise is said: communication or capability (XYEval paper, section 5.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import pandas as pd

from astray.measures.behaviour import CONTROL, GROUPS, KEY, floats, groups_of, ints, means_of, sample_codes, usable
from astray.measures.differences import Means, holm_of, matched, p_value
from astray.measures.estimates import Estimate, mean_change, share
from astray.measures.summary import undefended_of


@dataclass(frozen=True)
class Silence:
    """How much more, or less, is recognised and kept silent than under another arm, paired by sample.

    Attributes:
        reference: The same arm without its defense, else the control arm.
        points: Difference of the shares among transcripts with reasoning, in percentage points.
        p_value: Two-sided, as for behaviours (`BehaviourContrast`).
        p_holm: The same, corrected over the arms (Holm).
    """

    reference: str
    points: Estimate
    p_value: float | None
    p_holm: float | None


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
        change: What the arm changes in what is kept silent; None for groups of outcomes, for the control arm, and where
            the arm to compare with was not labelled.
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
    change: Silence | None = None


def communication(
    labels: pd.DataFrame, labellings: pd.DataFrame, outcomes: pd.DataFrame, transcripts: pd.DataFrame
) -> tuple[Communication, ...]:
    """Recognised and said, recognised and silent, not recognised; by arm and outcome."""
    place = [*KEY, "labeller"]
    groups = groups_of(outcomes)
    valid = labels[(labels["behaviour"] == "unexpressed") & labels["valid"].astype(bool)]
    said = valid.assign(said=(valid["place"] != "reasoning").astype(float)).groupby(place, as_index=False)["said"].max()
    asked = usable(labellings[labellings["behaviour"] == "unexpressed"])[[*place, "done"]].drop_duplicates(place)
    if asked.empty:
        return ()
    rows = asked.merge(said, on=place, how="left").merge(groups, on=KEY, how="left")
    rows = rows.assign(sample=sample_codes(rows), silent=(rows["said"] == 0).astype(float))
    every = transcripts[KEY].drop_duplicates().merge(groups, on=KEY, how="left")
    found: list[Communication] = []
    for (model, benchmark, labeller), part in rows.groupby(["model", "benchmark", "labeller"], sort=True):
        own = every[(every["model"] == model) & (every["benchmark"] == benchmark)]
        found += _of_arms((str(model), str(benchmark), str(labeller)), part, own)
    return tuple(found)


def _of_arms(names: tuple[str, str, str], rows: pd.DataFrame, every: pd.DataFrame) -> Iterator[Communication]:
    """All arms and groups of one model, benchmark and labeller."""
    arms = {str(arm): part for arm, part in rows.groupby("arm", sort=True)}
    changes = _changes({arm: means_of(part[part["done"].astype(bool)], "silent") for arm, part in arms.items()})
    for arm, part in arms.items():
        own = every[every["arm"] == arm]
        for group in GROUPS:
            within, whole = (one if group == "all" else one[one["group"] == group] for one in (part, own))
            found = _communication((*names, arm, group), within, len(whole))
            yield replace(found, change=changes.get(arm)) if group == "all" else found


def _changes(silent: Mapping[str, Means]) -> dict[str, Silence]:
    """What each arm changes in what is kept silent, from its shares by sample."""
    found: dict[str, Silence] = {}
    for arm, own in silent.items():
        reference = undefended_of(arm) or CONTROL
        if arm != CONTROL and reference in silent:
            new, old, single = matched(own, silent[reference])
            found[arm] = Silence(reference, mean_change(new - old), p_value(new, old, single=single)[0], None)
    tested = holm_of([one.p_value for one in found.values()])
    return {arm: replace(found[arm], p_holm=p) for arm, p in zip(found, tested, strict=True)}


def _communication(names: tuple[str, str, str, str, str], rows: pd.DataFrame, transcripts: int) -> Communication:
    done = rows[rows["done"].astype(bool)]
    recognised, silent = floats(done["said"].notna()), floats(done["silent"])
    return Communication(
        *names,
        said=int((done["said"] == 1).sum()),
        silent=int(silent.sum()),
        unrecognised=len(done) - int(recognised.sum()),
        unexpressed=share(ints(done["sample"]), silent, recognised),
        with_reasoning=len(done),
        transcripts=transcripts,
        void=len(rows) - len(done),
    )
