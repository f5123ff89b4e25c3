"""What a task asks for itself: what the study's settings take the place of is said, and all else is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.studies import MODEL, astray, scripted

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
