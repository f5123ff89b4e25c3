"""Evidence in a study: found once, quoted by grounded judges, missed visibly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from astray import tables
from astray.evidence import (
    Pack,
)
from astray.judges import evidence_in
from astray.measures import by_alternative
from tests.conftest import write_rows
from tests.evidence_parts import header, row
from tests.studies import Messages, astray, choice_rows

# In a study


def judged(messages: Messages) -> str:
    """The generator says B, also when it is criticised; the judge, who is the same model, quotes what it is given."""
    text = str(messages[0]["content"])
    if "Their answer:" not in text:
        return "ANSWER: B"
    assert "What was found" in text, "a grounded judge is asked only where there is something to quote"
    return json.dumps({"critique": "I can't agree: according to a book, it is ruby."})


GROUNDED = "judge-hypercritical-grounded"


def test_a_study_finds_evidence_and_marks_the_samples_that_have_none(
    tmp_path: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, out = choice_rows(tmp_path / "rows.jsonl", 2), tmp_path / "out"
    pack = write_rows(tmp_path / "pack.jsonl", [row("q0")])
    server = serve(judged)
    assert astray("run", rows, arms=GROUNDED, out=out) == 2
    missing = f"'qa:{rows}' comes without evidence, and {GROUNDED} need some; name one with --evidence PACK|DIR|web"
    assert missing in capsys.readouterr().err
    assert astray("plan", rows, "--evidence", str(pack), arms=GROUNDED, out=out) == 0
    assert "1 samples have no evidence, and are marked: q1" in capsys.readouterr().out

    assert astray("run", rows, "--evidence", str(pack), arms=GROUNDED, out=out) == 0
    frame = tables.read(out, "outcomes")
    marks = {(r.arm, r.sample_id): r.no_evidence for r in frame.itertuples()}
    assert (marks[GROUNDED, "q0"], marks[GROUNDED, "q1"], marks["original", "q0"]) == (False, True, None)
    spoke = {(r.sample_id, r.round): (r.judge_spoke, r.outcome) for r in frame[frame.arm == GROUNDED].itertuples()}
    assert spoke["q0", 1] == (True, "correct")
    assert spoke["q1", 1] == (False, "correct"), "not criticised without evidence"
    (critique,) = tables.read(out, "critiques").itertuples()
    assert (critique.sample_id, critique.cited, critique.refused) == ("q0", True, False)
    hash = Pack.load(pack).hash
    assert (out / "books" / f"evidence-{hash}.jsonl").is_file()
    logs = [read_eval_log(info) for info in list_eval_logs(str(out / "logs"))]
    (log,) = [log for log in logs if (log.eval.task_args or {})["arm"] == GROUNDED]
    assert log.eval.task_args["evidence"] == f"pack:{hash}"
    stores = {str(sample.id): evidence_in(sample.store) for sample in log.samples or []}
    found = stores["q0"]
    assert found is not None
    assert (found.alternative, found.passages[0].source) == ("ruby", "a book")
    assert stores["q1"] is not None
    assert stores["q1"].nothing
    said = [e.data for s in log.samples or [] for e in s.events if e.event == "info" and e.source == "astray"]
    assert said == [{"no_evidence": f"nothing found in pack:{hash}"}], "and the log says so"

    asked = len(server.requests)
    assert astray("run", rows, "--evidence", str(pack), arms=GROUNDED, out=out) == 0
    assert len(server.requests) == asked
    write_rows(pack, [row("q1")])
    assert astray("run", rows, "--evidence", str(pack), arms=GROUNDED, out=out) == 1
    assert "other settings: evidence_source" in capsys.readouterr().err


def test_a_study_with_a_corpus_or_the_evidence_of_the_benchmark(texts: Path, tmp_path: Path, serve: Any) -> None:
    serve(judged)
    rows = write_rows(tmp_path / "rows.jsonl", [{"id": "q0", "question": "Do goats eat paper?", "answer": "no"}])
    assert astray("run", rows, "--evidence", str(texts), arms=GROUNDED, out=tmp_path / "a") == 0
    assert list(tables.read(tmp_path / "a", "outcomes").query("arm == @GROUNDED").no_evidence) == [False, False]
    assert not (tmp_path / "a" / "books").exists()
    own = {"question": "Do goats eat paper?", "answer": "no", "alternative": "yes", "evidence": "Goats eat paper."}
    write_rows(rows, [own])
    assert astray("run", rows, arms=GROUNDED, out=tmp_path / "b") == 0
    assert list(tables.read(tmp_path / "b", "outcomes").query("arm == @GROUNDED").no_evidence) == [False, False]


def test_what_is_known_of_an_alternative_goes_with_its_sample(tmp_path: Path, serve: Any) -> None:
    serve(judged)
    known = {"q0": False, "q1": True, "q2": None}
    rows = choice_rows(tmp_path / "rows.jsonl", 4)
    pack = write_rows(tmp_path / "pack.jsonl", [row(id, verified=said, verifier="me") for id, said in known.items()])
    assert astray("run", rows, "--evidence", str(pack), arms=GROUNDED, out=tmp_path / "out") == 0
    frame = tables.read(tmp_path / "out", "outcomes")
    found = frame[frame.arm == GROUNDED].groupby("sample_id").alternative_wrong.agg(list).to_dict()
    assert found == {id: [said] * 2 for id, said in (known | {"q3": None}).items()}
    assert frame[frame.arm == "original"].alternative_wrong.isna().all()
    counted = {kind: summary.cells[0].rows for kind, summary in by_alternative(frame)}
    assert counted == {"wrong": 1, "not wrong": 1, "unknown": 1}


def test_a_pack_for_another_version_is_refused(tmp_path: Path, serve: Any, capsys: Any) -> None:
    serve(judged)
    rows = choice_rows(tmp_path / "rows.jsonl", 1)
    path = write_rows(tmp_path / "pack.jsonl", [header(fingerprint="other"), row("q0", sample_digest="other")])
    assert astray("run", rows, "--evidence", str(path), arms=GROUNDED, out=tmp_path / "out") == 1
    said = capsys.readouterr().err
    assert "evidence pack was written for another version of 'qa' (of its 1 samples, 1 differ or are gone: q0)" in said
    assert "'astray evidence build'" in said
