"""Forms that files of other harnesses really have, each in a small file of our own making."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from astray.tables import Outcome
from astray.traces import Step
from astray.traces.readers import Imported
from astray.traces.readers.chat import read_chat


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
