"""What an arm tells an agent that is a program of its own, behind Inspect's bridges: in this process, and in sandboxes.

Into a sandbox Inspect puts a tool of its own that passes the program's requests on; in the local one, which is this
machine, it lies below /var/tmp afterwards.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from inspect_ai import eval

from astray import prompts
from astray.advice import Book
from astray.study import arm as arm_task
from tests.studies import book_for, fresh_model, scripted, systems
from tests.test_sandbox import COMPOSE, image_is_there

FILE = str(Path(__file__).with_name("telling_tasks.py"))
OWN = "You have a list of your own."
BEFORE, AFTER = (prompts.load(f"defenses/{name}").fill() for name in ("xy-defense", "comply"))
TOLD = {"xy+xy-defense": [BEFORE, OWN], "xy+comply": [OWN, AFTER]}

no_linux = pytest.mark.skipif(sys.platform != "linux", reason="Inspect's tool is a program for Linux")
no_image = pytest.mark.skipif(not image_is_there(), reason="no Docker engine with the image local/debian:trixie")


@pytest.mark.parametrize(
    "where",
    ["this process", pytest.param("this machine", marks=no_linux), pytest.param("a container", marks=no_image)],
)
def test_a_program_is_told_once_in_its_place_in_every_call(where: str, tmp_path: Path) -> None:
    # One arm after the other: two at once would both put Inspect's tool into the one local sandbox.
    for arm in TOLD:
        _check(where, arm, tmp_path / arm)


def _check(where: str, arm: str, tmp_path: Path) -> None:
    tmp_path.mkdir()
    (tmp_path / "compose.yaml").write_text(COMPOSE)
    book = Book.load(book_for(tmp_path / "book.jsonl", ["s1"]))
    with scripted(lambda messages: "blue", tmp_path / "cache") as server:
        book.shelve()
        task = arm_task(
            benchmark=f"{FILE}@{'bridged' if where == 'this process' else 'boxed'}",
            arm=arm,
            book=book.hash,
            task_args={"compose": str(tmp_path / "compose.yaml")} if where == "a container" else None,
        )
        (log,) = eval(task, model=fresh_model(), log_dir=str(tmp_path / "logs"), display="none")
        requests = [request["messages"] for request in server.requests]
    assert log.status == "success", log.error
    asked = {"role": "user", "content": f"Name a colour.\n\n{book.suggestions[0].text}"}
    begin = [*({"role": "system", "content": text} for text in TOLD[arm]), asked]
    more = [{"role": "assistant", "content": "blue"}, {"role": "user", "content": "Go on."}]
    plain = [[{name: message[name] for name in ("role", "content")} for message in one] for one in requests]
    assert plain == [begin, [*begin, *more]], "nothing more, nothing twice, and each in its place"
    assert all(systems(messages) == TOLD[arm] for messages in requests)
