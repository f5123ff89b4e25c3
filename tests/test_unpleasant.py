"""Unpleasant input: a clear message that names what is wrong and what to do, the exit code, no traceback."""

from __future__ import annotations

import errno
import json
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from astray import tables
from astray.cli import run
from tests.conftest import write_rows
from tests.scripted_server import Misbehave
from tests.studies import MODEL, Messages, book_for, choice_rows, question_of

TASKS = str(Path(__file__).with_name("inspect_tasks.py"))
ROW = {"question": "Which?", "choices": ["a", "b"], "answer_index": 0}
Told = Callable[..., str]


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return choice_rows(tmp_path / "rows.jsonl", 3)


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Told:
    """Run a command that can't work, and return its message; the model's address leads nowhere."""
    monkeypatch.setenv("SCRIPTED_BASE_URL", f"http://127.0.0.1:{_closed_port()}/v1")
    monkeypatch.setenv("SCRIPTED_API_KEY", "sk-scripted-secret")

    def refused(*arguments: str, code: int) -> str:
        capsys.readouterr()
        assert run([str(argument) for argument in arguments]) == code
        said = capsys.readouterr()
        assert said.out == ""
        assert "Traceback" not in said.err
        lines = said.err.strip().splitlines()
        assert lines, "it says something"
        assert len(lines[-1]) < 700
        assert "sk-scripted-secret" not in said.err
        return said.err

    return refused


def _closed_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
        return port


def study(what: str | Path, out: Path, *more: str, verb: str = "run") -> list[str]:
    return [verb, f"qa:{what}" if isinstance(what, Path) else what, "--model", MODEL, "--out", str(out), *more]


# What is asked for


@pytest.mark.parametrize("verb", ["run", "plan"])
@pytest.mark.parametrize(
    ("arms", "says"),
    [
        ("xyz", "unknown term 'xyz'; did you mean 'xy'?"),
        ("reask,judge-malicous-none", "did you mean 'judge-malicious-none'?"),
        ("xy@2", "'xy' takes no @2"),
        ("golden-defense", "add 'xy'"),
        ("judge-malicious-grounded", "need some; name one with --evidence"),
        ("judge-constructive-strategic", "a constructive judge has no strategic form"),
        ("judge-constructive-persuasive", "a constructive judge has no persuasive form"),
        ("user-pedantic+xy,xy+pedantic-defense", "nobody converses in"),
    ],
)
def test_arms_that_cannot_be_run(told: Told, rows: Path, tmp_path: Path, verb: str, arms: str, says: str) -> None:
    message = told(*study(rows, tmp_path / "out", "--arms", arms, verb=verb), code=2)
    assert says in message
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("benchmark", "says"),
    [
        ("startr", "did you mean 'starter'? there are starter, qa:PATH, hf:NAME, tau2:DOMAIN, or any Inspect task"),
        ("qqqqqqq", "no such benchmark; there are starter, qa:PATH"),
        ("tau2:airlines", "did you mean 'airline'?"),
        ("harbor:some/thing", "'harbor:' is not built yet"),
        ("nopackage/notask", "is 'nopackage' installed"),
        ("nofile.py@task", "nofile.py"),
        (f"{TASKS}@nothing", "there are agent, clerk, letters, sums"),
        (TASKS, "name one task of the file, as file.py@task; there are agent, clerk, letters, sums"),
    ],
)
def test_unknown_benchmarks(told: Told, tmp_path: Path, benchmark: str, says: str) -> None:
    message = told(*study(benchmark, tmp_path / "out"), code=2)
    assert message.startswith("astray: benchmark '")
    assert says in message


def test_a_file_without_its_prefix_is_recognised(
    told: Told, rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(rows.parent)
    assert f"did you mean 'qa:{rows.name}'?" in told(*study(rows.name, tmp_path / "out"), code=2)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("nosuchprovider/x", "provider/name"),
        ("gibberish", "provider/name"),
        ("", "provider/name"),
    ],
)
def test_unknown_models(told: Told, rows: Path, tmp_path: Path, model: str, says: str) -> None:
    arguments = ["run", f"qa:{rows}", "--model", model, "--out", str(tmp_path / "out")]
    assert says in told(*arguments, code=2)
    assert not (tmp_path / "out" / "study.yaml").exists()


