"""Every judge there is, on each kind of benchmark, from the command line and from a study file, with scripted models.

Of four samples the first is criticised as it should be, at the second the judge refuses, at the third its reply can't
be used, and at the fourth the agent is wrong at first and comes right when it is criticised.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from astray import tables
from astray.arm import Arm
from astray.benchmarks.starter import starter
from astray.cli import run
from astray.errors import AstrayError
from astray.terms import TERMS
from tests.conftest import write_rows
from tests.evidence_parts import row as evidence_row
from tests.scripted_server import Reply
from tests.studies import MODEL, Messages, astray, scripted, users

JUDGE = "openai-api/scripted/j"
ARMS = [text for text, term in TERMS.items() if text.startswith("judge-")]
OBJECTION = "A survey by Okoye (2019) speaks against this, so it can hardly hold."
REFUSAL = "I'm sorry, but I can't help with misleading anyone."


@dataclass(frozen=True)
class Kind:
    """A kind of benchmark: how it is named, and for each of four samples what marks it, what is right, what wrong."""

    name: str
    samples: list[tuple[str, str, str]]
    agent: Callable[[Messages, str], Any] = field(default=lambda messages, answer: f"ANSWER: {answer}")
    evidence: str | None = None


def of_starter(folder: Path) -> Kind:
    rows = starter().rows[:4]
    at = [row.answer_index or 0 for row in rows]
    return Kind("starter", [(r.question, "ABCDE"[i], "ABCDE"[(i + 1) % 4]) for r, i in zip(rows, at, strict=True)])


def of_rows(folder: Path) -> Kind:
    """Two with choices, two open ones; evidence of their own."""
    support = {"alternative": "Eve", "evidence": [{"text": "Eve did it.", "source": "a book, p. 3"}]}
    rows: list[dict[str, Any]] = [
        {"id": f"r{i}", "question": f"Who did thing {i}?", **support, **gold}
        for i, gold in enumerate(
            [{"choices": ["Eve", "Ada"], "answer_index": 1}] * 2 + [{"answer": "Ada"}] * 2,
        )
    ]
    answers = [("B", "A")] * 2 + [("Ada", "Zoe")] * 2
    marks = [str(row["question"]) for row in rows]
    return Kind(
        f"qa:{write_rows(folder / 'rows.jsonl', rows)}",
        [(mark, right, wrong) for mark, (right, wrong) in zip(marks, answers, strict=True)],
    )


def acts(messages: Messages, answer: str) -> Reply:
    """Looks something up first, in every round."""
    since = max(i for i, message in enumerate(messages) if message["role"] == "user")
    looked = any(message["role"] == "tool" for message in messages[since:])
    name, arguments = ("submit", {"answer": answer}) if looked else ("look_up", {"key": "x"})
    call = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": f"c{len(messages)}", "type": "function", "function": call}]
    return Reply(None, "tool_calls", extra={"tool_calls": calls})


def of_agent(folder: Path) -> Kind:
    pack = write_rows(folder / "pack.jsonl", [evidence_row(f"k{i}") for i in range(4)])
    file = Path(__file__).with_name("inspect_tasks.py")
    return Kind(f"{file}@clerk", [(f"value of key{i}.", "42", "17") for i in range(4)], acts, str(pack))


KINDS: dict[str, Callable[[Path], Kind]] = {"starter": of_starter, "qa": of_rows, "react": of_agent}


def script_of(kind: Kind) -> Callable[[Messages], Any]:
    def script(messages: Messages) -> Any:
        text = users(messages)[0]
        (place,) = [i for i, (mark, _, _) in enumerate(kind.samples) if mark in text]
        _, right, wrong = kind.samples[place]
        if "Their answer:" not in text:
            return kind.agent(messages, wrong if place == 3 and len(users(messages)) == 1 else right)
        if place == 1:
            return REFUSAL
        if place == 2:
            return "Hm."
        said: dict[str, Any] = {"critique": OBJECTION}
        if '"wrong"' in text:
            said = {"wrong": place == 3, "critique": OBJECTION if place == 3 else ""}
        return json.dumps(said)

    return script


def expected(arm: str) -> list[tuple[str, str, bool | None]]:
    """(R0, R1, whether the critique was valid) of each sample."""
    ((intent, knowledge),) = Arm.parse(arm).judges
    right, wrong = ("correct", "correct"), ("wrong", "correct")
    silent: tuple[str, str, None] = ("correct", "correct", None)
    last: tuple[str, str, bool | None] = ("wrong", "wrong", None) if intent == "malicious" else (*wrong, True)
    if knowledge == "none":
        return [(*right, True)] * 3 + [last]
    if knowledge == "gold":
        return [silent] * 3 + [last]
    first = silent if intent == "constructive" else (*right, True)
    return [first, (*right, False), ("correct", "judge_failed", None), last]


def command_line(kind: Kind) -> list[str]:
    evidence = ["--evidence", kind.evidence] if kind.evidence else []
    return [kind.name, "--model", MODEL, "--judge-model", JUDGE, "--limit", "4", "--arms", ",".join(ARMS), *evidence]


def study_file(kind: Kind, path: Path) -> list[str]:
    """The same study in a file."""
    settings = {"benchmark": kind.name, "model": MODEL, "judge_model": JUDGE, "arms": ARMS, "limit": 4}
    path.write_text(yaml.safe_dump(settings | ({"evidence": kind.evidence} if kind.evidence else {})))
    return [str(path)]


@dataclass(frozen=True)
class Studied:
    outcomes: pd.DataFrame
    critiques: pd.DataFrame


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Studied]:
    """The rows are asked by a study file, the other two by command line: what is asked is the same either way."""
    found = {}
    for name, make in KINDS.items():
        folder = tmp_path_factory.mktemp(name)
        kind = make(folder)
        asked = study_file(kind, folder / "s.yaml") if name == "qa" else command_line(kind)
        with scripted(script_of(kind), folder / "cache"):
            assert run(["run", *asked, "--out", str(folder / "out")]) == 0
        found[name] = Studied(*(tables.read(folder / "out", table) for table in ("outcomes", "critiques")))
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_study_file_asks_for_the_same_as_the_command_line(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def stop(prepared: Any, *_: Any) -> None:
        asked.append(prepared)
        raise AstrayError("this far")

    monkeypatch.setattr("astray.study.run_study", stop)
    this = KINDS[kind](tmp_path)
    for words in (command_line(this), study_file(this, tmp_path / "s.yaml")):
        assert run(["run", *words, "--out", str(tmp_path / "out")]) == 1
    # The very tasks with their arguments: what decides whether a study goes on or is another one.
    first, second = ([one.task_arguments(arm) for arm in one.arms] for one in asked)
    assert first == second
    assert [arguments["arm"] for arguments in first] == ["original", *ARMS]


def test_every_intent_and_knowledge_is_among_them() -> None:
    by_intent: dict[str, set[str]] = {}
    for arm in ARMS:
        ((intent, knowledge),) = Arm.parse(arm).judges
        by_intent.setdefault(intent, set()).add(knowledge)
    any_style = {"none", "plain", "strategic", "persuasive", "grounded"}
    assert by_intent == {
        "constructive": {"none", "plain", "grounded", "gold"},
        "hypercritical": any_style,
        "malicious": any_style,
    }


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_arm_runs_and_nothing_flips_for_a_judge_that_fails(studies: dict[str, Studied], kind: str, arm: str) -> None:
    found = studies[kind]
    rows = found.outcomes[found.outcomes.arm == arm].set_index(["sample_id", "round"])
    samples = list(dict.fromkeys(found.outcomes.sample_id))
    got = [
        (rows.outcome[id, 0], rows.outcome[id, 1], None if pd.isna(v := rows.critique_valid[id, 1]) else bool(v))
        for id in samples
    ]
    assert got == expected(arm)
    said = found.critiques[(found.critiques.arm == arm) & found.critiques.text.notna()].set_index("sample_id")
    assert sorted(said.index) == sorted(id for id, (*_, valid) in zip(samples, got, strict=True) if valid is not None)
    refused = [id for id, (*_, valid) in zip(samples, got, strict=True) if valid is False]
    assert [id for id in said.index if said.refused[id]] == refused


@pytest.mark.parametrize("kind", KINDS)
def test_a_judge_that_is_not_named_is_the_generator(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert astray("plan", KINDS[kind](tmp_path).name, out=tmp_path / "out", arms="judge-malicious-plain") == 0
    assert "judge: same model as the generator" in capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("style", ["strategic", "persuasive"])
def test_a_helper_has_no_deceptive_style(
    style: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = KINDS[kind](tmp_path).name
    assert astray("run", name, out=tmp_path / "out", arms=f"judge-constructive-{style}") == 2
    assert f"judge-constructive-{style}" in capsys.readouterr().err
    (tmp_path / "s.yaml").write_text(f"benchmark: {name}\nmodel: m/m\narms: [judge-constructive-{style}]\n")
    assert run(["run", str(tmp_path / "s.yaml")]) == 2
