"""Judges that are models, over rounds: panels and memory, known flips, agents with tools, acknowledgment."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from astray import tables
from astray.measures import summarize
from tests.judge_parts import (
    JUDGE,
    WRONG_WAY,
    Said,
    critic,
    is_moderator,
    play,
    study,
)
from tests.scripted_server import Reply
from tests.studies import Messages, astray, question_of, scripted, users

# Panels, moderator, memory

PANEL = "judge-constructive-none+judge-constructive-plain+judge-malicious-strategic"


def test_one_liar_among_three(tmp_path: Path) -> None:
    found = study(tmp_path, play(critic), PANEL)
    assert found.courses(PANEL) == {"q0": "cc", "q1": "cw", "q2": "ww", "q3": "wc"}
    who = found.critiques.groupby("sample_id").seat.agg(list).to_dict()
    assert who == {"q0": [0, 2], "q1": [0, 2], "q2": [0, 1], "q3": [0, 1]}
    judges = found.critiques.groupby("seat").judge.agg(lambda column: set(column.fillna("-"))).to_dict()
    assert judges == {0: {"-"}, 1: {JUDGE}, 2: {JUDGE}}
    assert not any(is_moderator(r["messages"]) for r in found.requests)
    heard = [users(r["messages"])[1] for r in found.requests if len(users(r["messages"])) == 2]
    assert all("Reviewer 1: " in text and f"Reviewer 2: {WRONG_WAY}" in text for text in heard)


def test_a_moderator_makes_one_message_of_several(tmp_path: Path) -> None:
    summary = "One of us asks you to check your steps; another one holds that you count from the wrong end."

    def judge(messages: Messages) -> Said:
        return json.dumps({"summary": summary}) if is_moderator(messages) else critic(messages)

    arms = f"{PANEL},judge-hypercritical-plain,judge-constructive-none+judge-hypercritical-none"
    found = study(tmp_path, play(judge), arms, "--moderator")
    assert found.courses(PANEL) == {"q0": "cc", "q1": "cw", "q2": "ww", "q3": "wc"}
    chaired = [r for r in found.requests if is_moderator(r["messages"])]
    assert {r["model"] for r in chaired} == {"j"}
    assert len(chaired) == 8
    assert WRONG_WAY in users(chaired[0]["messages"])[0] or any(WRONG_WAY in users(r["messages"])[0] for r in chaired)
    heard = [users(r["messages"])[1] for r in found.requests if len(users(r["messages"])) == 2]
    assert {text.startswith(summary) for text in heard} == {True, False}
    assert all("Reviewer" not in text for text in heard)
    by = found.outcomes.groupby("arm").judge.agg(lambda column: set(column.fillna("-"))).to_dict()
    assert by["judge-constructive-none+judge-hypercritical-none"] == {JUDGE}


def test_a_moderator_that_fails_is_a_failed_judge(tmp_path: Path) -> None:
    found = study(tmp_path, play(lambda m: "Hm." if is_moderator(m) else critic(m)), PANEL, "--moderator")
    assert set(found.courses(PANEL).values()) == {"cj", "wj"}
    void = found.outcomes[found.outcomes.outcome == "judge_failed"]
    assert void.error.str.startswith("moderator: ").all()
    assert len(found.critiques) == 8, "what the judges said is kept"


@pytest.mark.parametrize("memory", [True, False])
def test_judges_remember_where_the_study_says_so(tmp_path: Path, memory: bool) -> None:
    arm = "judge-hypercritical-plain@3"
    found = study(tmp_path, play(critic), arm, *(["--judge-memory"] if memory else []))
    assert found.courses(arm) == {"q0": "cccc", "q1": "cwww", "q2": "wwww", "q3": "wccc"}
    asked = found.asked("j")
    assert len(asked) == (12 if memory else 6), "without memory the same answer is the same case"
    earlier = sorted(text.count("they were told") for text in asked)
    assert earlier == ([0] * 4 + [1] * 4 + [2] * 4 if memory else [0] * 6)
    if memory:
        longest = next(text for text in asked if "Question q1?" in text and text.count("they were told") == 2)
        shown = longest.partition("Earlier rounds")[2]
        assert re.findall(r"ANSWER: (\w)", shown) == ["B", "A", "A"]
        assert shown.count(WRONG_WAY) == 2


def test_memory_and_moderator_belong_to_the_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arm = "judge-hypercritical-plain"
    study(tmp_path, play(critic), arm)
    with scripted(play(critic), tmp_path / "cache"):
        for option in ("--judge-memory", "--moderator"):
            more = ["--judge-model", JUDGE, option]
            assert astray("run", tmp_path / "rows.jsonl", *more, out=tmp_path / "out", arms=arm) == 1
            assert option.strip("-").replace("-", "_") in capsys.readouterr().err


# A generator with known flips: four rounds, two epochs

FLIPS = {"q0": "BBBBB", "q1": "BABAB", "q2": "BAAAA", "q3": "AAABB"}
"""The answers of R0 to R4; in epoch 2 the same."""


def test_four_rounds_and_two_epochs_are_exact(tmp_path: Path) -> None:
    def flips(messages: Messages) -> str:
        return f"I say so.\nANSWER: {FLIPS[question_of(messages)][len(users(messages)) - 1]}"

    arms = "judge-hypercritical-strategic@4,judge-malicious-persuasive@4+judge-constructive-gold@4"
    found = study(tmp_path, play(critic, flips), arms, "--epochs", "2")
    cells = {(cell.arm, cell.round): cell for cell in summarize(found.outcomes).cells}
    always = "judge-hypercritical-strategic@4"
    assert [cells[always, k].accuracy.value for k in range(5)] == [3 / 4, 1 / 4, 2 / 4, 2 / 4, 3 / 4]
    by_round = [cells[always, k].flips for k in range(1, 5)]
    assert [f.harm.value for f in by_round if f] == pytest.approx([2 / 3, 1 / 3, 2 / 3, 1 / 3])
    assert [f.recovery.value for f in by_round if f] == [0, 0, 1, 1]
    assert [f.coverage.value for f in by_round if f] == [0, 0, 1 / 4, 1 / 4]
    assert [f.right_to_wrong for f in by_round if f] == [4, 2, 4, 2]
    assert [f.wrong_to_right for f in by_round if f] == [0, 0, 2, 2]
    assert [cells[always, k].oscillating.value for k in (2, 3, 4)] == [1 / 4, 1 / 4, 1 / 4]
    assert dict(cells[always, 4].patterns) == {"✓✓✓✓✓": 2, "✓✗✓✗✓": 2, "✓✗✗✗✗": 2, "✗✗✗✓✓": 2}
    assert [cells[always, k].judge_spoke for k in range(5)] == [0, 8, 8, 8, 8]
    # One of the two speaks to every answer: the course is the same.
    (panel,) = {arm for arm, _ in cells} - {always, "original"}
    assert [cells[panel, k].accuracy.value for k in range(5)] == [3 / 4, 1 / 4, 2 / 4, 2 / 4, 3 / 4]
    assert [cells[panel, k].judge_spoke for k in range(5)] == [0, 8, 8, 8, 8]
    who = found.critiques[found.critiques.arm == panel].groupby("intent").size().to_dict()
    right_before = sum(FLIPS[q][k] == "B" for q in FLIPS for k in range(4))
    assert who == {"malicious": 2 * right_before, "constructive": 2 * (16 - right_before)}


EACH_EPOCH = {
    "q0": ("BBBBB", "BAABA"),
    "q1": ("BABAB", "ABABA"),
    "q2": ("BAAAA", "BAAAA"),
    "q3": ("AAABB", "AACCB"),
}
"""The answers of R0 to R4 in epoch 1 and 2."""


def test_epochs_that_differ_four_rounds_and_a_panel_are_exact(tmp_path: Path) -> None:
    tries: dict[str, int] = {}

    def flips(messages: Messages) -> str:
        question, said = question_of(messages), [str(m["content"]) for m in messages if m["role"] == "assistant"]
        if said:
            number = int(said[0].split(":")[0].removeprefix("Try "))
        else:
            number = tries[question] = tries.get(question, -1) + 1
        return f"Try {number}: I say so.\nANSWER: {EACH_EPOCH[question][number][len(said)]}"

    arms = (
        "reask@4",
        "judge-hypercritical-plain@4",
        "judge-hypercritical-none@4+judge-malicious-strategic@4",
        "judge-malicious-plain@4",
    )
    found = study(tmp_path, play(critic, flips), ",".join(arms), "--epochs", "2")
    assert tries == dict.fromkeys(EACH_EPOCH, 1), "first answers are shared by the arms"
    cells = {(cell.arm, cell.round): cell for cell in summarize(found.outcomes).cells}
    for arm in arms[:3]:
        rounds = [cells[arm, k] for k in range(5)]
        assert [cell.accuracy.value for cell in rounds] == [5 / 8, 2 / 8, 2 / 8, 4 / 8, 4 / 8]
        changed = [cell.flips for cell in rounds[1:] if cell.flips]
        # Right at first: q0 twice, q1 in epoch 1, q2 twice: 2.5 samples. Never right at first: q1 once, q3 twice.
        assert [f.harm.value for f in changed] == pytest.approx([4 / 5, 3 / 5, 3 / 5, 3 / 5])
        assert [f.recovery.value for f in changed] == pytest.approx([1 / 3, 0, 2 / 3, 2 / 3])
        assert [f.coverage.value for f in changed] == pytest.approx([1 / 8, 0, 2 / 8, 2 / 8])
        assert [f.right_to_wrong for f in changed] == [4, 3, 3, 3]
        assert [f.wrong_to_right for f in changed] == [1, 0, 2, 2]
        assert [f.wrong_to_other_wrong for f in changed] == [0, 1, 1, 0]
    # Malicious: it speaks only while the answer is right, and what was wrong once stands.
    alone = [cells["judge-malicious-plain@4", k] for k in range(5)]
    assert [cell.accuracy.value for cell in alone] == [5 / 8, 1 / 8, 1 / 8, 1 / 8, 1 / 8]
    assert [cell.judge_spoke for cell in alone] == [0, 5, 1, 1, 1]
    who = found.critiques[found.critiques.arm == arms[2]].groupby("intent").size().to_dict()
    right_before = sum(course[k] == "B" for both in EACH_EPOCH.values() for course in both for k in range(4))
    assert who == {"hypercritical": 4 * 8, "malicious": right_before}


# An agent with tools


def test_a_model_judges_an_agent_with_tools(tmp_path: Path) -> None:
    def agent(messages: Messages) -> Reply:
        judged = any(WRONG_WAY in text for text in users(messages))
        call: dict[str, Any] = {"name": "look_up", "arguments": '{"key": "x"}'}
        if messages[-1]["role"] == "tool":
            call = {"name": "submit", "arguments": json.dumps({"answer": "41" if judged else "42"})}
        calls = [{"id": f"c{len(messages)}", "type": "function", "function": call}]
        return Reply("Let me see.", finish_reason="tool_calls", extra={"tool_calls": calls})

    file = Path(__file__).with_name("inspect_tasks.py")
    arm = "judge-malicious-strategic@2"
    with scripted(play(critic, agent), tmp_path / "cache") as server:
        more = ["--judge-model", JUDGE]
        assert astray("run", f"{file}@agent", *more, out=tmp_path / "out", arms=arm) == 0
        judged = [users(r["messages"])[0] for r in server.requests if r["model"] == "j"]
        tools = [bool(r.get("tools")) for r in server.requests if r["model"] == "j"]
    outcomes = tables.read(tmp_path / "out", "outcomes")
    rows = outcomes[outcomes.arm == arm].sort_values("round")
    assert rows.outcome.tolist() == ["correct", "wrong", "wrong"]
    assert rows.turns.tolist() == [2, 2, 0]
    assert rows.judge.tolist() == [JUDGE] * 3
    assert len(judged) == 1
    assert tools == [False]
    assert "Find the value of x." in judged[0]
    assert "42" in judged[0]


# Acknowledgment


def test_acknowledgment_by_rule_and_by_grader(tmp_path: Path) -> None:
    replies = {
        "q0": "ANSWER: B", "q1": "Both A and B are valid.\nANSWER: A and B",
        "q2": "Some hold that three fits as well, and rightly so.\nANSWER: A", "q3": "ANSWER: A",
    }  # fmt: skip

    def script(messages: Messages) -> Said:
        if "how many answers" in users(messages)[0]:
            verdict = "several" if "rightly so" in users(messages)[0] else "one"
            return json.dumps({"reasoning": "It says so.", "verdict": verdict})
        return replies[question_of(messages)]

    for name, more, expected in (("rule", [], [0, 1, 0, 0]), ("graded", ["--grader-model", JUDGE], [0, 1, 1, 0])):
        (tmp_path / name).mkdir()
        found = study(tmp_path / name, script, "acknowledge", *more)
        rows = found.outcomes.sort_values("sample_id")
        assert rows[rows.arm == "original"].acknowledged.isna().all()
        assert rows[rows.arm == "acknowledge"].acknowledged.astype(int).tolist() == expected
        cell = next(cell for cell in summarize(found.outcomes).cells if cell.arm == "acknowledge")
        assert (cell.acknowledged.value, cell.acknowledged.n) == (sum(expected) / 4, 4)


@pytest.mark.parametrize("graded", [True, False], ids=["graded", "nobody"])
def test_acknowledgment_of_an_agent_with_tools_is_told_by_a_grader_alone(tmp_path: Path, graded: bool) -> None:
    reply = "Both 42 and 17 are valid."

    def script(messages: Messages) -> Any:
        if "how many answers" in users(messages)[0]:
            several = reply in users(messages)[0] and "Find the value of x." in users(messages)[0]
            return json.dumps({"reasoning": "It says so.", "verdict": "several" if several else "one"})
        call = {"name": "submit", "arguments": json.dumps({"answer": reply if len(users(messages)) == 1 else "42"})}
        calls = [{"id": f"c{len(messages)}", "type": "function", "function": call}]
        return Reply(None, "tool_calls", extra={"tool_calls": calls})

    file, arms = Path(__file__).with_name("inspect_tasks.py"), "judge-hypercritical-none+acknowledge"
    with scripted(script, tmp_path / "cache") as server:
        more = ["--grader-model", JUDGE] if graded else []
        assert astray("run", f"{file}@agent", *more, out=tmp_path / "out", arms=arms) == 0
        assert {r["model"] for r in server.requests} == ({"m", "j"} if graded else {"m"})
    rows = tables.read(tmp_path / "out", "outcomes").set_index(["arm", "round"])
    assert set(rows.outcome) == {"correct"}
    seen = {key: None if pd.isna(said) else bool(said) for key, said in rows.acknowledged.items()}
    told = (True, False) if graded else (None, None)
    assert seen == {("original", 0): None, (arms, 0): told[0], (arms, 1): told[1]}
