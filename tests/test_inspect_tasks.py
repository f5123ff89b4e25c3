"""Any Inspect task as a benchmark: the same scores as without astray, answers revised, agents that act again."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai import Task, eval, task_with
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessageUser, Content, ContentImage, ContentText

from astray import prompts, tables
from astray.benchmarks import InspectTask, Manner, fingerprint, inspect_task, sample_digest
from astray.errors import InputError, UsageError
from astray.study import arm as arm_task
from tests.scripted_server import Reply, ScriptedServer
from tests.studies import Messages, astray, fresh_model, scripted, systems, users

NAN = float("nan")
FILE = str(Path(__file__).with_name("inspect_tasks.py"))
PROMPTS = {"sums": "You add numbers.", "agent": "You look things up."}


def sums(messages: Messages) -> str:
    """0+0 and 2+2 right, 1+1 wrong, 3+3 nothing; asked again, 1+1 is put right and 2+2 is given up."""
    number = int(users(messages)[0].split("What is ")[1].split("+")[0])
    again = len(users(messages)) > 1
    return {0: "0", 1: "2" if again else "3", 2: "5" if again else "4", 3: ""}[number]


def letters(messages: Messages) -> str:
    """1: B, then C, then something unreadable; 2: A, then B; 3: B twice, then something unreadable."""
    found = re.search(r"Which is (\d)", users(messages)[0])
    assert found is not None
    turn = len(users(messages)) - 1
    answers = {
        "0": ["ANSWER: B", "ANSWER: C", "Trains are nice."],
        "1": ["ANSWER: A", "ANSWER: B"],
        "2": ["ANSWER: B", "ANSWER: B", "Hm."],
    }
    given = answers[found[1]]
    return given[min(turn, len(given) - 1)]


def agent(messages: Messages) -> Reply:
    """Looks the key up, then submits: 42 first, 41 once the judge has spoken."""
    called = sum(m["role"] == "tool" for m in messages)
    asked = len(users(messages))
    wants_submit = called % 2 == 1 if asked == 1 else True
    name, arguments = (
        ("submit", {"answer": "42" if asked == 1 else "41"}) if wants_submit else ("look_up", {"key": "x"})
    )
    call = {"id": f"c{called}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    return Reply(None, "tool_calls", extra={"tool_calls": [call]})


SCRIPTS = {"sums": sums, "letters": letters, "agent": agent}
ARMS = "original,reask@2,judge-hypercritical-none@2+skeptical,judge-malicious-none"


@dataclass(frozen=True)
class Both:
    """A task run bare, and as a study."""

    name: str
    bare: EvalLog
    bare_requests: list[dict[str, Any]]
    requests: list[dict[str, Any]]
    outcomes: pd.DataFrame
    transcripts: pd.DataFrame
    samples: pd.DataFrame

    def outcome(self, arm: str, round: int) -> dict[str, str]:
        frame = self.outcomes[(self.outcomes.arm == arm) & (self.outcomes["round"] == round)]
        return dict(zip(frame.sample_id, frame.outcome, strict=True))


def run_both(name: str, folder: Path, server: ScriptedServer, *more: str) -> Both:
    (bare,) = eval(f"{FILE}@{name}", model=fresh_model(), log_dir=str(folder / "bare"), display="none", temperature=0)
    bare_requests = list(server.requests)
    server.requests.clear()
    assert astray("run", f"{FILE}@{name}", *more, out=folder / "out", arms=ARMS) == 0
    read = {table: tables.read(folder / "out", table) for table in ("outcomes", "transcripts", "samples")}
    return Both(name, bare, bare_requests, list(server.requests), **read)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Both]:
    found = {}
    for name, script in SCRIPTS.items():
        folder = tmp_path_factory.mktemp(name)
        with scripted(script, folder / "cache") as server:
            found[name] = run_both(name, folder, server)
    return found


@pytest.fixture(params=SCRIPTS)
def both(request: pytest.FixtureRequest, runs: dict[str, Both]) -> Both:
    return runs[request.param]


def question(sample: Any) -> str:
    return sample.input if isinstance(sample.input, str) else sample.input[-1].text


def test_original_scores_as_the_bare_task_sample_by_sample(both: Both) -> None:
    right = {question(s): next(iter((s.scores or {}).values())).value == "C" for s in both.bare.samples or []}
    asked = dict(zip(both.samples.sample_id, both.samples.question, strict=True))
    ours = {asked[id]: outcome == "correct" for id, outcome in both.outcome("original", 0).items()}
    assert ours == right
    assert len(set(right.values())) == (1 if both.name == "agent" else 2)


def test_original_asks_just_what_the_bare_task_asks(both: Both) -> None:
    bare = sorted(json.dumps(r["messages"], sort_keys=True) for r in both.bare_requests)
    ours = {json.dumps(r["messages"], sort_keys=True) for r in both.requests}
    assert set(bare) <= ours
    first = [r for r in both.requests if len(users(r["messages"])) == 1]
    assert len(first) == len(bare), "first answers are asked once for all arms"
    keys = {"tools", "temperature", "tool_choice", "max_tokens", "stop"}
    shapes = [[{k: r.get(k) for k in keys} for r in asked] for asked in (both.bare_requests[:1], first[:1])]
    assert shapes[0] == shapes[1]


def test_every_arm_has_the_same_first_answers(both: Both) -> None:
    for arm in ARMS.split(","):
        assert both.outcome(arm, 0) == both.outcome("original", 0)


def test_nothing_is_asked_twice(both: Both) -> None:
    asked = [json.dumps(r["messages"], sort_keys=True) for r in both.requests]
    assert len(set(asked)) == len(asked)


def test_free_text_is_scored_anew_in_each_round(runs: dict[str, Both]) -> None:
    both = runs["sums"]
    asked = dict(zip(both.samples.sample_id, both.samples.question, strict=True))

    def named(arm: str, round: int) -> dict[str, str]:
        return {asked[id].split()[-1].rstrip("?"): outcome for id, outcome in both.outcome(arm, round).items()}

    assert named("original", 0) == {"0+0": "correct", "1+1": "wrong", "2+2": "correct", "3+3": "empty"}
    after = {"0+0": "correct", "1+1": "correct", "2+2": "wrong", "3+3": "empty"}
    assert named("reask@2", 1) == named("reask@2", 2) == after
    # A malicious judge has nothing to say where the answer is wrong already.
    assert named("judge-malicious-none", 1) == {"0+0": "correct", "1+1": "wrong", "2+2": "wrong", "3+3": "empty"}


def test_the_task_prompts_are_kept_in_later_rounds(runs: dict[str, Both]) -> None:
    for request in runs["sums"].requests:
        assert systems(request["messages"]) == ["You add numbers."]
        assert users(request["messages"])[0].endswith("\n\nThe number alone.")


def test_multiple_choice_is_marked_anew_after_a_revised_answer(runs: dict[str, Both]) -> None:
    both = runs["letters"]
    assert both.outcome("original", 0) == {"1": "correct", "2": "wrong", "3": "correct"}
    for arm in ("reask@2", "judge-hypercritical-none@2+skeptical"):
        assert both.outcome(arm, 1) == {"1": "wrong", "2": "correct", "3": "correct"}
        # An answer that can't be read is not the one before.
        assert both.outcome(arm, 2) == {"1": "unparsed", "2": "correct", "3": "unparsed"}
    answers = both.outcomes[both.outcomes.arm == "reask@2"].sort_values(["sample_id", "round"]).answer
    assert answers.dropna().tolist() == ["B", "C", "A", "B", "B", "B", "B"]
    assert json.loads(both.samples.choices.iloc[0]) == [["A", "1"], ["B", "0"], ["C", "77"], ["D", "99"]]
    assert both.samples.gold.tolist() == ["B"] * 3


def test_an_agent_acts_again_with_one_copy_of_its_prompt(runs: dict[str, Both]) -> None:
    both = runs["agent"]
    assert both.outcome("original", 0) == {"a1": "correct"}
    assert both.outcome("judge-hypercritical-none@2+skeptical", 1) == {"a1": "wrong"}
    turns = both.outcomes[both.outcomes.arm == "reask@2"].set_index("round").turns.to_dict()
    assert turns[0] == 2
    assert all(turns[number] >= 1 for number in (1, 2))
    for request in both.requests:
        told = systems(request["messages"])
        assert sum(text.startswith("You look things up.") for text in told) == 1
        assert request["tools"], "it has its tools in every round"
    tools = both.transcripts[(both.transcripts.arm == "original") & both.transcripts.tool_calls.notna()]
    assert {call["name"] for calls in tools.tool_calls for call in json.loads(calls)} >= {"look_up"}
    assert both.transcripts[both.transcripts.speaker.isin(["agent", "tool"])].seconds.notna().all()


# Where an agent is told something


def told(task: str, arm: str, tmp_path: Path) -> list[str]:
    """The system messages of the first request under an arm."""
    with scripted(SCRIPTS[task], tmp_path / "cache") as server:
        (log,) = eval(
            arm_task(benchmark=f"{FILE}@{task}", arm=arm),
            model=fresh_model(), limit=1, log_dir=str(tmp_path / "logs"), display="none",
        )  # fmt: skip
        assert log.status == "success"
        return systems(server.requests[0]["messages"])


@pytest.mark.parametrize("arm", ["xy-defense", "comply"])
@pytest.mark.parametrize("task", ["sums", "agent"])
def test_defenses_stand_before_the_agents_own_prompt_and_comply_after(task: str, arm: str, tmp_path: Path) -> None:
    said = [text[:16] for text in told(task, arm, tmp_path)]
    words, own = prompts.load(f"defenses/{arm}").fill()[:16], PROMPTS[task][:16]
    assert said == ([own, words] if arm == "comply" else [words, own])


# Ids


def ids_of(*samples: Sample) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inspect_task, "load_one", lambda name, args: Task(dataset=MemoryDataset(list(samples))))
        return [str(sample.id) for sample in InspectTask("pack/any").task(Manner()).dataset]


def test_ids_without_ids_are_of_the_content(both: Both) -> None:
    task = InspectTask(f"{FILE}@{both.name}")
    first, again = ([s.id for s in task.task(Manner()).dataset] for _ in range(2))
    assert first == again == both.samples.sample_id.tolist()
    assert len(set(first)) == len(first)


def test_a_question_keeps_its_id_when_others_come_before_it() -> None:
    few = InspectTask(f"{FILE}@sums", {"n": 2}).task(Manner()).dataset
    more = InspectTask(f"{FILE}@sums", {"n": 4}).task(Manner()).dataset
    assert [s.id for s in few] == [s.id for s in more][:2]
    one, two = Sample(input="one", target="1"), Sample(input="two", target="2")
    assert ids_of(two, one, one) == [ids_of(two)[0], ids_of(one)[0], f"{ids_of(one)[0]}-2"]


def test_given_ids_are_kept_and_made_unique() -> None:
    given = [Sample(id=1, input="a"), Sample(id="x", input="b"), Sample(id="x", input="c")]
    assert ids_of(*given) == ["1", "x", "x-2"]


def pictured(picture: str, text: str = "What is it?") -> Sample:
    parts: list[Content] = [ContentText(text=text), ContentImage(image=picture)]
    return Sample(input=[ChatMessageUser(content=parts)], target="A cat")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("data:image/png;base64,AAAA", "data:image/png;base64,BBBB"),
        ("https://a.example/1.png", "https://a.example/2.png"),
        ("pictures/1.png", "pictures/2.png"),
        ("/somewhere/1.png", "/somewhere/2.png"),
        ("/9j/" + 999 * "A" + "/A", "/9j/" + 999 * "B" + "/A"),
    ],
)
def test_samples_that_differ_in_a_picture_alone_keep_their_ids(one: str, other: str) -> None:
    first, second = pictured(one), pictured(other)
    ids = ids_of(first, second)
    assert ids_of(second, first) == ids[::-1]
    assert not any("-" in id for id in ids)
    assert sample_digest(first) != sample_digest(second)
    assert fingerprint(Task(dataset=[first])) != fingerprint(Task(dataset=[second]))


def test_a_picture_counts_by_its_name_wherever_it_lies() -> None:
    here, there = pictured("/home/ada/.cache/1.png"), pictured("/mnt/data/1.png")
    assert ids_of(here) == ids_of(there)
    assert sample_digest(here) == sample_digest(there)


def test_digests_of_texts_are_what_books_hold() -> None:
    """They stand in books: another one would refuse each of them."""
    plain = Sample(input="What is 1+1?", target="2")
    asked = Sample(input=[ChatMessageUser(content="What is 1+1?")], choices=["2", "3"], target=["A", "B"])
    parts = Sample(input=[ChatMessageUser(content=[ContentText(text="What is"), ContentText(text="1+1?")])], target="2")
    digests = [sample_digest(sample) for sample in (plain, asked, parts)]
    assert digests == ["6da85159cd65813c", "7ce3c7df2a9792c9", "2f2d88fd5f7aee84"]
    assert ids_of(plain) == [digests[0]]
    assert ids_of(asked, parts) == ["59c80e14a3a68030", "06f40bbeb5d394fb"]


def test_a_shuffled_dataset_comes_in_one_order(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [Sample(input=f"Question {i}", target=str(i)) for i in range(20)]
    made = []

    def load(name: str, args: dict[str, Any]) -> Task:
        dataset = MemoryDataset([s.model_copy() for s in samples])
        dataset.shuffle(seed=len(made))
        made.append([s.input for s in dataset])
        return Task(dataset=dataset)

    monkeypatch.setattr(inspect_task, "load_one", load)
    orders = [[s.input for s in InspectTask("pack/any").task(Manner()).dataset] for _ in range(2)]
    assert made[0] != made[1]
    assert orders[0] == orders[1]


def test_arguments_reach_the_task() -> None:
    assert len(InspectTask(f"{FILE}@sums", {"n": 7}).task(Manner()).dataset) == 7
    assert fingerprint(InspectTask(f"{FILE}@sums", {"n": 7}).task(Manner())) != fingerprint(
        InspectTask(f"{FILE}@sums").task(Manner())
    )


# As `inspect eval` would run it


def test_an_arm_is_an_ordinary_inspect_task(tmp_path: Path) -> None:
    with scripted(letters, tmp_path / "cache"):
        task = arm_task(benchmark=f"{FILE}@letters", arm="reask@2")
        (log,) = eval(task, model=fresh_model(), log_dir=str(tmp_path), display="none")
        (by_name,) = eval(
            "astray/arm",
            task_args={"benchmark": f"{FILE}@letters", "arm": "reask@2"},
            model=fresh_model(),
            log_dir=str(tmp_path),
            display="none",
        )
    for found in (log, by_name):
        assert found.status == "success"
        assert found.eval.task_registry_name == "astray/arm"
        assert found.eval.task_args["arm"] == "reask@2"
        scores = {str(s.id): s.scores or {} for s in found.samples or []}
        assert scores["1"]["rounds_scorer"].value == pytest.approx(
            {"R0": 1, "R1": 0, "R2": 0, "harm@R1": 1, "harm@R2": 1, "recovery@R1": NAN, "recovery@R2": NAN}, nan_ok=True
        )
        assert scores["2"]["rounds_scorer"].value == pytest.approx(
            {"R0": 0, "R1": 1, "R2": 1, "harm@R1": NAN, "harm@R2": NAN, "recovery@R1": 1, "recovery@R2": 1}, nan_ok=True
        )
        assert [scores[id]["choice"].value for id in "123"] == ["I", "C", "I"], (
            "the task's own scorer marks the last answer"
        )
        assert found.results is not None
        means = {
            score.name: score.metrics["mean"].value for score in found.results.scores if score.scorer == "rounds_scorer"
        }
        assert means == pytest.approx(
            {"R0": 2 / 3, "R1": 2 / 3, "R2": 1 / 3, "harm@R1": 1 / 2, "harm@R2": 1, "recovery@R1": 1, "recovery@R2": 1}
        )


# What can't be loaded


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        (f"{FILE}@nothing", UsageError, "there are agent, clerk, letters, sums"),
        (FILE, UsageError, "name one task of the file, as file.py@task; there are"),
        ("gone.py@task", UsageError, "gone.py"),
        ("nopackage/notask", UsageError, "is 'nopackage' installed"),
    ],
)
def test_a_task_that_is_not_there(name: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=re.escape(says)) as refused:
        InspectTask(name).task(Manner())
    assert "\n" not in str(refused.value)


def test_a_task_without_samples(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no samples"):
        InspectTask(f"{FILE}@sums", {"n": 0}).task(Manner())


def test_a_file_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "broken_task.py"
    path.write_text("from inspect_ai import task\nimport nothing_of_that_name\n\n@task\ndef broken():\n    pass\n")
    with pytest.raises((InputError, UsageError), match="nothing_of_that_name"):
        InspectTask(f"{path}@broken").task(Manner())


def test_a_task_keeps_what_it_has_besides(tmp_path: Path) -> None:
    base = InspectTask(f"{FILE}@agent").task(Manner())
    arm = arm_task(benchmark=f"{FILE}@agent", arm="reask")
    assert base.message_limit == arm.message_limit == 30
    assert isinstance(task_with(base), Task)
