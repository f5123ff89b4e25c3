"""Whether an arm acts on all subsets alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from scipy.stats import permutation_test

from astray.measures.estimates import DRAWS, SEED, Estimate, Floats, Ints, mean_change
from astray.measures.tracks import Track, reference, tracks
from astray.terms import ORIGINAL_TEXT as ORIGINAL

_BATCH: Final = 2_000_000


@dataclass(frozen=True)
class Heterogeneity:
    """How much what an arm changes differs between subsets.

    Attributes:
        arm: The arm, in its last round, against ``original``.
        points: Change by subset, in points, over the samples in both arms; subsets in alphabetical order.
        spread: Standard deviation of the true changes between subsets, in points: what is left of
            ``Σ n_g (d_g - d)²`` after what chance alone makes of it (method of moments; DerSimonian & Laird 1986 with
            weights n_g); 0 where chance alone makes as much.
        p_value: Of "all subsets change alike": the share of permutations of the samples over the subsets whose
            ``Σ n_g (d_g - d)²`` is at least as large (scipy). Subsets of a single sample aren't tested; None where
            fewer than two are left.
    """

    study: str
    model: str
    judge: str | None
    benchmark: str
    arm: str
    points: Mapping[str, Estimate]
    spread: float | None
    p_value: float | None


def heterogeneity(outcomes: pd.DataFrame) -> tuple[Heterogeneity, ...]:
    """Heterogeneity between subsets for each arm that has an ``original`` beside it; empty without two subsets.

    d_i is what the arm changes for sample i (epochs averaged), d_g its mean over subset g, d over all. Samples without
    a subset are left out. Nothing is corrected over arms: it is a question one asks after the main one.
    """
    named = outcomes[outcomes["subset"].notna()] if "subset" in outcomes.columns else outcomes.iloc[:0]
    if named.empty or named["subset"].nunique() < 2:
        return ()
    found = tracks(named)
    places = subset_places(named)
    results = []
    for track in found:
        original = reference(track, found, ORIGINAL) if track.arm != ORIGINAL else None
        if original is not None and 0 in original.rounds:
            results.append(_one(track, original, *places[track.benchmark]))
    return tuple(results)


def subset_places(named: pd.DataFrame) -> dict[str, tuple[list[str], Ints]]:
    """For each benchmark: its subsets, and the place of each sample's among them, by the sample's code (-1: none)."""
    codes, ids = pd.factorize(named["sample_id"].astype(str), sort=True)
    frame = pd.DataFrame(
        {"benchmark": named["benchmark"].astype(str), "code": codes, "subset": named["subset"].astype(str)}
    )
    found = {}
    for benchmark, rows in frame.drop_duplicates(["benchmark", "code"]).groupby("benchmark"):
        place, names = pd.factorize(rows["subset"], sort=True)
        where = np.full(len(ids), -1, dtype=np.int64)
        where[rows["code"].to_numpy()] = place
        found[str(benchmark)] = ([str(name) for name in names], where)
    return found


def _one(track: Track, original: Track, names: list[str], where: Ints) -> Heterogeneity:
    ids, change = paired_changes(track, original)
    groups = [change[where[ids] == place] for place in range(len(names))]
    there = {name: group for name, group in zip(names, groups, strict=True) if len(group)}
    spread, p_value = _test([group for group in groups if len(group) > 1])
    return Heterogeneity(
        *(track.study, track.model, track.judge, track.benchmark, track.arm),
        points={name: mean_change(group) for name, group in there.items()},
        spread=spread,
        p_value=p_value,
    )


def paired_changes(track: Track, original: Track) -> tuple[Ints, Floats]:
    """Samples that are void on neither side, and what the last round of an arm changes for each, -1…1."""
    new_ids, new, _ = track.at(track.rounds[-1]).sample_scores
    old_ids, old, _ = original.at(0).sample_scores
    ids, left, right = np.intersect1d(new_ids, old_ids, assume_unique=True, return_indices=True)
    return ids, new[left] - old[right]


def _test(groups: list[Floats]) -> tuple[float | None, float | None]:
    """(spread in points, p-value) of differences by subset."""
    if len(groups) < 2:
        return None, None
    n = sum(map(len, groups))
    every = np.concatenate(groups)
    if np.ptp(every) < 1e-12:
        return 0.0, 1.0
    mean = float(every.mean())

    def between(*parts: Floats, axis: int = -1) -> Floats:
        parts_of_it = [part.shape[axis] * (part.mean(axis=axis) - mean) ** 2 for part in parts]
        return np.asarray(np.sum(parts_of_it, axis=0), dtype=np.float64)

    found = permutation_test(
        groups,
        between,
        n_resamples=DRAWS - 1,
        alternative="greater",
        vectorized=True,
        batch=max(1, _BATCH // n),
        rng=np.random.default_rng(SEED),
    )
    within = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    by_chance = (len(groups) - 1) * within / (n - len(groups))
    left_over = float(found.statistic) - by_chance
    scale = n - sum(len(group) ** 2 for group in groups) / n
    return 100 * float(np.sqrt(max(0.0, left_over) / scale)), float(found.pvalue)