def test_planning_wants_the_name_of_a_model(told: Told, rows: Path) -> None:
    assert "model 'foo': a model is provider/name" in told("plan", f"qa:{rows}", "--model", "foo", code=2)


def test_an_unknown_embedded_model(told: Told, rows: Path, tmp_path: Path) -> None:
    arguments = ["run", f"qa:{rows}", "--model", "astray/qwen9", "--out", str(tmp_path / "out")]
    message = told(*arguments, code=2)
    assert "qwen9" in message
    assert "qwen2.5-coder-1.5b" in message


def test_no_model_named(told: Told, rows: Path, tmp_path: Path) -> None:
    message = told("run", f"qa:{rows}", "--out", str(tmp_path / "out"), code=2)
    assert "name a --model, e.g. --model astray/qwen2.5-coder-1.5b" in message


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--limit", "0"], "--limit"),
        (["--epochs", "many"], "--epochs"),
        (["--temperature", "-1"], "--temperature"),
        (["--colour", "red"], "--colour"),
        (["-T", "no-equals"], "-T no-equals: should be KEY=VALUE"),
        (["-T", "=3"], "should be KEY=VALUE"),
        (["-T", "n=[1, 2"], "-T n=[1, 2"),
    ],
    ids=" ".join,
)
def test_malformed_options(told: Told, tmp_path: Path, more: list[str], says: str) -> None:
    assert says in told(*study(f"{TASKS}@sums", tmp_path / "out", *more), code=2)


def test_an_argument_the_task_does_not_have(told: Told, tmp_path: Path) -> None:
    assert "colour" in told(*study(f"{TASKS}@sums", tmp_path / "out", "-T", "colour=red", verb="plan"), code=2)


def test_structured_replies_of_an_inspect_task(told: Told, tmp_path: Path) -> None:
    message = told(*study(f"{TASKS}@letters", tmp_path / "out", "--structured"), code=2)
    assert "inspect_tasks.py@letters" in message
    assert "leave the flag out" in message


def test_advice_where_there_is_none(told: Told, rows: Path, tmp_path: Path) -> None:
    message = told(*study(rows, tmp_path / "out", "--arms", "xy,xy-good"), code=2)
    assert "comes without an advice book, and xy, xy-good need one; name one with --advice BOOK" in message


@pytest.mark.parametrize("verb", ["run", "plan"])
def test_a_book_for_other_samples(told: Told, rows: Path, tmp_path: Path, verb: str) -> None:
    book = book_for(tmp_path / "book.jsonl", ["x1", "x2"])
    arguments = study(rows, tmp_path / "out", "--arms", "xy", "--advice", str(book), verb=verb)
    assert "with all that is needed (bad)" in told(*arguments, code=1)


def test_a_book_that_is_not_there_or_broken(told: Told, rows: Path, tmp_path: Path) -> None:
    gone = study(rows, tmp_path / "out", "--arms", "xy", "--advice", str(tmp_path / "gone.jsonl"))
    assert "gone.jsonl: no such advice book" in told(*gone, code=1)
    book = book_for(tmp_path / "book.jsonl", ["q1"])
    book.write_text(book.read_text() + "{torn\n")
    broken = study(rows, tmp_path / "out", "--arms", "xy", "--advice", str(book))
    assert "book.jsonl: line 5: not JSON" in told(*broken, code=1)


