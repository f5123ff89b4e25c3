"""The arms grammar: what parses, how it prints, what is refused and with which words."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astray.arm import Arm, parse_arms
from astray.errors import UsageError, nearest
from astray.terms import MAX_ROUNDS, STANCES, TERMS

JUDGES = [text for text in TERMS if text.startswith("judge-")]
INSTRUCTIONS = [text for text, term in TERMS.items() if term.choice == "instruction"]
DEFENSES = [text for text, term in TERMS.items() if term.choice == "defense"]

# What each term can't stand without.
COMPANY = {"skeptical": "reask", "trusting": "reask", "golden-defense": "xy", "user-pedantic": "xy"}


@st.composite
def words_of_an_arm(draw: st.DrawFn) -> list[str]:
    """The terms of an arm that makes sense, in any order, with spaces around some."""
    instruction = draw(st.none() | st.sampled_from(INSTRUCTIONS))
    challenges = draw(
        st.just([]) | st.just(["reask"]) | st.lists(st.sampled_from(JUDGES), min_size=1, max_size=3)  # a panel
    )
    rounds = draw(st.integers(1, MAX_ROUNDS))
    at = "" if rounds == 1 and draw(st.booleans()) else f"@{rounds}"
    words = [challenge + at for challenge in challenges]
    words += [instruction] if instruction else []
    if challenges:
        words += draw(st.sampled_from([[], ["skeptical"], ["trusting"]]))
    fitting = [text for text in DEFENSES if text != "golden-defense" or instruction in STANCES]
    words += draw(st.just([]) | st.sampled_from(fitting).map(lambda text: [text]))
    if instruction in ("xy", "xy-instead"):
        words += draw(st.sampled_from([[], ["user-pedantic"]]))
    shuffled = draw(st.permutations(words))
    return [draw(st.sampled_from(["", " "])) + word + draw(st.sampled_from(["", " "])) for word in shuffled]


texts_of_arms = words_of_an_arm().map(lambda words: "+".join(words) or "original")


@pytest.mark.parametrize("term", TERMS)
def test_every_term_parses(term: str) -> None:
    company = COMPANY.get(term)
    arm = Arm.parse(f"{term}+{company}" if company else term)
    assert term in [found.text for found in arm.terms]
    assert TERMS[term].needs <= arm.needs
    assert Arm.parse(str(arm)) == arm


def test_original_is_the_arm_without_anything() -> None:
    arm = Arm.parse("original")
    assert arm == Arm() == Arm.parse(" original ")
    assert str(arm) == "original"
    assert (arm.terms, arm.needs, arm.stance, arm.rounds) == ((), frozenset(), None, 0)


@settings(deadline=None)
@given(texts_of_arms)
def test_printed_text_is_read_back_as_the_same_arm(text: str) -> None:
    arm = Arm.parse(text)
    assert Arm.parse(str(arm)) == arm
    assert str(Arm.parse(str(arm))) == str(arm)


@settings(deadline=None)
@given(st.data())
def test_order_says_nothing(data: st.DataObject) -> None:
    words = data.draw(words_of_an_arm().filter(bool))
    arm, other = Arm.parse("+".join(words)), Arm.parse("+".join(data.draw(st.permutations(words))))
    assert arm == other
    assert str(arm) == str(other)


@pytest.mark.parametrize(
    ("given_text", "printed"),
    [
        ("skeptical+judge-malicious-none@4", "judge-malicious-none@4+skeptical"),
        ("xy-defense+xy", "xy+xy-defense"),
        ("xy-defense+trusting+reask@2+xy", "xy+reask@2+trusting+xy-defense"),
        ("judge-malicious-none+judge-constructive-none", "judge-constructive-none+judge-malicious-none"),
        ("user-pedantic+comply+xy-instead", "xy-instead+comply+user-pedantic"),
        ("reask@1", "reask"),
        (" xy + golden-defense ", "xy+golden-defense"),
    ],
)
def test_canonical_text(given_text: str, printed: str) -> None:
    assert str(Arm.parse(given_text)) == printed


@pytest.mark.parametrize(
    ("arm", "floor"),
    [
        ("original", "original"),
        ("xy", "xy-neutral"),
        ("xy-good", "xy-neutral"),
        ("xy-neutral", "xy-neutral"),
        ("xy-instead", "rewrite"),
        ("xy+xy-defense", "xy-neutral+xy-defense"),
        ("xy+golden-defense", "xy-neutral+golden-defense"),
        ("xy-instead+golden-defense", "rewrite"),
        ("xy-defense", "xy-defense"),
        ("judge-malicious-none@4+skeptical", "reask@4+skeptical"),
        ("judge-constructive-none@2+judge-hypercritical-none@2", "reask@2"),
        ("reask@3", "reask@3"),
        ("xy+judge-hypercritical-grounded@2", "xy-neutral+reask@2"),
        ("xy+user-pedantic", "xy-neutral"),
        ("described", "described"),
    ],
)
def test_floor(arm: str, floor: str) -> None:
    assert str(Arm.parse(arm).floor) == floor


@settings(deadline=None)
@given(texts_of_arms)
def test_a_floor_holds_no_advice_and_is_its_own_floor(text: str) -> None:
    floor = Arm.parse(text).floor
    assert floor.floor == floor
    assert Arm.parse(str(floor)) == floor, "a floor can be written"
    assert floor.stance in (None, "neutral")
    assert not floor.judges
    assert floor.rounds == Arm.parse(text).rounds


@settings(deadline=None)
@given(texts_of_arms)
def test_the_control_is_original(text: str) -> None:
    assert str(Arm.parse(text).control) == "original"


@pytest.mark.parametrize(
    ("arm", "needs"),
    [
        ("original", set()),
        ("reask@2", set()),
        ("judge-malicious-none", set()),
        ("xy", {"suggestion"}),
        ("xy-neutral+xy-defense", {"suggestion"}),
        ("xy-instead", {"suggestion", "decomposition"}),
        ("rewrite", {"decomposition"}),
        ("judge-malicious-strategic", {"judge"}),
        ("judge-hypercritical-grounded", {"judge", "evidence"}),
        ("judge-constructive-gold", {"judge"}),
        ("xy+user-pedantic", {"suggestion", "conversation", "user"}),
    ],
)
def test_needs(arm: str, needs: set[str]) -> None:
    assert Arm.parse(arm).needs == needs


@pytest.mark.parametrize(
    ("arm", "stance"),
    [("xy", "bad"), ("xy-instead", "bad"), ("xy-good", "good"), ("xy-neutral", "neutral"), ("reask", None)],
)
def test_stance(arm: str, stance: str | None) -> None:
    assert Arm.parse(arm).stance == stance


def test_judges_are_intent_and_knowledge() -> None:
    assert Arm.parse("judge-malicious-strategic@2+judge-constructive-gold@2").judges == (
        ("constructive", "gold"),
        ("malicious", "strategic"),
    )
    assert Arm.parse("reask").judges == ()


@pytest.mark.parametrize(
    ("arm", "label"),
    [
        ("original", "no advice"),
        ("xy", "bad advice"),
        ("xy+golden-defense", "bad advice + golden defense"),
        ("reask@3", "asked again x3"),
        ("judge-malicious-none@4+skeptical", "malicious judge x4 + skeptical"),
    ],
)
def test_label(arm: str, label: str) -> None:
    assert Arm.parse(arm).label == label


@settings(deadline=None)
@given(texts_of_arms)
def test_labels_are_one_short_line(text: str) -> None:
    label = Arm.parse(text).label
    assert label
    assert "\n" not in label


@pytest.mark.parametrize(
    ("arm", "says"),
    [
        pytest.param("golden-defense", ["'golden-defense' names the sentence that was put in", "add 'xy'"], id="alone"),
        pytest.param("golden-defense+rewrite", ["names the sentence that was put in"], id="golden-with-rewrite"),
        pytest.param("skeptical", ["'skeptical' is said with a critique", "add 'reask' or a judge"], id="skeptical"),
        pytest.param("xy+trusting", ["'trusting' is said with a critique"], id="trusting-without-challenge"),
        pytest.param("xy@2", ["'xy' takes no @2", "only 'reask' and judges come in rounds"], id="rounds-of-xy"),
        pytest.param("reask@0", ["from 1 to 20", "'@0'"], id="no-rounds"),
        pytest.param("reask@21", ["from 1 to 20", "'@21'"], id="too-many-rounds"),
        pytest.param("reask@two", ["from 1 to 20", "'@two'"], id="rounds-in-words"),
        pytest.param("reask@", ["from 1 to 20"], id="rounds-left-out"),
        pytest.param("reask@1@2", ["from 1 to 20"], id="rounds-twice"),
        pytest.param("reask@٣", ["from 1 to 20"], id="other-digits"),
        pytest.param(
            "judge-constructive-strategic",
            ["a constructive judge has no strategic form", "judge-constructive-plain"],
            id="constructive-strategic",
        ),
        pytest.param("judge-constructive-persuasive", ["has no persuasive form"], id="constructive-persuasive"),
        pytest.param(
            "judge-malicious-gold",
            ["only a constructive judge is told the right answer", "'judge-malicious-gold'"],
            id="malicious-gold",
        ),
        pytest.param("judge-hypercritical-gold", ["only a constructive judge is told"], id="hypercritical-gold"),
        pytest.param("original+xy", ["'original' is the arm without any term"], id="original-and-xy"),
        pytest.param("original@2", ["'original' is the arm without any term"], id="original-in-rounds"),
        pytest.param(
            "judge-malicious-none@2+judge-constructive-none@3",
            ["judges of a panel speak in the same rounds", "same @K"],
            id="panel-out-of-step",
        ),
        pytest.param("judge-malicious-none@2+judge-constructive-none", ["same @K"], id="panel-with-one-count"),
        pytest.param("reask+judge-malicious-none", ["with 'reask' nobody criticises"], id="reask-with-judge"),
        pytest.param("reask+reask", ["with 'reask' nobody criticises"], id="reask-twice"),
        pytest.param("xy+xy-good", ["one instruction at a time", "xy and xy-good"], id="two-instructions"),
        pytest.param("xy+xy", ["one instruction at a time"], id="xy-twice"),
        pytest.param("xy+xy-defense+comply", ["one defense at a time", "xy-defense and comply"], id="two-defenses"),
        pytest.param("reask+skeptical+trusting", ["one critique-defense at a time"], id="two-critique-defenses"),
        pytest.param("user-pedantic", ["a pedantic user insists on a suggestion", "add 'xy'"], id="pedantic-alone"),
        pytest.param("user-pedantic+xy-good", ["insists on a suggestion"], id="pedantic-with-good-advice"),
        pytest.param("", ["an empty term"], id="nothing"),
        pytest.param("   ", ["an empty term"], id="spaces"),
        pytest.param("xy+", ["an empty term", "single '+'"], id="trailing-plus"),
        pytest.param("+xy", ["an empty term"], id="leading-plus"),
        pytest.param("xy++xy-defense", ["an empty term"], id="double-plus"),
        pytest.param("@2", ["an empty term"], id="rounds-of-nothing"),
    ],
)
def test_refused_with_a_sentence(arm: str, says: list[str]) -> None:
    with pytest.raises(UsageError) as refused:
        Arm.parse(arm)
    message = str(refused.value)
    assert message.startswith(f"arm '{arm}': "), "says what was given"
    for words in says:
        assert words in message


@pytest.mark.parametrize(
    ("word", "neighbour"),
    [
        ("judge-malicous-none", "judge-malicious-none"),
        ("judge-malicious", "judge-malicious-none"),
        ("skeptic", "skeptical"),
        ("sceptical", "skeptical"),
        ("xy_defense", "xy-defense"),
        ("golden-defence", "golden-defense"),
        ("orginal", "original"),
        ("re-ask", "reask"),
    ],
)
def test_an_unknown_term_names_its_neighbour(word: str, neighbour: str) -> None:
    with pytest.raises(UsageError, match=f"unknown term '{word}'; did you mean '{neighbour}'"):
        Arm.parse(word)


def test_an_unknown_term_like_nothing_points_to_the_list() -> None:
    with pytest.raises(UsageError, match="unknown term 'qqqq'; 'astray arms' lists them all"):
        Arm.parse("qqqq")
    assert nearest("qqqq", TERMS) is None


@pytest.mark.parametrize(
    ("texts", "arms"),
    [
        ("", ["original"]),
        ("xy", ["original", "xy"]),
        ("xy,reask", ["original", "xy", "reask"]),
        ("reask,original,xy", ["original", "reask", "xy"]),
        ("xy,xy , xy", ["original", "xy"]),
        ("skeptical+reask,reask+skeptical", ["original", "reask+skeptical"]),
        ("reask@1,reask", ["original", "reask"]),
        (",xy,,", ["original", "xy"]),
        (["xy", "reask"], ["original", "xy", "reask"]),
        (["xy,reask", "xy-good"], ["original", "xy", "reask", "xy-good"]),
        ([], ["original"]),
    ],
    ids=repr,
)
def test_arms_of_a_study(texts: str | list[str], arms: list[str]) -> None:
    assert [str(arm) for arm in parse_arms(texts)] == arms


PIECES = st.sampled_from([*TERMS, "original", "judge-", "judge-malicious-", "@2", "@", "+", ",", "-", " ", "\n", "@@"])


@settings(deadline=None)
@given(st.text() | st.lists(PIECES, max_size=8).map("".join) | st.lists(PIECES, max_size=5).map("+".join))
@pytest.mark.parametrize("read", [Arm.parse, parse_arms])
def test_any_text_is_read_or_refused(read: Callable[[str], object], text: str) -> None:
    with contextlib.suppress(UsageError):
        read(text)


def test_arms_are_frozen_keys() -> None:
    assert len({Arm.parse("xy+xy-defense"), Arm.parse("xy-defense+xy")}) == 1
    with pytest.raises(AttributeError):
        Arm().rounds = 3  # type: ignore[misc]
