"""Forms that files of other harnesses really have, each in a small file of our own making."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from astray.cli import run
from astray.errors import InputError
from astray.tables import Outcome, read
from astray.traces import Step
from astray.traces.readers import Imported
from astray.traces.readers.atif import read_atif
from astray.traces.readers.chat import read_chat
from astray.traces.readers.mcp_atlas import read_mcp_atlas
from astray.traces.readers.tau2 import read_tau2


def said(steps: tuple[Step, ...]) -> list[tuple[int, str, str]]:
    return [(step.step, step.speaker, step.text) for step in steps]


def ends(runs: list[Imported]) -> list[tuple[float | None, Outcome | None, str | None]]:
    return [(one.value, one.outcome, one.why) for one in runs]


# Messages


def chat(path: Path, messages: list[dict[str, Any]]) -> tuple[Step, ...]:
    path.write_text(json.dumps({"messages": messages}) + "\n")
    (one,) = read_chat(path)
    return one.steps


def test_parts_that_are_no_text_are_marked_and_thoughts_are_kept_apart(tmp_path: Path) -> None:
    looked = {
        "role": "user",
        "content": [{"type": "image", "source": "a.png"}, {"type": "text", "text": "What is it?"}],
    }
    thought = {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "A cat?"}, {"type": "text", "text": "A cat."}],
    }
    asked, answered = chat(tmp_path / "chat.jsonl", [looked, thought])
    assert asked.text == "[image]\nWhat is it?"
    assert (answered.text, answered.reasoning) == ("A cat.", "A cat?")


def test_a_tool_that_answers_with_nothing_keeps_its_place(tmp_path: Path) -> None:
    calls = [{"function": {"name": name, "arguments": "{}"}} for name in ("clear", "count")]
    agent = {"role": "assistant", "content": None, "tool_calls": calls}
    results = [{"role": "tool", "content": ""}, {"role": "tool", "content": "3"}]
    steps = chat(tmp_path / "chat.jsonl", [agent, *results, {"role": "user", "content": ""}])
    assert said(steps) == [(1, "agent", ""), (2, "tool", ""), (3, "tool", "3")]


# tau2


def simulation(reason: str, reward: float | None = 0.0, **more: Any) -> dict[str, Any]:
    return {
        "task_id": reason, "trial": 0, "messages": [], "termination_reason": reason,
        "reward_info": None if reward is None else {"reward": reward},
    } | more  # fmt: skip


def tau2(folder: Path, *simulations: dict[str, Any]) -> Path:
    info = {"agent_info": {"llm": "m"}, "environment_info": {"policy": "Cancel nothing."}}
    path = folder / "results.json"
    path.write_text(json.dumps({"info": info, "simulations": simulations}))
    return path


def test_tau2_words_to_the_users_own_tools_reach_no_agent(tmp_path: Path) -> None:
    raw = {"choices": [{"message": {"content": "I see.", "reasoning_content": "It may be off."}}]}
    messages = [
        {"role": "assistant", "content": "Hello.", "tool_calls": None, "raw_data": None},
        {"role": "user", "content": "No signal.", "tool_calls": None},
        {"role": "user", "content": "Let me see.", "tool_calls": [{"name": "status", "arguments": {}}]},
        {"role": "tool", "content": "airplane mode", "requestor": "user"},
        {"role": "assistant", "content": "I see.", "tool_calls": None, "raw_data": raw},
    ]  # fmt: skip
    (one,) = read_tau2(tau2(tmp_path, simulation("user_stop", 1.0, messages=messages)))
    assert said(one.steps) == [
        (1, "system", "Cancel nothing."), (2, "agent", "Hello."), (3, "simulated user", "No signal."),
        (4, "agent", "I see."),
    ]  # fmt: skip
    assert [step.reasoning for step in one.steps if step.by_agent] == [None, "It may be off."]


def test_tau2_a_run_that_broke_is_not_wrong(tmp_path: Path) -> None:
    runs = [simulation("agent_stop"), simulation("max_steps"), simulation("infrastructure_error")]
    path = tau2(tmp_path, *runs, simulation("user_stop", None))
    assert ends(read_tau2(path)) == [
        (0.0, None, None), (0.0, Outcome.LIMIT, "steps"), (None, Outcome.ERROR, "ended by infrastructure_error"),
        (None, None, None),
    ]  # fmt: skip
    assert run(["traces", "import", str(path), "--format", "tau2", "--out", str(tmp_path / "out")]) == 0
    rows = read(tmp_path / "out", "outcomes").set_index("sample_id")
    assert rows["outcome"].to_dict() == {"agent_stop": "wrong", "max_steps": "limit", "infrastructure_error": "error"}
    assert rows["limit"]["max_steps"] == "steps"
    assert rows["error"]["infrastructure_error"] == "ended by infrastructure_error"


def test_tau2_simulations_in_files_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "simulations").mkdir()
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"info": {"agent_info": {"llm": "m"}}, "tasks": []}))
    for trial in (1, 0):
        one = simulation("user_stop", float(trial), trial=trial)
        (tmp_path / "simulations" / f"{trial}.json").write_text(json.dumps(one))
    for place in (path, tmp_path):
        assert [(one.epoch, one.value, one.model) for one in read_tau2(place)] == [(1, 0.0, "m"), (2, 1.0, "m")]
    (tmp_path / "simulations" / "2.json").write_text(json.dumps({"task_id": "x", "ticks": [{"tick_id": 0}]}))
    with pytest.raises(InputError, match=r"2\.json: is a spoken conversation"):
        read_tau2(tmp_path)


def test_runs_that_would_be_one_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chats = [{"id": "q7", "model": model, "messages": [{"role": "user", "content": "Hi."}]} for model in "ab"]
    path = tmp_path / "chats.jsonl"
    path.write_text("\n".join(map(json.dumps, chats)))
    command = ["traces", "import", str(path), "--format", "chat", "--out", str(tmp_path / "out")]
    assert run([*command, "--model", "m"]) == 1
    assert "sample 'q7': two runs of it by 'm'" in capsys.readouterr().err
    assert run(command) == 0


# MCP-Atlas


def atlas(path: Path, *rows: dict[str, str]) -> Path:
    with path.open("w", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


HISTORY = json.dumps(
    [
        {"role": "assistant", "content": "I look.", "tool_calls": [{"function": {"name": "look", "arguments": "{}"}}]},
        {"role": "tool", "content": [{"type": "text", "text": "2 m"}, {"type": "image", "image_url": {"url": "x"}}]},
        {"role": "assistant", "content": "Two metres."},
    ]
)


def test_atlas_request_and_score_from_the_scored_file(tmp_path: Path) -> None:
    row = {"PROMPT": "How high?", "raw_conversation_history": HISTORY, "response": "Two metres."}
    scored = [{"TASK": "t1", **row, "coverage_score": "0.75"}, {"TASK": "t2", **row, "coverage_score": ""}]
    first, second = read_mcp_atlas(atlas(tmp_path / "scored.csv", *scored))
    assert said(first.steps) == [
        (1, "user", "How high?"), (2, "agent", "I look."), (3, "tool", "2 m\n[image]"), (4, "agent", "Two metres."),
    ]  # fmt: skip
    assert [(one.sample_id, one.value) for one in (first, second)] == [("t1", 0.75), ("t2", None)]


def test_atlas_a_failure_of_the_harness_is_no_transcript(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        {"task_id": "t1", "raw_conversation_history": HISTORY, "response": "Two metres."},
        {"task_id": "t2", "raw_conversation_history": "", "response": "ERROR: HTTP 500: broken\nbadly"},
        {"task_id": "t3", "raw_conversation_history": "[]", "response": ""},
    ]
    path = atlas(tmp_path / "outputs.csv", *rows)
    assert ends(read_mcp_atlas(path)) == [
        (None, None, None),
        (None, Outcome.ERROR, "ERROR: HTTP 500: broken"),
        (None, Outcome.ERROR, "nothing is recorded"),
    ]  # fmt: skip
    assert run(["traces", "import", str(path), "--format", "mcp-atlas", "--out", str(tmp_path / "out")]) == 0
    assert "1 transcripts, 0 with a score, 0 with known advice, 2 runs of which nothing" in capsys.readouterr().out
    assert set(read(tmp_path / "out", "transcripts")["sample_id"]) == {"t1"}


# ATIF


def agent(message: Any, *calls: str, **more: Any) -> dict[str, Any]:
    made = [{"tool_call_id": call, "function_name": call, "arguments": {}} for call in calls]
    return {"source": "agent", "message": message, "tool_calls": made, **more}


def results(**contents: Any) -> dict[str, Any]:
    return {"results": [{"source_call_id": call, "content": content} for call, content in contents.items()]}


def atif(path: Path, *steps: dict[str, Any], **more: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    numbered = [{"step_id": number, **step} for number, step in enumerate(steps, 1)]
    path.write_text(json.dumps({"schema_version": "ATIF-v1.7", "agent": {}, "steps": numbered, **more}))
    return path


def test_atif_a_continuation_is_read_on_without_its_copies(tmp_path: Path) -> None:
    asked, handed = {"source": "user", "message": "Fix it."}, {"source": "user", "message": "So far: a look."}
    other = {"results": [{"subagent_trajectory_ref": [{"trajectory_path": "trajectory.summary.json"}]}]}
    summary = {"source": "system", "message": "Summarized.", "observation": other}
    copied = [one | {"is_copied_context": True} for one in (asked, handed)]
    path = tmp_path / "agent" / "trajectory.json"
    atif(path, asked, agent("I look."), summary, continued_trajectory_ref="trajectory.cont-1.json")
    atif(path.parent / "trajectory.cont-1.json", *copied, agent("Done."))
    (one,) = read_atif(tmp_path)
    assert said(one.steps) == [
        (1, "user", "Fix it."), (2, "agent", "I look."), (3, "system", "Summarized."), (4, "user", "So far: a look."),
        (5, "agent", "Done."),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("ref", "told"), [("trajectory.json", "continued in itself"), ("lost.json", "lost.json: no such")]
)
def test_atif_a_continuation_that_cannot_be_followed_is_named(ref: str, told: str, tmp_path: Path) -> None:
    path = atif(tmp_path / "trajectory.json", agent("Hi."), continued_trajectory_ref=ref)
    with pytest.raises(InputError, match=told):
        read_atif(path)


def test_atif_results_stand_in_the_order_of_their_calls(tmp_path: Path) -> None:
    pictures = [{"type": "text", "text": "A page."}, {"type": "image", "source": {"path": "a.png"}}]
    path = atif(
        tmp_path / "trajectory.json",
        agent("", "clear", "look", observation=results(look=pictures, clear=None)),
        agent(""),
        agent([{"type": "text", "text": "Done."}, {"type": "audio", "source": {"path": "a.wav"}}]),
    )
    (one,) = read_atif(path)
    assert said(one.steps) == [
        (1, "agent", ""), (2, "tool", ""), (3, "tool", "A page.\n[image]"), (4, "agent", "Done.\n[audio]"),
    ]  # fmt: skip


def test_atif_what_sub_agents_did_is_left_out(tmp_path: Path) -> None:
    side = {"source": "user", "message": "Find the port.", "extra": {"is_sidechain": True}}
    asked = {"source": "user", "message": "Fix it.", "extra": {"is_sidechain": False}}
    path = atif(tmp_path / "trajectory.json", side, asked, agent("", "task", observation=results(task="80")))
    (one,) = read_atif(path)
    assert said(one.steps) == [(1, "user", "Fix it."), (2, "agent", ""), (3, "tool", "80")]


def test_atif_trials_of_several_models_and_steps(tmp_path: Path) -> None:
    def trial(name: str, model: str, **more: Any) -> Path:
        folder = tmp_path / "job" / name
        folder.mkdir(parents=True)
        told = {"task_name": "t", "agent_info": {"model_info": {"name": model, "provider": None}}, **more}
        (folder / "result.json").write_text(json.dumps(told))
        return folder

    verified: dict[str, Any] = {"verifier_result": {"rewards": {"reward": 1.0}}}
    atif(trial("t__a", "a", **verified) / "agent" / "trajectory.json", agent("A."))
    atif(trial("t__b", "b", verifier_result=None) / "agent" / "trajectory.json", agent("B."))
    several = trial("t__c", "a", step_results=[{"step_name": "two", **verified}])
    for step in ("one", "two"):
        atif(several / "steps" / step / "agent" / "trajectory.json", agent(step))
    (tmp_path / "job" / "t__a" / "artifacts").mkdir()
    (tmp_path / "job" / "t__a" / "artifacts" / "trajectory.json").write_text("[]")
    assert [(one.sample_id, one.model, one.epoch, one.value) for one in read_atif(tmp_path / "job")] == [
        ("t", "a", 1, 1.0), ("t", "b", 1, None), ("t/one", "a", 1, None), ("t/two", "a", 1, 1.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ([agent("Hi."), {"source": "pope", "message": "a"}], "step 2: is not as ATIF has it"),
        ([agent("Hi."), "and so on"], "step 2: is no object"),
        (None, "holds no list of steps"),
    ],
)
def test_atif_a_faulty_step_is_named(steps: Any, told: str, tmp_path: Path) -> None:
    path = tmp_path / "trajectory.json"
    path.write_text(json.dumps({"schema_version": "ATIF-v1.7", "steps": steps}))
    with pytest.raises(InputError, match=told):
        read_atif(path)


def test_atif_trials_that_ended_badly_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def trial(name: str, failure: str | None, reward: float | None, *, acted: bool) -> None:
        told: dict[str, Any] = {"task_name": name, "agent_info": {"model_info": {"name": "m"}}}
        told["exception_info"] = failure and {"exception_type": failure}
        told["verifier_result"] = None if reward is None else {"rewards": {"reward": reward}}
        folder = tmp_path / "job" / f"{name}__x"
        if acted:
            atif(folder / "agent" / "trajectory.json", agent("Done."))
        folder.mkdir(exist_ok=True, parents=True)
        (folder / "result.json").write_text(json.dumps(told))

    trial("a", None, 1.0, acted=True)
    trial("b", "AgentTimeoutError", 0.0, acted=True)
    trial("c", "VerifierTimeoutError", None, acted=True)
    trial("d", "AgentSetupTimeoutError", None, acted=False)
    trial("e", None, 0.0, acted=False)
    trial("f", None, None, acted=False)
    (tmp_path / "job" / "result.json").write_text(json.dumps({"n_total_trials": 6}))
    runs = read_atif(tmp_path / "job")
    assert {one.sample_id: (one.value, one.outcome, one.why, len(one.steps)) for one in runs} == {
        "a": (1.0, None, None, 1),
        "b": (0.0, Outcome.LIMIT, "time", 1),
        "c": (None, Outcome.ERROR, "ended by VerifierTimeoutError", 1),
        "d": (None, Outcome.ERROR, "ended by AgentSetupTimeoutError", 0),
        "e": (0.0, None, None, 0),
        "f": (None, Outcome.ERROR, "neither a trajectory nor a reward", 0),
    }
    out = str(tmp_path / "out")
    assert run(["traces", "import", str(tmp_path / "job"), "--format", "atif", "--out", out]) == 0
    assert re.search(r"3 transcripts, 3 with a score, .*3 runs of which nothing", capsys.readouterr().out)


def test_atif_a_faulty_result_is_named(tmp_path: Path) -> None:
    path = atif(tmp_path / "trial" / "agent" / "trajectory.json", agent("Hi."))
    (tmp_path / "trial" / "result.json").write_text("[]")
    with pytest.raises(InputError, match=r"result\.json: is not as Harbor has it"):
        read_atif(path)
