"""Requests taken apart: nothing lost, nothing reworded, no sentence cut; and what is made by hand is verified."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astray.advice import Decomposition, Part
from astray.authors import About, decompose, units, verify

PIECES = st.sampled_from(
    ["The job fails.", "Why?", "e.g. at night", "See Fig. 3 for it", "```\nx = 1\n\ny. Z\n```", "- an item", "2. Two",
     "# Head", "\n", "\n\n", " ", "  ", "(It was. Really.)", '"Stop. Now," he said.', "Dr. Who", "v1.2.3", "…",
     "終わり。", "I", "`a. B`", "\t", "\r\n", "~~~", "```", "(", '"', "... And so on!"]
)  # fmt: skip
REQUESTS = st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=20).map("".join), st.lists(PIECES).map(" ".join))


def about(request: str) -> About:
    return About("s", "d", "question", request, request, None, "gold")


def results(decomposition: Decomposition, request: str) -> dict[str, str]:
    return {check.name: check.result for check in verify(decomposition, request)}


def parts(*texts: str) -> Decomposition:
    kinds = ("description", "direction")
    made = tuple(Part(kind=kinds[index % 2], text=text) for index, text in enumerate(texts))  # type: ignore[arg-type]
    return Decomposition(sample_id="s", parts=made)


@given(REQUESTS)
def test_units_joined_are_the_request(request: str) -> None:
    found = units(request)
    assert "".join(found) == (request if request.strip() else "")
    assert all(unit.strip() for unit in found)


@given(REQUESTS, st.sets(st.integers(1, 12)))
def test_what_is_made_by_labels_passes_what_is_asked_of_it(request: str, directions: set[int]) -> None:
    made = decompose(about(request), {number for number in directions if number <= len(units(request))})
    assert "".join(part.text for part in made.parts) == (request if request.strip() else "")
    expected = {"verbatim": "passed", "order": "passed", "whole": "passed", "sentences": "passed"}
    if request.strip():
        assert results(made, request) == expected
    assert all(one.kind != other.kind for one, other in zip(made.parts, made.parts[1:], strict=False))


@given(REQUESTS, st.data())
def test_a_part_that_is_left_out_is_noticed(request: str, data: st.DataObject) -> None:
    made = decompose(about(request), range(1, 40, 2))
    if len(made.parts) < 2:
        return
    gone = data.draw(st.integers(0, len(made.parts) - 1))
    rest = made.model_copy(update={"parts": made.parts[:gone] + made.parts[gone + 1 :]})
    found = results(rest, request)
    assert found["verbatim"] == "passed"
    assert found["whole"] != "passed"


@pytest.mark.parametrize(
    ("request_", "count"),
    [
        pytest.param("One. Two? Three! Four", 4, id="sentences"),
        pytest.param("It fails, e.g. At night. So do something.", 2, id="abbreviation"),
        pytest.param("See Fig. 3 and Dr. Who. Then J. S. Bach came.", 2, id="initials"),
        pytest.param("Version 1.2 is out. it is small. Fine.", 2, id="lower-case-goes-on"),
        pytest.param("He asked (what? Nothing. Really) and left. Then he came back.", 2, id="brackets"),
        pytest.param('She said "No. Never." and left. He stayed.', 2, id="quotes"),
        pytest.param("Run this:\n\n```\na = 1. B\n\nc\n```\nIt fails. Why?", 4, id="code"),
        pytest.param("Steps:\n- open it\n- close it\n\nIt fails.", 4, id="items"),
        pytest.param("a line that\ngoes on here\nand ends.", 1, id="wrapped"),
        pytest.param("1. Open it.\n2. Close it.", 2, id="numbered"),
        pytest.param("Title without a stop\n\nA text.", 2, id="paragraphs"),
        pytest.param("", 0, id="empty"),
        pytest.param(" \n ", 0, id="blank"),
    ],
)
def test_units(request_: str, count: int) -> None:
    assert len(units(request_)) == count, units(request_)


TEXT = "The job fails at night. It printed 3 lines. Maybe the clock is off. What is wrong?"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        pytest.param(parts("The job fails at night. It printed 3 lines.", "Maybe the clock is off.", "What is wrong?"),
                     ["passed"] * 4, id="right"),
        pytest.param(parts(TEXT), ["passed"] * 4, id="all-description"),
        pytest.param(parts("The job fails nightly. It printed 3 lines.", "Maybe the clock is off.", "What is wrong?"),
                     ["failed", "unknown", "unknown", "unknown"], id="reworded"),
        pytest.param(parts("What is wrong?", "Maybe the clock is off."),
                     ["passed", "failed", "unknown", "unknown"], id="order"),
        pytest.param(parts("The job fails at night.", "Maybe the clock is off.", "What is wrong?"),
                     ["passed", "passed", "failed", "passed"], id="gap"),
        pytest.param(parts("The job fails", "at night. It printed 3 lines. Maybe the clock is off. What is wrong?"),
                     ["passed", "passed", "passed", "failed"], id="cut"),
    ],
)  # fmt: skip
def test_what_is_made_by_hand_is_verified(made: Decomposition, expected: list[str]) -> None:
    assert list(results(made, TEXT).values()) == expected


def test_a_cut_that_rules_can_not_judge_is_unknown() -> None:
    text = "It fails, etc. Then it works."
    assert len(units(text)) == 1
    assert results(parts("It fails, etc.", "Then it works."), text)["sentences"] == "unknown"


def test_labels_that_can_not_be() -> None:
    made = decompose(about(TEXT), [1, 9])
    assert {check.name: check.result for check in made.checks}["labels"] == "failed"
    nothing = decompose(about(TEXT), [1, 2, 3, 4])
    assert {check.name: check.result for check in nothing.checks}["description"] == "failed"
