"""``astray advice edit``: a changed text loses its checks, and a broken edit changes nothing."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from astray.advice import Book, Suggestion
from astray.cli import run
from tests.advice_book import FENCE_BAD, ROWS, TEXTS, write_book
from tests.conftest import write_rows


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "rows.jsonl", ROWS)


@pytest.fixture
def book(tmp_path: Path, rows: Path) -> Path:
    return write_book(rows, tmp_path / "book.jsonl")


def test_an_edited_text_loses_its_checks_and_is_a_persons(book: Path, capsys: Any) -> None:
    words = ["--text", "I think the ends don't count.", "--kind", "wrong premise", "--leads-to", "4"]
    assert run(["advice", "edit", str(book), "fence", "--stance", "bad", *words]) == 0
    found = Book.load(book).find("fence", "bad")
    assert found == Suggestion(
        sample_id="fence", stance="bad", text=words[1], kind="wrong premise", leads_to="4", author="person"
    )
    said = capsys.readouterr().out
    assert "changed: fence bad" in said
    assert f"is now {Book.load(book).hash}" in said
    assert Book.load(book).decompositions


def test_the_same_text_keeps_its_checks(book: Path, capsys: Any) -> None:
    assert run(["advice", "edit", str(book), "fence", "--stance", "bad", "--kind", "wrong cause"]) == 0
    found = Book.load(book).find("fence", "bad")
    assert found is not None
    assert (found.kind, found.author, len(found.checks)) == ("wrong cause", None, 1)
    assert run(["advice", "edit", str(book), "fence", "--stance", "bad", "--text", FENCE_BAD]) == 0
    assert "nothing changed" in capsys.readouterr().out


def test_drop(book: Path, capsys: Any) -> None:
    assert run(["advice", "edit", str(book), "fence", "--stance", "bad", "--drop"]) == 0
    assert "removed: fence bad" in capsys.readouterr().out
    assert Book.load(book).find("fence", "bad") is None
    assert len(Book.load(book).rows) == 3


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def use(script: str) -> None:
        file = tmp_path / "editor.sh"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(file.stat().st_mode | stat.S_IEXEC)
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", str(file))

    return use


def test_the_editor_changes_the_book(book: Path, editor: Any, capsys: Any) -> None:
    line = '{"sample_id":"moon","stance":"good","text":"I do.","checks":[{"name":"x","result":"passed","by":"y"}]}'
    editor(f"sed -i -e 's/just divide/first halve/' -e '/both ends/d' \"$1\"; echo '{line}' >> \"$1\"")
    assert run(["advice", "edit", str(book)]) == 0
    said = capsys.readouterr().out
    assert "changed: fence bad\nadded: moon good\nremoved: fence good\n" in said
    after = Book.load(book)
    first, added = after.find("fence", "bad"), after.find("moon", "good")
    assert first is not None
    assert added is not None
    assert (first.author, first.checks, first.leads_to) == ("person", (), "5")
    assert (added.author, added.checks) == ("person", ())
    assert after.find("moon", "bad") == TEXTS[2]
    assert sorted(path.name for path in book.parent.glob("book*")) == ["book.jsonl"]


def test_an_edited_decomposition_loses_its_checks(book: Path, editor: Any, capsys: Any) -> None:
    run(["advice", "check", str(book), "--out", str(book)])
    (checked,) = Book.load(book).decompositions
    assert checked.checks
    editor("sed -i -e 's/just divide/first halve/' \"$1\"")
    assert run(["advice", "edit", str(book)]) == 0
    assert Book.load(book).decompositions == (checked,), "it was left as it was"
    editor("sed -i -e 's/Count them/Count all/' \"$1\"")
    assert run(["advice", "edit", str(book)]) == 0
    assert "changed: fence decomposition" in capsys.readouterr().out
    (after,) = Book.load(book).decompositions
    assert (after.direction, after.checks, after.author) == ("Count all.", (), "person")


def test_a_broken_edit_leaves_the_book_and_names_the_line(book: Path, editor: Any, capsys: Any) -> None:
    before = book.read_bytes()
    editor('sed -i \'s/"stance":"good"/"stance":"evil"/\' "$1"')
    assert run(["advice", "edit", str(book)]) == 1
    said = capsys.readouterr().err
    assert f"{book}: line 3: stance" in said
    assert "your edit is kept in" in said
    assert book.read_bytes() == before
    assert "evil" in (book.parent / "book.edited.jsonl").read_text()
    assert run(["advice", "edit", str(book)]) == 1, "the edit that is kept isn't written over"
    assert "an earlier edit is kept there" in capsys.readouterr().err


def test_an_editor_without_a_change(book: Path, editor: Any, capsys: Any) -> None:
    before = book.read_bytes()
    editor("true")
    assert run(["advice", "edit", str(book)]) == 0
    assert capsys.readouterr().out == "nothing changed\n"
    assert book.read_bytes() == before


def test_an_editor_that_fails(book: Path, editor: Any, capsys: Any) -> None:
    before = book.read_bytes()
    editor("exit 3")
    assert run(["advice", "edit", str(book)]) != 0
    assert "Editing failed" in capsys.readouterr().err
    assert book.read_bytes() == before
    assert sorted(path.name for path in book.parent.glob("book*")) == ["book.jsonl"]
