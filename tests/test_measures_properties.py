"""What holds for any outcomes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astray.measures import summarize
from astray.measures.estimates import ratio, resampled_sums

CLASS = st.sampled_from(["correct", "wrong", "partial", "unparsed", "refused", "error", "judge_failed"])
VALUE = {"correct": 1.0, "partial": 0.5, "error": None, "judge_failed": None}
KEY = {"study": "s", "model": "m", "judge": None, "user": None, "book": None, "benchmark": "b"}
ARMS = {"original": 1, "xy": 1, "judge-hypercritical-none@2": 3, "reask@2": 3}


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for arm, rounds in ARMS.items():
        for sample in range(draw(st.integers(0, 6))):
            for epoch in range(1, draw(st.integers(1, 2)) + 1):
                for round_ in range(rounds):
                    outcome = draw(CLASS)
                    row = {"arm": arm, "sample_id": f"q{sample}", "epoch": epoch, "round": round_, "outcome": outcome}
                    row |= {"value": VALUE.get(outcome, 0.0), "answer": draw(st.sampled_from(["A", "B", None]))}
                    rows.append(KEY | row | {"judge_spoke": False})
    columns = ["study", "model", "judge", "user", "book", "benchmark", "arm", "sample_id", "epoch", "round"]
    return pd.DataFrame(rows, columns=[*columns, "outcome", "value", "answer", "judge_spoke"])


def flat(frame: pd.DataFrame) -> pd.DataFrame:
    return summarize(frame).to_frame().sort_values(["arm", "round"]).reset_index(drop=True)


@settings(max_examples=30, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_order_of_rows_changes_nothing(frame: pd.DataFrame, random: Any) -> None:
    order = list(range(len(frame)))
    random.shuffle(order)
    pd.testing.assert_frame_equal(flat(frame), flat(frame.iloc[order]))


@settings(max_examples=30, deadline=None)
@given(tables())
def test_more_void_samples_change_only_void_counts(frame: pd.DataFrame) -> None:
    extra = frame.assign(sample_id="void-" + frame["sample_id"], outcome="error", value=None, answer=None)
    before, after = flat(frame), flat(pd.concat([frame.astype(object), extra.astype(object)]))
    loose = ["void", "void_share", "error", "rows"]
    pd.testing.assert_frame_equal(before.drop(columns=loose), after.drop(columns=loose))
    assert list(after["void"]) == list(before["void"] + before["rows"])


@settings(max_examples=40, deadline=None)
@given(tables())
def test_the_measures_agree_with_each_other(frame: pd.DataFrame) -> None:
    for cell in summarize(frame).cells:
        assert sum(cell.counts.values()) == cell.rows
        estimates = [cell.accuracy, cell.no_answer, cell.oscillating]
        if cell.flips:
            flips = cell.flips
            estimates += [flips.recovery, flips.coverage, flips.harm]
            if flips.coverage.value is not None and flips.recovery.value is not None and flips.rows == flips.coverage.n:
                wrong_before = flips.recovery.n / flips.coverage.n
                assert flips.recovery.value * wrong_before == pytest.approx(flips.coverage.value)
        for drop in (cell.against_original, cell.against_floor):
            if drop and drop.before is not None and drop.after is not None:
                assert drop.points.value == pytest.approx(100 * (drop.after - drop.before))
                assert drop.points.low is not None
                assert drop.points.high is not None
                assert -100.000001 <= drop.points.low <= drop.points.value <= drop.points.high <= 100.000001
                assert drop.p_value is not None
                assert 0 < drop.p_value <= 1
        for estimate in estimates:
            if estimate.n == 0:
                assert estimate.value is None
            else:
                low, value, high = estimate.low, estimate.value, estimate.high
                assert low is not None
                assert value is not None
                assert high is not None
                assert -1e-12 <= low <= value <= high <= 1 + 1e-12


def test_bootstrap_agrees_with_scipy() -> None:
    from scipy.stats import bootstrap

    random = np.random.default_rng(5)
    old = random.integers(0, 4, 120) / 3
    new = np.clip(old - random.integers(0, 3, 120) / 3, 0, 1)
    ours = ratio(new - old, np.ones(120), n=120, bounds=(-1, 1))
    theirs = bootstrap((new, old), lambda a, b, axis: (a - b).mean(axis=axis), paired=True, method="percentile", rng=3)
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.012)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.012)


@pytest.mark.parametrize("distinct", [3, 500])
def test_sums_are_those_of_samples_drawn_with_replacement(distinct: int) -> None:
    columns = np.random.default_rng(1).integers(0, distinct, (400, 2)).astype(float)
    sums = resampled_sums(columns)
    assert sums.shape == (2000, 2)
    assert sums.mean(axis=0) == pytest.approx(columns.sum(axis=0), rel=0.01)
    assert np.cov(sums.T) == pytest.approx(400 * np.cov(columns.T, ddof=0), rel=0.15, abs=0.1 * 400 * columns.var())


def test_bootstrap_is_the_same_at_every_call() -> None:
    columns = np.random.default_rng(0).random((50, 2))
    assert np.array_equal(resampled_sums(columns), resampled_sums(columns[::-1]))