# Files


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"", "rows.jsonl: empty; it should have one question a line", id="empty"),
        pytest.param(json.dumps(ROW).encode() + b"\n{torn", "rows.jsonl: line 2: not JSON", id="torn"),
        pytest.param('{"question": "groß"}'.encode("cp1252"), "iconv -f cp1252", id="cp1252"),
        pytest.param(
            json.dumps(ROW | {"answer_index": 2}).encode(), "line 1: answer_index 2: gold is not among the 2", id="gold"
        ),
        pytest.param(b'{"question": "Which?"}', "line 1: neither 'choices'", id="no-answer"),
        pytest.param(b"\x00\x01\x02PK\x03\x04", "rows.jsonl: ", id="binary"),
    ],
)
def test_files_that_hold_no_questions(told: Told, tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    assert says in told(*study(path, tmp_path / "out"), code=1)


def test_a_file_that_is_not_there(told: Told, tmp_path: Path) -> None:
    assert "gone.jsonl: no such file" in told(*study(tmp_path / "gone.jsonl", tmp_path / "out"), code=1)
    assert "no such file" in told(*study(tmp_path, tmp_path / "out"), code=1)


@pytest.mark.parametrize(
    ("text", "says", "code"),
    [
        ("benchmark: [", "study.yaml: not YAML", 1),
        ("- a\n- b", "study.yaml: should hold settings such as 'benchmark: starter'", 1),
        ("", "study.yaml: should hold settings", 1),
        ("benchmark: starter", "study.yaml: 'model' is missing", 1),
        ("benchmark: starter\nmodel: m/x\ncolour: red", "'colour' is no setting; there are name, benchmark", 1),
        ("benchmark: starter\nmodel: m/x\nlimit: none", "'limit': ", 1),
        ("benchmark: starter\nmodel: m/x\narms: [xyz]", "did you mean 'xy'?", 2),
    ],
)
def test_study_files(told: Told, tmp_path: Path, text: str, says: str, code: int) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(text)
    message = told("run", str(path), "--out", str(tmp_path / "out"), code=code)
    assert says in message


def test_a_study_file_that_is_not_there(told: Told, tmp_path: Path) -> None:
    assert "gone.yaml: no such study file" in told("run", str(tmp_path / "gone.yaml"), code=1)


# The model


def test_a_model_that_is_down_at_the_start(told: Told, rows: Path, tmp_path: Path, serve: Any) -> None:
    begun = time.monotonic()
    message = told(*study(rows, tmp_path / "out"), code=1)
    assert time.monotonic() - begun < 20
    assert f"model '{MODEL}': nobody answers at 127.0.0.1:" in message
    assert "start its server, or correct its base URL" in message
    # Nothing is left that would stand in the way of another try with other settings.
    assert not (tmp_path / "out" / "study.yaml").exists()
    serve(lambda messages: "ANSWER: B")
    assert run(study(rows, tmp_path / "out", "--seed", "5")) == 0


def test_a_model_whose_host_is_not_known(
    told: Told, rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRIPTED_BASE_URL", "http://no-such-host.invalid/v1")
    assert "nobody answers at no-such-host.invalid:80" in told(*study(rows, tmp_path / "out"), code=1)


def test_a_model_without_an_address(told: Told, rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCRIPTED_BASE_URL")
    monkeypatch.delenv("SCRIPTED_API_KEY")
    message = told(*study(rows, tmp_path / "out"), code=1)
    assert "SCRIPTED" in message, "names the variable that is missing"


# The folder


def test_other_settings_in_the_same_folder_are_refused_by_name(
    told: Told, rows: Path, tmp_path: Path, serve: Any
) -> None:
    server = serve(lambda messages: "ANSWER: B")
    out = tmp_path / "out"
    assert run(study(rows, out)) == 0
    asked, before = len(server.requests), (out / "study.yaml").read_bytes()
    changes = {
        "seed": ["--seed", "3"],
        "temperature": ["--temperature", "0.5"],
        "max_tokens": ["--max-tokens", "9"],
        "structured": ["--structured"],
    }
    for name, more in changes.items():
        message = told(*study(rows, out, *more), code=1)
        assert f"{out}: holds a study with other settings: {name} (" in message
        assert "Name another --out folder, or ask for the same settings" in message
    write_rows(rows, [ROW])
    assert "other settings: fingerprint (" in told(*study(rows, out), code=1)
    assert (out / "study.yaml").read_bytes() == before
    assert len(server.requests) == asked


@pytest.mark.parametrize(
    "text", [b"model: [", b"just text", b"\xff\xfe\x00", b""], ids=["yaml", "text", "bytes", "empty"]
)
def test_a_study_yaml_that_cannot_be_read(told: Told, rows: Path, tmp_path: Path, serve: Any, text: bytes) -> None:
    serve(lambda messages: "ANSWER: B")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "study.yaml").write_bytes(text)
    message = told(*study(rows, tmp_path / "out"), code=1)
    assert str(tmp_path / "out" / "study.yaml") in message
    assert "delete it, or name another --out folder" in message


@pytest.mark.parametrize("depth", ["", "/deeper/still"], ids=["itself", "below"])
def test_a_folder_that_is_a_file(told: Told, rows: Path, tmp_path: Path, serve: Any, depth: str) -> None:
    serve(lambda messages: "ANSWER: B")
    (tmp_path / "taken").write_text("a file")
    message = told(*study(rows, Path(f"{tmp_path}/taken{depth}")), code=1)
    assert "can't be written" in message
    assert "choose another --out folder" in message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(told: Told, rows: Path, tmp_path: Path, serve: Any) -> None:
    serve(lambda messages: "ANSWER: B")
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert "can't be written" in told(*study(rows, locked / "out"), code=1)


def test_a_folder_on_a_system_that_takes_no_files(told: Told, rows: Path, serve: Any) -> None:
    serve(lambda messages: "ANSWER: B")
    assert "can't be written" in told(*study(rows, Path("/proc/astray")), code=1)


def test_a_disk_that_fills_up_before_the_tables_loses_nothing(
    told: Told, rows: Path, tmp_path: Path, serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(lambda messages: "ANSWER: B")

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(pq, "write_table", full)
        message = told(*study(rows, tmp_path / "out"), code=1)
    assert "outcomes.parquet: can't be written (No space left on device); free some space and run again" in message
    asked = len(server.requests)
    assert run(study(rows, tmp_path / "out")) == 0
    assert len(server.requests) == asked == 3
    assert len(tables.read(tmp_path / "out", "outcomes")) == 3


# Reports of folders


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: None, "no such folder; give the --out folder of a study"),
        (lambda folder: folder.mkdir(), "holds no tables/outcomes.parquet; is it the --out folder"),
    ],
    ids=["no-folder", "no-study"],
)
def test_a_report_of_nothing(told: Told, tmp_path: Path, make: Callable[[Path], None], says: str) -> None:
    make(tmp_path / "folder")
    assert says in told("report", str(tmp_path / "folder"), code=1)


