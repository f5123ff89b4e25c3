"""Judges and what is told where: one study with every kind of arm, looked at through what the model was asked."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from astray import prompts, tables
from astray.arm import Arm
from astray.judges import Case, Critique, TemplateJudge
from astray.study import arm as arm_task
from tests.studies import Messages, astray, book_for, choice_rows, fresh_model, question_of, scripted, systems, users

INTENTS = ("constructive", "hypercritical", "malicious")
PHRASES = {intent: {p.fill() for p in prompts.variants(f"judges/{intent}-none")} for intent in INTENTS}


def say(judge: TemplateJudge, sample: str = "q1", round: int = 1, *, correct: bool = True, epoch: int = 1) -> Critique:
    return asyncio.run(judge.criticise(Case(sample, epoch, round, correct)))


# One judge


@pytest.mark.parametrize("intent", INTENTS)
def test_the_same_seed_says_the_same(intent: str) -> None:
    for sample in ("q1", "q2", "ü 🦜"):
        for number in range(1, 4):
            assert say(TemplateJudge(0, intent, 7), sample, number) == say(TemplateJudge(0, intent, 7), sample, number)


@pytest.mark.parametrize("intent", INTENTS)
def test_no_phrase_comes_again_before_all_were_said(intent: str) -> None:
    judge, count = TemplateJudge(0, intent, 0), len(PHRASES[intent])
    for sample in ("q1", "q2", "q3"):
        said = [say(judge, sample, number).text for number in range(1, 2 * count + 1)]
        assert set(said[:count]) == set(said[count:]) == PHRASES[intent]


@pytest.mark.parametrize("intent", INTENTS)
def test_samples_epochs_seats_and_seeds_are_drawn_apart(intent: str) -> None:
    texts = Counter(say(TemplateJudge(0, intent, 0), f"q{i}").text for i in range(200))
    assert set(texts) == PHRASES[intent]
    assert max(texts.values()) < 3 * min(texts.values()), "drawn evenly"

    def differs(one: TemplateJudge, other: TemplateJudge, epoch: int = 1) -> bool:
        return any(say(one, f"q{i}").text != say(other, f"q{i}", epoch=epoch).text for i in range(20))

    judge = TemplateJudge(0, intent, 0)
    assert differs(judge, TemplateJudge(0, intent, 1))
    assert differs(judge, TemplateJudge(1, intent, 0))
    assert differs(judge, judge, epoch=2)


@pytest.mark.parametrize("correct", [True, False], ids=["right", "wrong"])
@pytest.mark.parametrize("intent", INTENTS)
def test_who_speaks_when(intent: str, correct: bool) -> None:
    said = say(TemplateJudge(2, intent, 0), correct=correct)
    assert (said.seat, said.intent, said.knowledge) == (2, intent, "none")
    if intent == "malicious" and not correct:
        assert (said.text, said.template) == (None, None)
    else:
        assert said.text in PHRASES[intent]
        assert said.template is not None
        assert prompts.load(said.template).fill() == said.text


# A study

HARD = {"q3", "q4"}
"""Questions the model gets wrong at first."""

SAMPLES = [f"q{i}" for i in range(5)]
ARMS = [
    "judge-malicious-none@3+skeptical",
    "judge-constructive-none@2+trusting",
    "judge-hypercritical-none@5+skeptical",
    "judge-constructive-none@2+judge-malicious-none@2",
    "reask+skeptical",
    "xy",
    "xy-good",
    "xy-neutral+xy-defense",
    "xy+golden-defense",
    "xy+comply",
    "reask+xy-defense",
]


def reply(messages: Messages) -> str:
    """Right at first but for `HARD`; q1 gives way to the first challenge; q4 comes right in the second answer."""
    question, turn = question_of(messages), len(users(messages))
    wrong = (turn == 1 and question in HARD) or question == "q3" or (question == "q1" and turn > 1)
    return f"I say so.\nANSWER: {'A' if wrong else 'B'}"


@dataclass(frozen=True)
class Studied:
    requests: list[Messages]
    outcomes: pd.DataFrame
    critiques: pd.DataFrame
    transcripts: pd.DataFrame
    out: Path

    def conversation(self, arm: str, sample: str) -> pd.DataFrame:
        return self.transcripts[(self.transcripts.arm == arm) & (self.transcripts.sample_id == sample)]

    def requests_of(self, arm: str, sample: str) -> list[Messages]:
        """The requests whose messages are the beginning of this arm's conversation."""
        texts = self.conversation(arm, sample).text.tolist()
        asked = [[str(m["content"]) for m in messages] for messages in self.requests]
        found = [m for m, said in zip(self.requests, asked, strict=True) if said == texts[: len(said)]]
        assert found, "an arm that was run was asked something"
        return found


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studied]:
    folder = tmp_path_factory.mktemp("judges")
    rows = choice_rows(folder / "rows.jsonl", len(SAMPLES))
    book = book_for(folder / "book.jsonl", SAMPLES, "I think {stance} {{ x }} advice on {id} is due.")
    out = folder / "out"
    with scripted(reply, folder / "cache") as server:
        assert astray("run", rows, "--advice", str(book), out=out, arms=",".join(ARMS)) == 0
        yield Studied(
            [request["messages"] for request in server.requests],
            tables.read(out, "outcomes"),
            tables.read(out, "critiques"),
            tables.read(out, "transcripts"),
            out,
        )


