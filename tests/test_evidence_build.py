"""Building an evidence pack: what runs come to, with a model, resumable."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from astray.answers.protocol import how_to_reply, read_judgement
from astray.authors import About
from astray.authors.evidence import FORMS, Run, agreed, example, quoted, settle, together, verified
from astray.cli import run
from astray.evidence import (
    Pack,
    Passage,
    Runs,
    load_corpus,
)
from tests.conftest import write_rows
from tests.evidence_parts import VERIFIER, row
from tests.scripted_server import Misbehave, Reply
from tests.studies import MODEL, Messages, systems, users

# Building: what runs come to

STONE = About(
    "q0", "", "question", request="Which stone?", question="Which stone?",
    choices=(("A", "ruby"), ("B", "emerald"), ("C", "topaz")), gold="B",
)  # fmt: skip
YEAR = About("q1", "", "question", request="When?", question="When?", choices=None, gold="1912 | the year 1912")


@pytest.mark.parametrize(
    ("about", "said", "kept", "reason"),
    [
        pytest.param(STONE, "ruby", "ruby", "", id="text"),
        pytest.param(STONE, " Ruby ", "ruby", "", id="case"),
        pytest.param(STONE, "c", "topaz", "", id="label"),
        pytest.param(STONE, "C. topaz", "topaz", "", id="both"),
        pytest.param(STONE, "the ruby.", "ruby", "", id="words"),
        pytest.param(STONE, "emerald", None, "names the right answer (emerald)", id="right"),
        pytest.param(STONE, "B", None, "names the right answer (B)", id="right-label"),
        pytest.param(STONE, "opal", None, "names none of the choices (opal)", id="none"),
        pytest.param(YEAR, "1913", "1913", "", id="open"),
        pytest.param(YEAR, "the year 1912.", None, "names the right answer (the year 1912.)", id="open-right"),
    ],
)
def test_the_alternative_is_another_answer(about: About, said: str, kept: str | None, reason: str) -> None:
    assert settle(about, said) == (kept, reason)


KNOWN = (
    Passage(text="Miners call  the stone\na ruby, and they should know.", source="Mines"),
    Passage(text="A ruby.", source="B"),
)


@pytest.mark.parametrize(
    ("quotes", "sources", "reason"),
    [
        pytest.param(["Miners call the stone a ruby"], ["Mines"], "", id="white-space"),
        pytest.param(["\u201cthe stone a ruby, and they\u2026\u201d"], ["Mines"], "", id="marks-around"),
        pytest.param(["[1] Miners call the stone a ruby"], ["Mines"], "", id="the-number-before-it"),
        pytest.param(["A ruby.", "call the stone a ruby"], ["B", "Mines"], "", id="a-whole-passage"),
        pytest.param(
            ["Miners call the stone a ruby", "Miners call the stone a topaz"], [],
            "quotes what no passage says (Miners call the stone a topaz)", id="one-invented",
        ),
        pytest.param(["a ruby"], [], "quotes too little to tell (a ruby)", id="too-little"),
        pytest.param(["", " "], [], "quotes nothing", id="empty"),
        pytest.param([], [], "quotes nothing", id="none"),
    ],
)  # fmt: skip
def test_quotes_have_to_stand_there(quotes: list[str], sources: list[str], reason: str) -> None:
    found, why = quoted(quotes, KNOWN)
    assert ([passage.source for passage in found], why) == (sources, reason)


def done(alternative: str | None = "ruby", *texts: str, **more: Any) -> Run:
    passages = tuple(Passage(text=text, source="a book") for text in texts or ("It is.",))
    return Run(sample_id="q0", alternative=alternative, passages=passages if alternative else (), **more)


def test_runs_have_to_agree() -> None:
    assert agreed([done(), done(), done()]) == ("ruby", "")
    assert agreed([done("the ruby"), done("ruby."), done("Ruby")])[0] == "the ruby", "by meaning and not by letters"
    other = "runs support different answers (ruby; topaz)"
    assert agreed([done(), done("topaz"), done()]) == (None, other)
    failed = done(None, reason="quotes nothing")
    assert agreed([done(), failed, done()]) == (None, "support found in 2 of 3 runs; quotes nothing")
    assert [p.text for p in together([done("ruby", "a", "b"), done("ruby", "a", "c")])] == ["a", "b", "c"]


def test_what_a_verifier_said_of_all_runs() -> None:
    assert verified([done(verdict="wrong")] * 3) is True
    assert verified([done(verdict="wrong"), done(verdict="not wrong")]) is False
    assert verified([done(verdict="wrong"), done(verdict="unsure")]) is None
    assert verified([done()]) is None


@pytest.mark.parametrize("form", FORMS)
def test_the_example_that_is_shown_parses(form: Any) -> None:
    shown = example(form)
    assert read_judgement(shown.model_dump_json(), form) == shown
    assert shown.model_dump_json() in how_to_reply(form, shown)


# Building: with a model


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """q0 to q3; the right answer is always emerald."""
    questions = [
        {"id": f"q{i}", "question": f"Which stone is item q{i}?", "choices": ["ruby", "emerald", "topaz", "opal"],
         "answer_index": 1, "subset": "old" if i < 2 else "new"}
        for i in range(4)
    ]  # fmt: skip
    return write_rows(tmp_path / "rows.jsonl", questions)


@pytest.fixture
def mines(tmp_path: Path) -> Path:
    folder = tmp_path / "mines"
    folder.mkdir()
    for i in range(4):
        (folder / f"q{i}.txt").write_text(f"Old miners are sure that item q{i} is a ruby from the hills.")
    return folder


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return tmp_path / "pack.jsonl"


def build(rows: Path, mines: Path, out: Path, *more: str) -> int:
    arguments = ["evidence", "build", f"qa:{rows}", "--author-model", MODEL, "--corpus", str(mines), "--out", str(out)]
    return run([*arguments, "--max-connections", "2", *more])


def item(messages: Messages) -> str:
    found = re.search(r"item (q\d+)", users(messages)[0])
    assert found is not None
    return found[1]


def proposes(messages: Messages) -> bool:
    return "First name that other answer" in systems(messages)[0]


def proposal(id: str, alternative: str = "ruby") -> str:
    return json.dumps({"alternative": alternative, "query": f"item {id} is a"})


def support(id: str, *quotes: str, supports: str = "yes") -> str:
    return json.dumps({"supports": supports, "quotes": list(quotes) or [f"miners are sure that item {id} is a ruby"]})


def author(messages: Messages) -> Any:
    id = item(messages)
    return proposal(id) if proposes(messages) else support(id)


def test_a_pack_is_built_with_as_many_calls_as_needed_and_nothing_is_asked_twice(
    rows: Path, mines: Path, pack: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(author)
    assert build(rows, mines, pack, "--limit", "2") == 0
    assert len(server.requests) == 2 * 3 * 2
    assert len({request["seed"] for request in server.requests}) == 3, "each run draws anew"
    assert {request["temperature"] for request in server.requests} == {0.7}
    said = capsys.readouterr().out
    assert f"2 samples, 3 runs: 6 to 12 calls of author {MODEL}" in said
    assert re.search(r"^old +2 +2 +100% +0 +0 +0", said, re.MULTILINE)
    made = Pack.load(pack)
    assert [row.sample_id for row in made.rows] == ["q0", "q1"]
    first = made.rows[0]
    assert (first.alternative, first.gold, first.subset) == ("ruby", "emerald", "old")
    assert first.passages == (Passage(text="miners are sure that item q0 is a ruby", source="q0.txt"),)
    assert first.runs == Runs(found=3, of=3)
    assert first.sample_digest
    assert first.verified is None
    header = made.header
    assert (header.author, header.seed, header.benchmark) == (MODEL, 0, f"qa:{rows}")
    assert header.corpus == load_corpus(mines).name

    assert build(rows, mines, pack, "--limit", "2") == 0
    assert len(server.requests) == 12
    assert build(rows, mines, pack) == 0
    assert len(server.requests) == 24, "a larger limit only asks about what is new"
    assert len(Pack.load(pack).rows) == 4
    (info, *_) = list_eval_logs(str(pack.with_name("pack.logs")))
    log = read_eval_log(info)
    assert {(sample.id, sample.epoch) for sample in log.samples or []} >= {("q0", 1), ("q0", 2), ("q0", 3)}
    (sample, *_) = log.samples or []
    assert len(sample.messages) == 2 * 3, "the whole trace of a run"


def test_only_what_all_runs_agree_on_is_kept(
    rows: Path, mines: Path, pack: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: Counter[tuple[str, bool]] = Counter()

    def differing(messages: Messages) -> Any:
        id, first = item(messages), proposes(messages)
        asked[id, first] += 1
        last = asked[id, first] == 3
        if id == "q1" and first and last:
            return proposal(id, "topaz")
        if id == "q2" and not first and last:
            return support(id, f"Old miners are sure that item {id} is a topaz.")
        if id == "q3" and not first and last:
            return json.dumps({"supports": "no", "quotes": []})
        return author(messages)

    serve(differing)
    assert build(rows, mines, pack, "--max-connections", "1") == 0
    assert [row.sample_id for row in Pack.load(pack).rows] == ["q0"]
    said = capsys.readouterr().out
    assert re.search(r"^old +2 +1 +50% +0 +1 +0", said, re.MULTILINE)
    assert re.search(r"^new +2 +0 +0% +0 +2 +0", said, re.MULTILINE)
    left_out = [json.loads(line) for line in (pack.parent / "pack.logs" / "left-out.jsonl").read_text().splitlines()]
    reasons = {one["sample_id"]: one["reason"] for one in left_out}
    assert re.fullmatch(r"runs support different answers \((ruby; topaz|topaz; ruby)\)", reasons["q1"])
    invented = (
        "support found in 2 of 3 runs; quotes what no passage says (Old miners are sure that item q2 is a topaz.)"
    )
    assert reasons["q2"] == invented
    assert reasons["q3"] == "support found in 2 of 3 runs; nothing found supports it (ruby)"


@pytest.mark.parametrize(
    ("reply", "reason", "calls"),
    [
        pytest.param("I'd rather not.", "the reply could not be read", 1, id="unreadable"),
        pytest.param(proposal("q0", "emerald"), r"names the right answer \(emerald\)", 1, id="right"),
        pytest.param(
            json.dumps({"alternative": "opal", "query": "zzz"}), "the search found nothing", 1, id="nothing-found"
        ),
    ],
)
def test_a_run_that_finds_nothing_says_why(
    rows: Path, tmp_path: Path, pack: Path, serve: Any, capsys: Any, reply: str, reason: str, calls: int
) -> None:
    (tmp_path / "other.txt").write_text("Something else altogether.")
    server = serve(lambda messages: reply)
    assert build(rows, tmp_path / "other.txt", pack, "--limit", "1", "--runs", "1") == 1
    assert len(server.requests) == calls
    said = capsys.readouterr()
    assert re.search(f"^q0: support found in 0 of 1 runs; {reason}", said.out, re.MULTILINE)
    assert "not written, for no question was kept" in said.err
    assert not pack.exists()


def test_a_verifier_marks_what_is_not_wrong_and_is_asked_once_for_all_runs(
    rows: Path, mines: Path, pack: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def both(messages: Messages) -> Any:
        if "Somebody proposes another answer" not in users(messages)[0]:
            return author(messages)
        return json.dumps({"verdict": "not wrong" if item(messages) == "q1" else "wrong"})

    server = serve(both)
    assert build(rows, mines, pack, "--limit", "2", "--max-connections", "1") == 0
    assert len(server.requests) == 12
    assert build(rows, mines, pack, "--limit", "2", "--max-connections", "1", "--verifier-model", VERIFIER) == 0
    assert Counter(request["model"] for request in server.requests) == {"m": 12, "verifier": 2}
    first, second = Pack.load(pack).rows
    assert (first.verified, first.verifier) == (True, VERIFIER)
    assert (second.verified, second.verifier) == (False, VERIFIER)
    assert re.search(r"^old +2 +2 +100% +1 ", capsys.readouterr().out, re.MULTILINE)
    pack.write_text(
        pack.read_text().replace(f'"verified":false,"verifier":"{VERIFIER}"', '"verified":true,"verifier":"me"')
    )
    assert build(rows, mines, pack, "--limit", "3", "--verifier-model", VERIFIER) == 0
    assert [(row.verified, row.verifier) for row in Pack.load(pack).rows][1] == (True, "me"), (
        "a person has the last word"
    )
    assert build(rows, mines, pack, "--verifier-model", MODEL) == 2
    assert "would assess its own work" in capsys.readouterr().err


def test_a_grader_says_whether_open_ended_answers_are_the_same(
    tmp_path: Path, mines: Path, pack: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """q0: the same stone in other words; q1: two stones; q2: the right one in other words; q3: the grader fails."""
    questions = [{"id": f"q{i}", "question": f"Which stone is item q{i}?", "answer": "green beryl"} for i in range(4)]
    rows = write_rows(tmp_path / "rows.jsonl", questions)
    names = {
        "q0": ["a red corundum of the hills", "the hill ruby stone"],
        "q1": ["a red corundum of the hills", "some topaz of the sea"],
        "q2": ["emerald, as jewellers call it"] * 2,
        "q3": ["a red corundum of the hills", "the hill ruby stone"],
    }
    said: Counter[str] = Counter()

    def both(messages: Messages) -> Any:
        id, text = item(messages), users(messages)[0]
        if "You compare a given answer" in text:
            if id == "q3":
                return "Hm."
            equal = id == "q0" and "hill ruby" in text and "green beryl" not in text
            equal = equal or (id == "q2" and "green beryl" in text)
            return json.dumps({"reasoning": "It is so.", "verdict": "same" if equal else "different"})
        if not proposes(messages):
            return author(messages)
        said[id] += 1
        return proposal(id, names[id][said[id] == 2])

    server = serve(both)
    more = ["--runs", "2", "--max-connections", "1"]
    assert build(rows, mines, pack, *more) == 0
    assert [row.sample_id for row in Pack.load(pack).rows] == ["q2"], "by rules alone"
    before = len(server.requests)
    assert build(rows, mines, pack, *more, "--grader-model", "openai-api/scripted/g") == 0
    assert {request["model"] for request in server.requests[before:]} == {"g"}
    (kept,) = Pack.load(pack).rows
    assert (kept.sample_id, kept.alternative, kept.runs) == ("q0", names["q0"][0], Runs(found=2, of=2))
    left_out = [json.loads(line) for line in (pack.parent / "pack.logs" / "left-out.jsonl").read_text().splitlines()]
    assert {one["sample_id"]: one["reason"].partition(" (")[0] for one in left_out} == {
        "q1": "runs support different answers",
        "q2": "names the right answer in other words",
        "q3": "runs support different answers",
    }
    asked = len(server.requests)
    assert build(rows, mines, pack, *more, "--grader-model", "openai-api/scripted/g") == 0
    assert len(server.requests) == asked, "what a grader said is kept"
    capsys.readouterr()
    server.script = lambda messages: Misbehave("status:400")
    assert build(rows, mines, pack, *more, "--grader-model", "openai-api/scripted/h") == 1
    assert "grader 'openai-api/scripted/h'" in capsys.readouterr().err
    assert [row.sample_id for row in Pack.load(pack).rows] == ["q2"], "what rules tell is saved"


def test_an_agent_searches_as_it_likes(rows: Path, mines: Path, pack: Path, serve: Any) -> None:
    def call(query: str) -> Reply:
        function = {"name": "search", "arguments": json.dumps({"query": query})}
        return Reply(None, "tool_calls", extra={"tool_calls": [{"id": "c1", "type": "function", "function": function}]})

    def agent(messages: Messages) -> Any:
        id, last = item(messages), messages[-1]
        if last["role"] == "tool":
            assert f"miners are sure that item {id}" in str(last["content"])
            return "Miners call it a ruby."
        if "Now state what you have found" in str(last["content"]):
            return json.dumps({"alternative": "ruby", **json.loads(support(id))})
        return call(f"item {id} is a")

    server = serve(agent)
    assert build(rows, mines, pack, "--limit", "1", "--runs", "2", "--agent") == 0
    assert len(server.requests) == 2 * 3
    (row,) = Pack.load(pack).rows
    assert row.passages[0].source == "q0.txt"


@pytest.mark.usefixtures("web")
@pytest.mark.parametrize("agent", [True, False])
def test_a_pack_from_the_web(rows: Path, pack: Path, serve: Any, agent: bool) -> None:
    def author(messages: Messages) -> Any:
        id, last = item(messages), messages[-1]
        quotes = json.loads(support(id, "stands for a ruby."))
        if last["role"] == "tool":
            return "Found."
        if "Now state what you have found" in str(last["content"]):
            return json.dumps({"alternative": "ruby", **quotes})
        if not agent:
            return proposal(id) if proposes(messages) else json.dumps(quotes)
        function = {"name": "web_search", "arguments": json.dumps({"query": id})}
        return Reply(None, "tool_calls", extra={"tool_calls": [{"id": "c1", "type": "function", "function": function}]})

    server = serve(author)
    arguments = ["evidence", "build", f"qa:{rows}", "--author-model", MODEL, "--web", "--out", str(pack)]
    assert run([*arguments, "--limit", "1", "--runs", "1", *([] if agent else ["--no-agent"])]) == 0
    assert len(server.requests) == (3 if agent else 2)
    made = Pack.load(pack)
    assert made.header.corpus == "web"
    assert made.rows[0].passages == (Passage(text="stands for a ruby.", source="Page (https://w.example)"),)


def test_a_model_that_fails_and_comes_back(rows: Path, mines: Path, pack: Path, serve: Any, capsys: Any) -> None:
    bad = {"q1"}
    server = serve(lambda messages: Misbehave("status:400") if item(messages) in bad else author(messages))
    assert build(rows, mines, pack, "--limit", "2") == 0
    assert [row.sample_id for row in Pack.load(pack).rows] == ["q0"]
    assert re.search(r"^old +2 +1 +100% +0 +0 +1", capsys.readouterr().out, re.MULTILINE), (
        "no verdict on what was not had"
    )
    bad.clear()
    before = len(server.requests)
    assert build(rows, mines, pack, "--limit", "2") == 0
    assert len(server.requests) - before == 6
    assert len(Pack.load(pack).rows) == 2


def test_an_interruption_keeps_what_is_finished(
    rows: Path, mines: Path, pack: Path, serve: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(author)
    assert build(rows, mines, pack, "--limit", "1") == 0
    pack.unlink()

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("astray.writing.build.run_tasks", interrupted)
        assert build(rows, mines, pack, "--limit", "2") == 130
    assert f"{pack}: 1 kept, 1 still missing" in capsys.readouterr().err
    assert len(Pack.load(pack).rows) == 1
    assert build(rows, mines, pack, "--limit", "2") == 0
    assert len(server.requests) == 12


def test_a_pack_of_something_else_is_not_gone_on_with(
    rows: Path, mines: Path, pack: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    serve(author)
    assert build(rows, mines, pack, "--limit", "1", "--runs", "1") == 0
    assert build(rows, mines, pack, "--limit", "1", "--seed", "1") == 1
    assert "holds a pack of another seed (0 there, 1 now)" in capsys.readouterr().err
    assert run(["evidence", "build", "starter", "--author-model", MODEL, "--out", str(pack)]) == 2
    assert "--corpus DIR, or --web" in capsys.readouterr().err


def test_packs_are_shown_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [row("q0", verified=False, verifier="me", runs={"found": 3, "of": 3}, subset="[old]"), row("q1")]
    path = str(write_rows(tmp_path / "pack.jsonl", lines))
    assert run(["evidence", "show", path, "q0"]) == 0
    said = capsys.readouterr().out
    assert "[old]" in said
    assert "it is: not wrong (by me)" in said
    assert "- It is ruby.\n    [a book]" in said
    assert "q1" not in said
    assert run(["evidence", "show", path, "q9"]) == 1
    assert "no sample 'q9'; did you mean 'q1'?" in capsys.readouterr().err
    assert run(["evidence", "stats", path]) == 0
    said = capsys.readouterr().out
    assert "2 rows" in said
    assert "alternatives: not wrong 1, unknown 1" in said
    assert "runs: 3 of 3 1" in said
