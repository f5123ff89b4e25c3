"""A book that was changed with a plain text editor: what was checked in other words is not checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from astray import tables
from astray.advice import Book, Check, Suggestion
from astray.cli import run
from tests.advice_book import FENCE_BAD, PARTS, ROWS, TEXTS, write_book
from tests.conftest import write_rows
from tests.studies import MODEL, astray, scripted

SAID = "edited since they were checked, and so not checked: 1"
READ = Check(name="person-read", result="passed", by="Ada")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "rows.jsonl", ROWS)


@pytest.fixture
def book(tmp_path: Path, rows: Path) -> Path:
    """One of its three suggestions is checked, and so is its decomposition."""
    path = write_book(rows, tmp_path / "book.jsonl")
    read = Book.load(path)
    parts = [row.model_copy(update={"checks": (READ,)}) for row in read.decompositions]
    return Book.make(read.header, read.suggestions, parts).save(path)


def change(path: Path, before: str, after: str) -> None:
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")


def line_of(path: Path, stance: str) -> dict[str, Any]:
    return next(row for row in map(json.loads, path.read_text().splitlines()) if row.get("stance") == stance)


def test_what_nobody_changed_keeps_its_checks_and_its_identity(book: Path) -> None:
    read = Book.load(book)
    assert read.suggestions == tuple(TEXTS)
    assert read.edited == ()
    assert set(line_of(book, "bad")) >= {"checks", "checked"}
    assert "checked" not in line_of(book, "good"), "there is nothing that could go stale"


def test_a_book_of_an_earlier_version_is_the_same_book(book: Path) -> None:
    read = Book.load(book)
    lines = [json.loads(line) for line in book.read_text().splitlines()]
    book.write_text("\n".join(json.dumps({k: v for k, v in line.items() if k != "checked"}) for line in lines))
    earlier = Book.load(book)
    assert (earlier, earlier.hash) == (read, read.hash)
    change(book, "just divide", "first halve")
    found = Book.load(book).find("fence", "bad")
    assert found is not None
    assert found.checks == (READ,), "nobody can tell what they are of"


EDITS = {
    "text": ("just divide", "first halve"),
    "sample": ('"sample_id":"fence","stance":"bad"', '"sample_id":"moon","stance":"neutral"'),
    "part": ('"text":"Count them."', '"text":"Count."'),
    "label": ('"kind":"direction"', '"kind":"description"'),
}


@pytest.mark.parametrize("edit", EDITS)
def test_what_was_edited_has_no_checks_however_often_it_is_written(book: Path, edit: str) -> None:
    change(book, *EDITS[edit])
    for _ in range(2):
        read = Book.load(book)
        (edited,) = read.edited
        assert edited.checks == ()
        assert isinstance(edited, Suggestion) == (edit in ("text", "sample"))
        assert read.header.hash == read.hash
        read.save(book)


def test_other_fields_are_not_what_was_checked(book: Path) -> None:
    change(book, '"leads_to":"5"', '"leads_to":"4"')
    assert Book.load(book).edited == ()


def test_words_that_are_put_back_have_their_checks_back(book: Path) -> None:
    before = Book.load(book)
    change(book, *EDITS["text"])
    change(book, *reversed(EDITS["text"]))
    assert Book.load(book) == before


def test_show_and_stats_say_so(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for edited in (False, True):
        if edited:
            change(book, *EDITS["text"])
        assert run(["advice", "show", str(book)]) == 0
        said = capsys.readouterr().out
        assert said.count("edited since it was checked") == edited
        assert said.count("passed: person-read") == 2 - edited
        assert run(["advice", "stats", str(book)]) == 0
        said = capsys.readouterr().out
        assert said.count(SAID) == edited
        assert ("no suggestion was checked" in said) == edited


def test_checking_it_again_settles_it(book: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(book, *EDITS["text"])
    before = book.read_bytes()
    assert run(["advice", "check", str(book)]) == 0
    assert SAID in capsys.readouterr().out
    assert book.read_bytes() == before, "rules change nothing"
    assert run(["advice", "check", str(book), "--out", str(book)]) == 0
    assert SAID not in capsys.readouterr().out
    read = Book.load(book)
    assert read.edited == ()
    found = read.find("fence", "bad")
    assert found is not None
    assert {check.name for check in found.checks} >= {"form", "leak"}
    assert "person-read" not in {check.name for check in found.checks}, "that person read something else"


def test_an_edit_in_place_of_another_edit_is_a_persons(book: Path) -> None:
    change(book, *EDITS["text"])
    assert run(["advice", "edit", str(book), "fence", "--stance", "bad", "--text", FENCE_BAD]) == 0
    found = Book.load(book).find("fence", "bad")
    assert found is not None
    assert (found.author, found.checks, found.checked) == ("person", (), None)
    assert Book.load(book).decompositions[0].parts == PARTS


def test_a_study_takes_no_check_for_made_that_was_of_other_words(book: Path, rows: Path, tmp_path: Path) -> None:
    for edited in (False, True):
        if edited:
            change(book, *EDITS["text"])
        out = tmp_path / f"out-{edited}"
        with scripted(lambda messages: "6", tmp_path / "cache"):
            assert astray("run", f"qa:{rows}", "--advice", str(book), out=out, arms="original,xy") == 0
        checks = tables.read(out, "checks")
        assert len(checks) == 1 - edited
        warnings = yaml.safe_load((out / "study.yaml").read_text())["warnings"]
        count = "Rows of the advice book that were edited since they were checked, and count as not checked: 1"
        assert [count in warning for warning in warnings] == [True] * edited
        assert [w for w in warnings if w in (out / "report" / "index.html").read_text()] == warnings
        (copy,) = (out / "books").iterdir()
        assert len(Book.load(copy).edited) == edited, "the study's own copy says the same"


def test_a_plan_says_so(book: Path, rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["plan", f"qa:{rows}", "--model", MODEL, "--arms", "xy", "--advice", str(book)]
    assert run(words) == 0
    assert "edited since" not in capsys.readouterr().out
    change(book, *EDITS["text"])
    assert run(words) == 0
    assert "edited since they were checked" in " ".join(capsys.readouterr().out.split())
