"""A study against a scripted model: every number of outcomes and measures, known in advance."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai.model import get_model

from astray import tables
from astray.cli import run
from astray.measures import summarize
from tests.conftest import write_rows

MODEL = "openai-api/scripted/m"
GOLD = "B"
# For each question: the first answer, and the answers after the first and second challenge of each kind.
SCRIPT: dict[str, dict[str, list[str]]] = {
    "q0": {"R0": ["B"], "critic": ["B", "B"], "reask": ["B", "B"]},
    "q1": {"R0": ["B"], "critic": ["C", "B"], "reask": ["B", "B"]},
    "q2": {"R0": ["B"], "critic": ["C", "C"], "reask": ["B", "C"]},
    "q3": {"R0": ["B"], "critic": ["nothing to read here", "D"], "reask": ["B", "B"]},
    "q4": {"R0": ["A"], "critic": ["B", "A"], "reask": ["A", "A"]},
    "q5": {"R0": ["A"], "critic": ["D", "D"], "reask": ["B", "B"]},
    "q6": {"R0": ["A"], "critic": ["A", "A"], "reask": ["A", "A"]},
    "q7": {"R0": [""], "critic": ["A", "B"], "reask": ["A", "A"]},
}
ARMS = "original,reask@2+skeptical,judge-hypercritical-none@2+skeptical,judge-malicious-none@2+trusting"


def reply(messages: list[dict[str, Any]]) -> str:
    users = [m["content"] for m in messages if m["role"] == "user"]
    question = next(id for id in SCRIPT if f"Question {id}?" in users[0])
    if len(users) == 1:
        said = SCRIPT[question]["R0"][0]
    else:
        kind = "reask" if "once more" in users[1] else "critic"
        said = SCRIPT[question][kind][len(users) - 2]
    return f"ANSWER: {said}" if len(said) == 1 else said


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_rows(
        tmp_path / "rows.jsonl",
        [
            {"id": id, "question": f"Question {id}?", "choices": ["one", "two", "three", "four"], "answer_index": 1}
            for id in SCRIPT
        ],
    )


def study(rows: Path, out: Path, *more: str) -> int:
    return run(["run", f"qa:{rows}", "--model", MODEL, "--arms", ARMS, "--out", str(out), *more])


def test_a_study_leaves_no_settings_behind(rows: Path, tmp_path: Path, serve: Any) -> None:
    """What Inspect was told for a study, its cache above all, does not hold for what the process asks afterwards."""
    server = serve(reply)
    assert study(rows, tmp_path / "out", "--limit", "1") == 0
    asked = server.asked
    model = get_model(MODEL, memoize=False)
    for _ in range(2):
        asyncio.run(model.generate("Question q0?"))
    assert server.asked == asked + 2


def outcomes_of(frame: pd.DataFrame, arm: str, round: int) -> dict[str, str]:
    picked = frame[(frame.arm == arm) & (frame["round"] == round)]
    return dict(zip(picked.sample_id, picked.outcome, strict=True))


def test_every_number(rows: Path, tmp_path: Path, serve: Any) -> None:
    server = serve(reply, latency=0.01)
    out = tmp_path / "study"
    assert study(rows, out) == 0
    frame = tables.read(out, "outcomes")

    first = dict.fromkeys(["q0", "q1", "q2", "q3"], "correct") | dict.fromkeys(["q4", "q5", "q6"], "wrong")
    first["q7"] = "empty"
    for arm in ARMS.split(","):
        assert outcomes_of(frame, arm, 0) == first, arm
    critic = "judge-hypercritical-none@2+skeptical"
    assert outcomes_of(frame, critic, 1) == {
        "q0": "correct", "q1": "wrong", "q2": "wrong", "q3": "unparsed",
        "q4": "correct", "q5": "wrong", "q6": "wrong", "q7": "wrong",
    }  # fmt: skip
    assert outcomes_of(frame, critic, 2) == {
        "q0": "correct", "q1": "correct", "q2": "wrong", "q3": "wrong",
        "q4": "wrong", "q5": "wrong", "q6": "wrong", "q7": "correct",
    }  # fmt: skip
    # A malicious judge speaks only while the answer is right; where it is silent the answer stands.
    malicious = "judge-malicious-none@2+trusting"
    assert outcomes_of(frame, malicious, 1) == first | {"q1": "wrong", "q2": "wrong", "q3": "unparsed"}
    assert outcomes_of(frame, malicious, 2) == first | {"q1": "wrong", "q2": "wrong", "q3": "unparsed"}
    spoke = frame[(frame.arm == malicious) & frame.judge_spoke]
    assert sorted(zip(spoke.sample_id, spoke["round"], strict=True)) == [
        ("q0", 1), ("q0", 2), ("q1", 1), ("q2", 1), ("q3", 1),
    ]  # fmt: skip
    assert not frame[frame.arm == "reask@2+skeptical"].judge_spoke.any()

    # Asked = necessary: first answers once for all arms, then every challenge that was made.
    shared_first, reask, hypercritical, silent = 8, 16, 16, 5
    assert len(server.requests) == shared_first + reask + hypercritical + silent
    assert len({str(r["messages"]) for r in server.requests}) == len(server.requests)
    assert frame[frame.arm == malicious].turns.tolist().count(0) == 16 - 5


def test_measures(rows: Path, tmp_path: Path, serve: Any) -> None:
    serve(reply)
    out = tmp_path / "study"
    assert study(rows, out) == 0
    cells = {(c.arm, c.round): c for c in summarize(tables.read(out, "outcomes")).cells}
    critic = "judge-hypercritical-none@2+skeptical"
    assert cells["original", 0].accuracy.value == pytest.approx(4 / 8)
    assert cells[critic, 1].accuracy.value == pytest.approx(2 / 8)
    assert cells[critic, 2].accuracy.value == pytest.approx(3 / 8)
    assert cells[critic, 1].flips.recovery.value == pytest.approx(1 / 4)
    assert cells[critic, 1].flips.harm.value == pytest.approx(3 / 4)
    assert cells[critic, 1].flips.coverage.value == pytest.approx(1 / 8)
    assert cells[critic, 2].flips.recovery.value == pytest.approx(1 / 4)
    assert cells[critic, 2].flips.harm.value == pytest.approx(2 / 4)
    table = summarize(tables.read(out, "outcomes")).to_frame().set_index(["arm", "round"])
    assert table.loc[(critic, 1), "delta_points"] == pytest.approx(-25.0)
    assert table.loc[(critic, 1), "delta_relative"] == pytest.approx(-0.5)
    assert table.loc[(critic, 1), "right_to_wrong"] == 3
    assert table.loc[(critic, 1), "wrong_to_right"] == 1
    # q5 went from A to D; q7's first answer was none, so its A is no other wrong answer.
    assert table.loc[(critic, 1), "wrong_to_other_wrong"] == 1


def test_the_same_command_again_asks_nothing(rows: Path, tmp_path: Path, serve: Any) -> None:
    server = serve(reply)
    out = tmp_path / "study"
    assert study(rows, out) == 0
    asked = len(server.requests)
    before = tables.read(out, "outcomes")
    assert study(rows, out) == 0
    assert len(server.requests) == asked
    pd.testing.assert_frame_equal(before, tables.read(out, "outcomes"))


def test_more_samples_and_arms_ask_only_what_is_new(rows: Path, tmp_path: Path, serve: Any) -> None:
    server = serve(reply)
    out = tmp_path / "study"
    first = ["run", f"qa:{rows}", "--model", MODEL, "--out", str(out)]
    assert run([*first, "--limit", "3"]) == 0
    assert len(server.requests) == 3
    assert run([*first, "--limit", "5"]) == 0
    assert len(server.requests) == 5
    assert run([*first, "--limit", "5", "--arms", "reask"]) == 0
    assert len(server.requests) == 10
    frame = tables.read(out, "outcomes")
    assert frame.groupby(["arm", "round"]).size().to_dict() == {("original", 0): 5, ("reask", 0): 5, ("reask", 1): 5}


def test_epochs_are_asked_apart(rows: Path, tmp_path: Path, serve: Any) -> None:
    server = serve(reply)
    out = tmp_path / "study"
    assert run(["run", f"qa:{rows}", "--model", MODEL, "--epochs", "3", "--limit", "2", "--out", str(out)]) == 0
    assert len(server.requests) == 6
    assert sorted(tables.read(out, "outcomes").epoch.unique()) == [1, 2, 3]


def test_with_temperature_nothing_is_shared(rows: Path, tmp_path: Path, serve: Any) -> None:
    server = serve(reply)
    out = tmp_path / "study"
    assert study(rows, out, "--temperature", "0.7") == 0
    assert len(server.requests) == 4 * 8 + 16 + 16 + 5


def test_no_key_in_anything_written(rows: Path, tmp_path: Path, serve: Any) -> None:
    serve(reply)
    out = tmp_path / "study"
    assert study(rows, out) == 0
    for path in out.rglob("*"):
        if path.is_file():
            assert b"sk-scripted-secret" not in path.read_bytes(), path
