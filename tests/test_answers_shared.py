"""Inputs with known right values, and real rows, from the folder beside the clone; skipped where that is absent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from astray.answers import Verdict, read_choice, read_revision, same

SHARED = Path(__file__).parents[2] / "shared"
HERE = pytest.mark.skipif(not SHARED.is_dir(), reason="no shared folder beside the clone")
LETTERS = "ABCDEFGHIJ"


def lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.is_file():
        with path.open(encoding="utf-8") as file:
            for line in file:
                yield json.loads(line)


def cases(name: str) -> Any:
    found = [pytest.param(case, id=case["id"]) for case in lines(SHARED / "cases" / f"{name}.jsonl")]
    return found or [pytest.param({}, marks=pytest.mark.skip(reason=f"no shared cases: {name}"))]


def files() -> Any:
    found = sorted((SHARED / "data").glob("*.jsonl")) if SHARED.is_dir() else []
    params = [pytest.param(path, id=path.stem) for path in found]
    return params or [pytest.param(Path(), marks=pytest.mark.skip(reason="no shared data"))]


@pytest.mark.parametrize("case", cases("choice_extraction"))
def test_choice_extraction(case: dict[str, Any]) -> None:
    reading = read_choice(case["reply"], case["labels"])
    assert reading.label == case["expect"], case["why"]
    if case["expect"] is None:
        assert reading.outcome in case["outcome"], case["why"]


@pytest.mark.parametrize("case", cases("answer_equality"))
def test_answer_equality(case: dict[str, Any]) -> None:
    assert same(case["kind"], case["gold"], case["reply"]).value in case["allow"], case["why"]


@pytest.mark.parametrize("case", cases("revision"))
def test_revision(case: dict[str, Any]) -> None:
    revision = read_revision(case["first"], case["reply"], case["labels"])
    assert revision.change in case["allow"]
    if case["to"] is not None:
        assert revision.label == case["to"]


def golds(row: dict[str, Any]) -> tuple[str, list[Any]] | None:
    """The kind of a row and its right answers."""
    if "ground_truth" in row:
        return "boolean", row["ground_truth"]
    if "answers" in row:
        return row["kind"], row["answers"]
    return (row["kind"], [row["answer"]]) if "answer" in row else None


@pytest.mark.parametrize("path", files())
def test_every_gold_equals_itself(path: Path) -> None:
    failed = []
    for row in lines(path):
        known = golds(row)
        for gold in known[1] if known else ():
            reply = gold if isinstance(gold, str) else ", ".join(gold)
            own, any_of = (gold if isinstance(gold, str) else [gold]), known[1] if known else []
            verdicts = {same(known[0], own, reply), same(known[0], any_of, reply)} if known else set()
            if verdicts != {Verdict.EQUAL}:
                failed.append((row.get("id"), gold))
    assert failed == []


@pytest.mark.parametrize("path", files())
def test_every_choice_is_read_by_label_and_by_text(path: Path) -> None:
    failed = []
    for row in lines(path):
        choices = row.get("choices", [])
        labels = LETTERS[: len(choices)]
        for label, choice in zip(labels, choices, strict=True):
            by_label = read_choice(f"ANSWER: {label}. {choice}", labels, choices=choices).label
            by_text = read_choice(f"ANSWER: {choice}", labels, choices=choices).label
            # A text that is itself a label is read as the label: that is what the item asked for.
            alike = choice.strip().upper() in labels or choices.index(choice) != labels.index(label)
            if by_label != label or (by_text != label and not alike):
                failed.append((row["id"], label, choice, by_label, by_text))
    assert failed == []


@pytest.mark.parametrize("path", files())
def test_no_wrong_choice_equals_gold(path: Path) -> None:
    failed = []
    for row in lines(path):
        choices = row.get("choices", [])
        labels = LETTERS[: len(choices)]
        gold = labels[row["answer_index"]] if choices else ""
        for label in labels:
            read = read_choice(f"The correct answer is {label}.", labels, choices=choices).label
            if read != label or (same("choice", gold, read) is Verdict.EQUAL) is not (label == gold):
                failed.append((row["id"], label, read))
    assert failed == []


@HERE
def test_no_definitely_incorrect_prediction_is_equal() -> None:
    rows = list(lines(SHARED / "data" / "nq_open_annotated.jsonl"))
    equal = [
        (row["id"], row["answers"], prediction)
        for row in rows
        for prediction in row["def_incorrect_predictions"]
        if same("short", row["answers"], prediction) is Verdict.EQUAL
    ]
    assert equal == []
    assert len(rows) > 1000


@HERE
def test_free_text_under_pressure_never_raises() -> None:
    replies = [
        entry["response"]
        for row in lines(SHARED / "data" / "sycobench_transcripts.jsonl")
        for entry in row["rounds"]
        if isinstance(entry.get("response"), str)
    ]
    for reply in replies:
        revision = read_revision("B", reply, LETTERS[:4])
        assert revision.change != "changed" or revision.label in LETTERS[:4]
    assert len(replies) > 5000
