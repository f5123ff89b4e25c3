"""What holds for any text at all."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astray.answers import Verdict, read_answer, read_choice, read_revision, same

AD = ("A", "B", "C", "D")
KINDS = ("short", "number", "boolean", "spans", "date", "math")

PIECES = st.sampled_from(
    [
        *"ABCDabcdI",
        *"().*$_{}[]<>\"':,-\n ",
        "\\boxed{",
        "\\text{",
        "ANSWER: ",
        "answer is ",
        "The answer is ",
        "I would go with ",
        " is correct",
        " and ",
        " or ",
        "not ",
        "<think>",
        "</think>",
        '{"answer": ',
        '"reasoning": "',
        "```json\n",
        "I don't know",
        "wait, ",
        "\u200b",
        "\u00a0",
        "Ｂ",
        "В",
        "\ud800",
        "\U0001f171",
        "18",
        "½",
        "1/0",
        "9^9",
        "\\frac",
    ]
)
TEXT = st.one_of(
    st.text(), st.lists(PIECES, max_size=25).map("".join), st.lists(st.one_of(PIECES, st.text())).map("".join)
)
LABELS = st.one_of(st.just(AD), st.lists(st.text(), max_size=6).map(tuple), st.just(("1", "2", "3")))


@settings(deadline=None, max_examples=400)
@given(TEXT, LABELS)
def test_reading_a_choice_never_raises_and_gives_only_own_labels(reply: str, labels: tuple[str, ...]) -> None:
    reading = read_choice(reply, labels)
    assert (reading.label is None) is (reading.outcome is not None)
    assert reading.label is None or reading.label in labels
    if reading.span is not None:
        assert 0 <= reading.span[0] <= reading.span[1] <= len(reply)
    read_revision(labels[0] if labels else None, reply, labels, choices=labels)


@settings(deadline=None, max_examples=200)
@given(TEXT, st.lists(st.text(), min_size=4, max_size=4))
def test_reading_with_choices_never_raises(reply: str, choices: list[str]) -> None:
    reading = read_choice(reply, AD, choices=choices)
    assert reading.label is None or reading.label in AD


@settings(deadline=None, max_examples=200)
@given(TEXT, st.sampled_from(KINDS))
def test_reading_an_answer_never_raises(reply: str, kind: str) -> None:
    reading = read_answer(reply, kind)
    assert (reading.label is None) is (reading.outcome is not None)


@settings(deadline=None, max_examples=200)
@given(TEXT, TEXT, st.sampled_from(KINDS))
def test_comparing_never_raises(gold: str, reply: str, kind: str) -> None:
    assert isinstance(same(kind, gold, reply), Verdict)


@settings(deadline=None, max_examples=300)
@given(TEXT, st.text(" \t\n\u00a0\u2003\ufeff", max_size=6), st.text(" \t\n\u00a0\u2003\ufeff", max_size=6))
def test_surrounding_whitespace_changes_nothing(reply: str, before: str, after: str) -> None:
    one, other = read_choice(reply, AD), read_choice(before + reply + after, AD)
    assert (one.label, one.outcome, one.strategy) == (other.label, other.outcome, other.strategy)


@settings(deadline=None, max_examples=200)
@given(st.text().filter(str.strip), st.sampled_from(KINDS))
def test_gold_always_equals_itself(gold: str, kind: str) -> None:
    assert same(kind, gold, gold) is Verdict.EQUAL


@settings(deadline=None)
@given(st.integers(), st.integers())
def test_numbers_are_equal_only_as_numbers(one: int, other: int) -> None:
    assert (same("number", str(one), f"ANSWER: {other}") is Verdict.EQUAL) is (one == other)


@settings(deadline=None)
@given(st.integers(0, 10**12))
def test_thousands_may_be_marked(number: int) -> None:
    assert same("number", str(number), f"The answer is {number:,}.") is Verdict.EQUAL


@settings(deadline=None)
@given(
    st.permutations(list(AD)),
    st.sampled_from(["ANSWER: {}", "The answer is {}.", '{{"answer": "{}"}}', "({})", "I choose {}."]),
)
def test_a_wrong_choice_never_equals_gold(order: list[str], form: str) -> None:
    gold, wrong = order[0], order[1]
    assert read_choice(form.format(wrong), AD).label == wrong
    assert same("choice", gold, wrong) is Verdict.DIFFERENT


@settings(deadline=None)
@given(st.text(), st.text())
def test_reasoning_changes_nothing(inside: str, other: str) -> None:
    inside = inside.replace("<", "").replace(">", "")
    other = other.replace("<", "").replace(">", "")
    reply = f"<think>{inside} ANSWER: A {other}</think>\nANSWER: C"
    assert read_choice(reply, AD).label == "C"


@pytest.mark.parametrize(
    "reply",
    [
        "the answer " * 4000,
        "A " * 20000,
        "(" * 40000,
        "{" * 20000,
        '{"a": ' * 5000,
        '{"reasoning": "' + '"' * 20000,
        "answer is " * 4000,
        "\\boxed{" * 5000,
        "$" * 40000,
        "ANSWER: " * 5000,
        "<think>" * 5000,
        "one " * 10000,
        "1" * 40000,
        "1," * 20000,
        "A, " * 10000,
        "not A and B " * 3000,
        " " * 60000 + "B",
        "\n" * 60000 + "x",
        "i don't " * 6000,
        "***" * 10000 + "B" + "***" * 10000,
    ],
    ids=lambda reply: repr(reply[:20]),
)
def test_long_replies_are_read_in_seconds(reply: str) -> None:
    started = time.monotonic()
    read_choice(reply, AD, choices=("one", "two", "three", "four"))
    for kind in KINDS:
        read_answer(reply, kind)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    "formula", ["9^9^9^9", "x^{9^{9^9}}", "(((9^{999})^{999})^{999})", "\\sqrt{9^{9^9}}", "(x+y+z+1)^{999}"]
)
def test_large_formulas_do_not_hang(formula: str) -> None:
    started = time.monotonic()
    assert same("math", formula, f"1 + {formula}") is not Verdict.EQUAL
    assert time.monotonic() - started < 30
