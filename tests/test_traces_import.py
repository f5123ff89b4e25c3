"""Transcripts of other harnesses: every format with a small file of its own making."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from astray.cli import run
from astray.measures.traces import trace_measures
from astray.report import load
from astray.report.browser.store import store, unpack
from astray.report.traces import traces_of
from astray.tables import read
from astray.traces.readers.chat import read_chat
from tests.conftest import SHARED
from tests.studies import MODEL, scripted
from tests.trace_parts import labeller

CALL = {"name": "look", "arguments": {"id": 7}}


def atif(folder: Path) -> Path:
    trial = folder / "job" / "trial-1"
    (trial / "agent").mkdir(parents=True)
    steps = [
        {"step_id": 1, "source": "system", "message": "Be careful."},
        {"step_id": 2, "source": "user", "message": "Fix it.", "timestamp": "2026-03-01T10:00:00Z"},
        {
            "step_id": 3, "source": "agent", "message": "I look.", "reasoning_content": "The port?",
            "timestamp": "2026-03-01T12:00:02.5+02:00",
            "tool_calls": [{"tool_call_id": "a", "function_name": "look", "arguments": {"id": 7}}],
            "observation": {"results": [{"source_call_id": "a", "content": "port 80"}]},
        },
        {"step_id": 4, "source": "agent", "message": [{"type": "text", "text": "Done."}]},
    ]  # fmt: skip
    data = {"schema_version": "ATIF-v1.8", "session_id": "s", "agent": {"name": "x", "model_name": "m"}, "steps": steps}
    (trial / "agent" / "trajectory.json").write_text(json.dumps(data))
    (trial / "result.json").write_text(json.dumps({"task_name": "t", "verifier_result": {"rewards": {"reward": 1.0}}}))
    return folder / "job"


def tau2(folder: Path) -> Path:
    messages = [
        {"role": "assistant", "content": "Hello.", "timestamp": "2026-03-01T10:00:00"},
        {"role": "user", "content": "Cancel it.", "timestamp": "2026-03-01T10:00:09"},
        {"role": "assistant", "content": None, "tool_calls": [CALL | {"requestor": "assistant"}], "timestamp": "soon"},
        {"role": "tool", "content": "booked", "requestor": "assistant"},
        {"role": "user", "content": None, "tool_calls": [CALL | {"requestor": "user"}]},
        {"role": "tool", "content": "for the user's eyes", "requestor": "user"},
        {"role": "assistant", "content": "I can't do that."},
    ]
    simulations = [
        {"task_id": "3", "trial": trial, "messages": messages, "reward_info": {"reward": reward}}
        for trial, reward in enumerate((1.0, 0.0))
    ]
    path = folder / "results.json"
    path.write_text(json.dumps({"info": {"agent_info": {"llm": "m"}}, "simulations": simulations}))
    return path


def mcp_atlas(folder: Path) -> Path:
    history = [
        {"role": "user", "content": "How high is it?"},
        {
            "role": "assistant", "content": "",
            "tool_calls": [{"function": {"name": "look", "arguments": '{"id": 7}'}}],
        },
        {"role": "tool", "content": [{"type": "text", "text": "2 m"}]},
    ]  # fmt: skip
    path = folder / "runs.csv"
    with path.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["task_id", "raw_conversation_history", "response"])
        writer.writerow(["t1", json.dumps(history), "Two metres."])
    return path


def chat(folder: Path) -> Path:
    pressed = {
        "model": "m", "question_id": 1, "question": "Is it safe?", "initial": {"response": "No."},
        "rounds": [{"level": 1, "pressure": "It is.", "response": "You are right."}],
    }  # fmt: skip
    plain = {"id": "x", "model": "m", "value": 0.5, "messages": [{"role": "user", "content": "Hi."}]}
    path = folder / "chats.jsonl"
    path.write_text("\n".join(map(json.dumps, [pressed, plain])) + "\n")
    return path


def imported(form: str, path: Path, out: Path, *more: str) -> list[dict[str, Any]]:
    assert run(["traces", "import", str(path), "--format", form, "--out", str(out), *more]) == 0
    frame = read(out, "transcripts").astype(object)
    return [dict(row) for row in frame.where(frame.notna(), None).to_dict("records")]


def said(rows: list[dict[str, Any]]) -> list[tuple[int, str, str]]:
    return [(row["step"], row["speaker"], row["text"]) for row in rows]


def times(rows: list[dict[str, Any]]) -> list[float | None]:
    return [None if pd.isna(row["seconds"]) else row["seconds"] for row in rows]


def test_atif(tmp_path: Path) -> None:
    rows = imported("atif", atif(tmp_path), tmp_path / "out", "--arm", "xy")
    assert said(rows) == [
        (1, "system", "Be careful."), (2, "user", "Fix it."), (3, "agent", "I look."), (4, "tool", "port 80"),
        (5, "agent", "Done."),
    ]  # fmt: skip
    assert times(rows) == [None, 0, 2.5, None, None]
    assert (rows[2]["reasoning"], json.loads(rows[2]["tool_calls"])) == ("The port?", [CALL])
    assert {(row["sample_id"], row["model"], row["arm"], row["epoch"]) for row in rows} == {("t", "m", "xy", 1)}
    assert list(read(tmp_path / "out", "outcomes")["outcome"]) == ["correct"]


def test_tau2_as_the_agent_saw_it(tmp_path: Path) -> None:
    rows = imported("tau2", tau2(tmp_path), tmp_path / "out")
    assert said(rows[:5]) == [
        (1, "agent", "Hello."), (2, "simulated user", "Cancel it."), (3, "agent", ""), (4, "tool", "booked"),
        (5, "agent", "I can't do that."),
    ]  # fmt: skip
    assert times(rows[:5]) == [0, 9, None, None, None]
    assert json.loads(rows[2]["tool_calls"]) == [CALL]
    outcomes = read(tmp_path / "out", "outcomes")
    assert list(zip(outcomes["epoch"], outcomes["outcome"], strict=True)) == [(1, "correct"), (2, "wrong")]


def test_mcp_atlas(tmp_path: Path) -> None:
    rows = imported("mcp-atlas", mcp_atlas(tmp_path), tmp_path / "out", "--model", "m")
    assert said(rows) == [
        (1, "user", "How high is it?"),
        (2, "agent", ""),
        (3, "tool", "2 m"),
        (4, "agent", "Two metres."),
    ]
    assert json.loads(rows[1]["tool_calls"]) == [CALL]
    assert len(read(tmp_path / "out", "outcomes")) == 0


def test_chats(tmp_path: Path) -> None:
    rows = imported("chat", chat(tmp_path), tmp_path / "out")
    assert said(rows[:4]) == [
        (1, "user", "Is it safe?"), (2, "agent", "No."), (3, "user", "It is."), (4, "agent", "You are right."),
    ]  # fmt: skip
    assert [(row["round"], row["advice"]) for row in rows[:4]] == [(0, None), (0, None), (1, "It is."), (1, None)]
    assert list(read(tmp_path / "out", "outcomes")["outcome"]) == ["partial"]


def test_importing_adds_and_the_same_again_changes_nothing(tmp_path: Path) -> None:
    once = imported("chat", chat(tmp_path), tmp_path / "out")
    both = imported("chat", tmp_path / "chats.jsonl", tmp_path / "out", "--arm", "xy")
    assert len(both) == 2 * len(once)
    again = imported("chat", tmp_path / "chats.jsonl", tmp_path / "out", "--arm", "xy")
    assert again == both
    assert len(read(tmp_path / "out", "outcomes")) == 2


@pytest.mark.parametrize(
    ("form", "text", "told"),
    [
        ("chat", '{"messages": [{"role": "user", "content": "a"}]}\n{"x": 1}', "line 2"),
        ("chat", '{"messages": [{"role": "pope", "content": "a"}]}', "role is 'pope'"),
        ("tau2", "{}", "no 'simulations'"),
        ("tau2", '{"simulations": [{"messages": []}]}', "simulation 1"),
        ("atif", '{"schema_version": "2"}', "no ATIF-v1"),
        ("atif", '{"schema_version": "ATIF-v1.8", "steps": [{}]}', "file: step 1: is not as ATIF"),
        ("mcp-atlas", "a,b\n1,2\n", "columns missing"),
        ("mcp-atlas", "task_id,raw_conversation_history\nt,{\n", "line 2"),
        ("tau2", "{", "JSON"),
    ],
)
def test_what_cannot_be_read_is_named(
    form: str, text: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    assert run(["traces", "import", str(path), "--format", form, "--out", str(tmp_path / "out")]) == 1
    assert told in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_study_that_was_run_is_not_imported_into(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "study.yaml").write_text("name: x")
    path = chat(tmp_path)
    assert run(["traces", "import", str(path), "--format", "chat", "--out", str(tmp_path / "out")]) == 1


def test_imported_transcripts_are_labelled_and_shown_without_any_score(tmp_path: Path) -> None:
    out = tmp_path / "out"
    imported("mcp-atlas", mcp_atlas(tmp_path), out, "--model", "m")
    imported("mcp-atlas", tmp_path / "runs.csv", out, "--model", "m", "--arm", "xy")
    with scripted(labeller, tmp_path / "cache"):
        assert run(["traces", "label", str(out), "--grader-model", MODEL]) == 0
    tables = [read(out, name) for name in ("behaviours", "labellings", "outcomes", "transcripts")]
    (measured,) = trace_measures(*tables)
    found = traces_of(measured, ("original", "xy"))
    (row,) = (one for one in found.rows if (one.arm, one.name) == ("xy", "takes a risk"))
    assert (row.everywhere.rate.value, row.everywhere.transcripts, row.correct.transcripts) == (0, 1, 0)
    assert row.change is not None
    assert row.change.points.value == 0
    # Nobody made a suggestion that is known, and no reasoning is recorded.
    assert {one.behaviour for one in found.voids} == {
        "complies", "disagrees", "key_insight", "key_result", "pivot", "risk", "self_blame",
    }  # fmt: skip
    assert run(["report", str(out)]) == 0
    text = (out / "report" / "index.html").read_text()
    assert "Transcripts without a score: nothing can be said of accuracy." in text
    assert "takes a risk" in text
    kept = store(load([out]))
    assert kept.runs == 2
    assert unpack(kept.index)["outcomes"] == ["no score"]


@pytest.mark.parametrize("value", [2, -0.5, "high"])
def test_a_score_out_of_range_is_refused_by_name(
    value: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"id": "q7", "messages": [{"role": "user", "content": "Hi."}], "model": "m", "value": value}
    (tmp_path / "one.jsonl").write_text(json.dumps(row) + "\n")
    assert run(["traces", "import", str(tmp_path / "one.jsonl"), "--format", "chat", "--out", str(tmp_path / "o")]) == 1
    assert "sample 'q7': scored" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


CHATS = SHARED / "data" / "sycobench_transcripts.jsonl"


@pytest.mark.skipif(not CHATS.is_file(), reason="needs ../shared")
def test_real_chats_under_pressure(tmp_path: Path) -> None:
    rows = imported("chat", CHATS, tmp_path / "out", "--arm", "judge-hypercritical-none@3")
    assert len({(row["sample_id"], row["model"]) for row in rows}) == 1736
    assert {row["speaker"] for row in rows} == {"user", "agent"}
    assert min(row["round"] for row in rows) == 0


def test_only_a_newline_ends_a_row(tmp_path: Path) -> None:
    said = "one\u2028two\u0085three"
    row = {"id": "a", "messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": said}]}
    path = tmp_path / "chats.jsonl"
    path.write_text(json.dumps(row, ensure_ascii=False) + "\n", encoding="utf-8")
    (found,) = read_chat(path)
    assert found.steps[-1].text == said
