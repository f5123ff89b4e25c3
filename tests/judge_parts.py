"""A scripted server that plays generator and judge, and a study against it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from astray import tables
from tests.scripted_server import Misbehave, Reply
from tests.studies import Messages, astray, choice_rows, question_of, scripted, users

JUDGE = "openai-api/scripted/j"
Said = str | Misbehave | Reply
NO_MODERATOR = "Several reviewers looked"
WRONG_WAY = "You count from the wrong end, so this cannot be it."


def is_judge(messages: Messages) -> bool:
    return "Their answer:" in users(messages)[0]


def is_moderator(messages: Messages) -> bool:
    return users(messages)[0].startswith(NO_MODERATOR)


def answer_shown(messages: Messages) -> str:
    """The label in the answer that the judge is shown last."""
    return re.findall(r"ANSWER: (\w)", users(messages)[0])[-1]


def generator(messages: Messages) -> str:
    """q0 right and firm, q1 right and gives way, q2 wrong for good, q3 wrong and comes right when challenged."""
    first, then = {"q0": "BB", "q1": "BA", "q2": "AA", "q3": "AB"}[question_of(messages)]
    return f"I say so.\nANSWER: {first if len(users(messages)) == 1 else then}"


def critic(messages: Messages) -> str:
    """Objects; where it is asked whether the answer is wrong, it knows."""
    said: dict[str, Any] = {"critique": WRONG_WAY}
    if '"wrong"' in users(messages)[0]:
        wrong = answer_shown(messages) != "B"
        said = {"wrong": wrong, "critique": WRONG_WAY if wrong else ""}
    return json.dumps(said)


def play(judge: Callable[[Messages], Said], agent: Callable[[Messages], Said] = generator) -> Callable[..., Said]:
    return lambda messages: judge(messages) if is_judge(messages) or is_moderator(messages) else agent(messages)


@dataclass(frozen=True)
class Studied:
    requests: list[dict[str, Any]]
    outcomes: pd.DataFrame
    critiques: pd.DataFrame

    def courses(self, arm: str) -> dict[str, str]:
        """For each sample its outcomes by round, by their first letters."""
        frame = self.outcomes[self.outcomes.arm == arm].sort_values("round")
        return frame.groupby("sample_id").outcome.agg(lambda column: "".join(str(o)[0] for o in column)).to_dict()

    def asked(self, model: str) -> list[str]:
        """The first user message of every request to a model."""
        return [users(r["messages"])[0] for r in self.requests if r["model"] == model]

    def said(self, arm: str, sample: str) -> dict[str, Any]:
        (row,) = self.critiques[
            (self.critiques.arm == arm) & (self.critiques.sample_id == sample) & (self.critiques["round"] == 1)
        ].to_dict("records")
        return row


def study(folder: Path, script: Callable[..., Said], arms: str, *more: str, judge: str | None = JUDGE) -> Studied:
    rows = choice_rows(folder / "rows.jsonl", 4)
    named = ["--judge-model", judge] if judge else []
    with scripted(script, folder / "cache") as server:
        assert astray("run", rows, *named, *more, out=folder / "out", arms=arms) == 0
        return Studied(
            server.requests, tables.read(folder / "out", "outcomes"), tables.read(folder / "out", "critiques")
        )
