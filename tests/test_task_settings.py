"""What a task asks for itself: what the study's settings take the place of is said, and all else is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Epochs, Task, eval
from inspect_ai.approval import ApprovalPolicy, auto_approver
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import includes, match, mean, std
from inspect_ai.solver import TaskState, generate, system_message

from astray import tables
from astray.benchmarks import inspect_task
from astray.study import arm as arm_task
from tests.studies import MODEL, astray, fresh_model, scripted, users
from tests.test_xy_tasks import call

FILE = Path(__file__).with_name("settings_tasks.py")
EPOCHS = "the task asks for 4 epochs; the study runs 1 (--epochs 4 for the task's own)"
TEMPERATURE = "the task asks for temperature 0.5; the study runs at 0 (--temperature 0.5 for the task's own)"


@pytest.mark.parametrize(
    ("more", "notes"),
    [
        ([], {EPOCHS, TEMPERATURE}),
        (["--epochs", "4"], {TEMPERATURE}),
        (["--temperature", "0.5"], {EPOCHS}),
        (["--epochs", "4", "--temperature", "0.5"], set()),
        (["-T", "epochs=1", "-T", "temperature=0"], set()),
        (["-T", "epochs=1", "-T", "temperature=null"], set()),
    ],
)
def test_a_plan_says_which_settings_of_a_task_are_replaced(
    more: list[str], notes: set[str], tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert astray("plan", f"{FILE}@particular", *more, out=tmp_path / "out") == 0
    said = capsys.readouterr().out
    assert {note for note in (EPOCHS, TEMPERATURE) if f"note: {note}" in said} == notes
    assert ("the task asks" in said) == bool(notes)


def test_a_run_says_so_too_where_nobody_sees_the_plan(tmp_path: Path, capsys: Any) -> None:
    with scripted(lambda messages: "blue", tmp_path / "cache") as server:
        assert astray("run", f"{FILE}@particular", out=tmp_path / "out", model=MODEL) == 0
        (request,) = server.requests
    assert capsys.readouterr().err.splitlines() == [f"astray: note: {EPOCHS}", f"astray: note: {TEMPERATURE}"]
    assert (request["temperature"], request["max_tokens"]) == (0, 77)


# What stays


async def tidy_up(state: TaskState) -> None:
    """Does nothing."""


def full_task() -> Task:
    """A task that sets what can be set."""
    return Task(
        dataset=MemoryDataset([Sample(id="s", input="Which colour?", target="blue")], name="colours", location="here"),
        setup=system_message("Set up."),
        solver=generate(),
        cleanup=tidy_up,
        scorer=[includes(), match()],
        metrics=[mean(), std()],
        model="mockllm/model",
        config=GenerateConfig(temperature=0.5, max_tokens=77, stop_seqs=["."]),
        model_roles={"grader": "mockllm/model"},
        sandbox=("local", "local.yaml"),
        checkpoint=False,
        approval=[ApprovalPolicy(auto_approver(), "*")],
        epochs=Epochs(4, "max"),
        fail_on_error=0.5,
        continue_on_fail=True,
        score_on_error=True,
        message_limit=31,
        token_limit="output:1000",
        turn_limit=32,
        time_limit=33,
        working_limit=34,
        cost_limit=3.5,
        name="colours",
        display_name="The colours",
        version="3-B",
        metadata={"own": 1},
        tags=["colour"],
        description="Colours.",
        headline_metric="includes",
    )


REPLACED = {"solver", "scorer", "_name", "dataset", "metadata"}
UNSET = {"sample_source", "on_checkpoint", "on_resume", "review", "early_stopping", "viewer", "sentinel"}


@pytest.mark.parametrize("arm", ["original", "judge-hypercritical-none@2+skeptical", "xy-defense"])
def test_an_arm_keeps_all_that_a_task_has_besides(arm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    base, plain = full_task(), vars(Task())
    # `task_with` changes a task in place: what is compared with are its attributes as they were.
    before = dict(vars(base))
    config = base.config.model_dump_json()
    unlike = {name for name in before if before[name] != plain.get(name)}
    assert set(before) - unlike <= UNSET, "the task sets everything else"
    monkeypatch.setattr(inspect_task, "load_one", lambda name, args: base)
    after = arm_task(benchmark="pack/any", arm=arm)
    kept = {name: value for name, value in vars(after).items() if not name.startswith("__")}
    assert {name for name in kept.keys() | before.keys() if kept.get(name) is not before.get(name)} <= REPLACED
    assert after.config.model_dump_json() == config
    assert after.name == f"colours {arm}"
    assert {"own": 1}.items() <= (after.metadata or {}).items()
    assert isinstance(after.scorer, list)
    assert after.scorer[:2] == before["scorer"]
    assert (after.dataset.name, after.dataset.location) == ("colours", "here")


# An agent after a step that ends a sample


def test_an_agent_is_not_run_after_a_step_that_completes_a_sample(tmp_path: Path) -> None:
    task = f"{FILE}@stopped"
    with scripted(lambda messages: call(1, "submit", answer="red"), tmp_path / "cache") as server:
        (bare,) = eval(task, model=fresh_model(), log_dir=str(tmp_path / "bare"), display="none", temperature=0)
        asked = [users(request["messages"]) for request in server.requests]
        server.requests.clear()
        assert astray("run", task, out=tmp_path / "out") == 0
        assert [users(request["messages"]) for request in server.requests] == asked == [["Which colour, in time?"]]
    scores = {sample.id: (sample.scores or {})["includes"].value for sample in bare.samples or []}
    frame = tables.read(tmp_path / "out", "outcomes")
    assert scores == {"at once": "C", "in time": "I"}
    assert dict(zip(frame.sample_id, frame.outcome, strict=True)) == {"at once": "correct", "in time": "wrong"}
