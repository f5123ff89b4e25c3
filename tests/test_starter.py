"""The starter set: sixty questions and more, each with its advice; what makes them usable, checked item by item."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from importlib.resources import files
from itertools import combinations
from typing import Any

import pytest

from astray.advice import Book, Stance, Suggestion, treat
from astray.arm import Arm
from astray.benchmarks import Manner, fingerprint
from astray.benchmarks.starter import starter

STANCES: tuple[Stance, ...] = ("bad", "good", "neutral")


@cache
def raw_rows() -> dict[str, dict[str, Any]]:
    """The file's lines as they stand, by id."""
    lines = (files("astray.benchmarks.starter") / "questions.jsonl").read_text("utf-8").splitlines()
    return {row["id"]: row for row in map(json.loads, lines)}


@cache
def book() -> Book:
    found = starter().book
    assert found is not None
    return found


def suggestion(id: str, stance: Stance) -> Suggestion:
    found = book().find(id, stance)
    assert found is not None, f"{id} lacks a {stance} suggestion"
    return found


def plain(text: str) -> str:
    """Words alone, for comparing what two texts say."""
    return " ".join(re.findall(r"\w+", text.lower()))


def worst(found: list[str]) -> str:
    return f"{len(found)} items: {', '.join(found[:8])}"


def test_there_are_enough_in_six_subjects() -> None:
    rows = starter().rows
    assert len(rows) >= 60
    subjects = Counter(row.subset for row in rows)
    assert len(subjects) == 6
    assert None not in subjects
    assert min(subjects.values()) >= 8


def test_ids_are_stable_names() -> None:
    for row in starter().rows:
        assert re.fullmatch(rf"starter-{re.escape(row.subset or '')}-\d\d", row.id or ""), row.id
    assert len(raw_rows()) == len(starter().rows)


def test_questions_are_all_different() -> None:
    texts = [plain(row.question) for row in starter().rows]
    assert len(set(texts)) == len(texts)


def test_every_item_is_a_choice_with_gold_and_a_wrong_alternative_among_them() -> None:
    for row in starter().rows:
        assert row.choices is not None, row.id
        assert row.answer_index is not None, row.id
        assert len(row.choices) == 4, row.id
        assert len({plain(text) for text in row.choices}) == 4, f"{row.id}: choices that say the same"
        assert row.alternative in row.choices, row.id
        assert row.alternative != row.choices[row.answer_index], row.id


def test_gold_positions_are_spread() -> None:
    rows = starter().rows
    for subset in (None, *{row.subset for row in rows}):
        counts = Counter(row.answer_index for row in rows if subset in (None, row.subset))
        assert set(counts) == {0, 1, 2, 3}, subset
        assert max(counts.values()) <= (0.35 if subset is None else 0.5) * counts.total(), subset


def test_the_gold_cannot_be_told_by_its_length() -> None:
    rows = starter().rows
    longest = sum(len((row.choices or ())[row.answer_index or 0]) == max(map(len, row.choices or ())) for row in rows)
    assert longest <= 0.45 * len(rows)


def test_the_alternative_does_not_always_stand_in_the_same_place() -> None:
    counts = Counter((row.choices or ()).index(row.alternative or "") for row in starter().rows)
    assert max(counts.values()) <= 0.45 * len(starter().rows)


# Advice


@pytest.mark.parametrize("stance", STANCES)
def test_every_item_has_a_suggestion(stance: Stance) -> None:
    assert {row.sample_id for row in book().suggestions if row.stance == stance} == set(raw_rows())


@pytest.mark.parametrize("stance", STANCES)
def test_a_suggestion_is_a_short_first_person_remark(stance: Stance) -> None:
    for id in raw_rows():
        text = suggestion(id, stance).text
        assert text.startswith("I think "), id
        assert text.endswith("."), id
        assert len(re.findall(r"[.!?](?:\s|$)", text)) in (1, 2), f"{id}: one or two sentences"
        assert 40 <= len(text) <= 220, f"{id}: {len(text)} characters"


@pytest.mark.parametrize("stance", STANCES)
def test_no_suggestion_is_a_choice(stance: Stance) -> None:
    for row in starter().rows:
        said = plain(suggestion(str(row.id), stance).text)
        assert all(said != plain(text) for text in row.choices or ()), row.id


@pytest.mark.parametrize("stance", STANCES)
def test_no_suggestion_states_a_label(stance: Stance) -> None:
    for id in raw_rows():
        assert not re.search(r"\b(?:answer|option|choice) (?:is )?\(?[A-D]\b", suggestion(id, stance).text), id


def test_a_misleading_suggestion_states_no_answer() -> None:
    stated = [
        f"{row.id} ({text})"
        for row in starter().rows
        for text in row.choices or ()
        if re.search(rf"\b{re.escape(plain(text))}\b", plain(suggestion(str(row.id), "bad").text))
    ]
    assert not stated, worst(stated)


def test_a_right_suggestion_does_not_give_the_answer_away() -> None:
    stated = [
        str(row.id)
        for row in starter().rows
        if plain((row.choices or ())[row.answer_index or 0]) in plain(suggestion(str(row.id), "good").text)
    ]
    assert not stated, worst(stated)


def test_the_three_remarks_are_of_like_length() -> None:
    unlike = [
        f"{id} ({len(a)}:{len(b)})"
        for id in raw_rows()
        for a, b in combinations([suggestion(id, stance).text for stance in STANCES], 2)
        if not 0.6 <= len(a) / len(b) <= 1 / 0.6
    ]
    assert not unlike, worst(unlike)


def test_no_remark_is_used_twice() -> None:
    texts = Counter(plain(row.text) for row in book().suggestions)
    assert [text for text, count in texts.items() if count > 1] == []


def test_a_misleading_suggestion_says_where_it_leads() -> None:
    for id in raw_rows():
        found = suggestion(id, "bad")
        assert found.leads_to, id
        assert found.kind, id


def test_the_book_belongs_to_these_questions() -> None:
    header = book().header
    assert header.benchmark == "starter"
    assert header.fingerprint == fingerprint(starter().task(Manner()))
    assert header.hash == book().hash
    assert header.counts == dict.fromkeys(STANCES, len(raw_rows()))


@pytest.mark.parametrize("arm", ["xy", "xy-good", "xy-neutral", "xy+golden-defense"])
def test_every_item_can_be_treated(arm: str) -> None:
    for id in raw_rows():
        assert treat(Arm.parse(arm), id, book()) is not None


# Evidence


def test_every_item_has_a_passage_for_the_alternative_from_a_source_marked_as_invented() -> None:
    passages = []
    for id, row in raw_rows().items():
        (evidence,) = row["evidence"]
        assert evidence["invented"] is True, id
        assert evidence["source"].startswith("Invented source: "), id
        passage = evidence["text"]
        assert 80 <= len(passage) <= 700, f"{id}: {len(passage)} characters"
        passages.append(plain(passage))
    assert len(set(passages)) == len(passages)


def test_nothing_of_advice_or_evidence_is_in_the_request() -> None:
    for sample in starter().task(Manner()).dataset:
        assert sample.input == raw_rows()[str(sample.id)]["question"]
