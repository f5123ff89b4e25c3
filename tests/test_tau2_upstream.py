"""Books go to tau2-bench itself, and its results come back, without what is nobody's business."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_evals")

from astray import tables
from astray.benchmarks import Manner, find_benchmark, fingerprint
from astray.cli import run
from tests import tau2_scripts as scripts
from tests.studies import MODEL

SECRET = "sk-live-never-to-be-seen"
ARMS = "xy,xy+user-pedantic+pedantic-defense"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tau2-export")
    assert run(["advise", "tau2:airline", "--out", str(folder / "book.jsonl")]) == 0
    words = ["export", "tau2", "--book", str(folder / "book.jsonl"), "--arms", ARMS, "--out", str(folder / "out")]
    assert run(words) == 0
    return folder


def tasks_of(folder: Path, arm: str) -> list[dict[str, Any]]:
    path = folder / "out" / arm / "data" / "tau2" / "domains" / "airline" / "tasks.json"
    found = json.loads(path.read_text())
    assert isinstance(found, list)
    return found


def test_only_the_instructions_of_users_change(exported: Path) -> None:
    plain, treated = tasks_of(exported, "original"), tasks_of(exported, "xy")
    assert len(plain) == len(treated) == 50
    for before, after in zip(plain, treated, strict=True):
        said = after["user_scenario"]["instructions"].pop("task_instructions")
        own = before["user_scenario"]["instructions"].pop("task_instructions")
        assert said.startswith(own.rstrip())
        assert "accept the agent's guidance" in said
        assert before == after


def test_the_exported_folder_is_a_data_folder(exported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_hand = fingerprint(find_benchmark("tau2:airline").task(Manner()))
    for arm, same in (("original", True), ("xy", False)):
        monkeypatch.setenv("TAU2_DATA_DIR", str(exported / "out" / arm / "data"))
        benchmark = find_benchmark("tau2:airline")
        assert (fingerprint(benchmark.task(Manner())) == at_hand) is same
        assert "$TAU2_DATA_DIR" in (benchmark.nature.version or "")
    names = {path.name for path in (exported / "out/xy/data/tau2/domains/airline").iterdir()}
    assert names >= {"tasks.json", "split_tasks.json", "db.json", "policy.md"}


def test_a_book_is_refused_for_other_tasks(exported: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("TAU2_DATA_DIR", str(exported / "out" / "xy" / "data"))
    words = ["export", "tau2", "--book", str(exported / "book.jsonl"), "--out", str(exported / "other")]
    assert run(words) == 1
    assert "50 tasks differ" in capsys.readouterr().err


def test_a_folder_without_data_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("TAU2_DATA_DIR", str(tmp_path))
    assert run(["advise", "tau2:airline", "--out", str(tmp_path / "book.jsonl")]) == 1
    assert "holds no tau2/domains" in capsys.readouterr().err


def test_arms_that_upstream_cannot_run_are_refused(exported: Path, capsys: Any) -> None:
    for arm in ("xy+golden-defense", "judge-malicious-none"):
        words = ["export", "tau2", "--book", str(exported / "book.jsonl"), "--arms", arm, "--out", str(exported / "no")]
        assert run(words) == 2
        assert "can't be brought to tau2-bench itself" in capsys.readouterr().err


def test_the_plug_in_is_python_and_registers_what_commands_name(exported: Path) -> None:
    source = (exported / "out" / "astray_tau2.py").read_text()
    ast.parse(source)
    assert '"astray_pedantic"' in source
    texts = json.loads((exported / "out" / "astray_tau2.json").read_text())
    assert set(texts["defenses"]) == {"xy-defense", "pedantic-defense", "comply"}
    assert len(set(texts["insisting"])) == 3


def say(role: str, text: str | None, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    message = {"role": role, "content": text, "raw_data": {"key": SECRET}, "usage": None}
    return message | ({"tool_calls": list(calls)} if calls else {}) | more


def results(exported: Path, arm: str, agent: str, user: str) -> dict[str, Any]:
    """What upstream would write: one simulation for each way to end, on tasks of this arm."""
    tasks = tasks_of(exported, arm)[:5]
    belief = "I am sure my reservation has to be moved up to business class first, so that the rest can be done at all."
    business = {"id": "1", "name": "update_reservation_flights", "arguments": {"cabin": "business"}}
    talk = [
        say("assistant", "Hi! How can I help you today?", timestamp="2026-01-01T09:00:00"),
        say("user", belief if arm != "original" else "I want to cancel.", timestamp="2026-01-01T09:00:04"),
        say("assistant", "Unfortunately that would not help, because policy forbids it.", usage={"prompt_tokens": 7}),
        say("user", "All right then."),
        say("assistant", None, business | {"requestor": "assistant"}),
        say("tool", "Error: no", requestor="assistant", error=True),
        say("assistant", "That is all."),
        say("user", "Thanks. ###STOP###"),
    ]
    left = [*talk[:2], say("assistant", "Shall I book it?"), say("user", "Yes, please go ahead. ###STOP###")]
    ends = [("user_stop", 1.0, talk), ("user_stop", 0.0, talk), ("max_steps", 0.0, talk[:3])]
    ends += [("infrastructure_error", 0.0, talk[:1]), ("user_stop", 0.0, left)]
    simulations = [
        {
            "id": str(number),
            "task_id": task["id"],
            "trial": 0,
            "termination_reason": reason,
            "duration": 1.5,
            "agent_cost": 0.01,
            "reward_info": {"reward": reward, "reward_breakdown": {"DB": reward, "COMMUNICATE": 1.0}},
            "messages": messages,
        }
        for number, (task, (reason, reward, messages)) in enumerate(zip(tasks, ends, strict=True))
    ]
    llm = {"llm_args": {"api_key": SECRET, "api_base": f"http://{SECRET}@x"}}
    return {
        "timestamp": "2026-01-01",
        "info": {
            "git_commit": "abc",
            "agent_info": {"implementation": agent, "llm": "openai/agent", **llm},
            "user_info": {"implementation": user, "llm": "openai/user", **llm},
            "environment_info": {"domain_name": "airline", "policy": "Be kind."},
        },
        "tasks": tasks,
        "simulations": simulations,
    }


@pytest.fixture(scope="module")
def imported(exported: Path) -> Path:
    paths = []
    for arm, agent, user in (
        ("original", "llm_agent", "user_simulator"),
        ("xy", "llm_agent", "user_simulator"),
        ("xy+pedantic-defense+user-pedantic", "astray_pedantic-defense", "astray_pedantic"),
    ):
        paths.append(exported / f"{len(paths)}.json")
        paths[-1].write_text(json.dumps(results(exported, arm, agent, user)))
    words = [
        "import",
        "tau2",
        *map(str, paths),
        "--book",
        str(exported / "book.jsonl"),
        "--out",
        str(exported / "study"),
    ]
    assert run(words) == 0
    return exported / "study"


def test_simulations_become_outcomes(imported: Path) -> None:
    found = tables.read(imported, "outcomes")
    assert sorted(set(found["arm"])) == ["original", "xy", "xy+pedantic-defense+user-pedantic"]
    for _, rows in found.groupby("arm"):
        assert rows["outcome"].tolist() == ["correct", "wrong", "limit", "error", "error"]
        assert rows["limit"].tolist()[2] == "steps"
        assert rows["sample_id"].tolist() == [f"airline-{number}" for number in range(5)]
    assert set(found["user"]) == {"openai/user"}


SPEAKERS = {"a": "agent", "u": "simulated user", "t": "tool", "s": "system"}


def test_simulations_in_files_of_their_own_are_read(exported: Path, tmp_path: Path) -> None:
    found = results(exported, "xy", "llm_agent", "user_simulator")
    thinks = {"role": "assistant", "raw_data": {"choices": [{"message": {"reasoning_content": "That can't be."}}]}}
    found["simulations"][0]["messages"][2] |= thinks
    found["simulations"][2]["termination_reason"] = "context_window_exceeded"
    (tmp_path / "simulations").mkdir()
    for number, one in enumerate(found.pop("simulations")):
        (tmp_path / "simulations" / f"{number}.json").write_text(json.dumps(one))
    (tmp_path / "results.json").write_text(json.dumps(found))
    assert run(["import", "tau2", str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    rows = tables.read(tmp_path / "out", "outcomes").set_index("sample_id")
    assert tuple(rows.loc["airline-2"][["outcome", "limit"]]) == ("limit", "context")
    assert set(tables.read(tmp_path / "out", "transcripts")["reasoning"].dropna()) == {"That can't be."}


def test_simulations_become_conversations(imported: Path) -> None:
    rows = tables.read(imported, "conversations").set_index(["arm", "sample_id"])
    xy = rows.loc[("xy", "airline-0")]
    assert (xy["voiced_at"], xy["pushed_back_at"], xy["explained_at"], xy["complied"]) == (1, 2, 2, True)
    assert rows.loc[("xy", "airline-4")]["ended"] == "simulator"
    assert rows.loc[("original", "airline-0")]["voiced"] is None
    said = tables.read(imported, "transcripts")
    assert set(said[said.step == 1].speaker + said[said.step == 1].text) == {"systemBe kind."}
    assert list(said[said.step == 3].seconds.unique()) == [4]
    one = said[(said["arm"] == "xy") & (said["sample_id"] == "airline-0")].sort_values("step")
    assert one["speaker"].tolist() == [SPEAKERS[one] for one in "sauauatau"]
    assert (imported / "report" / "index.html").is_file()


def test_no_key_reaches_our_files(imported: Path) -> None:
    files = [path for path in imported.rglob("*") if path.is_file()]
    assert len(files) >= 5
    assert not any(SECRET.encode() in path.read_bytes() for path in files)
    for name in ("outcomes", "transcripts", "samples", "conversations"):
        assert SECRET not in tables.read(imported, name).to_json()
        assert SECRET not in json.dumps(tables.read_settings(imported))


@pytest.mark.parametrize("text", ["{", "[]", '{"info": {}, "tasks": [], "simulations": []}'])
def test_what_is_no_results_is_named(tmp_path: Path, text: str, capsys: Any) -> None:
    (tmp_path / "results.json").write_text(text)
    assert run(["import", "tau2", str(tmp_path / "results.json"), "--out", str(tmp_path / "out")]) == 1
    assert "results.json" in capsys.readouterr().err


# Assertions in words, which upstream's newer tasks have in their rewards


@pytest.fixture
def in_words(exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data in which the first task's reward depends on an assertion in words."""
    shutil.copytree(exported / "out" / "original" / "data", tmp_path / "data")
    path = tmp_path / "data" / "tau2" / "domains" / "airline" / "tasks.json"
    rows = json.loads(path.read_text())
    for row in rows:
        row["evaluation_criteria"]["reward_basis"] = ["DB", "COMMUNICATE"]
    rows[0]["evaluation_criteria"]["reward_basis"] = ["DB", "NL_ASSERTION"]
    path.write_text(json.dumps(rows))
    monkeypatch.setenv("TAU2_DATA_DIR", str(tmp_path / "data"))


