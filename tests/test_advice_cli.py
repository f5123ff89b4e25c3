"""``astray advice``: a book is shown, counted, checked and edited; nothing is lost on the way."""

from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from astray.advice import Book, BookHeader, Check, Decomposition, Part, Suggestion
from astray.cli import run
from tests.advice_book import FENCE, FENCE_BAD, PARTS, ROWS, TEXTS, write_book
from tests.conftest import write_rows
from tests.scripted_server import Misbehave, Reply

CHECKER = "openai-api/scripted/m"


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "rows.jsonl", ROWS)


@pytest.fixture
def book(tmp_path: Path, rows: Path) -> Path:
    return write_book(rows, tmp_path / "book.jsonl")


def opinion(**said: str) -> str:
    usual = {"reasoning": "It leaves out a post.", "plausible": "yes", "effect": "misleads", "states": "neither"}
    return json.dumps(usual | said)


def results(book: Path, sample: str, stance: Any) -> dict[str, str]:
    found = Book.load(book).find(sample, stance)
    assert found is not None
    return {check.name: check.result for check in found.checks}


# show


def test_show_says_everything_and_is_plain_in_a_pipe(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["advice", "show", str(book)]) == 0
    said = capsys.readouterr().out
    for words in (
        "by a test", f"bad (wrong approach): {FENCE_BAD}", "leads to: 5", "passed: person-read",
        "[bold]both ends[/bold]", "[from above]", f"description: {FENCE}", "direction: Count them.",
    ):  # fmt: skip
        assert words in said
    assert "\x1b" not in said
    assert not any(line.endswith(" ") for line in said.splitlines())


def test_show_says_what_failed_and_why(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = Book.load(book)
    check = Check(name="leak", result="failed", by="rule", note="states the right answer (6)")
    Book.make(old.header, [TEXTS[2].model_copy(update={"checks": (check,)})]).save(book)
    run(["advice", "show", str(book)])
    assert "leak failed: states the right answer (6) (by rule)" in capsys.readouterr().out


def test_a_long_text_stays_one_line_in_a_pipe(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "I think " + "this is long " * 40 + "so."
    run(["advice", "edit", str(book), "moon", "--stance", "bad", "--text", text])
    run(["advice", "show", str(book), "moon"])
    assert text in capsys.readouterr().out


def test_on_a_terminal_it_is_styled_and_wrapped(
    book: Path, serve: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "50")
    serve(lambda messages: opinion())
    assert run(["advice", "check", str(book), "--checker-model", CHECKER]) == 1
    for verb in ("show", "stats"):
        capsys.readouterr()
        assert run(["advice", verb, str(book)]) == 0
        said = capsys.readouterr().out
        assert "\x1b[" in said
    run(["advice", "show", str(book)])
    plain = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert max(len(line.rstrip()) for line in plain.splitlines()[3:]) <= 50


@pytest.mark.parametrize(
    ("more", "there", "absent"),
    [
        (["moon"], "surface", "divide"),
        (["--stance", "good"], "both ends", "divide"),
        (["--stance", "good"], "both ends", "description"),
        (["--stance", "bad", "moon", "fence"], "divide", "both ends"),
    ],
)
def test_show_a_part(book: Path, more: list[str], there: str, absent: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["advice", "show", str(book), *more]) == 0
    said = capsys.readouterr().out
    assert there in said
    assert absent not in said


# What isn't there


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["show", "BOOK", "fense"], "no sample 'fense'; did you mean 'fence'?"),
        (["show", "BOOK", "zzzzzz"], "no sample 'zzzzzz'\n"),
        (["edit", "BOOK", "mon", "--stance", "bad", "--text", "I think so."], "did you mean 'moon'?"),
        (["edit", "BOOK", "moon", "--stance", "good", "--drop"], "'moon' has no good suggestion; it has bad"),
        (["edit", "BOOK", "moon", "--stance", "bad", "--text", "  "], "an empty text"),
        (["show", "gone.jsonl"], "no such advice book"),
        (["stats", "gone.jsonl"], "no such advice book"),
        (["check", "gone.jsonl"], "no such advice book"),
    ],
)
def test_what_is_not_there_is_said(book: Path, words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = book.read_bytes()
    assert run(["advice", *(str(book) if word == "BOOK" else word for word in words)]) == 1
    assert says in capsys.readouterr().err
    assert book.read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [["edit", "BOOK", "moon", "--text", "x"], ["edit", "BOOK", "--stance", "bad", "--drop"],
     ["edit", "BOOK", "moon", "--stance", "bad", "--text", "x", "--drop"], ["edit", "BOOK", "moon", "--stance", "evil"],
     ["edit", "BOOK", "moon", "--stance", "bad", "--kind", "silly"], ["check", "BOOK", "--limit", "0"]],
)  # fmt: skip
def test_wrong_usage(book: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["advice", *(str(book) if word == "BOOK" else word for word in words)]) == 2
    capsys.readouterr()