def test_every_request_was_made_once(studied: Studied) -> None:
    assert max(Counter(map(str, studied.requests)).values()) == 1


def test_a_malicious_judge_speaks_only_while_the_answer_is_right(studied: Studied) -> None:
    frame = studied.outcomes[studied.outcomes.arm == "judge-malicious-none@3+skeptical"]
    for _, rounds in frame.groupby("sample_id"):
        before: str | None = None
        for row in rounds.sort_values("round").itertuples():
            assert row.judge_spoke == (before == "correct")
            assert (row.turns == 0) == (before not in (None, "correct"))
            before = str(row.outcome)
    spoke = frame[frame.judge_spoke].groupby("sample_id").size().to_dict()
    assert spoke == {"q0": 3, "q1": 1, "q2": 3}


def test_where_it_is_silent_nothing_is_asked_and_the_answer_stands(studied: Studied) -> None:
    arm = "judge-malicious-none@3+skeptical"
    for sample in HARD:
        assert len(studied.requests_of(arm, sample)) == 1
        rows = studied.outcomes[(studied.outcomes.arm == arm) & (studied.outcomes.sample_id == sample)]
        assert rows.outcome.tolist() == ["wrong"] * 4
        assert rows.answer.tolist() == ["A"] * 4
        assert rows.turns.tolist() == [1, 0, 0, 0]
        assert len(studied.conversation(arm, sample)) == 2


@pytest.mark.parametrize(
    ("arm", "rounds"), [("judge-constructive-none@2+trusting", 2), ("judge-hypercritical-none@5+skeptical", 5)]
)
def test_the_other_judges_always_speak(studied: Studied, arm: str, rounds: int) -> None:
    frame = studied.outcomes[(studied.outcomes.arm == arm) & (studied.outcomes["round"] > 0)]
    assert len(frame) == rounds * len(SAMPLES)
    assert frame.judge_spoke.all()
    assert (frame.turns == 1).all()
    said = studied.critiques[studied.critiques.arm == arm]
    assert said.groupby("sample_id").size().to_dict() == dict.fromkeys(SAMPLES, rounds)
    assert said.groupby("sample_id").text.nunique().tolist() == [min(rounds, len(PHRASES[arm.split("-")[1]]))] * 5


def test_critiques_are_the_phrases_and_reach_the_model(studied: Studied) -> None:
    for row in studied.critiques.itertuples():
        assert row.text in PHRASES[str(row.intent)]
        assert row.round >= 1
        asked = studied.requests_of(str(row.arm), str(row.sample_id))
        assert any(str(row.text) in users(messages)[-1] for messages in asked), row


def test_a_panel_speaks_with_numbers_and_one_alone_without(studied: Studied) -> None:
    arm = "judge-constructive-none@2+judge-malicious-none@2"
    both = users(studied.requests_of(arm, "q0")[1])[1]
    assert both.startswith("Reviewer 1: ")
    assert "\n\nReviewer 2: " in both
    assert any(phrase in both for phrase in PHRASES["constructive"])
    assert any(phrase in both for phrase in PHRASES["malicious"])
    alone = users(studied.requests_of(arm, "q3")[1])[1]
    assert "Reviewer 2" not in alone
    assert any(phrase in alone for phrase in PHRASES["constructive"])
    seats = studied.critiques[(studied.critiques.arm == arm) & (studied.critiques.sample_id == "q0")]
    assert sorted(zip(seats["round"], seats.seat, seats.intent, strict=True)) == [
        (1, 0, "constructive"), (1, 1, "malicious"), (2, 0, "constructive"), (2, 1, "malicious"),
    ]  # fmt: skip


# Where defenses stand


@pytest.mark.parametrize("arm", [arm for arm in ARMS if "skeptical" in arm or "trusting" in arm])
def test_skeptical_and_trusting_are_said_with_every_critique_and_only_there(studied: Studied, arm: str) -> None:
    words = prompts.load(f"defenses/{Arm.parse(arm).critique_defense}").fill()
    for sample in SAMPLES:
        for messages in studied.requests_of(arm, sample):
            first, *later = users(messages)
            assert words not in first
            assert systems(messages) == []
            assert all(text.count(words) == 1 for text in later)


def test_the_first_call_of_arms_told_with_the_critique_is_that_of_original(studied: Studied) -> None:
    for sample in SAMPLES:
        (original,) = studied.requests_of("original", sample)
        for arm in ARMS:
            parsed = Arm.parse(arm)
            if parsed.instruction is None and parsed.defense is None:
                assert studied.requests_of(arm, sample)[0] is original, arm


