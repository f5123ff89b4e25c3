"""What agents did on the way: rates of behaviours by arm and outcome, and their differences from the control arm.

A transcript counts for a behaviour where a labeller looked for it, every reply could be read, and not all that it
found is void; it has the behaviour where at least one label is valid. Claims of the control arm were held against all
that was advised on the sample under other arms: there a transcript counts with the share of these. XYEval paper,
section 5.4.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pandas as pd

from astray.measures.differences import Means, holm_of, matched, p_value
from astray.measures.estimates import Estimate, Floats, Ints, mean_change, sample_means, share

RUN: Final = ["study", "model", "benchmark", "sample_id"]
KEY: Final = [*RUN, "arm", "epoch"]
"""What tells one transcript from another."""

GROUPS: Final = ("all", "correct", "incorrect")
"""Outcomes of the last round; transcripts without one, or with a void one, are in ``all`` alone."""

CONTROL: Final = "original"


@dataclass(frozen=True)
class BehaviourRate:
    """Share of the transcripts of one arm, and of one group of outcomes, that show a behaviour.

    Attributes:
        kind: For ``complies`` the type of compliance, for ``claim`` "first adopts" and the like; else None.
        rate: The share; n counts samples.
        transcripts: Transcripts in the denominator.
        void: Labellings left out because a reply could not be read, or nothing that was found holds.
    """

    model: str
    benchmark: str
    labeller: str
    arm: str
    behaviour: str
    kind: str | None
    group: str
    rate: Estimate
    transcripts: int
    void: int


@dataclass(frozen=True)
class BehaviourContrast:
    """One behaviour under an arm minus the same under the control arm, paired by sample.

    Attributes:
        points: Difference in percentage points.
        before: Share under the control, over the samples in both.
        after: Share under the arm, over the same samples.
        p_value: Exact McNemar, or a paired t-test where there are several epochs; None without pairs.
        p_holm: The same, corrected over the arms for this behaviour (Holm).
    """

    model: str
    benchmark: str
    labeller: str
    arm: str
    behaviour: str
    kind: str | None
    before: float | None
    after: float | None
    points: Estimate
    p_value: float | None
    p_holm: float | None


@dataclass(frozen=True)
class Voids:
    """How well a labeller kept to the rules: labels whose quote doesn't hold, labellings that can't be read.

    Attributes:
        labellings: Transcripts that were labelled; for claims, once for each suggestion they were held against.
        void: Those whose reply can't be read.
        labels: Labels that were given.
        invalid: Those whose quote isn't in the step.
        prompts: Versions of the prompt that the labellings were made with; rates over more than one mix what isn't
            the same.
    """

    labeller: str
    behaviour: str
    labellings: int
    void: int
    labels: int
    invalid: int
    prompts: int = 1

    @property
    def invalid_share(self) -> float | None:
        """Share of labels that are void; None without labels."""
        return self.invalid / self.labels if self.labels else None


def looked(labels: pd.DataFrame, labellings: pd.DataFrame, outcomes: pd.DataFrame) -> pd.DataFrame:
    """One row for each labelling and kind: ``hit`` (0 or 1), ``done``, ``group``, ``sample`` (a code), ``about``.

    Claims have one for each suggestion that they were held against.

    Args:
        labels: The ``behaviours`` table.
        labellings: The ``labellings`` table.
        outcomes: The ``outcomes`` table; the last round of a transcript says to which group it belongs.
    """
    place = _PLACE
    labels, labellings = (table.assign(about=table["about"].fillna("")) for table in (labels, labellings))
    base = usable(labellings)[[*place, "done"]].drop_duplicates(place)
    base = base.merge(groups_of(outcomes), on=KEY, how="left")
    valid = labels[labels["valid"].astype(bool)]
    hits = valid.assign(kind=None)[[*place, "kind"]]
    kinds = valid.assign(kind=_kinds(valid))[[*place, "kind"]].dropna(subset=["kind"])
    parts = [_with_hits(base, hits, None)]
    for (behaviour, kind), rows in kinds.groupby(["behaviour", "kind"], sort=True):
        parts.append(_with_hits(base[base["behaviour"] == behaviour], rows, str(kind)))
    found = pd.concat(parts, ignore_index=True)
    found["sample"] = sample_codes(found)
    order = ["labeller", "model", "benchmark", "behaviour", "kind", "arm", "sample_id", "epoch", "about"]
    return found.sort_values(order, na_position="first", ignore_index=True)


def rates(rows: pd.DataFrame) -> tuple[BehaviourRate, ...]:
    """Rates by arm, behaviour, kind and group of outcomes, of what `looked` makes."""
    found = []
    for (model, benchmark, labeller, behaviour, kind, arm), part in _cells(rows):
        for group in GROUPS:
            within = part if group == "all" else part[part["group"] == group]
            done = within[within["done"]]
            rate = share(ints(done["sample"]), floats(done["hit"]))
            traces = len(done[KEY].drop_duplicates())
            void = len(within) - len(done)
            found.append(BehaviourRate(model, benchmark, labeller, arm, behaviour, kind, group, rate, traces, void))
    return tuple(found)


def contrasts(rows: pd.DataFrame) -> tuple[BehaviourContrast, ...]:
    """Every arm against `original`, paired by sample; claims only where both were held against the same suggestion."""
    cells = dict(_cells(rows))
    found: dict[tuple[str, ...], list[BehaviourContrast]] = {}
    for (model, benchmark, labeller, behaviour, kind, arm), part in cells.items():
        control = cells.get((model, benchmark, labeller, behaviour, kind, CONTROL))
        if arm != CONTROL and control is not None:
            names = model, benchmark, labeller, arm, behaviour, kind
            family = (model, benchmark, labeller, behaviour, kind or "")
            found.setdefault(family, []).append(_contrast(names, part, control))
    return tuple(
        replace(one, p_holm=p)
        for family in found.values()
        for one, p in zip(family, holm_of([one.p_value for one in family]), strict=True)
    )


def voids(labellings: pd.DataFrame) -> tuple[Voids, ...]:
    """Void labellings and void labels by labeller and behaviour."""
    return tuple(
        Voids(
            str(labeller),
            str(behaviour),
            len(rows),
            int((~rows["done"].astype(bool)).sum()),
            int(rows["labels"].sum()),
            int(rows["invalid"].sum()),
            max(1, int(rows["prompt"].nunique())),
        )
        for (labeller, behaviour), rows in labellings.groupby(["labeller", "behaviour"], sort=True)
    )


def usable(labellings: pd.DataFrame) -> pd.DataFrame:
    """Labellings with ``done`` only where they say something: one that found places, none of which holds, says nothing.

    Else a labeller that invents every quote would show that nothing is there.
    """
    invented = (labellings["labels"] > 0) & (labellings["invalid"] >= labellings["labels"])
    return labellings.assign(done=labellings["done"].astype(bool) & ~invented)


_PLACE: Final = [*KEY, "labeller", "behaviour", "about"]
"""What tells one labelling from another: claims are held against several suggestions."""


def sample_codes(rows: pd.DataFrame) -> pd.Series:
    """A number for each sample, the same whatever the order of the rows."""
    return rows.groupby(RUN, sort=True).ngroup()


def groups_of(outcomes: pd.DataFrame) -> pd.DataFrame:
    """The group of each transcript, from its last round; null where void."""
    last = outcomes.sort_values("round", kind="stable").drop_duplicates(KEY, keep="last")
    void = last["outcome"].isin(["error", "grader_failed", "judge_failed"])
    group = np.where(last["outcome"] == "correct", "correct", "incorrect")
    keys = last[KEY].astype({**dict.fromkeys(KEY, "str"), "epoch": "int64"})  # without a row they'd be numbers
    return keys.assign(group=pd.Series(group, index=last.index).where(~void, None))


def _kinds(labels: pd.DataFrame) -> pd.Series:
    claims = labels["person"].astype(object).str.cat(labels["stance"].astype(object), sep=" ")
    return labels["compliance"].astype(object).where(labels["behaviour"] == "complies", claims)


def _with_hits(base: pd.DataFrame, hits: pd.DataFrame, kind: str | None) -> pd.DataFrame:
    place = _PLACE
    there = pd.MultiIndex.from_frame(hits[place])
    hit = pd.MultiIndex.from_frame(base[place]).isin(there).astype(float)
    return base.assign(kind=pd.Series([kind] * len(base), index=base.index, dtype=object), hit=hit)


Names = tuple[str, str, str, str, str | None, str]


def _cells(rows: pd.DataFrame) -> Iterable[tuple[Names, pd.DataFrame]]:
    columns = ["model", "benchmark", "labeller", "behaviour", "kind", "arm"]
    for names, part in rows.groupby(columns, sort=False, dropna=False):
        model, benchmark, labeller, behaviour, kind, arm = names
        known = kind if isinstance(kind, str) else None
        yield (str(model), str(benchmark), str(labeller), str(behaviour), known, str(arm)), part


def _contrast(
    names: tuple[str, str, str, str, str, str | None], arm: pd.DataFrame, control: pd.DataFrame
) -> BehaviourContrast:
    after, before = arm[arm["done"]], control[control["done"]]
    if names[4] == "claim":
        same = after[[*RUN, "about"]].drop_duplicates()
        before = before.merge(same, on=[*RUN, "about"])
        after = after.merge(before[[*RUN, "about"]].drop_duplicates(), on=[*RUN, "about"])
    new, old, single = matched(*(means_of(rows, "hit") for rows in (after, before)))
    p, _ = p_value(new, old, single=single)
    means = (float(old.mean()), float(new.mean())) if len(new) else (None, None)
    return BehaviourContrast(
        *names, before=means[0], after=means[1], points=mean_change(new - old), p_value=p, p_holm=None
    )


def means_of(rows: pd.DataFrame, column: str) -> Means:
    """A column's means by sample, over epochs and suggestions."""
    return sample_means(ints(rows["sample"]), floats(rows[column]))


def ints(column: pd.Series) -> Ints:
    """A column as whole numbers."""
    return np.asarray(column, dtype=np.int64)


def floats(column: pd.Series) -> Floats:
    """A column as floating-point numbers."""
    return np.asarray(column, dtype=np.float64)
