"""Replies that judge: one protocol, closed vocabulary, last verdict, and None where nothing can be read."""

from __future__ import annotations

import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from astray.answers.grader import _EXAMPLE, Comparison, fence
from astray.answers.protocol import how_to_reply, read_judgement
from tests.conftest import SHARED


class Grade(BaseModel):
    grade: Literal["C", "I"]


class YesNo(BaseModel):
    verdict: Literal["yes", "no"]


class Covered(BaseModel):
    covered: bool
    quote: str = ""


class Score(BaseModel):
    score: int = Field(ge=1, le=10)


FORMS = {"verdict C/I": Grade, "yes/no": YesNo, "json": Covered, "score 1-10": Score}
CASES = SHARED / "cases" / "judge_replies.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text().splitlines()] if CASES.is_file() else []


@pytest.mark.skipif(not ROWS, reason="no shared folder beside the clone")
@pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in ROWS])
def test_shared_cases(row: dict) -> None:
    found = read_judgement(row["reply"], FORMS[row["protocol"]])
    said = "grader_failed"
    if isinstance(found, Covered):
        said = f"covered={str(found.covered).lower()}"
    elif found is not None:
        said = next(iter(found.model_dump().values()))
    assert said in row["allow"]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"verdict": "yes"}', "yes"),
        ('{"verdict": "YES"}', "yes"),
        ('```json\n{"verdict": "no"}\n```', "no"),
        ('First {"verdict": "yes"} but on reflection {"verdict": "no"}', "no"),
        ('First {"verdict": "yes"} but on reflection {"verdict": "maybe"}', None),
        ('First {"verdict": "yes"} but then {"verdict": "n', None),
        ('{"verdict": "yes", "note": "a } and a { in a string"}', "yes"),
        ('{"verdict": "yes",}', "yes"),
        ('{"note": "x"}', None),
        ("verdict: yes", "yes"),
        ("**Verdict:** no.", "no"),
        ("VERDICT: yes\nVERDICT: unsure", None),
        ("verdict: yesterday", None),
        ("Yes.", "yes"),
        ("yes and no", None),
        ("no doubt the verdict is yes", None),
        ('{"verdict": true}', None),
        ("", None),
    ],
)
def test_yes_or_no(reply: str, expected: str | None) -> None:
    found = read_judgement(reply, YesNo)
    assert (found.verdict if found else None) == expected


@given(st.text())
def test_never_raises(text: str) -> None:
    for form in FORMS.values():
        read_judgement(text, form)


def test_the_example_in_the_prompt_parses() -> None:
    text = how_to_reply(Comparison, _EXAMPLE)
    assert read_judgement(text, Comparison) == _EXAMPLE
    assert '"same", "different"' in text


@given(st.text())
def test_an_answer_cannot_close_its_fence(answer: str) -> None:
    assert fence(answer) not in answer
