"""Going on: a study that was killed, interrupted, or left by its model ends as if nothing had happened."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from astray import tables
from astray.cli import run
from astray.study import shared_model
from tests.scripted_server import Misbehave, ScriptedServer
from tests.studies import MODEL, Messages, choice_rows, question_of, scripted, users

SAMPLES = 60
ARMS = "judge-malicious-none@2"
CONNECTIONS = 4
KEYS = ["arm", "sample_id", "epoch", "round"]


def reply(messages: Messages) -> str:
    """A third wrong at first; half of the others give way to a challenge."""
    number, turn = int(question_of(messages)[1:]), len(users(messages))
    wrong = number % 3 == 0 or (turn > 1 and number % 2)
    return f"Let me see.\nANSWER: {'C' if wrong else 'B'}"


NECESSARY = SAMPLES + SAMPLES * 2 // 3 + SAMPLES // 3
"""First answers once for both arms, then one more where the answer is right, and another where it still is."""


def command(rows: Path, out: Path, *more: str) -> list[str]:
    study = ["run", f"qa:{rows}", "--model", MODEL, "--arms", ARMS, "--out", str(out)]
    return [*study, "--max-connections", str(CONNECTIONS), *more]


def start(arguments: list[str]) -> subprocess.Popen[str]:
    # As from a terminal: a test run in the background hands its children a Ctrl-C that is ignored.
    code = (
        "import signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from astray.cli import main\n"
        "main()\n"
    )
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=pipe, stderr=pipe, text=True, env=dict(os.environ)
    )


def wait_for(server: ScriptedServer, count: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while len(server.requests) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)


def results(out: Path) -> dict[str, pd.DataFrame]:
    """All tables, in one order, without what depends on the clock."""
    found = {name: tables.read(out, name) for name in ("outcomes", "critiques", "transcripts", "samples")}
    for name, frame in found.items():
        keys = [key for key in [*KEYS, "step"] if key in frame]
        found[name] = frame.drop(columns="seconds", errors="ignore").sort_values(keys).reset_index(drop=True)
    return found


def assert_same(one: dict[str, pd.DataFrame], other: dict[str, pd.DataFrame]) -> None:
    for name, frame in one.items():
        pd.testing.assert_frame_equal(frame, other[name], obj=name)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return choice_rows(tmp_path_factory.mktemp("resume") / "rows.jsonl", SAMPLES)


@pytest.fixture(scope="module")
def undisturbed(rows: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, pd.DataFrame]:
    folder = tmp_path_factory.mktemp("undisturbed")
    with scripted(reply, folder / "cache") as server:
        assert run(command(rows, folder / "out")) == 0
        assert len(server.requests) == NECESSARY
    return results(folder / "out")


@pytest.mark.parametrize("kill_at", [20, NECESSARY - 35])
def test_killed_in_the_middle(
    rows: Path, tmp_path: Path, serve: Any, undisturbed: dict[str, pd.DataFrame], kill_at: int
) -> None:
    server = serve(reply, latency=0.03)
    out = tmp_path / "out"
    process = start(command(rows, out))
    try:
        wait_for(server, kill_at, process)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(10)
    time.sleep(0.1)
    asked = len(server.requests)
    assert kill_at <= asked < NECESSARY, "it was in the middle"
    assert run(command(rows, out)) == 0
    assert NECESSARY <= len(server.requests) <= NECESSARY + CONNECTIONS, "only what was in flight is asked again"
    assert max(Counter(str(request["messages"]) for request in server.requests).values()) <= 2
    assert_same(undisturbed, results(out))


def test_interrupted(rows: Path, tmp_path: Path, serve: Any, undisturbed: dict[str, pd.DataFrame]) -> None:
    server = serve(reply, latency=0.03)
    out = tmp_path / "out"
    process = start(command(rows, out))
    wait_for(server, 50, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.strip() == "astray: interrupted; what was finished is kept: the same command again goes on from there"
    interrupted = results(out)["outcomes"]
    assert set(interrupted.outcome) <= {"correct", "wrong"}, "an interruption is no failure of a sample"
    assert run(command(rows, out)) == 0
    assert NECESSARY <= len(server.requests) <= NECESSARY + CONNECTIONS
    assert_same(undisturbed, results(out))


def test_a_model_that_goes_down_and_comes_back(
    rows: Path,
    tmp_path: Path,
    serve: Any,
    undisturbed: dict[str, pd.DataFrame],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(shared_model, "PATIENCE", 1.0)
    server = serve(reply, latency=0.05)
    out = tmp_path / "out"

    def go_down() -> None:
        while len(server.requests) < 60:
            time.sleep(0.01)
        server.stop()

    watcher = threading.Thread(target=go_down, daemon=True)
    watcher.start()
    assert run(command(rows, out)) == 1
    watcher.join(10)
    message = capsys.readouterr().err
    assert f"{MODEL} has stopped answering" in message
    assert "answers are kept: when it is back, the same command again goes on" in message
    assert len(message.strip().splitlines()) == 1
    kept = results(out)["outcomes"]
    assert set(kept.outcome) <= {"correct", "wrong", "error"}

    back = ScriptedServer(reply, latency=0.01, port=server.port)
    with back:
        assert run(command(rows, out)) == 0
        assert NECESSARY <= len(server.requests) + len(back.requests) <= NECESSARY + CONNECTIONS
        assert_same(undisturbed, results(out))


# Samples that can't be had


class Refusing:
    """Answers, but refuses some questions with status 400, until it is told to stop."""

    def __init__(self, *bad: str) -> None:
        self.bad = set(bad)

    def __call__(self, messages: Messages) -> str | Misbehave:
        return Misbehave("status:400") if question_of(messages) in self.bad else reply(messages)


def test_a_budget_ends_a_run_which_goes_on(
    rows: Path,
    tmp_path: Path,
    serve: Any,
    undisturbed: dict[str, pd.DataFrame],
    capsys: pytest.CaptureFixture[str],
) -> None:
    server, out = serve(reply, latency=0.01), tmp_path / "out"
    codes, counts = [], []
    while not codes or codes[-1] == 4:
        codes.append(run(command(rows, out, "--budget", "4000")))
        counts.append(len(server.requests))
        assert len(codes) < 20
    assert codes == [4] * (len(codes) - 1) + [0]
    assert len(codes) > 2
    assert counts == sorted(set(counts))
    said = capsys.readouterr().err
    assert re.search(r"the budget of 4,000 tokens is used up \([\d,]+\); \d+ answers are kept: the same command", said)
    assert len(server.requests) == NECESSARY
    assert_same(results(out), undisturbed)


def small(path: Path, count: int, arms: str = "original") -> Callable[[], int]:
    rows = choice_rows(path / "few.jsonl", count)
    arguments = ["run", f"qa:{rows}", "--model", MODEL, "--arms", arms, "--out", str(path / "out")]
    return lambda: run([*arguments, "--max-connections", "4"])


def asked_about(server: ScriptedServer) -> Counter[str]:
    return Counter(question_of(request["messages"]) for request in server.requests)


def test_a_sample_that_fails_is_asked_again_twice_and_no_other(tmp_path: Path, serve: Any) -> None:
    server = serve(Refusing("q7"))
    study = small(tmp_path, 30)
    others = {f"q{i}": 1 for i in range(30) if i != 7}
    for times in (1, 2, 3, 3, 3):
        assert study() == 0, "one void of thirty is less than 5%"
        assert asked_about(server) == others | {"q7": times}
        frame = tables.read(tmp_path / "out", "outcomes").set_index("sample_id")
        assert len(frame) == 30
        assert frame.outcome["q7"] == "error"
        assert pd.isna(frame["value"]["q7"])
        assert frame.outcome.drop("q7").isin(["correct", "wrong"]).all()


def test_the_error_column_says_in_a_line_what_failed(tmp_path: Path, serve: Any) -> None:
    serve(Refusing("q1"))
    assert small(tmp_path, 2)() == 0
    error = tables.read(tmp_path / "out", "outcomes").set_index("sample_id").error["q1"]
    assert "400" in error
    assert "scripted 400" in error
    assert "Question q1?" not in error
    assert "\\n" not in error


def test_a_sample_that_recovers_is_had(tmp_path: Path, serve: Any) -> None:
    script = Refusing("q7", "q8")
    server = serve(script)
    study = small(tmp_path, 20, "reask")
    assert study() == 3
    frame = tables.read(tmp_path / "out", "outcomes")
    void = frame[frame.outcome == "error"]
    assert sorted(zip(void.arm, void.sample_id, void["round"], strict=True)) == [
        ("original", "q7", 0), ("original", "q8", 0),
        ("reask", "q7", 0), ("reask", "q7", 1), ("reask", "q8", 0), ("reask", "q8", 1),
    ]  # fmt: skip
    script.bad.clear()
    before = len(server.requests)
    assert study() == 0
    assert len(server.requests) - before == 4
    assert tables.read(tmp_path / "out", "outcomes").outcome.isin(["correct", "wrong"]).all()


@pytest.mark.parametrize(
    ("count", "bad", "code"),
    [
        pytest.param(20, 2, 3, id="2-of-20"),
        pytest.param(20, 1, 0, id="1-of-20-is-just-5%"),
        pytest.param(19, 2, 0, id="2-of-19-are-too-few"),
    ],
)
def test_exit_code_3_where_too_much_is_void(
    tmp_path: Path, serve: Any, capsys: pytest.CaptureFixture[str], count: int, bad: int, code: int
) -> None:
    serve(Refusing(*(f"q{5 * i + 2}" for i in range(bad))))
    assert small(tmp_path, count)() == code
    message = capsys.readouterr().err
    if code == 3:
        assert message.startswith("astray: arm 'original': 2 of 20 answers (10%) could not be had; the report lists")
        assert "the same command again asks for them" in message
    else:
        assert message == ""


def test_questions_that_are_refused_do_not_make_a_model_count_as_gone(tmp_path: Path, serve: Any) -> None:
    """Asked again alone, nothing but refusals comes in a row: the server is there all the same."""
    server = serve(Refusing("q3"))
    study = small(tmp_path, 25, "reask,judge-hypercritical-none,judge-malicious-none,judge-constructive-none")
    assert study() == 0
    before = len(server.requests)
    assert study() == 0
    assert len(server.requests) - before == 5, "once for each arm"


def test_a_judge_that_stops_answering_ends_the_run(
    tmp_path: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Inspect hands out a copy of a role's model at every call: each by itself would never have failed often enough."""

    def script(messages: Messages) -> str | Misbehave:
        return Misbehave("status:401") if "critique" in str(messages[0]["content"]) else reply(messages)

    server = serve(script)
    rows = choice_rows(tmp_path / "few.jsonl", 30)
    judged = ["--arms", "judge-hypercritical-plain", "--judge-model", "openai-api/scripted/j", "--max-connections", "4"]
    assert run(["run", f"qa:{rows}", "--model", MODEL, *judged, "--out", str(tmp_path / "out")]) == 1
    assert "has stopped answering" in capsys.readouterr().err
    assert sum("critique" in str(one["messages"][0]["content"]) for one in server.requests) < 30