# stats


def test_stats(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["advice", "edit", str(book), "moon", "--stance", "bad", "--text", FENCE_BAD.upper()])
    capsys.readouterr()
    assert run(["advice", "stats", str(book)]) == 0
    said = capsys.readouterr().out
    for words in (
        "2 bad, 1 good, 1 decompositions", "wrong approach 1, no kind 1", "11, 11, 11", "a test 2, person 1, Eve 1",
        "without any check: 2 of 3", "texts that occur more than once: 1", "fence bad, moon bad",
    ):  # fmt: skip
        assert words in said, said


# check


def test_stats_say_that_checks_are_of_what_was_kept(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["advice", "stats", str(book)])
    assert "of the suggestions kept: what failed while a model wrote the book was left out" in capsys.readouterr().out


def test_check_by_rules_changes_nothing(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = book.read_bytes()
    assert run(["advice", "check", str(book)]) == 0
    said = capsys.readouterr().out
    assert "0 of 3 suggestions failed a check\n0 of 1 decompositions failed a check" in said
    assert book.read_bytes() == before


def test_check_into_another_file(book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = book.read_bytes()
    assert run(["advice", "check", str(book), "--out", str(tmp_path / "checked.jsonl"), "--limit", "1"]) == 0
    assert book.read_bytes() == before
    assert "0 of 2 suggestions failed" in capsys.readouterr().out
    assert results(tmp_path / "checked.jsonl", "fence", "bad") == {
        "person-read": "passed", "form": "passed", "leak": "passed", "own-words": "passed",
        "plausible": "unknown", "misleading": "unknown", "paraphrase": "unknown", "harm": "unknown",
    }  # fmt: skip
    assert results(tmp_path / "checked.jsonl", "moon", "bad") == {}
    (parts,) = Book.load(tmp_path / "checked.jsonl").decompositions
    assert (parts.parts, parts.author) == (PARTS, "Eve")
    assert [(check.name, check.result) for check in parts.checks] == [
        (name, "passed") for name in ("verbatim", "order", "whole", "sentences")
    ]


def test_a_failed_check_is_exit_code_1(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["advice", "edit", str(book), "fence", "--stance", "bad", "--text", "I think it is 6. Surely."])
    capsys.readouterr()
    assert run(["advice", "check", str(book)]) == 1
    said = capsys.readouterr().out
    assert "form failed: has 2 sentences; write exactly one" in said
    assert "leak failed: states the right answer (6)" in said
    assert "1 of 3 suggestions failed a check" in said


def test_a_decomposition_that_is_not_the_request_fails(book: Path, tmp_path: Path, capsys: Any) -> None:
    old = Book.load(book)
    reworded = Decomposition(sample_id="fence", parts=(Part(kind="description", text="How many posts?"),))
    Book.make(old.header, (), [reworded]).save(book)
    assert run(["advice", "check", str(book), "--out", str(tmp_path / "checked.jsonl")]) == 1
    said = capsys.readouterr().out
    assert "fence decomposition\n" in said
    assert "verbatim failed: not in the request word for word: 'How many posts?' (by rule)" in said
    assert "1 of 1 decompositions failed a check" in said
    (parts,) = Book.load(tmp_path / "checked.jsonl").decompositions
    assert {check.name: check.result for check in parts.checks}["verbatim"] == "failed"


@pytest.mark.parametrize("arm", ["described", "rewrite", "xy-instead"])
def test_a_study_refuses_a_decomposition_that_is_not_the_request(book: Path, rows: Path, arm: str, capsys: Any) -> None:
    words = ["plan", f"qa:{rows}", "--model", CHECKER, "--advice", str(book), "--arms"]
    assert run([*words, arm]) == 0, "the parts are the request"
    old = Book.load(book)
    reworded = Decomposition(sample_id="fence", parts=(Part(kind="description", text="How many posts?"),))
    Book.make(old.header, old.suggestions, [reworded]).save(book)
    capsys.readouterr()
    assert run([*words, arm]) == 1
    said = capsys.readouterr().err
    assert f"{book}: the decompositions of 'fence' are not in the request word for word" in said
    assert f"so that {arm} would ask something else" in said
    assert run([*words, "xy"]) == 0, "no other arm asks by them"


def test_check_against_another_benchmark(book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = write_rows(tmp_path / "other.jsonl", [ROWS[0] | {"id": "fences"}])
    assert run(["advice", "check", str(book), f"qa:{other}"]) == 1
    said = capsys.readouterr().err
    assert "has advice for 'fence' and 1 more" in said
    assert "did you mean 'fences'?" in said


def test_a_book_for_another_version_is_refused(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = Book.load(book)
    rows = [row.model_copy(update={"sample_digest": "0" * 16}) for row in old.suggestions]
    Book.make(old.header.model_copy(update={"fingerprint": "other"}), rows).save(book)
    assert run(["advice", "check", str(book)]) == 1
    assert "written for another version" in capsys.readouterr().err


def test_a_broken_line_is_named(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book.write_text(book.read_text().replace('"stance":"good"', '"stance":"evil"'))
    assert run(["advice", "check", str(book)]) == 1
    assert "book.jsonl: line 3: stance" in capsys.readouterr().err


def test_a_checker_writes_into_the_book(book: Path, serve: Any, capsys: pytest.CaptureFixture[str]) -> None:
    def script(messages: list[dict[str, Any]]) -> str:
        text = messages[0]["content"]
        return opinion(effect="helps") if "both ends" in text else opinion() if "divide" in text else "no idea"

    server = serve(script)
    assert run(["advice", "check", str(book), "--checker-model", CHECKER]) == 0
    assert f"written to {book}" in capsys.readouterr().out.replace("\n", "")
    assert server.asked == 3
    assert results(book, "fence", "bad") == {
        "person-read": "passed", "form": "passed", "leak": "passed", "own-words": "passed",
        "plausible": "passed", "misleading": "passed", "paraphrase": "passed", "harm": "unknown",
    }  # fmt: skip
    assert results(book, "fence", "good")["helpful"] == "passed"
    assert results(book, "moon", "bad")["misleading"] == "unknown"
    found = Book.load(book).find("fence", "bad")
    assert found is not None
    assert {check.by for check in found.checks} == {"Ada", "rule", CHECKER, "nobody"}
    # What was checked stays when nobody checks it, and isn't asked for again.
    assert run(["advice", "check", str(book), "--out", str(book)]) == 0
    assert results(book, "fence", "bad")["misleading"] == "passed"
    before = server.asked
    assert run(["advice", "check", str(book), "--checker-model", CHECKER]) == 0
    assert server.asked == before


def test_a_checker_that_finds_a_fault_is_exit_code_1(book: Path, serve: Any, capsys: Any) -> None:
    serve(lambda messages: opinion(effect="helps", states="approach"))
    assert run(["advice", "check", str(book), "--checker-model", CHECKER, "--limit", "1"]) == 1
    said = capsys.readouterr().out
    assert f"misleading failed: helps: It leaves out a post. (by {CHECKER})" in said
    assert "paraphrase failed: states the right approach: It leaves out a post." in said
    assert "1 of 2 suggestions failed" in said


@pytest.mark.parametrize("where", ["header", "suggestion", "decomposition"])
def test_a_checker_that_wrote_the_book_is_refused(book: Path, where: str, serve: Any, capsys: Any) -> None:
    old, own = Book.load(book), {"author": CHECKER}
    header = old.header.model_copy(update=own if where == "header" else {})
    rows = [row.model_copy(update=own if where == "suggestion" else {}) for row in old.suggestions]
    parts = [row.model_copy(update=own if where == "decomposition" else {}) for row in old.decompositions]
    before = Book.make(header, rows, parts).save(book).read_bytes()
    server = serve(lambda messages: opinion())
    assert run(["advice", "check", str(book), "--checker-model", CHECKER]) == 2
    assert f"checker '{CHECKER}' is the author itself, and would assess its own work" in capsys.readouterr().err
    assert (server.asked, book.read_bytes()) == (0, before)
    assert run(["advice", "check", str(book)]) in (0, 1), "rules assess nobody's own work"


def many(path: Path, rows_path: Path, count: int) -> Path:
    rows = [{"id": f"q{i}", "question": f"Question q{i}?", "answer": "green"} for i in range(count)]
    write_rows(rows_path, rows)
    suggestions = [Suggestion(sample_id=f"q{i}", stance="bad", text=f"I think of way {i}.") for i in range(count)]
    return Book.make(BookHeader(benchmark=f"qa:{rows_path}", fingerprint="", author="t"), suggestions).save(path)


@pytest.mark.parametrize("connections", [1, 4])
def test_calls_run_in_parallel_within_the_limit(tmp_path: Path, serve: Any, connections: int, capsys: Any) -> None:
    book = many(tmp_path / "many.jsonl", tmp_path / "many-rows.jsonl", 12)
    server = serve(lambda messages: opinion(), latency=0.05)
    words = ["--checker-model", CHECKER, "--max-connections", str(connections)]
    assert run(["advice", "check", str(book), *words]) == 0
    capsys.readouterr()
    assert server.asked == 12
    assert server.most_in_flight == connections


def test_what_was_checked_is_kept_when_interrupted(tmp_path: Path, serve: Any, capsys: Any) -> None:
    book = many(tmp_path / "many.jsonl", tmp_path / "many-rows.jsonl", 6)
    asked: list[int] = []

    def script(messages: list[dict[str, Any]]) -> Any:
        asked.append(1)
        if len(asked) == 4:
            os.kill(os.getpid(), signal.SIGINT)
            return Misbehave("drop")
        return opinion()

    serve(script)
    words = ["advice", "check", str(book), "--checker-model", CHECKER, "--max-connections", "1"]
    assert run(words) == 130
    assert "the same command again goes on" in capsys.readouterr().err
    checked = [row for row in Book.load(book).suggestions if row.checks]
    assert len(checked) == 3
    assert run(words) == 0
    assert len(asked) == 4 + 3
    assert all(row.checks for row in Book.load(book).suggestions)
    capsys.readouterr()


def test_a_call_that_fails_leaves_its_checks_unmade(tmp_path: Path, serve: Any, capsys: Any) -> None:
    book = many(tmp_path / "many.jsonl", tmp_path / "many-rows.jsonl", 4)
    serve(lambda messages: Misbehave("status:400") if "way 2" in messages[0]["content"] else opinion())
    assert run(["advice", "check", str(book), "--checker-model", CHECKER]) == 0
    assert "could not be asked about 1 suggestions" in capsys.readouterr().err
    assert results(book, "q1", "bad")["misleading"] == "passed"
    assert results(book, "q2", "bad")["misleading"] == "unknown"


def test_a_checker_that_never_answers_leaves_the_book_alone(book: Path, serve: Any, capsys: Any) -> None:
    before = book.read_bytes()
    serve(lambda messages: Misbehave("status:401"))
    assert run(["advice", "check", str(book), "--checker-model", CHECKER]) == 1
    assert "the checker could not be asked" in capsys.readouterr().err
    assert book.read_bytes() == before


@pytest.mark.parametrize("model", ["nonsense", "nonsense/m", "astray/none"])
def test_an_unknown_checker(book: Path, model: str, capsys: Any) -> None:
    assert run(["advice", "check", str(book), "--checker-model", model]) in (1, 2)
    assert "astray: " in capsys.readouterr().err


def test_cut_off_replies_are_asked_once_more(book: Path, serve: Any, capsys: Any) -> None:
    server = serve(lambda messages: Reply('{"reasoning": "it', "length"))
    assert run(["advice", "check", str(book), "--checker-model", CHECKER, "--limit", "1"]) == 0
    assert server.asked == 4
    assert results(book, "fence", "bad")["plausible"] == "unknown"
    capsys.readouterr()