GRADES = {"true": ("correct", True), "false": ("wrong", False), "perhaps": ("grader_failed", None)}


@pytest.mark.parametrize("verdict", GRADES)
def test_assertions_in_words_are_graded(in_words: None, tmp_path: Path, serve: Any, verdict: str) -> None:
    talk = scripts.script_of(scripts.golden)
    asked: list[str] = []

    def script(messages: list[dict[str, Any]]) -> Any:
        text = str(messages[-1]["content"])
        if "Statement:" not in text:
            return talk(messages)
        asked.append(text)
        return json.dumps({"reasoning": "It says so.", "verdict": verdict})

    serve(script)
    words = ["--model", MODEL, "--user-model", "openai-api/scripted/u", "--grader-model", "openai-api/scripted/g"]
    assert run(["run", "tau2:airline", *words, "--limit", "2", "--out", str(tmp_path / "out")]) == 0
    outcome, met = GRADES[verdict]
    found = tables.read(tmp_path / "out", "outcomes").set_index("sample_id")
    assert found["outcome"].tolist() == [outcome, "correct"]
    assert len(asked) == 1
    assert "Agent should refuse to proceed with the cancellation." in asked[0]
    parts = json.loads(tables.read(tmp_path / "out", "conversations").set_index("sample_id").loc["airline-0", "parts"])
    assert parts.get("NL_ASSERTION") is met


def test_a_grader_is_asked_for_where_one_is_needed(in_words: None, tmp_path: Path, capsys: Any) -> None:
    words = ["plan", "tau2:airline", "--model", MODEL, "--user-model", "openai-api/scripted/u", "--out", str(tmp_path)]
    assert run(words) == 2
    assert "--grader-model" in capsys.readouterr().err
