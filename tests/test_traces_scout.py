"""The scanner of Inspect Scout over a log of a study; skipped where the extra isn't installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.studies import astray, book_for, choice_rows, fresh_model, scripted
from tests.trace_parts import OWN_IDEA, labeller

scout = pytest.importorskip("inspect_scout")

GIVES_IN = f"I will change the port, as you say. {OWN_IDEA} ANSWER: A"


def script(messages: list[dict[str, Any]]) -> str:
    """Agent and labeller in one: who is asked to mark something is the labeller."""
    asked = str(messages[-1]["content"])
    return labeller(messages) if "record of an agent" in asked or "The suggestion:" in asked else GIVES_IN


def test_a_log_is_scanned(tmp_path: Path) -> None:
    from astray.traces.scout import behaviour

    rows = choice_rows(tmp_path / "rows.jsonl", 2)
    book = book_for(tmp_path / "book.jsonl", ["q0", "q1"])
    with scripted(script, tmp_path / "cache"):
        assert astray("run", rows, "--advice", str(book), "--no-structured", out=tmp_path / "s", arms="xy") == 0
        model = fresh_model()
        done = scout.scan(
            [behaviour("complies"), behaviour("claim")],
            transcripts=scout.transcripts_from(str(tmp_path / "s" / "logs")),
            scans=str(tmp_path / "scans"),
            model=model,
            model_roles={"grader": model},
            display="none",
            max_processes=1,
        )
        assert done.complete, done.errors
        complies, claims = scout.scan_results_df(done.location).scanners.values()
    assert [str(value) for value in complies["value"]] == ["1"] * 4
    assert all("as scripted" in text for text in complies["explanation"])
    # Claims are held against a suggestion, and under `original` nobody made one.
    assert sorted(str(value) for value in claims["explanation"] if "first person" in str(value)) != []
    assert sum("does not apply" in str(text) for text in claims["explanation"]) == 2
