"""Models side by side: who stands where, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from astray.measures.estimates import Estimate, Floats, Ints, mean_change, resampled_sums, share
from astray.measures.heterogeneity import paired_changes
from astray.measures.tracks import Track, reference
from astray.terms import ORIGINAL_TEXT as ORIGINAL

_LEVEL: Final = 0.95


@dataclass(frozen=True)
class Contender:
    """One model of one study under one arm: what is ranked."""

    study: str
    model: str
    judge: str | None
    user: str | None
    book: str | None

    @property
    def name(self) -> str:
        """The model, and its study."""
        return f"{self.model} ({self.study})"


@dataclass(frozen=True)
class Standing:
    """Where one contender stands.

    Attributes:
        contender: Who.
        own: Samples that it alone has outcomes for.
        unshared: Of them, those left out of the comparison because not every contender has them.
        value: The mean that is ranked, over the samples compared: a share, or a change in points.
        rank: 1 is the best; equal values share the better rank.
        low: Best rank within the 95% interval of the bootstrap.
        high: Worst rank within it.
        best: Share of resamples in which it is the best; resamples with several best ones count as parts.
    """

    contender: Contender
    own: int
    unshared: int
    value: Estimate
    rank: int
    low: int
    high: int
    best: float


@dataclass(frozen=True)
class Ranking:
    """All contenders under one arm of one benchmark, best first.

    Attributes:
        measure: ``accuracy`` in the arm's last round, or ``points``: what the arm changes against ``original``.
        n: Samples that all have in common, which are compared; 0 where they have none.
        paired: Whether it is over common samples. Else each contender stands on its own samples, resampled apart.
    """

    benchmark: str
    arm: str
    measure: str
    n: int
    paired: bool
    standings: tuple[Standing, ...]


def rankings(found: tuple[Track, ...]) -> tuple[Ranking, ...]:
    """For every benchmark and arm that several contenders were run under: accuracy, and change against ``original``.

    A contender's number in a resample is its mean over the samples drawn, the same samples for all of them where they
    share any; ranks are counted in each of 2,000 resamples (the bootstrap of ranks; Goldstein & Spiegelhalter 1996).
    Void outcomes are left out, and with them the sample for all.
    """
    groups: dict[tuple[str, str], list[Track]] = {}
    for track in found:
        groups.setdefault((track.benchmark, track.arm), []).append(track)
    results = []
    for (benchmark, arm), group in groups.items():
        if len(group) > 1:
            results.append(_ranking(benchmark, arm, "accuracy", [(_who(t), *_accuracy(t)) for t in group]))
            pairs = [(t, original) for t in group if (original := _original(t, found))]
            if len(pairs) > 1:
                entries = [(_who(t), *paired_changes(t, original)) for t, original in pairs]
                results.append(_ranking(benchmark, arm, "points", entries))
    return tuple(results)


def _original(track: Track, found: tuple[Track, ...]) -> Track | None:
    original = reference(track, found, ORIGINAL) if track.arm != ORIGINAL else None
    return original if original is not None and 0 in original.rounds else None


def _who(track: Track) -> Contender:
    return Contender(track.study, track.model, track.judge, track.user, track.book)


def _accuracy(track: Track) -> tuple[Ints, Floats]:
    ids, scores, _ = track.at(track.rounds[-1]).sample_scores
    return ids, scores


def _ranking(benchmark: str, arm: str, measure: str, entries: Sequence[tuple[Contender, Ints, Floats]]) -> Ranking:
    common = _common(ids for _, ids, _ in entries)
    paired = len(common) > 0
    scores = [values[np.isin(ids, common)] if paired else values for _, ids, values in entries]
    means = _means(scores, paired=paired)
    ranks = _ranks(means)
    best = means == np.nanmax(means, axis=1, keepdims=True)
    chances = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
    values = np.array([[s.mean() if len(s) else -np.inf for s in scores]])
    standings = [
        Standing(
            contender=who,
            own=len(ids),
            unshared=len(ids) - len(score) if paired else 0,
            value=_value(score, measure),
            rank=int(_ranks(values)[0, place]),
            low=int(np.quantile(ranks[:, place], (1 - _LEVEL) / 2, method="lower")),
            high=int(np.quantile(ranks[:, place], (1 + _LEVEL) / 2, method="higher")),
            best=float(chances[place]),
        )
        for place, ((who, ids, _), score) in enumerate(zip(entries, scores, strict=True))
    ]
    standings.sort(key=lambda standing: standing.rank)
    return Ranking(benchmark, arm, measure, len(common), paired, tuple(standings))


def _common(every: Iterable[Ints]) -> Ints:
    first, *rest = every
    for ids in rest:
        first = np.intersect1d(first, ids)
    return first


def _means(scores: Sequence[Floats], *, paired: bool) -> Floats:
    """Means of every contender in each resample."""
    if paired:
        return resampled_sums(np.column_stack(scores)) / len(scores[0])
    apart = [_apart(score, place) for place, score in enumerate(scores)]
    return np.column_stack(apart)


def _apart(score: Floats, place: int) -> Floats:
    """Resampled means of one contender; others are shuffled apart, since all are drawn from one seed."""
    if len(score) == 0:
        return np.full(len(resampled_sums(np.zeros((1, 1)))), -np.inf)
    drawn = resampled_sums(score[:, None])[:, 0] / len(score)
    return np.asarray(np.random.default_rng(place).permutation(drawn), dtype=np.float64)


def _ranks(means: Floats) -> Ints:
    """Rank of each column in each row: 1 and the number of better ones."""
    return np.stack([1 + (means > column[:, None] + 1e-12).sum(axis=1) for column in means.T], axis=1)


def _value(score: Floats, measure: str) -> Estimate:
    if measure == "accuracy":
        return share(np.arange(len(score)), score)
    return mean_change(score)
