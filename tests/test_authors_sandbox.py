"""Authors that look around in a sandbox, or are told of tools."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from inspect_ai.log import list_eval_logs, read_eval_log

from astray.advice import Book
from astray.authors import about, writing
from astray.benchmarks import Manner, find_benchmark
from astray.cli import run
from tests.author_parts import NEUTRAL, author, said
from tests.scripted_server import Reply
from tests.studies import MODEL, Messages

TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, solver
from inspect_ai.util import sandbox

@solver
def prepared():
    async def solve(state, generate):
        await sandbox().write_file("notes.txt", f"at commit {state.metadata['base_commit']}")
        return state
    return solve

@task
def boxed():
    known = {"base_commit": "f00", "patch": "set port to 80", "test_patch": "assert port == 80"}
    sample = Sample(id="a1", input="Repair item q1.", files={"app.toml": "port = 81"}, metadata=known)
    setup = [prepared()]
    return Task(dataset=MemoryDataset([sample]), setup=setup, solver=generate(), scorer=includes(), sandbox="local")
"""


def test_an_author_looks_around_where_there_is_a_sandbox(tmp_path: Path, serve: Any, capsys: Any) -> None:
    book = tmp_path / "book.jsonl"
    (tmp_path / "boxed.py").write_text(TASK)

    def looking(messages: Messages) -> Any:
        if "nothing to do with it" in str(messages[0]["content"]):
            return author(messages)
        tools = [str(message["content"]) for message in messages if message["role"] == "tool"]
        if not tools:
            call = {"name": "bash", "arguments": json.dumps({"command": "cat app.toml notes.txt"})}
            return Reply(None, "tool_calls", extra={"tool_calls": [{"id": "c1", "type": "function", "function": call}]})
        if "Now write it." not in str(messages[-1]["content"]):
            return "The port is 81."
        assert "port = 81" in tools[0]
        assert "at commit f00" in tools[0], "the task's own setup has been here"
        told = " ".join(str(message["content"]) for message in messages)
        assert "set port to 80\n\nassert port == 80" in told, "a repair's gold is its patch and its tests"
        seen = json.loads(said("bad", "I think the name of the file is wrong, so rename app.toml to app.cfg first."))
        return json.dumps({"evidence": "app.toml holds only a port."} | seen)

    server = serve(looking)
    what = f"{tmp_path / 'boxed.py'}@boxed"
    capsys.readouterr()
    assert run(["advise", what, "--author-model", MODEL, "--what", "bad,neutral", "--out", str(book)]) == 0
    assert "and those it takes to look around in sandboxes" in capsys.readouterr().out
    row, neutral = Book.load(book).suggestions
    assert row.evidence == "app.toml holds only a port."
    assert neutral.text == NEUTRAL
    assert len(server.requests) == 2 + 1 + 1
    assert sum("tools" in request for request in server.requests) == 2
    (log,) = [
        log
        for log in map(read_eval_log, list_eval_logs(str(book.parent / "book.logs")))
        if log.eval.task_args["what"] == ["bad"]
    ]
    assert log.samples is not None
    assert "port = 81" in "".join(message.text for message in log.samples[0].messages)
    scores = log.samples[0].scores
    assert scores is not None
    assert scores["checks_scorer"].as_dict()["written"] == 1


def test_an_author_that_never_stops_looking_has_to_write(tmp_path: Path, serve: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(sys.modules["astray.authors.task"], "MOST_MESSAGES", 6)
    book = tmp_path / "book.jsonl"
    (tmp_path / "boxed.py").write_text(TASK)
    count = iter(range(100))

    def restless(messages: Messages) -> Any:
        if "Now write it." in str(messages[-1]["content"]):
            seen = json.loads(said("bad", "I think the name of the file is wrong, so rename app.toml first."))
            return json.dumps({"evidence": "app.toml holds only a port."} | seen)
        call = {"name": "bash", "arguments": json.dumps({"command": "ls"})}
        calls = [{"id": f"c{next(count)}", "type": "function", "function": call}]
        return Reply(None, "tool_calls", extra={"tool_calls": calls})

    server = serve(restless)
    what = f"{tmp_path / 'boxed.py'}@boxed"
    assert run(["advise", what, "--author-model", MODEL, "--what", "bad", "--out", str(book)]) == 0
    assert len(Book.load(book).suggestions) == 1
    last = server.requests[-1]["messages"]
    called = {call["id"] for message in last for call in message.get("tool_calls") or []}
    assert called == {message["tool_call_id"] for message in last if message["role"] == "tool"} != set()


def test_an_author_of_an_agents_advice_is_told_of_its_tools() -> None:
    benchmark = find_benchmark(f"{Path(__file__).parent / 'inspect_tasks.py'}@agent")
    base = benchmark.task(Manner())
    told = about(benchmark, base, base.dataset[0])
    assert (told.form, told.tools) == ("agent", ("look_up",))
    text = writing.told_of(writing.Work("bad", told))
    assert "Tools the assistant has: look_up" in text
    assert "What is known to be right: 42" in text
