"""What an arm tells the agent: in every call of the model that acts, in its place, and in nobody else's."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval
from inspect_ai.log import EvalLog, resolve_sample_attachments
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, ModelAPI

from astray import prompts, tables
from astray.benchmarks import telling, told_now
from astray.benchmarks.telling import Told
from astray.study import arm as arm_task
from astray.study.shared_model import _key
from tests.scripted_server import Misbehave, Script
from tests.studies import MODEL, Messages, astray, fresh_model, scripted, systems, users

FILE = str(Path(__file__).with_name("telling_tasks.py"))
OWN = {"own_list": ["You have a list of your own."], "bridged": ["You have a list of your own."], "plain": [],
       "cli_like": ["You have a list of your own.\n\nFrom the task."]}  # fmt: skip
WORDS = {arm: prompts.load(f"defenses/{arm}").fill() for arm in ("xy-defense", "comply")}


def blue(messages: Messages) -> str:
    return "GRADE: C" if "Grade this" in users(messages)[0] else "blue"


def asked(task: str, arm: str, tmp_path: Path, script: Script = blue, **more: Any) -> tuple[list[Messages], EvalLog]:
    """All requests of a task under an arm, as `inspect eval astray/arm` sends them."""
    with scripted(script, tmp_path / "cache") as server:
        (log,) = eval(
            arm_task(benchmark=f"{FILE}@{task}", arm=arm),
            model=fresh_model(), log_dir=str(tmp_path / "logs"), display="none", **more,
        )  # fmt: skip
        assert log.status == "success", log.error
        return [request["messages"] for request in server.requests], log


@pytest.mark.parametrize("arm", WORDS)
@pytest.mark.parametrize("task", OWN)
def test_every_call_of_any_agent_is_told_in_its_place(task: str, arm: str, tmp_path: Path) -> None:
    requests, _ = asked(task, arm, tmp_path)
    assert len(requests) == (1 if task == "plain" else 2)
    told = [*OWN[task], WORDS[arm]] if arm == "comply" else [WORDS[arm], *OWN[task]]
    for messages in requests:
        assert systems(messages) == told
        assert [m["role"] for m in messages[: len(told)]] == ["system"] * len(told)


def test_later_rounds_are_told_too(tmp_path: Path) -> None:
    requests, _ = asked("plain", "reask@2+xy-defense", tmp_path)
    assert [systems(messages) for messages in requests] == [[WORDS["xy-defense"]]] * 3


UNNAMED = "get_model(role=…) of a role that isn't named gives the acting model itself, which has no role"


@pytest.mark.parametrize("named", [True, pytest.param(False, marks=pytest.mark.xfail(reason=UNNAMED, strict=True))])
def test_nobody_but_the_agent_is_told(named: bool, tmp_path: Path) -> None:
    """Also where the others are the same model."""
    with scripted(blue, tmp_path / "cache") as server:
        (log,) = eval(
            arm_task(benchmark=f"{FILE}@others", arm="xy-defense"),
            model=fresh_model(), log_dir=str(tmp_path / "logs"), display="none",
            model_roles={role: fresh_model() for role in ("user", "judge", "grader")} if named else {},
        )  # fmt: skip
        requests = [request["messages"] for request in server.requests]
    assert log.status == "success", log.error
    agents = [messages for messages in requests if users(messages)[0].startswith("Name a colour.")]
    assert [systems(messages) for messages in agents] == [[WORDS["xy-defense"]]] * 2
    theirs = [messages for messages in requests if messages not in agents]
    assert {users(messages)[0][:10] for messages in theirs} == {"You are th", "Grade this"}
    assert [messages for messages in theirs if systems(messages)] == []


def test_a_study_tells_no_grader_either(tmp_path: Path) -> None:
    with scripted(blue, tmp_path / "cache") as server:
        more = ["--grader-model", MODEL]
        assert astray("run", f"{FILE}@others", *more, out=tmp_path / "out", arms="original,xy-defense") == 0
        told = {users(r["messages"])[0] for r in server.requests if systems(r["messages"])}
        untold = {users(r["messages"])[0] for r in server.requests if not systems(r["messages"])}
    assert "You are the grader." in untold - told
    assert not any(text.startswith("Grade this") for text in told)


def failing_at_first() -> Script:
    """Fails three times, which its client bears alone, and once more, after which Inspect makes the call anew."""
    left = [Misbehave("status:500")] * 4
    return lambda messages: left.pop() if left else "blue"


def test_a_call_that_is_tried_again_is_told_once(tmp_path: Path) -> None:
    requests, _ = asked("plain", "xy-defense", tmp_path, failing_at_first())
    assert [systems(messages) for messages in requests] == [[WORDS["xy-defense"]]] * 5


def test_a_provider_that_takes_one_system_message_gets_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ModelAPI, "collapse_system_messages", lambda self: True)
    requests, _ = asked("own_list", "xy-defense", tmp_path, failing_at_first())
    assert [systems(messages) for messages in requests] == [[f"{WORDS['xy-defense']}\n\n{OWN['own_list'][0]}"]] * 6


def test_the_log_shows_what_the_model_was_told_and_keeps_it_out_of_the_conversation(tmp_path: Path) -> None:
    _, log = asked("plain", "xy-defense", tmp_path)
    sample = resolve_sample_attachments((log.samples or [])[0], "full")
    (call,) = [event for event in sample.events if event.event == "model"]
    assert [message.text for message in call.input] == [WORDS["xy-defense"], "Name a colour."]
    assert [message.role for message in sample.messages] == ["user", "assistant"]


def test_nothing_is_told_outside(tmp_path: Path) -> None:
    asked("plain", "xy-defense", tmp_path)
    requests, _ = asked("plain", "original", tmp_path)
    assert systems(requests[0]) == []
    assert told_now() is None


@pytest.mark.parametrize("arm", WORDS)
def test_transcripts_show_what_was_told_in_its_place(arm: str, tmp_path: Path) -> None:
    file = Path(__file__).with_name("inspect_tasks.py")
    with scripted(lambda messages: "0", tmp_path / "cache"):
        assert astray("run", f"{file}@sums", "-T", "n=1", out=tmp_path / "out", arms=f"original,reask+{arm}") == 0
    frame = tables.read(tmp_path / "out", "transcripts")
    rows = frame[frame.arm != "original"].sort_values("step")
    own = [("system", 0, "You add numbers.")]
    told = [("system", 0, WORDS[arm])]
    found = list(zip(rows.speaker, rows["round"], rows.text, strict=True))
    assert found[:2] == (own + told if arm == "comply" else told + own)
    assert [(speaker, round) for speaker, round, _ in found[2:]] == [
        ("user", 0), ("agent", 0), ("user", 1), ("agent", 1),
    ]  # fmt: skip
    assert rows.step.tolist() == [1, 2, 3, 4, 5, 6]


# The places, without a model

S, U = (lambda text: ChatMessageSystem(content=text)), (lambda text: ChatMessageUser(content=text))


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([], "b a"),
        ([U("u")], "b a u"),
        ([S("s"), U("u")], "b s a u"),
        ([S("s"), S("t"), U("u"), S("late")], "b s t a u late"),
        ([U("u"), S("late")], "b a u late"),
    ],
)
def test_places(messages: list[ChatMessage], expected: str) -> None:
    once = Told("b", "a").put_into(messages)
    assert " ".join(message.text for message in once) == expected
    assert Told("b", "a").put_into(once) == once
    assert Told().put_into(messages) == messages


def test_each_sample_is_told_its_own() -> None:
    async def one(told: Told | None) -> Told | None:
        with telling(told):
            await asyncio.sleep(0.01)
            return told_now()

    async def several() -> list[Told | None]:
        return await asyncio.gather(*(one(told) for told in (Told("x"), None, Told(None, "y"))))

    assert asyncio.run(several()) == [Told("x"), None, Told(None, "y")]


def test_arms_that_differ_in_what_is_told_do_not_wait_for_each_other() -> None:
    with telling(Told("x")):
        one = _key("question")
    assert one != _key("question")


def test_no_line_is_printed_about_hooks(tmp_path: Path) -> None:
    code = (
        "from inspect_ai import eval\n"
        f"eval('astray/arm', task_args={{'benchmark': {FILE + '@plain'!r}, 'arm': 'xy-defense'}}, model={MODEL!r},"
        f" log_dir={str(tmp_path / 'logs')!r}, display='none')\n"
    )
    with scripted(blue, tmp_path / "cache") as server:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert systems(server.requests[0]["messages"]) == [WORDS["xy-defense"]]
    assert done.stdout == ""
