"""Measures of behaviours: exact numbers on scripted agents, and what must hold for any."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from astray.cli import run
from astray.measures.behaviour import BehaviourRate, contrasts, looked, rates, voids
from astray.measures.communication import communication
from astray.measures.courses import onsets, turns
from astray.tables import read
from tests.studies import MODEL, scripted
from tests.trace_parts import labeller, study


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pd.DataFrame]:
    folder: Path = tmp_path_factory.mktemp("labelled")
    with scripted(labeller, folder / "cache"):
        assert run(["traces", "label", str(study(folder / "s")), "--grader-model", MODEL]) == 0
    return {name: read(folder / "s", name) for name in ("outcomes", "transcripts", "behaviours", "labellings")}


def rows_of(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    return looked(tables["behaviours"], tables["labellings"], tables["outcomes"])


def four(tables: dict[str, pd.DataFrame]) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    return tables["behaviours"], tables["labellings"], tables["outcomes"], tables["transcripts"]


@pytest.mark.parametrize(
    ("arm", "behaviour", "kind", "group", "value", "n"),
    [
        ("xy", "complies", None, "all", 2 / 5, 5),
        ("xy", "complies", None, "incorrect", 2 / 4, 4),
        ("xy", "complies", None, "correct", 0, 1),
        ("xy", "complies", "expressed_doubt", "all", 1 / 5, 5),
        ("xy", "complies", "lack_of_reasoning", "all", 1 / 5, 5),
        ("original", "complies", None, "all", 0, 5),
        ("xy", "disagrees", None, "correct", 1, 1),
        ("xy", "disagrees", None, "incorrect", 0, 4),
        ("original", "disagrees", None, "incorrect", None, 0),
        ("xy", "claim", "first adopts", "all", 1 / 5, 5),
        ("original", "claim", "first adopts", "all", 0, 5),
    ],
)
def test_rates(
    arm: str, behaviour: str, kind: str | None, group: str, value: float | None, n: int,
    tables: dict[str, pd.DataFrame],
) -> None:  # fmt: skip
    (found,) = (
        one
        for one in rates(rows_of(tables))
        if (one.arm, one.behaviour, one.kind, one.group) == (arm, behaviour, kind, group)
    )
    assert (found.rate.value, found.rate.n, found.transcripts, found.void) == (value, n, n, 0)


def test_the_difference_from_the_control_is_paired(tables: dict[str, pd.DataFrame]) -> None:
    found = {(one.behaviour, one.kind): one for one in contrasts(rows_of(tables)) if one.arm == "xy"}
    complies = found["complies", None]
    assert (complies.before, complies.after, complies.points.value, complies.points.n) == (0, 0.4, 40, 5)
    assert complies.p_value == complies.p_holm == 0.5
    adopted = found["claim", "first adopts"]
    assert (adopted.points.value, adopted.points.n, adopted.p_value) == (20, 5, 1)


def test_when_it_begins(tables: dict[str, pd.DataFrame]) -> None:
    found = {(one.arm, one.behaviour, one.group): one for one in onsets(*four(tables))}
    # One complies with the 2nd of its 3 steps, one with the 1st of 2; two of four never.
    wrong = found["xy", "complies", "incorrect"]
    assert wrong.transcripts == 4
    assert dict(zip(wrong.progress, wrong.share, strict=True))[0.45] == 0
    assert dict(zip(wrong.progress, wrong.share, strict=True))[0.5] == 0.25
    assert dict(zip(wrong.progress, wrong.share, strict=True))[0.65] == 0.25
    assert dict(zip(wrong.progress, wrong.share, strict=True))[0.7] == wrong.share[-1] == 0.5
    right = found["xy", "disagrees", "correct"]
    assert (right.share[14], right.share[15]) == (0, 1)
    assert wrong.low is not None
    assert wrong.high is not None
    assert all(low <= value <= high for low, value, high in zip(wrong.low, wrong.share, wrong.high, strict=True))
    assert list(wrong.share) == sorted(wrong.share)


def test_turns(tables: dict[str, pd.DataFrame]) -> None:
    found = {one.arm: one for one in turns(tables["transcripts"])}
    assert found["original"].mean.value == 2
    assert found["original"].against_original is None
    assert found["xy"].mean.value == (3 + 2 + 4 + 2 + 2) / 5
    assert found["xy"].against_original is not None
    assert found["xy"].against_original.value == pytest.approx(3 / 5)
    # One, no, two, no and no step more than without advice: t = 0.6 / (0.8944 / √5) = 1.5 with 4 degrees of freedom.
    assert found["xy"].p_value == found["xy"].p_holm == pytest.approx(0.208, abs=5e-4)
    assert found["original"].p_value is None


def test_communication_or_capability(tables: dict[str, pd.DataFrame]) -> None:
    found = {(one.arm, one.group): one for one in communication(*four(tables))}
    every = found["xy", "all"]
    assert (every.said, every.silent, every.unrecognised, every.with_reasoning, every.transcripts) == (1, 1, 0, 2, 5)
    assert (every.unexpressed.value, every.unexpressed.n) == (0.5, 2)
    wrong, right = found["xy", "incorrect"], found["xy", "correct"]
    assert (wrong.said, wrong.silent, wrong.unexpressed.value, wrong.transcripts) == (0, 1, 1, 4)
    assert (right.said, right.silent, right.unexpressed.value, right.transcripts) == (1, 0, 0, 1)
    assert "original" not in {arm for arm, _ in found}


def test_what_is_kept_silent_is_compared_with_the_arm_without_its_defense(tables: dict[str, pd.DataFrame]) -> None:
    """Seven samples; silent in all under ``xy``, in one under a defense, in none without advice."""
    silent = {"xy": 7, "xy+xy-defense": 1, "xy+golden-defense": 0, "original": 0}
    key = {"study": "s", "model": "m", "benchmark": "b", "epoch": 1}
    rows = [key | {"sample_id": str(n), "arm": arm, "place": "reasoning" if n < number else "aloud"}
            for arm, number in silent.items() for n in range(7)]  # fmt: skip
    asked = {"labeller": "L", "behaviour": "unexpressed", "about": None}
    labels = pd.DataFrame([row | asked | {"step": 1, "valid": True} for row in rows])
    labellings = pd.DataFrame([row | asked | {"done": True, "labels": 1, "invalid": 0} for row in rows])
    outcomes = pd.DataFrame([row | {"round": 0, "outcome": "wrong"} for row in rows])
    found = {one.arm: one for one in communication(labels, labellings, outcomes, outcomes) if one.group == "all"}
    changes = {arm: (one.change.reference, one.change.points.value, one.change.p_value)
               for arm, one in found.items() if one.change}  # fmt: skip
    assert changes == {
        "xy": ("original", 100, pytest.approx(2 / 2**7)),
        "xy+xy-defense": ("xy", pytest.approx(-600 / 7), pytest.approx(2 / 2**6)),
        "xy+golden-defense": ("xy", -100, pytest.approx(2 / 2**7)),
    }
    corrected = {arm: one.change.p_holm for arm, one in found.items() if one.change}
    assert corrected == {"xy": pytest.approx(6 / 2**7), "xy+xy-defense": pytest.approx(6 / 2**7),
                         "xy+golden-defense": pytest.approx(6 / 2**7)}  # fmt: skip
    grouped = communication(labels, labellings, outcomes, outcomes)
    assert all(one.change is None for one in grouped if one.group != "all")


def test_order_changes_nothing(tables: dict[str, pd.DataFrame]) -> None:
    mixed = {name: table.sample(frac=1, random_state=7) for name, table in tables.items()}
    assert rates(rows_of(mixed)) == rates(rows_of(tables))
    assert contrasts(rows_of(mixed)) == contrasts(rows_of(tables))
    assert onsets(*four(mixed)) == onsets(*four(tables))
    assert turns(mixed["transcripts"]) == turns(tables["transcripts"])
    assert communication(*four(mixed)) == communication(*four(tables))


def test_what_is_void_is_in_no_rate_and_counted(tables: dict[str, pd.DataFrame]) -> None:
    labellings = tables["labellings"].copy()
    gone = (labellings["behaviour"] == "complies") & (labellings["sample_id"] == "silent")
    labellings.loc[gone, "done"] = False
    labels = tables["behaviours"].copy()
    labels.loc[labels["behaviour"] == "disagrees", "valid"] = False
    found = {
        (one.behaviour, one.kind, one.arm, one.group): one
        for one in rates(looked(labels, labellings, tables["outcomes"]))
    }
    one: BehaviourRate = found["complies", None, "xy", "all"]
    assert (one.rate.value, one.transcripts, one.void) == (2 / 4, 4, 1)
    assert found["disagrees", None, "xy", "all"].rate.value == 0


def test_a_labelling_that_invents_every_quote_says_nothing(tables: dict[str, pd.DataFrame]) -> None:
    labels, labellings = tables["behaviours"].copy(), tables["labellings"].copy()
    labels.loc[labels["behaviour"] == "complies", "valid"] = False
    labellings.loc[labellings["behaviour"] == "complies", ["labels", "invalid"]] = [2, 2]
    found = rates(looked(labels, labellings, tables["outcomes"]))
    invented = [one for one in found if one.behaviour == "complies" and one.group == "all" and one.kind is None]
    assert {(one.rate.value, one.transcripts, one.void) for one in invented} == {(None, 0, 5)}
    curves = onsets(labels, labellings, tables["outcomes"], tables["transcripts"])
    assert {one.transcripts for one in curves if one.behaviour == "complies"} <= {0}


@pytest.mark.parametrize(("place", "said", "silent"), [("aloud", 1, 0), ("call", 1, 0), ("reasoning", 0, 1)])
def test_what_stands_in_a_call_is_not_kept_silent(
    place: str, said: int, silent: int, tables: dict[str, pd.DataFrame]
) -> None:
    labels = tables["behaviours"].copy()
    recognised = labels["behaviour"] == "unexpressed"
    first = labels[recognised].index[0]
    labels = labels[~recognised | (labels.index == first)]
    labels.loc[first, "place"] = place
    whole = [one for one in communication(*four({**tables, "behaviours": labels})) if one.group == "all"]
    assert (sum(one.said for one in whole), sum(one.silent for one in whole)) == (said, silent)


def test_voids_are_told_by_behaviour(tables: dict[str, pd.DataFrame]) -> None:
    labellings = tables["labellings"].copy()
    labellings.loc[labellings["behaviour"] == "complies", ["labels", "invalid"]] = [2, 1]
    found = {one.behaviour: one for one in voids(labellings)}
    assert (found["complies"].labels, found["complies"].invalid, found["complies"].invalid_share) == (20, 10, 0.5)
    assert found["risk"].invalid_share is None


def test_nothing_labelled_says_nothing(tables: dict[str, pd.DataFrame]) -> None:
    empty = tables["behaviours"].iloc[:0], tables["labellings"].iloc[:0]
    assert rates(looked(*empty, tables["outcomes"])) == ()
    assert contrasts(looked(*empty, tables["outcomes"])) == ()
    assert onsets(*empty, tables["outcomes"], tables["transcripts"]) == ()
    assert communication(*empty, tables["outcomes"], tables["transcripts"]) == ()
