"""Authors: what they are asked, what is written anew, left out or unknown, and the book that comes of it."""

from __future__ import annotations

import json
import re
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from astray import tables
from astray.advice import Book, Check, Suggestion
from astray.authors import About, writing
from astray.cli import run
from astray.study import shared_model
from tests.author_parts import BAD, GOOD, advise, author, rows_of, said, wanted
from tests.scripted_server import Misbehave, Reply, ScriptedServer
from tests.studies import MODEL, Messages, astray, choice_rows, users
from tests.test_resume import start, wait_for

CHECKER = "openai-api/scripted/checker"


def of_check(result: str) -> Callable[..., Any]:
    async def check(checker: Any, suggestion: Suggestion, about: About) -> tuple[Check, ...]:
        output = await checker.generate(f"Checking {suggestion.text}")
        word = {"yes": "passed", "no": "failed"}.get(output.completion, "unknown")
        return (Check(name=result, result=word, by=str(checker), note="not as it should be"),)  # type: ignore[arg-type]

    return check


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return rows_of(tmp_path / "rows.jsonl", 4)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return tmp_path / "book.jsonl"


# A book


def test_a_book_is_written_with_as_many_calls_as_needed_and_used(
    rows: Path, book: Path, tmp_path: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(author)
    assert advise(rows, book, what="bad,good,neutral,decomposition") == 0
    assert len(server.requests) == 4 * 4
    said = capsys.readouterr()
    assert f"4 samples, bad, good, neutral, decomposition: 16 to 48 calls of author {MODEL}" in said.out
    assert re.search(r"^bad +4 +4 +0 +0 ", said.out, re.MULTILINE)
    made = Book.load(book)
    assert dict(made.header.counts) == {"bad": 4, "good": 4, "neutral": 4, "decompositions": 4}
    assert made.header.author == MODEL
    assert made.header.benchmark == f"qa:{rows}"
    assert made.header.seed == 0
    assert made.header.prompt_version == 3
    first = made.find("q0", "bad")
    assert first is not None
    assert first.text == BAD.format(id="q0")
    assert first.kind == "wrong approach"
    assert first.leads_to == "the heaviest"
    assert first.sample_digest
    assert {check.result for check in first.checks} == {"passed", "unknown"}
    parts = made.decomposition("q0")
    assert parts is not None
    assert parts.description == "Something is wrong with item q0. Which stone is it?"
    assert parts.direction == "Maybe you should ask a jeweller."
    assert {check.result for check in parts.checks} == {"passed"}

    asked = len(server.requests)
    assert advise(rows, book, what="bad,good,neutral,decomposition") == 0
    assert len(server.requests) == asked, "nothing is asked twice"
    assert Book.load(book).hash == made.hash

    server.script = lambda messages: "ANSWER: B"
    arms = "xy,xy-good,xy-neutral,described,rewrite,xy-instead"
    assert astray("run", rows, "--advice", str(book), out=tmp_path / "out", arms=arms) == 0
    frame = tables.read(tmp_path / "out", "outcomes")
    assert set(frame.arm) == {"original", *arms.split(",")}
    assert len(frame) == 7 * 4
    assert set(frame.outcome) == {"correct"}
    requests = [users(request["messages"])[0] for request in server.requests[asked:]]
    assert any("Maybe you should" not in text and BAD.format(id="q1") in text for text in requests)
    capsys.readouterr()
    assert astray("plan", rows, "--advice", str(book), out=tmp_path / "out", arms="xy") == 0
    assert "advice was written by the evaluated model itself" in capsys.readouterr().out

    rows.write_text(rows.read_text().replace("with item q2", "with the item q2"))
    assert astray("run", rows, "--advice", str(book), out=tmp_path / "other", arms="xy") == 1
    assert "written for another version" in capsys.readouterr().err
    assert advise(rows, book) == 1
    assert "holds a book of another fingerprint" in capsys.readouterr().err


def test_the_instructions_come_first_and_are_the_same_for_all_samples(rows: Path, book: Path, serve: Any) -> None:
    server = serve(author)
    assert advise(rows, book, what="bad,neutral") == 0
    firsts = Counter(str(request["messages"][0]["content"]) for request in server.requests)
    assert sorted(firsts.values()) == [4, 4]
    neutral = [text for request in server.requests for text in users(request["messages"]) if "about 19 words" in text]
    assert len(neutral) == 4, "as long as the bad ones"


def test_a_limit_grows(rows: Path, book: Path, serve: Any) -> None:
    server = serve(author)
    assert advise(rows, book, "--limit", "2") == 0
    assert len(server.requests) == 2 * 3
    assert dict(Book.load(book).header.counts) == {"bad": 2, "good": 2, "neutral": 2}
    assert advise(rows, book, "--limit", "3") == 0
    assert len(server.requests) == 3 * 3
    assert dict(Book.load(book).header.counts) == {"bad": 3, "good": 3, "neutral": 3}
    assert advise(rows, book, "--limit", "3", what="decomposition") == 0
    assert len(server.requests) == 4 * 3
    assert dict(Book.load(book).header.counts) == {"bad": 3, "good": 3, "neutral": 3, "decompositions": 3}


def test_what_a_person_changed_stays(rows: Path, book: Path, serve: Any) -> None:
    serve(author)
    assert advise(rows, book, "--limit", "1", what="bad") == 0
    mine = "I think you should weigh q0 twice, because nothing but the weight matters here."
    book.write_text(book.read_text().replace(BAD.format(id="q0"), mine))
    assert advise(rows, book, "--limit", "2", what="bad") == 0
    texts = [row.text for row in Book.load(book).suggestions]
    assert texts == [mine, BAD.format(id="q1")]


def test_a_request_of_one_sentence_takes_no_call(tmp_path: Path, book: Path, serve: Any, capsys: Any) -> None:
    server = serve(author)
    assert advise(choice_rows(tmp_path / "rows.jsonl", 3), book, what="decomposition") == 0
    assert server.requests == []
    assert "decomposition: 0 calls of author" in capsys.readouterr().out
    assert [row.description for row in Book.load(book).decompositions] == [f"Question q{i}?" for i in range(3)]


def test_labels_that_can_not_be_are_asked_for_again(rows: Path, book: Path, serve: Any) -> None:
    def labels(messages: Messages) -> str:
        return '{"direction": [3]}' if len(users(messages)) > 1 else '{"direction": [7]}'

    server = serve(labels)
    assert advise(rows, book, "--limit", "1", what="decomposition") == 0
    assert len(server.requests) == 2
    assert "there are no units [7], only 1 to 3" in users(server.requests[1]["messages"])[1]


# What fails


def test_what_leaks_is_written_anew_and_left_out_in_the_end(
    rows: Path, book: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def leaking(messages: Messages) -> str:
        id, what = wanted(messages)
        again = len(users(messages)) > 1
        leaks = id == "q3" or (id == "q1" and not again)
        return said(what, "I think it is emerald, as far as I remember it." if leaks else GOOD.format(id=id))

    server = serve(leaking)
    assert advise(rows, book, "--attempts", "3", what="good") == 0
    assert len(server.requests) == 1 + 2 + 1 + 3
    rewritten = [request for request in server.requests if "couldn't be used" in json.dumps(request["messages"])]
    assert [request["temperature"] for request in rewritten] == [0.8] * len(rewritten), "drawn, or it says the same"
    assert {request["seed"] for request in rewritten} == {1, 2}
    assert not any("it is emerald" in json.dumps(request["messages"]) for request in rewritten), (
        "who sees it repeats it"
    )
    assert len(rewritten) + 4 == len(server.requests)
    assert [row.sample_id for row in Book.load(book).suggestions] == ["q0", "q1", "q2"]
    printed = capsys.readouterr().out
    assert re.search(r"^good +4 +3 +1 +0 ", printed, re.MULTILINE)
    assert re.search(r"^q3/good: .*leak", printed, re.MULTILINE)
    (line,) = (book.parent / "book.logs" / "left-out.jsonl").read_text().splitlines()
    assert json.loads(line)["sample_id"] == "q3"
    before = len(server.requests)
    assert advise(rows, book, "--attempts", "3", what="good") == 0
    assert len(server.requests) == before, "what was left out was judged, and is not asked again"


@pytest.mark.parametrize("reply", ["I'd rather not.", '{"text": ""}', '{"right_idea": "x"}', ""])
def test_replies_that_can_not_be_used(
    rows: Path, book: Path, serve: Any, capsys: pytest.CaptureFixture[str], reply: str
) -> None:
    def some(messages: Messages) -> Any:
        id, what = wanted(messages)
        return reply if id == "q2" else said(what, GOOD.format(id=id))

    server = serve(some)
    assert advise(rows, book, "--attempts", "2", what="good") == 0
    assert len(server.requests) == 3 + 2
    assert len(Book.load(book).suggestions) == 3
    assert "q2/good: the reply could not be read" in capsys.readouterr().out


def test_a_reply_that_was_cut_off_gets_more_room(rows: Path, book: Path, serve: Any) -> None:
    def cut(messages: Messages) -> Any:
        id, what = wanted(messages)
        whole = said(what, GOOD.format(id=id))
        return Reply(whole[:30], finish_reason="length") if server.requests[-1]["max_tokens"] < 1000 else whole

    server = serve(cut)
    assert advise(rows, book, "--limit", "1", what="good") == 0
    assert [request["max_tokens"] for request in server.requests] == [600, 2400]
    assert len(Book.load(book).suggestions) == 1


def test_what_is_too_long_beside_the_advice_is_cut(rows: Path, book: Path, serve: Any) -> None:
    text = BAD.format(id="q0")
    server = serve(lambda messages: json.dumps(json.loads(said("bad", text)) | {"leads_to": "far " * 100}))
    assert advise(rows, book, "--limit", "1", what="bad") == 0
    assert len(server.requests) == 1
    (row,) = Book.load(book).suggestions
    assert row.text == text
    assert len(row.leads_to or "") == 240 - 1, "and what is left is stripped"


def test_nothing_passes(rows: Path, book: Path, serve: Any, capsys: pytest.CaptureFixture[str]) -> None:
    serve(lambda messages: said("good", "I think it is emerald, as far as I remember it."))
    assert advise(rows, book, "--attempts", "1", what="good") == 1
    assert "nothing passed its checks" in capsys.readouterr().err
    assert not book.exists()


def test_too_much_that_could_not_be_had_is_code_3(tmp_path: Path, book: Path, serve: Any, capsys: Any) -> None:
    rows = rows_of(tmp_path / "rows.jsonl", 20)
    bad = {"q3", "q9"}
    server = serve(lambda messages: Misbehave("status:400") if wanted(messages)[0] in bad else author(messages))
    assert advise(rows, book, what="good") == 3
    assert "good: 2 of 20 could not be had" in capsys.readouterr().err
    assert len(Book.load(book).suggestions) == 18
    bad.clear()
    before = len(server.requests)
    assert advise(rows, book, what="good") == 0
    assert len(server.requests) - before == 2
    assert len(Book.load(book).suggestions) == 20


# The checker


@pytest.mark.parametrize(
    ("reply", "result", "calls"),
    [
        pytest.param("yes", "passed", 2 + 2, id="yes"),
        pytest.param("garbage", "unknown", 2 + 2, id="garbage"),
        pytest.param("no", None, 2 * 2 + 2 * 2, id="no"),
    ],
)
def test_a_checker(
    rows: Path, book: Path, serve: Any, monkeypatch: Any, reply: str, result: str | None, calls: int
) -> None:
    monkeypatch.setattr(writing, "check_by_model", of_check("harm"))

    def both(messages: Messages) -> Any:
        if "Checking" not in str(messages[-1]["content"]):
            id, what = wanted(messages)
            return said(what, BAD.format(id=f"{id} again" if len(users(messages)) > 1 else id))
        return reply

    server = serve(both)
    options = ("--limit", "2", "--attempts", "2", "--checker-model", CHECKER)
    assert advise(rows, book, *options, what="bad") == (0 if result else 1)
    assert len(server.requests) == calls
    assert Counter(request["model"] for request in server.requests)["checker"] == calls / 2
    if result:
        checks = [check for row in Book.load(book).suggestions for check in row.checks if check.name == "harm"]
        assert [check.result for check in checks] == [result, result]


def test_a_checker_that_comes_later_checks_what_is_there(rows: Path, book: Path, serve: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(writing, "check_by_model", of_check("harm"))
    server = serve(lambda messages: "yes" if "Checking" in str(messages[-1]["content"]) else author(messages))
    assert advise(rows, book, "--limit", "2", what="bad") == 0
    assert advise(rows, book, "--limit", "2", "--checker-model", CHECKER, what="bad") == 0
    assert Counter(request["model"] for request in server.requests) == {"m": 2, "checker": 2}
    results = {check.name: check.result for row in Book.load(book).suggestions for check in row.checks}
    assert results["harm"] == "passed"


def test_an_author_does_not_check_itself(rows: Path, book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert advise(rows, book, "--checker-model", MODEL) == 2
    assert "is the author itself" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "says"),
    [(["--what", "worse"], "there are bad, good, neutral, decomposition"), (["--what", ","], "name some")],
)
def test_what_can_not_be_written(rows: Path, book: Path, capsys: Any, more: list[str], says: str) -> None:
    assert advise(rows, book, *more) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(("more", "names"), [(["--seed", "5"], "seed"), (["--author-model", CHECKER], "author")])
def test_another_book_at_the_same_path_is_refused(
    rows: Path, book: Path, serve: Any, capsys: Any, more: list[str], names: str
) -> None:
    server = serve(author)
    assert advise(rows, book, "--limit", "1", what="bad") == 0
    before = book.read_text()
    assert advise(rows, book, "--limit", "1", *more, what="bad") == 1
    assert f"holds a book of another {names}" in capsys.readouterr().err
    assert len(server.requests) == 1
    assert book.read_text() == before


# Going on


def command(rows: Path, out: Path) -> list[str]:
    arguments = ["advise", f"qa:{rows}", "--author-model", MODEL, "--what", "bad,good", "--out", str(out)]
    return [*arguments, "--max-connections", "4"]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_broken_off_in_the_middle(tmp_path: Path, book: Path, serve: Any, how: signal.Signals) -> None:
    rows = rows_of(tmp_path / "rows.jsonl", 30)
    server = serve(author, latency=0.05)
    process = start(command(rows, book))
    try:
        wait_for(server, 30, process)
    finally:
        process.send_signal(how)
        _, err = process.communicate(timeout=60)
    time.sleep(0.2)
    assert len(server.requests) < 60, "it was in the middle"
    if how == signal.SIGINT:
        assert process.returncode == 130
        found = re.search(r"(\d+) written, (\d+) still missing", err)
        assert found is not None
        assert int(found[1]) == len(Book.load(book).suggestions) > 0
        assert int(found[1]) + int(found[2]) == 60
        assert "the same command again goes on" in err
    assert run(command(rows, book)) == 0
    assert 60 <= len(server.requests) <= 60 + 4, "only what was in flight is asked again"
    assert dict(Book.load(book).header.counts) == {"bad": 30, "good": 30, "neutral": 0}


def test_a_model_that_goes_and_comes_back(
    tmp_path: Path, book: Path, serve: Any, monkeypatch: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shared_model, "PATIENCE", 1.0)
    rows = rows_of(tmp_path / "rows.jsonl", 20)

    def until(messages: Messages) -> Any:
        return Misbehave("status:401") if len(server.requests) > 15 else author(messages)

    server = serve(until)
    assert run(command(rows, book)) == 1
    err = capsys.readouterr().err
    assert f"{MODEL} has stopped answering" in err
    assert "15 written, 25 still missing: when it is back" in err
    assert len(Book.load(book).suggestions) == 15
    asked = len(server.requests)
    server.script = author
    assert run(command(rows, book)) == 0
    assert len(server.requests) - asked == 25
    assert len(Book.load(book).suggestions) == 40


def test_a_budget_is_for_all_that_is_written(rows: Path, book: Path, serve: Any, capsys: Any) -> None:
    serve(author)
    assert advise(rows, book, what="bad") == 0
    logs = [read_eval_log(info) for info in list_eval_logs(str(book.parent / "book.logs"))]
    used = sum(usage.total_tokens for log in logs for usage in log.stats.model_usage.values())
    assert used > 1000
    book.unlink()
    shutil.rmtree(book.parent / "book.logs")
    # Just enough for the bad suggestions: neutral sentences, written after them, get no budget anew.
    assert advise(rows, book, "--budget", str(used + 1), "--max-connections", "1", what="bad,neutral") == 4
    assert "tokens is used up" in capsys.readouterr().err
    assert advise(rows, book, what="bad,neutral") == 0
    assert len(Book.load(book).suggestions) == 8


# What can't be had at the start


def test_a_folder_that_can_not_be_made(rows: Path, tmp_path: Path, serve: Any, capsys: Any) -> None:
    server = serve(author)
    (tmp_path / "file").write_text("")
    assert advise(rows, tmp_path / "file" / "book.jsonl") == 1
    assert "choose another --out BOOK" in capsys.readouterr().err
    assert server.requests == []


def test_a_server_that_is_not_there(rows: Path, book: Path, serve: Any, capsys: pytest.CaptureFixture[str]) -> None:
    server: ScriptedServer = serve(author)
    server.stop()
    assert advise(rows, book) == 1
    assert "nobody answers" in capsys.readouterr().err
    assert not book.exists()
