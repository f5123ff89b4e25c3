"""Advice: books that are saved, read, hashed and refused; and what a sample gets under each arm."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astray import prompts
from astray.advice import Book, BookHeader, Check, Decomposition, Part, Stance, Suggestion, Treatment, from_shelf, treat
from astray.arm import Arm
from astray.errors import InputError
from astray.terms import TERMS

HEADER = BookHeader(benchmark="qa:rows.jsonl", fingerprint="abc", author="a person", prompt_version=2, seed=7)
TEXTS: dict[Stance, str] = {
    "bad": "I think you should add the two numbers.",
    "good": "I think you should multiply the two numbers.",
    "neutral": "I think it is a lovely day for sums.",
}


def suggestions(*ids: str) -> list[Suggestion]:
    return [Suggestion(sample_id=id, stance=stance, text=text) for id in ids for stance, text in TEXTS.items()]


def taken_apart(id: str) -> Decomposition:
    parts = (
        Part(kind="direction", text="Add them up in your head."),
        Part(kind="description", text="There are 3 boxes of 4 eggs."),
        Part(kind="description", text="How many eggs are there?"),
    )
    return Decomposition(sample_id=id, parts=parts)


DESCRIPTION = "There are 3 boxes of 4 eggs.\n\nHow many eggs are there?"


def book_of(*rows: Suggestion, decompositions: tuple[Decomposition, ...] = ()) -> Book:
    return Book.make(HEADER, rows, decompositions)


@pytest.fixture
def book() -> Book:
    return book_of(*suggestions("q1", "q2"), decompositions=(taken_apart("q1"),))


# Books


def test_round_trip(tmp_path: Path) -> None:
    checks = (
        Check(name="form", result="passed", by="rule"),
        Check(name="harm", result="unknown", by="execution", note="no oracle"),
    )
    rows = [
        Suggestion(sample_id="q1", stance="bad", text='I think “{{ x }}” is \\ right \u2028 here. 🦜', checks=checks),
        Suggestion(sample_id="q2", stance="good", text="I think so.", kind="wrong cause", leads_to="2", author="rule"),
    ]  # fmt: skip
    book = book_of(*rows)
    read = Book.load(book.save(tmp_path / "deep" / "book.jsonl"))
    assert read == book
    assert read.suggestions == tuple(rows)
    assert read.header.seed == 7


def test_the_header_states_counts_and_hash(tmp_path: Path) -> None:
    rows = [*suggestions("q1", "q2"), Suggestion(sample_id="q3", stance="bad", text="I think so.")]
    book = book_of(*rows)
    assert book.header.counts == {"bad": 3, "good": 2, "neutral": 2}
    assert book.header.hash == book.hash
    first = json.loads(book.save(tmp_path / "b.jsonl").read_text("utf-8").splitlines()[0])
    assert first["counts"] == {"bad": 3, "good": 2, "neutral": 2}
    assert first["hash"] == book.hash
    assert first["astray_book"] == 1


def test_the_file_is_readable_as_text_and_has_a_line_each(tmp_path: Path, book: Book) -> None:
    lines = book.save(tmp_path / "b.jsonl").read_text("utf-8").split("\n")
    assert len(lines) == 1 + len(book.rows) + 1
    assert lines[-1] == ""


@settings(deadline=None, max_examples=30)
@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=6, unique=True), st.randoms())
def test_the_hash_is_that_of_the_suggestions_in_any_order(ids: list[str], order: random.Random) -> None:
    rows = suggestions(*ids)
    shuffled = list(rows)
    order.shuffle(shuffled)
    assert book_of(*rows).hash == book_of(*shuffled).hash
    assert book_of(*rows).hash == Book.make(HEADER.model_copy(update={"author": "other"}), rows).hash


@pytest.mark.parametrize(
    "change",
    [{"text": "I think not."}, {"stance": "good"}, {"sample_id": "q9"}, {"leads_to": "7"},
     {"checks": (Check(name="harm", result="failed", by="x"),)}],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_any_change_changes_the_hash(change: dict[str, Any]) -> None:
    row = Suggestion(sample_id="q1", stance="bad", text="I think so.")
    assert book_of(row).hash != book_of(row.model_copy(update=change)).hash


def test_a_book_edited_by_hand_is_read_as_it_stands(tmp_path: Path, book: Book) -> None:
    path = book.save(tmp_path / "b.jsonl")
    path.write_text(path.read_text("utf-8").replace("add the two", "subtract the two"), "utf-8")
    edited = Book.load(path)
    assert edited.hash == edited.header.hash != book.hash
    found = edited.find("q1", "bad")
    assert found is not None
    assert found.text == "I think you should subtract the two numbers."


def test_find(book: Book) -> None:
    found = book.find("q2", "good")
    assert found is not None
    assert (found.sample_id, found.stance) == ("q2", "good")
    assert book.find("q3", "good") is None


def test_blank_lines_and_a_byte_order_mark_do_no_harm(tmp_path: Path, book: Book) -> None:
    path = book.save(tmp_path / "b.jsonl")
    path.write_text("\ufeff" + path.read_text("utf-8").replace("\n", "\n\n"), "utf-8")
    assert Book.load(path) == book


@pytest.mark.parametrize("text", ["x\u2028y", "x\u2029y", "x\x85y", "x\x0by", "x\x1cy"], ids=ascii)
def test_only_a_newline_ends_a_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "b.jsonl"
    row = {"sample_id": "q1", "stance": "bad", "text": text}
    header = HEADER.model_dump(mode="json")
    # As other programs write it: these characters unescaped within a string.
    path.write_bytes(b"\n".join(json.dumps(line, ensure_ascii=False).encode() for line in (header, row)))
    if any(ord(c) < 0x20 for c in text):
        path.write_bytes(b"\n".join(json.dumps(line).encode() for line in (header, row)))
    found = Book.load(path).find("q1", "bad")
    assert found is not None
    assert found.text == text


GOOD_LINE = '{"sample_id": "q1", "stance": "bad", "text": "I think so."}'
HEADER_LINE = HEADER.model_dump_json()


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        pytest.param([HEADER_LINE, GOOD_LINE, "{nope"], "line 3: not JSON (", id="not-json"),
        pytest.param([HEADER_LINE, "", "", "[1]"], "line 4: ", id="no-object-after-blank-lines"),
        pytest.param(
            [HEADER_LINE, '{"sample_id": "q1", "stance": "evil", "text": "x"}'], "line 2: stance", id="stance"
        ),
        pytest.param([HEADER_LINE, '{"sample_id": "q1", "stance": "bad", "text": ""}'], "line 2: text", id="no-text"),
        pytest.param([HEADER_LINE, '{"stance": "bad", "text": "x"}'], "line 2: sample_id: Field required", id="no-id"),
        pytest.param([HEADER_LINE, GOOD_LINE[:-1] + ', "colour": 1}'], "line 2: colour: Extra", id="unknown-field"),
        pytest.param(
            [HEADER_LINE, GOOD_LINE[:-1] + ', "checks": [{"name": "form", "result": "maybe", "by": "x"}]}'],
            "line 2: checks.0.result",
            id="unknown-check-result",
        ),
        pytest.param([HEADER_LINE, GOOD_LINE, GOOD_LINE], "line 3: a second bad suggestion for 'q1'", id="doubled"),
        pytest.param([GOOD_LINE], "line 1: benchmark", id="no-header"),
        pytest.param(["{}"], "line 1: benchmark: Field required", id="empty-header"),
        pytest.param([HEADER_LINE.replace('"astray_book":1', '"astray_book":2')], "line 1: astray_book", id="version"),
        pytest.param(["", "  "], "empty; a book begins with a header line", id="empty"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, lines: list[str], says: str) -> None:
    path = tmp_path / "book.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(InputError) as refused:
        Book.load(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert says in str(refused.value)


def test_no_such_book(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.jsonl: no such advice book"):
        Book.load(tmp_path / "gone.jsonl")


def test_a_book_that_is_not_utf8_is_named(tmp_path: Path, book: Book) -> None:
    path = book.save(tmp_path / "b.jsonl")
    path.write_bytes(path.read_bytes().replace(b"lovely", "grün".encode("cp1252")))
    with pytest.raises(InputError, match=r"b\.jsonl: not UTF-8"):
        Book.load(path)


# The shelf


def test_a_shelved_book_is_found_by_hash_alone(book: Book) -> None:
    path = book.shelve()
    assert path.is_file()
    assert from_shelf(book.hash) == book
    assert book.shelve() == path


def test_nothing_on_the_shelf() -> None:
    with pytest.raises(InputError, match=r"no advice book with hash 0123 .*--advice BOOK"):
        from_shelf("0123")


def test_a_book_changed_on_the_shelf_is_refused(book: Book) -> None:
    path = book.shelve()
    path.write_text(path.read_text("utf-8").replace("lovely", "dreary"), "utf-8")
    with pytest.raises(InputError, match=r"was changed \(its hash is now [0-9a-f]{16}\); delete it"):
        from_shelf(book.hash)


# Treatments

SAID_BEFORE = {
    "xy-defense": prompts.load("defenses/xy-defense").fill(),
    "acknowledge": prompts.load("defenses/acknowledge").fill(),
}


@pytest.mark.parametrize(
    ("arm", "expected"),
    [
        ("original", Treatment()),
        ("xy", Treatment(suggestion=TEXTS["bad"])),
        ("xy-good", Treatment(suggestion=TEXTS["good"])),
        ("xy-neutral", Treatment(suggestion=TEXTS["neutral"])),
        ("described", Treatment(request=DESCRIPTION)),
        ("rewrite", Treatment(request=DESCRIPTION + "\n\nAdd them up in your head.")),
        ("xy-instead", Treatment(request=DESCRIPTION, suggestion=TEXTS["bad"])),
        ("xy-defense", Treatment(system_before=SAID_BEFORE["xy-defense"])),
        ("acknowledge", Treatment(system_before=SAID_BEFORE["acknowledge"])),
        ("xy+xy-defense", Treatment(suggestion=TEXTS["bad"], system_before=SAID_BEFORE["xy-defense"])),
        ("xy+comply", Treatment(suggestion=TEXTS["bad"], system_after=prompts.load("defenses/comply").fill())),
        ("reask@3", Treatment(rounds=3)),
        ("reask+skeptical", Treatment(rounds=1, with_critique=prompts.load("defenses/skeptical").fill())),
        (
            "judge-malicious-none@2+trusting",
            Treatment(
                rounds=2,
                judges=(("malicious", "none"),),
                with_critique=prompts.load("defenses/trusting").fill(),
            ),
        ),
        (
            "judge-hypercritical-none+judge-constructive-none",
            Treatment(rounds=1, judges=(("constructive", "none"), ("hypercritical", "none"))),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_an_arm_gives(book: Book, arm: str, expected: Treatment) -> None:
    assert treat(Arm.parse(arm), "q1", book) == expected


@pytest.mark.parametrize("arm", ["xy", "xy-good", "xy-neutral"])
def test_golden_defense_names_the_very_sentence(book: Book, arm: str) -> None:
    treatment = treat(Arm.parse(f"{arm}+golden-defense"), "q1", book)
    assert treatment is not None
    assert treatment.suggestion
    assert treatment.system_before
    assert f'"{treatment.suggestion}"' in treatment.system_before


@pytest.mark.parametrize(
    "sentence",
    [
        "I think {{ suggestion }} is it.",
        "{% raw %} use {x} {",
        "{{",
        "{# a note #} 100%",
        'He said "yes" & <no>',
        "ü 🦜",
    ],
)
def test_a_sentence_is_never_a_template(sentence: str) -> None:
    book = book_of(Suggestion(sample_id="q1", stance="bad", text=sentence))
    treatment = treat(Arm.parse("xy+golden-defense"), "q1", book)
    assert treatment is not None
    assert treatment.suggestion == sentence
    assert sentence in (treatment.system_before or "")


@pytest.mark.parametrize("arm", ["xy", "xy-good", "xy-neutral+xy-defense", "xy+golden-defense"])
def test_nothing_where_the_book_lacks_the_stance(arm: str) -> None:
    assert treat(Arm.parse(arm), "q1", None) is None
    assert treat(Arm.parse(arm), "unknown", book_of(*suggestions("q1"))) is None
    stance = Arm.parse(arm).stance
    others = [row for row in suggestions("q1") if row.stance != stance]
    assert treat(Arm.parse(arm), "q1", book_of(*others)) is None


@pytest.mark.parametrize("arm", ["described", "rewrite", "xy-instead"])
def test_nothing_where_the_book_lacks_the_decomposition_or_its_description(arm: str) -> None:
    direction = (Part(kind="direction", text="Do it my way."),)
    nothing_described = Decomposition(sample_id="q1", parts=direction)
    assert treat(Arm.parse(arm), "q1", book_of(*suggestions("q1"))) is None
    book = book_of(*suggestions("q1"), decompositions=(nothing_described,))
    assert treat(Arm.parse(arm), "q1", book) is None
    assert not book.has("q1", "decomposition")


def test_decompositions_round_trip(tmp_path: Path, book: Book) -> None:
    again = Book.load(book.save(tmp_path / "book.jsonl"))
    assert again == book
    assert again.decomposition("q1") == taken_apart("q1")
    assert again.header.counts["decompositions"] == 1


@pytest.mark.parametrize("arm", ["original", "reask", "xy-defense", "judge-malicious-none+skeptical"])
def test_arms_without_advice_need_no_book(arm: str) -> None:
    assert treat(Arm.parse(arm), "q1", None) is not None


COMPANY = {"skeptical": "+reask", "trusting": "+reask", "golden-defense": "+xy", "user-pedantic": "+xy"}


@pytest.mark.parametrize("term", TERMS)
def test_every_term_does_something(book: Book, term: str) -> None:
    treatment = treat(Arm.parse(term + COMPANY.get(term, "")), "q1", book)
    without = treat(Arm.parse(COMPANY.get(term, "+original")[1:]), "q1", book)
    assert treatment not in (None, without)


def test_a_treatment_is_plain_data(book: Book) -> None:
    treatment = treat(Arm.parse("xy+judge-malicious-none@2+skeptical+xy-defense"), "q1", book)
    assert treatment is not None
    data = json.loads(json.dumps(treatment.to_json()))
    assert data["suggestion"] == TEXTS["bad"]
    assert data["judges"] == [["malicious", "none"]]
    assert data["rounds"] == 2
