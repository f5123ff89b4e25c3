"""``qa:`` rows: every form that loads, ids that stay, complaints with their line, replies graded by kind."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astray import tables
from astray.benchmarks import QA, Manner, fingerprint
from astray.benchmarks.base import number_repeats
from astray.benchmarks.qa import Row, load_rows
from astray.benchmarks.qa.grading import grade_reply
from astray.benchmarks.qa.replies import reply_schema
from astray.benchmarks.qa.rows import Kind
from astray.errors import InputError
from astray.study import make_study, prepare
from tests.conftest import write_rows
from tests.studies import Messages, astray, users

CHOICE = {"question": "Which?", "choices": ["one", "two", "three"], "answer_index": 1}
SHORT = {"question": "Who?", "answer": "Ada"}


def load(path: Path, *rows: dict[str, Any]) -> list[Row]:
    return load_rows(write_rows(path / "rows.jsonl", list(rows)))


# Real rows

SHARED = {
    "arc_challenge_test": (1172, "choice"),
    "winogrande_dev": (1267, "choice"),
    "openbookqa_test": (500, "choice"),
    "commonsenseqa_dev": (1221, "choice"),
    "mmlu_57x50": (2850, "choice"),
    "simpleqa": (4326, "short"),
    "nq_open_annotated": (1769, "short"),
    "nq_oracle_ctx": (2655, "short"),
    "boolq_dev": (3270, "boolean"),
    "gsm8k_test": (1319, "number"),
    "drop_fixture": (19, None),
    "halueval_qa_500": (500, "short"),
}


@pytest.mark.parametrize("name", SHARED)
def test_every_shared_file_of_this_form_loads(shared: Path, name: str) -> None:
    count, kind = SHARED[name]
    rows = load_rows(shared / "data" / f"{name}.jsonl")
    assert len(rows) == count
    assert len({row.id for row in rows}) == count
    assert {row.the_kind for row in rows} == ({kind} if kind else {"number", "spans"})
    for row in rows:
        assert row.golds
        assert all(row.golds)


def test_shared_files_of_other_forms_are_refused_at_their_first_line(shared: Path) -> None:
    others = sorted({path.stem for path in (shared / "data").glob("*.jsonl")} - set(SHARED))
    for name in others:
        with pytest.raises(InputError, match=rf"{name}\.jsonl: line 1: neither 'choices'"):
            load_rows(shared / "data" / f"{name}.jsonl")


def test_arc_items_with_three_and_five_choices(shared: Path) -> None:
    rows = load_rows(shared / "data" / "arc_challenge_test.jsonl")
    by_count = {count: [row for row in rows if len(row.choices or ()) == count] for count in (3, 4, 5)}
    assert [len(by_count[count]) for count in (3, 4, 5)] == [4, 1165, 3]
    for count, found in by_count.items():
        assert {row.the_labels for row in found} == {tuple("ABCDE"[:count])}


def test_doubled_gold_texts_of_commonsenseqa_count_under_both_labels(shared: Path) -> None:
    rows = load_rows(shared / "data" / "commonsenseqa_dev.jsonl")
    doubled = [row for row in rows if row.choices and row.choices.count(row.choices[row.answer_index or 0]) > 1]
    assert len(doubled) == 6
    for row in doubled:
        assert row.choices is not None
        assert row.answer_index is not None
        right = [
            f for f, text in zip(row.the_labels, row.choices, strict=True) if text == row.choices[row.answer_index]
        ]
        assert [grade_reply(row, f"ANSWER: {label}").outcome for label in right] == ["correct"] * len(right)


# Forms


@pytest.mark.parametrize(
    ("row", "kind", "golds"),
    [
        pytest.param(CHOICE, "choice", ("B",), id="choice"),
        pytest.param(CHOICE | {"labels": ["x", "y", "z"]}, "choice", ("y",), id="labels"),
        pytest.param(CHOICE | {"labels": [1, 2, 3]}, "choice", ("2",), id="numeric-labels"),
        pytest.param(CHOICE | {"choices": [3, 4.5, 5]}, "choice", ("B",), id="numeric-choices"),
        pytest.param(CHOICE | {"answer_index": 0, "answer": "ignored"}, "choice", ("A",), id="choice-with-answer"),
        pytest.param(SHORT, "short", ("Ada",), id="short"),
        pytest.param({"question": "?", "answers": ["Ada", "Ada L."]}, "short", ("Ada", "Ada L."), id="several"),
        pytest.param({"question": "?", "answer": 42}, "short", ("42",), id="whole-number"),
        pytest.param({"question": "?", "answer": 0, "kind": "number"}, "number", ("0",), id="zero"),
        pytest.param({"question": "?", "answer": 2.5, "kind": "number"}, "number", ("2.5",), id="decimal"),
        pytest.param({"question": "?", "answers": [1, "one"]}, "short", ("1", "one"), id="number-among-answers"),
        pytest.param({"question": "?", "answer": True, "kind": "boolean"}, "boolean", ("yes",), id="true"),
        pytest.param({"question": "?", "answer": False, "kind": "boolean"}, "boolean", ("no",), id="false"),
        pytest.param({"question": "?", "answer": "True", "kind": "boolean"}, "boolean", ("True",), id="true-as-text"),
        pytest.param(
            {"question": "?", "answers": [["a", "b"], ["c", 4]], "kind": "spans"},
            "spans",
            (("a", "b"), ("c", "4")),
            id="spans",
        ),
        pytest.param(SHORT | {"answers": None}, "short", ("Ada",), id="null"),
        pytest.param(SHORT | {"colour": "red", "evidence": {"text": "x"}}, "short", ("Ada",), id="other-fields"),
    ],
)
def test_forms(tmp_path: Path, row: dict[str, Any], kind: str, golds: tuple[Any, ...]) -> None:
    (read,) = load(tmp_path, row)
    assert read.the_kind == kind
    assert read.golds == golds


def test_nan_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"question": "?", "answer": "x", "id": NaN, "subset": NaN, "alternative": NaN}\n', "utf-8")
    (row,) = load_rows(path)
    assert (row.subset, row.alternative) == (None, None)
    assert row.id
    assert row.id != "nan"


def test_a_missing_answer_is_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"question": "?", "answer": NaN}\n', "utf-8")
    with pytest.raises(InputError, match=r"line 1: neither 'choices' with 'answer_index' nor 'answer'"):
        load_rows(path)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n", " \n"], ids=repr)
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
def test_line_ends_and_byte_order_marks(tmp_path: Path, end: str, mark: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes((mark + end.join(json.dumps(CHOICE | {"id": id}) for id in "ab") + end).encode())
    assert [row.id for row in load_rows(path)] == ["a", "b"]


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"], ids=ascii)
def test_other_line_ends_of_unicode_end_no_line(tmp_path: Path, mark: str) -> None:
    first, second = load(tmp_path, SHORT | {"question": f"one{mark}two"}, SHORT)
    assert first.question == f"one{mark}two"
    assert second.question == "Who?"


# Ids


def test_own_ids_are_kept_as_text(tmp_path: Path) -> None:
    rows = load(tmp_path, SHORT | {"id": "a/1"}, SHORT | {"id": 7}, SHORT | {"id": 0})
    assert [row.id for row in rows] == ["a/1", "7", "0"]


def test_without_ids_rows_are_named_by_their_content(tmp_path: Path) -> None:
    first = load(tmp_path, SHORT, CHOICE)
    again = load(tmp_path, SHORT | {"question": "New on top?"}, SHORT, CHOICE)
    assert [row.id for row in again][1:] == [row.id for row in first]
    assert len({row.id for row in again}) == 3
    swapped = load(tmp_path, CHOICE, SHORT)
    assert [row.id for row in swapped] == [first[1].id, first[0].id]


def test_repeats_get_an_occurrence_number(tmp_path: Path) -> None:
    rows = load(tmp_path, SHORT, SHORT, CHOICE, SHORT)
    content = rows[0].id
    assert [row.id for row in rows] == [content, f"{content}-2", rows[2].id, f"{content}-3"]
    own = load(tmp_path, SHORT | {"id": "x"}, CHOICE | {"id": "x"})
    assert [row.id for row in own] == ["x", "x-2"]


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "a-2", "a-2-2", "a-3", "b", ""])))
def test_numbered_ids_are_unique_and_first_ones_stay(ids: list[str]) -> None:
    numbered = number_repeats(ids)
    assert len(set(numbered)) == len(ids)
    for index, id in enumerate(ids):
        if id not in ids[:index]:
            assert numbered[index] == id


@pytest.mark.parametrize("change", [{"question": "Whom?"}, {"answer": "Eve"}, {"context": "There."}], ids=str)
def test_content_decides_the_id(tmp_path: Path, change: dict[str, Any]) -> None:
    assert load(tmp_path, SHORT)[0].id != load(tmp_path, SHORT | change)[0].id


def test_the_fingerprint_is_of_the_samples(tmp_path: Path) -> None:
    def mark(*rows: dict[str, Any]) -> str:
        return fingerprint(QA("qa", load_rows(write_rows(tmp_path / "rows.jsonl", list(rows)))).task(Manner()))

    assert mark(CHOICE) == mark(CHOICE)
    assert mark(CHOICE) == fingerprint(QA("qa", load_rows(tmp_path / "rows.jsonl")).task(Manner(structured=True)))
    assert (
        len({mark(CHOICE), mark(CHOICE | {"answer_index": 2}), mark(CHOICE | {"question": "What?"}), mark(SHORT)}) == 4
    )


# What is refused

GOOD = json.dumps(CHOICE)


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        pytest.param(["{nope"], "line 1: not JSON (", id="no-json"),
        pytest.param([GOOD, "", GOOD[:-4]], "line 3: not JSON (", id="torn-line-after-a-blank-one"),
        pytest.param([GOOD, "[1, 2]"], "line 2: ", id="a-list"),
        pytest.param(["null"], "line 1: ", id="null"),
        pytest.param(['{"question": "?", "answer": ' + "9" * 5000 + "}"], "line 1: ", id="a-number-too-long"),
        pytest.param(["[" * 100_000], "line 1: ", id="nested-too-deep"),
        pytest.param(
            ['{"choices": ["a", "b"], "answer_index": 0}'], "line 1: question: Field required", id="no-question"
        ),
        pytest.param(['{"question": "", "answer": "x"}'], "line 1: question: ", id="empty-question"),
        pytest.param(
            ['{"question": "?"}'], "line 1: neither 'choices' with 'answer_index' nor 'answer'", id="no-answer"
        ),
        pytest.param(['{"question": "?", "answers": []}'], "line 1: neither", id="no-answers"),
        pytest.param(
            [json.dumps(CHOICE | {"answer_index": 3})], "line 1: answer_index 3: gold is not among", id="gold"
        ),
        pytest.param(
            [json.dumps(CHOICE | {"answer_index": -1})], "line 1: answer_index -1: gold is not", id="negative"
        ),
        pytest.param([json.dumps(CHOICE | {"answer_index": "B"})], "line 1: answer_index: ", id="gold-as-label"),
        pytest.param(
            [json.dumps(CHOICE | {"answer_index": None})], "line 1: 'choices' without 'answer_index'", id="null"
        ),
        pytest.param([json.dumps(CHOICE | {"choices": ["one"]})], "line 1: 'choices' has 1 entries", id="one-choice"),
        pytest.param([json.dumps(CHOICE | {"choices": []})], "line 1: 'choices' has 0 entries", id="no-choices"),
        pytest.param([json.dumps(CHOICE | {"choices": ["a", " "]})], "line 1: a choice is empty", id="blank-choice"),
        pytest.param([json.dumps(CHOICE | {"choices": ["a", "b", "."]})], "lone full stop", id="full-stop"),
        pytest.param([json.dumps(CHOICE | {"choices": "abc"})], "line 1: choices: ", id="choices-as-text"),
        pytest.param([json.dumps(CHOICE | {"labels": ["A", "B"]})], "line 1: 2 labels for 3 choices", id="labels"),
        pytest.param([json.dumps(CHOICE | {"labels": ["A", "B", "A"]})], "line 1: a label stands twice", id="doubled"),
        pytest.param(
            [json.dumps(CHOICE | {"alternative": "two"})], "line 1: 'alternative' is the right answer", id="alternative"
        ),
        pytest.param([GOOD, json.dumps(SHORT | {"kind": "choice"})], "line 2: kind 'choice' needs", id="kind-choice"),
        pytest.param([json.dumps(SHORT | {"kind": "essay"})], "line 1: kind: ", id="unknown-kind"),
        pytest.param(
            [json.dumps(SHORT | {"kind": "boolean"})],
            "line 1: kind 'boolean' needs yes or no (true or false) as the answer, not 'Ada'",
            id="boolean",
        ),
        pytest.param(['{"question": "\\ud83d", "answer": "x"}'], "line 1: question: ", id="half-a-character"),
    ],
)
def test_what_is_no_row_is_named_with_its_line(tmp_path: Path, lines: list[str], says: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(InputError) as refused:
        load_rows(path)
    message = str(refused.value)
    assert message.startswith(f"{path}: ")
    assert says in message
    assert "\n" not in message


@pytest.mark.parametrize("content", [b"", b"\n\n  \n", b"\xef\xbb\xbf"], ids=["nothing", "blank", "bom"])
def test_an_empty_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"rows\.jsonl: empty; it should have one question a line"):
        load_rows(path)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.jsonl: no such file"):
        load_rows(tmp_path / "gone.jsonl")


def test_another_encoding_names_byte_and_cure(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes('{"question": "Wie groß?", "answer": "x"}'.encode("cp1252"))
    with pytest.raises(InputError, match=r"not UTF-8 \(byte 0xdf at 21\).*iconv -f cp1252 -t utf-8 rows\.jsonl"):
        load_rows(path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)


@settings(deadline=None, max_examples=150)
@given(st.dictionaries(st.sampled_from(list(Row.model_fields)), json_values))
def test_any_object_is_a_row_or_refused(tmp_path_factory: pytest.TempPathFactory, row: dict[str, Any]) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_text(json.dumps(row), "utf-8")
    try:
        (read,) = load_rows(path)
    except InputError as error:
        said = str(error)
    else:
        said = f"{path}: line 1: "
        assert read.id
        assert read.golds
    assert said.startswith(f"{path}: line 1: ")


# Grading

BOTH = {"question": "?", "choices": ["same", "other", "same"], "answer_index": 2}


@pytest.mark.parametrize(
    ("row", "reply", "outcome", "answer"),
    [
        pytest.param(CHOICE, "ANSWER: B", "correct", "B", id="right"),
        pytest.param(CHOICE, "ANSWER: C", "wrong", "C", id="wrong"),
        pytest.param(CHOICE, "I like trains.", "unparsed", None, id="no-answer"),
        pytest.param(CHOICE | {"labels": [1, 2, 3]}, "ANSWER: 2", "correct", "2", id="numeric-labels"),
        pytest.param(BOTH, "ANSWER: A", "correct", "A", id="gold-text-under-another-label"),
        pytest.param(BOTH, "ANSWER: B", "wrong", "B", id="wrong-beside-doubled-gold"),
        pytest.param(SHORT, "ANSWER: Ada", "correct", "Ada", id="short"),
        pytest.param(SHORT, "ANSWER: Eve", "wrong", "Eve", id="short-wrong"),
        pytest.param({"question": "?", "answer": 18, "kind": "number"}, "ANSWER: 18.0", "correct", "18.0", id="number"),
        pytest.param(
            {"question": "?", "answer": True, "kind": "boolean"}, "ANSWER: Yes", "correct", None, id="boolean"
        ),
        pytest.param(
            {"question": "?", "answer": True, "kind": "boolean"}, "ANSWER: no", "wrong", None, id="boolean-no"
        ),
        pytest.param(CHOICE, '{"reasoning": "so", "answer": "B"}', "correct", "B", id="structured"),
    ],
)
def test_replies_are_graded(tmp_path: Path, row: dict[str, Any], reply: str, outcome: str, answer: str | None) -> None:
    (read,) = load(tmp_path, row)
    graded = grade_reply(read, reply)
    assert graded.outcome == outcome
    assert graded.value == (1.0 if outcome == "correct" else 0.0)
    if answer is not None:
        assert graded.answer == answer
    assert grade_reply(read, reply) == graded


# Every kind, asked and asked again

KINDS: dict[str, tuple[dict[str, Any], str]] = {
    "choice": ({"choices": ["one", "two"], "answer_index": 1}, "B"),
    "labelled": ({"choices": ["one", "two"], "answer_index": 0, "labels": ["x", "y"]}, "x"),
    "short": ({"answer": "Ada"}, "Ada"),
    "number": ({"answer": 7, "kind": "number"}, "7"),
    "boolean": ({"answer": True, "kind": "boolean"}, "yes"),
    "spans": ({"answers": [["red", "blue"]], "kind": "spans"}, "red, blue"),
    "date": ({"answer": "4 July 1776", "kind": "date"}, "July 4, 1776"),
    "math": ({"answer": "1/2", "kind": "math"}, "1/2"),
}


@pytest.mark.parametrize("structured", [False, True], ids=["words", "structured"])
def test_every_kind_is_asked_and_asked_again(tmp_path: Path, serve: Any, structured: bool) -> None:
    def script(messages: Messages) -> str:
        kind = re.search(r"About (\w+)\?", users(messages)[0])
        assert kind is not None
        answer = KINDS[kind[1]][1]
        return json.dumps({"reasoning": "So.", "answer": answer}) if structured else f"So.\nANSWER: {answer}"

    server = serve(script)
    rows = [
        {"id": id, "question": f"About {id}?", "context": "Some {{ text }}."} | row for id, (row, _) in KINDS.items()
    ]
    path = write_rows(tmp_path / "rows.jsonl", rows)
    flag = "--structured" if structured else "--no-structured"
    assert astray("run", path, flag, out=tmp_path / "out", arms="reask") == 0
    frame = tables.read(tmp_path / "out", "outcomes")
    assert dict(zip(frame.sample_id, frame.outcome, strict=True)) == dict.fromkeys(KINDS, "correct")
    assert len(frame) == 3 * len(KINDS)
    assert len(server.requests) == 2 * len(KINDS)
    for request in server.requests:
        assert ("response_format" in request) == structured
        first = users(request["messages"])[0]
        assert first.startswith("Some {{ text }}.\n\nAbout ")
        ending = first.rsplit("\n\n", 1)[1]
        assert all(text.endswith(ending) for text in users(request["messages"])), "reminded in the same words"
        assert ("ANSWER:" in ending) != structured
        worked_out = bool(re.search("About (number|math)", first))
        assert ("step by step" in ending) == worked_out


def test_what_has_to_be_worked_out_has_room_for_that() -> None:
    for kind in get_args(Kind):
        properties = reply_schema(kind, None).json_schema.properties
        assert properties is not None
        assert properties["reasoning"].maxLength == (600 if kind in ("number", "math") else 60)


@pytest.mark.parametrize(
    ("kind", "model", "asked", "structured"),
    [
        ("short", "astray/qwen2.5-coder-1.5b", None, True),
        ("number", "astray/qwen2.5-coder-1.5b", None, False),
        ("math", "astray/qwen2.5-coder-1.5b", None, False),
        ("number", "astray/qwen2.5-coder-1.5b", True, True),
        ("short", "openai/gpt-4o-mini", None, False),
    ],
)
def test_what_has_to_be_worked_out_is_asked_in_free_words(
    kind: str, model: str, asked: bool | None, structured: bool, tmp_path: Path
) -> None:
    path = write_rows(tmp_path / "rows.jsonl", [{"id": "a", "question": "How many?", "answer": "7", "kind": kind}])
    settings = {"benchmark": f"qa:{path}", "model": model, "structured": asked}
    assert prepare(make_study(settings, "test")).manner.structured is structured
