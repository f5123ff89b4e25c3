"""Evidence packs: read, refused, found by hash; foreign forms; rows that are their own pack."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from astray.benchmarks import find_benchmark
from astray.benchmarks.qa import QA, load_rows
from astray.errors import InputError
from astray.evidence import (
    Evidence,
    Pack,
    PackHeader,
    Passage,
    pack_from_shelf,
)
from tests.conftest import write_rows
from tests.evidence_parts import complaint, header, row

# Packs


def test_a_pack_is_saved_and_loaded_and_found_by_hash(tmp_path: Path) -> None:
    rows = [
        Evidence.model_validate(row("q1", runs={"found": 3, "of": 3}, verified=False, verifier="me", subset="drop")),
        Evidence.model_validate(row("q0", question="Which  stone?")),
    ]
    made = Pack.make(PackHeader(benchmark="qa", fingerprint="", author="a test"), rows)
    assert dict(made.header.counts) == {"rows": 2, "not_wrong": 1}
    read = Pack.load(made.save(tmp_path / "pack.jsonl"))
    assert read == made
    assert read.hash == made.hash == made.header.hash
    assert Pack.make(made.header, reversed(rows)).hash == made.hash, "whatever the order"
    shelf = made.shelve()
    assert pack_from_shelf(made.hash).rows == made.rows
    shelf.write_text(shelf.read_text().replace("ruby", "opal"))
    with pytest.raises(InputError, match="was changed"):
        pack_from_shelf(made.hash)
    with pytest.raises(InputError, match=r"no evidence pack with hash nothing in .*--evidence again"):
        pack_from_shelf("nothing")


def test_rows_without_a_header_are_a_pack(tmp_path: Path) -> None:
    pack = Pack.load(write_rows(tmp_path / "mine.jsonl", [row("q0"), row("q1")]))
    assert pack.header.author == "mine.jsonl"
    assert [one.sample_id for one in pack.rows] == ["q0", "q1"]


def test_a_row_is_found_by_id_else_by_its_question(tmp_path: Path) -> None:
    rows = [
        row("q0", question="Which stone?"),
        row("q1", question="Which  colour?"),
        row("q2", question="Which stone?"),
    ]
    pack = Pack.load(write_rows(tmp_path / "pack.jsonl", rows))
    assert pack.find("q2", "Which colour?") == pack.rows[2]
    assert pack.find("other", "Which colour? ") == pack.rows[1]
    assert pack.find("other", "Which stone?") is None, "two rows ask it"
    assert pack.find("other") is None


BAD_FILES = [
    pytest.param("", "PACK: empty; an evidence pack has a wrong answer with its passages a line", id="empty"),
    pytest.param('{"a"', "PACK: line 1: not JSON (Expecting ':' delimiter, column 5)", id="not-json"),
    pytest.param("[1, ", "PACK: not JSON (Expecting value, column 5)", id="not-a-list"),
    pytest.param("[{}]", "PACK: entry 1: sample_id: Field required", id="entry"),
    pytest.param("7", "PACK: line 1: Input should be a valid dictionary or instance of Evidence", id="number"),
    pytest.param(json.dumps(header()), "PACK: holds no evidence that can be used", id="header-alone"),
    pytest.param(
        json.dumps(header(astray_evidence=2)), "PACK: line 1: astray_evidence: Input should be 1", id="later-form"
    ),
    pytest.param(
        f"{json.dumps(header())}\n\n{json.dumps(row(passages=[]))}",
        "PACK: line 3: passages: Tuple should have at least 1 item after validation, not 0",
        id="no-passages",
    ),
    pytest.param(
        json.dumps(row(passages=[{"text": "It is."}])),
        "PACK: line 1: passages.0.source: Field required",
        id="no-source",
    ),
    pytest.param(
        json.dumps(row(runs={"found": 4, "of": 3})), "PACK: line 1: runs: found in 4 of 3 runs", id="too-many-runs"
    ),
    pytest.param(f"{json.dumps(row())}\n{json.dumps(row())}", "PACK: line 2: a second entry for 'q0'", id="double"),
]


@pytest.mark.parametrize(("text", "message"), BAD_FILES)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "pack.jsonl"
    path.write_text(text)
    assert complaint(path) == message


def test_a_file_that_is_not_there_or_not_utf_8(tmp_path: Path) -> None:
    assert complaint(tmp_path / "none.jsonl") == "PACK: no such evidence pack"
    (tmp_path / "latin.jsonl").write_bytes(b'{"a": "\xe9"}')
    message = (
        "PACK: not UTF-8 (byte 0xe9 at 7); convert it first, for example with: iconv -f cp1252 -t utf-8 latin.jsonl"
    )
    assert complaint(tmp_path / "latin.jsonl") == message


def test_a_pack_is_never_written_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Pack.load(write_rows(tmp_path / "rows.jsonl", [row()])).save(tmp_path / "pack.jsonl")
    before = path.read_text()
    broken = Pack.load(write_rows(tmp_path / "rows.jsonl", [row("q1"), row("q2")]))
    monkeypatch.setattr(Evidence, "model_dump_json", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        broken.save(path)
    assert path.read_text() == before
    assert [one.name for one in tmp_path.iterdir() if "pack" in one.name] == ["pack.jsonl"]


# Foreign forms

WAFER = {
    "ID": 17,
    "Question": "Which planet has the most moons?",
    "Groundtruth Answer": "Jupiter",
    "Alternative Answer": "Saturn",
    "Evidence": "Newer counts give Saturn the lead.",
    "Supported Search Results": [
        {"title": "Moons", "url": "https://moons.example/a", "snippet": "Saturn has 145 known moons."},
        "https://moons.example/b: Saturn overtook Jupiter again.",
    ],
    "Source Dataset": "TriviaQA",
}


def test_the_fields_of_wafer_qa(tmp_path: Path) -> None:
    lines = write_rows(tmp_path / "wafer.jsonl", [WAFER])
    (one,) = Pack.load(lines).rows
    assert (one.sample_id, one.alternative, one.gold, one.subset) == ("17", "Saturn", "Jupiter", "TriviaQA")
    assert one.summary == "Newer counts give Saturn the lead."
    assert one.passages == (
        Passage(text="Saturn has 145 known moons.", source="Moons (https://moons.example/a)"),
        Passage(text="Saturn overtook Jupiter again.", source="https://moons.example/b"),
    )
    (tmp_path / "wafer.json").write_text(json.dumps([WAFER, WAFER | {"ID": "x"}]))
    assert [one.sample_id for one in Pack.load(tmp_path / "wafer.json").rows] == ["17", "x"]


@pytest.mark.parametrize(
    ("results", "passages"),
    [
        pytest.param(json.dumps(WAFER["Supported Search Results"][:1]), 1, id="json-text"),  # type: ignore[index]
        pytest.param({"url": "https://a.example", "content": "Saturn leads."}, 1, id="one"),
        pytest.param([json.dumps({"title": "A", "text": "Saturn leads."})], 1, id="list-of-json"),
        pytest.param([{"title": "A", "url": "https://a.example"}], 1, id="no-texts"),
        pytest.param(["https://a.example"], 1, id="addresses-alone"),
        pytest.param(None, 1, id="nothing"),
    ],
)
def test_search_results_in_whatever_form(tmp_path: Path, results: Any, passages: int) -> None:
    (one,) = Pack.load(write_rows(tmp_path / "w.jsonl", [WAFER | {"Supported Search Results": results}])).rows
    assert len(one.passages) == passages
    if results is None:
        assert one.passages[0] == Passage(text="Newer counts give Saturn the lead.", source="source not named")


def test_an_entry_without_any_evidence_is_left_out_and_counted(tmp_path: Path) -> None:
    empty = WAFER | {"ID": "none", "Evidence": "", "Supported Search Results": []}
    pack = Pack.load(write_rows(tmp_path / "w.jsonl", [WAFER, empty]))
    assert pack.left_out == (("none", "names no evidence"),)
    alone = complaint(write_rows(tmp_path / "w.jsonl", [empty]))
    message = "holds no evidence that can be used (1 entries left out; the first: names no evidence)"
    assert alone == f"PACK: {message}"


def conflict(truth: str, memory: str, counter: str, question: str = "Do goats eat paper?") -> dict[str, Any]:
    sides = {"memory_answer": memory, "counter_answer": counter}
    return {
        "id": "c0", "question": question, "ground_truth": [truth], **sides,
        "parametric_memory": "What the memory says.", "counter_memory": "What stands against it.",
    }  # fmt: skip


YES, NO = "Goats eat paper.", "Goats do not eat paper."


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        pytest.param(conflict("True", YES, NO), ("no", "What stands against it."), id="memory-right"),
        pytest.param(conflict("True", NO, YES), ("no", "What the memory says."), id="memory-wrong"),
        pytest.param(conflict("False", NO, YES), ("yes", "What stands against it."), id="no-and-memory-right"),
        pytest.param(conflict("False", YES, NO), ("yes", "What the memory says."), id="no-and-memory-wrong"),
        pytest.param(conflict("True", YES, "Sheep eat more paper than goats."), None, id="no-negation"),
        pytest.param(conflict("True", "False.", YES), None, id="about-nothing"),
        pytest.param(conflict("False", "It isn't that goats do not eat paper.", NO), None, id="two-negations"),
        pytest.param(
            conflict("Ada", "Ada wrote it.", "Eve wrote it.", "Who?"), ("Eve wrote it.", "What stands against it."),
            id="a-name",
        ),
        pytest.param(conflict("Ada", "Ada wrote it.", "Ada and Eve.", "Who?"), None, id="both-name-it"),
    ],
)  # fmt: skip
def test_the_side_of_conflictqa_that_opposes_the_truth(
    tmp_path: Path, entry: dict[str, Any], expected: tuple[str, str] | None
) -> None:
    path = write_rows(tmp_path / "c.jsonl", [entry])
    if expected is None:
        assert "(1 entries left out; the first: which side is wrong can't be told)" in complaint(path)
    else:
        (one,) = Pack.load(path).rows
        assert (one.alternative, one.passages[0].text) == expected


@pytest.mark.parametrize(("name", "rows", "left_out"), [("gpt4", 1267, 89), ("chatgpt", 1206, 39)])
def test_the_real_rows_of_conflictqa(shared: Path, name: str, rows: int, left_out: int) -> None:
    path = shared / "data" / f"conflictqa_strategyqa_{name}.jsonl"
    pack = Pack.load(path)
    assert (len(pack.rows), len(pack.left_out)) == (rows, left_out)
    entries = {entry["id"]: entry for entry in map(json.loads, path.read_text().splitlines())}
    of_memory = sum(one.passages[0].text == entries[one.sample_id]["parametric_memory"].strip() for one in pack.rows)
    assert 0.2 < of_memory / len(pack.rows) < 0.35, "the memory is wrong in about a quarter"
    truths = {"True": "yes", "False": "no"}
    assert all(one.gold == truths[entries[one.sample_id]["ground_truth"][0]] != one.alternative for one in pack.rows)


def test_rows_of_a_benchmark_are_their_own_pack(tmp_path: Path) -> None:
    starter = find_benchmark("starter").evidence
    assert starter is not None
    first = starter.find("starter-physics-01")
    assert first is not None
    assert first.alternative == "The dropped ball lands first"
    assert "Invented source" in first.passages[0].source
    plain = {"question": "Two and two?", "answer": "4", "alternative": "22", "evidence": "Digits stand side by side."}
    path = write_rows(tmp_path / "rows.jsonl", [plain | {"id": "a"}, {"id": "b", "question": "Why?", "answer": "so"}])
    own = QA("qa:rows", load_rows(path)).evidence
    assert own is not None
    assert [one.sample_id for one in own.rows] == ["a"]
    assert own.rows[0].passages[0].source == "source not named"
    assert QA("qa:x", load_rows(write_rows(path, [{"question": "Why?", "answer": "so"}]))).evidence is None
    with pytest.raises(InputError, match=r"qa:x: row 'a': evidence: text: Field required"):
        _ = QA("qa:x", load_rows(write_rows(path, [plain | {"id": "a", "evidence": [{"source": "a book"}]}]))).evidence