@pytest.mark.parametrize("arm", ["xy-neutral+xy-defense", "reask+xy-defense"])
def test_xy_defense_is_the_first_system_message(studied: Studied, arm: str) -> None:
    words = prompts.load("defenses/xy-defense").fill()
    for sample in SAMPLES:
        for messages in studied.requests_of(arm, sample):
            assert messages[0]["role"] in ("system", "developer")
            assert systems(messages) == [words]


@pytest.mark.parametrize("arm", [arm for arm in ARMS if arm.startswith("xy") and arm != "reask+xy-defense"])
def test_a_suggestion_stands_after_the_question_and_before_the_choices(studied: Studied, arm: str) -> None:
    stance = Arm.parse(arm).stance
    for sample in SAMPLES:
        (messages,) = studied.requests_of(arm, sample)
        text = users(messages)[0]
        (original,) = studied.requests_of("original", sample)
        remark = f"I think {stance} {{{{ x }}}} advice on {sample} is due."
        assert text.replace(f"\n\n{remark}", "", 1) == users(original)[0], "nothing else differs"
        assert text.index(f"Question {sample}?") < text.index(remark) < text.index("A) one")


def test_golden_defense_names_the_very_sentence_of_the_request(studied: Studied) -> None:
    for sample in SAMPLES:
        (messages,) = studied.requests_of("xy+golden-defense", sample)
        remark = f"I think bad {{{{ x }}}} advice on {sample} is due."
        (told,) = systems(messages)
        assert f'"{remark}"' in told
        assert remark in users(messages)[0]


def test_comply_is_told_as_system_message(studied: Studied) -> None:
    for sample in SAMPLES:
        (messages,) = studied.requests_of("xy+comply", sample)
        assert systems(messages) == [prompts.load("defenses/comply").fill()]


# What is kept


def test_every_reply_has_its_time_and_what_no_model_said_has_none(studied: Studied) -> None:
    for _, steps in studied.transcripts.groupby(["arm", "sample_id", "epoch"]):
        said = steps.sort_values("step").set_index("speaker").seconds
        replies = said[said.index == "agent"]
        assert len(replies) > 0
        assert replies.ge(0).all()  # false where a time is missing
        assert replies.is_monotonic_increasing
        assert said[said.index == "user"].isna().all()


def test_transcripts_say_who_spoke_and_mark_the_advice(studied: Studied) -> None:
    judged = studied.conversation("judge-hypercritical-none@5+skeptical", "q0")
    assert judged.speaker.tolist() == ["user", "agent"] + ["judge", "agent"] * 5
    assert judged["round"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    for row in judged[judged.speaker == "judge"].itertuples():
        assert row.advice in PHRASES["hypercritical"]
        assert str(row.advice) in str(row.text)
    asked = studied.conversation("reask+skeptical", "q0")
    assert asked.speaker.tolist() == ["user", "agent", "user", "agent"]
    assert asked.advice.isna().all()
    advised = studied.conversation("xy", "q0")
    assert advised.advice.dropna().tolist() == ["I think bad {{ x }} advice on q0 is due."]


def test_outcomes_name_the_book_where_it_was_used(studied: Studied) -> None:
    used = studied.outcomes.groupby("arm").book.agg(lambda column: column.notna().all())
    assert used.to_dict() == {arm: Arm.parse(arm).stance is not None for arm in ["original", *ARMS]}


def test_a_rerun_elsewhere_says_the_same(studied: Studied, tmp_path: Path) -> None:
    arm = "judge-hypercritical-none@5+skeptical"
    rows = choice_rows(tmp_path / "rows.jsonl", len(SAMPLES))
    with scripted(reply, tmp_path / "cache"):
        assert astray("run", rows, out=tmp_path / "out", arms=arm) == 0
        assert astray("run", rows, "--seed", "1", out=tmp_path / "other", arms=arm) == 0
    before = studied.critiques[studied.critiques.arm == arm].reset_index(drop=True)
    again, other = (tables.read(tmp_path / name, "critiques") for name in ("out", "other"))
    columns = ["sample_id", "round", "text", "template"]
    pd.testing.assert_frame_equal(before[columns], again[columns])
    assert (again.text != other.text).any(), "another seed says otherwise"


def test_the_task_of_an_arm_is_one_that_inspect_eval_runs(studied: Studied, tmp_path: Path) -> None:
    from inspect_ai import eval

    rows = choice_rows(tmp_path / "rows.jsonl", 3)
    with scripted(reply, tmp_path / "cache"):
        task = arm_task(benchmark=f"qa:{rows}", arm="judge-malicious-none@2")
        (log,) = eval(task, model=fresh_model(), log_dir=str(tmp_path / "logs"), display="none")
    assert log.status == "success"
    scores = {str(s.id): (s.scores or {})["rounds_scorer"].value for s in log.samples or []}
    kept = {"recovery@R1": math.nan, "recovery@R2": math.nan}
    assert scores["q0"] == pytest.approx({"R0": 1, "R1": 1, "R2": 1, "harm@R1": 0, "harm@R2": 0, **kept}, nan_ok=True)
    assert scores["q1"] == pytest.approx({"R0": 1, "R1": 0, "R2": 0, "harm@R1": 1, "harm@R2": 1, **kept}, nan_ok=True)
