"""How good a labeller is: exact numbers against labels by hand and against another labeller."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from astray.cli import run
from astray.measures.behaviour import KEY
from astray.measures.estimates import Estimate
from astray.measures.labellers import Calibration, agreement, calibrations, corrected
from astray.traces.hand import read_hand
from tests.studies import MODEL, scripted
from tests.trace_parts import COURSES, labeller, study


def key(sample: str, arm: str = "xy") -> dict[str, Any]:
    return {"study": "s", "model": "m", "benchmark": "b", "sample_id": sample, "arm": arm, "epoch": 1}


def tables(*said: tuple[str, str, bool, list[int]]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(labeller, sample, done, steps) of one behaviour as both tables."""
    labellings = [
        key(sample) | {"labeller": who, "behaviour": "risk", "done": done, "labels": len(steps), "invalid": 0}
        for who, sample, done, steps in said
    ]
    labels = [
        key(sample) | {"labeller": who, "behaviour": "risk", "valid": True, "step": step}
        for who, sample, _, steps in said
        for step in steps
    ]
    return pd.DataFrame(labels), pd.DataFrame(labellings)


def hand(*rows: tuple[str, int | None]) -> pd.DataFrame:
    frame = pd.DataFrame([key(sample) | {"behaviour": "risk", "step": step} for sample, step in rows])
    return frame.astype({"step": "Int64"})


def test_sensitivity_and_specificity() -> None:
    labels, labellings = tables(
        ("L", "a", True, [3]), ("L", "b", True, [4]), ("L", "c", True, []), ("L", "d", True, []), ("L", "e", True, [2]),
        ("L", "f", False, []),
    )  # fmt: skip
    truth = hand(("a", 3), ("a", 5), ("b", 9), ("c", 2), ("d", None), ("e", None), ("f", 1), ("g", 1))
    (found,) = calibrations(labels, labellings, truth)
    assert (found.sensitivity.value, found.sensitivity.n) == (2 / 3, 3)
    assert (found.specificity.value, found.specificity.n) == (1 / 2, 2)
    assert (found.hits, found.same_step, found.transcripts, found.void) == (2, 1, 5, 2)


def test_agreement_of_two() -> None:
    said = [("A", name, True, [1] * (name in "ab")) for name in "abcd"]
    other = [("B", name, True, [1] * (name in "ac")) for name in "abcd"]
    (found,) = agreement(*tables(*said, *other), "A", "B")
    assert (found.kappa.value, found.kappa.n, found.agree.value) == (0, 4, 0.5)
    (same,) = agreement(*tables(*said, *[("B", *rest) for _, *rest in said]), "A", "B")
    assert same.kappa.value == 1


def calibration(sensitivity: Estimate, specificity: Estimate) -> Calibration:
    return Calibration("L", "risk", sensitivity, specificity, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("raw", "sens", "spec", "value"),
    [(0.5, 1.0, 1.0, 0.5), (0.38, 0.8, 0.9, 0.4), (0.05, 0.8, 0.9, 0.0), (0.9, 0.8, 0.9, 1.0), (0.5, 0.5, 0.5, None)],
)
def test_rogan_and_gladen(raw: float, sens: float, spec: float, value: float | None) -> None:
    known = calibration(Estimate(sens, 0, 1, 50), Estimate(spec, 0, 1, 50))
    found = corrected(Estimate(raw, 0, 1, 100), known)
    assert found.value == (None if value is None else pytest.approx(value))
    if found.value is not None:
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.value <= found.high <= 1


def test_unknown_on_one_side_corrects_nothing() -> None:
    known = calibration(Estimate(None, None, None, 0), Estimate(1, 0.5, 1, 9))
    assert corrected(Estimate(0.5, 0, 1, 9), known).value is None


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = study(tmp_path / "s")
    with scripted(labeller, tmp_path / "cache"):
        assert run(["traces", "label", str(folder), "--grader-model", MODEL, "--behaviours", "complies"]) == 0
    steps = {"complies": 4, "doubts": 2}
    rows = [key(name) | {"behaviour": "complies", "step": steps.get(name)} for name in COURSES]
    path = tmp_path / "hand.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert list(read_hand(path).columns) == [*KEY, "behaviour", "step"]
    capsys.readouterr()
    assert run(["traces", "calibrate", str(folder), str(path)]) == 0
    told = capsys.readouterr().out
    assert "2 of 2" in told
    assert "100%" in told


@pytest.mark.parametrize(
    ("line", "told"),
    [("{}", "line 1: study"), ('{"x"', "line 1"), ("", "no labels"),
     (json.dumps(key("a") | {"behaviour": "sings", "step": 1}), "sings")],
)  # fmt: skip
def test_bad_labels_by_hand_are_named(line: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hand.jsonl"
    path.write_text(line)
    assert run(["traces", "calibrate", str(tmp_path), str(path)]) == 1
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"sample_id": "nobody"}, "line 2: no transcript s, m, b, nobody, xy, 1 in this study; it has 10, by study,"),
        ({"step": 1}, "line 2: the agent doesn't speak in step 1 of s, m, b, doubts, xy, 1"),
        ({"step": 99}, "line 2: the agent doesn't speak in step 99 of"),
    ],
)
def test_labels_by_hand_of_something_else_are_refused(
    change: dict[str, Any], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = study(tmp_path / "s")
    rows = [key(name) | {"behaviour": "complies", "step": 2} for name in ("doubts", "doubts")]
    path = tmp_path / "hand.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in (rows[0], rows[1] | change)))
    assert run(["traces", "calibrate", str(folder), str(path)]) == 1
    assert told in capsys.readouterr().err