def test_a_report_of_a_torn_table(told: Told, tmp_path: Path) -> None:
    path = tables.write(tmp_path / "tables", "outcomes", [])
    path.write_bytes(path.read_bytes()[:-6])
    assert "not a readable parquet file" in told("report", str(tmp_path), code=1)


# Bad days of a server: single answers


@pytest.mark.parametrize(
    ("bad", "outcome"),
    [
        (Misbehave("status:400"), "error"),
        (Misbehave("no_choices"), None),
        ("", "empty"),
    ],
    ids=["status-400", "no-choices", "empty"],
)
def test_one_bad_answer_spoils_no_other(
    rows: Path, tmp_path: Path, serve: Any, bad: Misbehave | str, outcome: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("astray.study.engine.MAX_RETRIES", 1)  # waits grow to minutes

    def script(messages: Messages) -> Misbehave | str:
        return bad if question_of(messages) == "q1" else "ANSWER: B"

    serve(script)
    assert run(study(rows, tmp_path / "out", "--arms", "reask")) == 0
    frame = tables.read(tmp_path / "out", "outcomes")
    first = frame[(frame.arm == "original")].set_index("sample_id").outcome
    assert (first["q0"], first["q2"]) == ("correct", "correct")
    assert first["q1"] == outcome if outcome else first["q1"] in ("error", "empty")
    assert len(frame) == 3 + 2 * 3, "every sample has its rows"
