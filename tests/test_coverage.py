"""Simulated agents whose rates are known: fewer studies than `perf/coverage.py`, at a fixed seed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from astray.measures import Track, tracks

STUDIES = 200


def load_script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"perf_{name}", Path(__file__).parents[1] / "perf" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


coverage = load_script("coverage")


@pytest.mark.parametrize("place", [1, 3], ids=["200 samples, one epoch", "50 samples, three epochs alike"])
def test_estimates_are_unbiased_and_intervals_hold_the_truth(place: int) -> None:
    setting = coverage.SETTINGS[place]
    tallies = coverage.cover(setting, STUDIES, np.random.default_rng([7, place]))
    assert len(tallies) == 9
    for name, tally in tallies.items():
        assert len(tally.values) == STUDIES, name
        assert abs(tally.bias[1]) < 4, name
        # Two-sided at one in a thousand, around what the whole simulation allows.
        assert binom.cdf(tally.held, STUDIES, 0.93) > 0.001, name
        assert binom.sf(tally.held - 1, STUDIES, 0.97) > 0.001, name


def test_an_interval_that_lies_is_seen() -> None:
    tally = coverage.Tally(0.5)
    for value in np.random.default_rng(1).normal(0.5, 0.1, 300):
        tally.add(coverage.Estimate(value, value - 0.1, value + 0.1, 10))  # 68% in place of 95%
    assert coverage.faults_of(coverage.SETTINGS[0], "x", tally) == ["50 x 1, x: covers too little"]


def test_the_same_agent_twice_is_rarely_told_apart() -> None:
    alarms = coverage.alarm(50, 1, 100, np.random.default_rng(5))
    assert binom.sf(alarms - 1, 100, 0.05) > 0.001


def test_simulated_arms_are_what_a_table_of_outcomes_makes() -> None:
    correct = np.random.default_rng(2).random((6, 2, 4)) < 0.5
    ours: Track = coverage.track(coverage.ARM, correct)
    sample, epoch, round_ = (index.ravel() for index in np.indices(correct.shape))
    right = correct.ravel()
    key = {"study": "s", "model": "m", "judge": None, "user": None, "book": None, "benchmark": "b"}
    frame = pd.DataFrame(
        {
            **key,
            **{"arm": coverage.ARM, "sample_id": sample, "epoch": epoch + 1, "round": round_},
            **{"value": right.astype(float), "outcome": np.where(right, "correct", "wrong")},
            **{"answer": np.where(right, "A", "B"), "judge_spoke": round_ > 0},
        }
    )
    (theirs,) = tracks(frame)
    for name in ("rounds", "samples", "epochs", "outcome", "score", "spoke", "sound"):
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert np.array_equal(ours.answer[0] == ours.answer[0][0], theirs.answer[0] == theirs.answer[0][0])
