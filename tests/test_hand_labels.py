"""The labels by hand: enough of them, each at a step of the agent, and as `astray traces calibrate` reads them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from astray.cli import run
from astray.measures.behaviour import KEY
from astray.measures.labellers import calibrations
from astray.tables import read
from astray.traces import EVERYTHING, Step, traces_in, windows
from astray.traces.attribution import claims_question
from astray.traces.hand import read_hand
from astray.traces.label import question
from tests.hand_labels import EMBEDDED, hand_study
from tests.studies import MODEL, Messages, scripted


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hand_study(tmp_path_factory.mktemp("hand"))


def test_there_are_enough(folder: Path) -> None:
    traces = traces_in(read(folder, "transcripts"))
    assert len(traces) >= 60
    assert sum(trace.key.model == EMBEDDED for trace in traces) >= 20
    hand = read_hand(folder / "hand.jsonl")
    assert set(hand["behaviour"]) == set(EVERYTHING)
    there = hand.dropna(subset=["step"]).drop_duplicates([*KEY, "behaviour"])["behaviour"].value_counts()
    assert there.min() >= 3
    not_there = hand[hand["step"].isna()]["behaviour"].value_counts()
    assert not_there.min() >= 10


def test_every_label_is_at_a_step_of_the_agent(folder: Path) -> None:
    spoken = {(*vars(trace.key).values(), step.step) for trace in traces_in(read(folder, "transcripts"))
              for step in trace.steps if step.by_agent}  # fmt: skip
    hand = read_hand(folder / "hand.jsonl").dropna(subset=["step"])
    assert {tuple(row) for row in hand[[*KEY, "step"]].itertuples(index=False, name=None)} <= spoken


@pytest.mark.parametrize("turned", [False, True], ids=["as by hand", "the other way round"])
def test_a_labeller_that_says_the_same_is_perfect(folder: Path, turned: bool) -> None:
    hand = read_hand(folder / "hand.jsonl")
    labellings = hand[[*KEY, "behaviour"]].drop_duplicates().assign(labeller="L", done=True, labels=0, invalid=0)
    labels = hand[hand["step"].isna() if turned else hand["step"].notna()]
    labels = labels.assign(labeller="L", valid=True, step=labels["step"].fillna(1).astype(int))
    found = calibrations(pd.DataFrame(labels), labellings, hand)
    assert {one.behaviour for one in found} == set(EVERYTHING)
    assert {(one.sensitivity.value, one.specificity.value) for one in found} == {(0.0, 0.0) if turned else (1.0, 1.0)}
    assert sum(one.void for one in found) == 0
    assert all(one.same_step == one.hits for one in found)


def test_nothing_of_a_transcript_is_lost(folder: Path) -> None:
    steps = read(folder, "transcripts")
    assert not steps["text"].str.contains("{advice}", regex=False).any()
    advised = steps[steps["arm"].str.startswith("xy") & steps["advice"].notna()]
    assert (advised.groupby(KEY).size() == 1).all()
    assert len(advised) == len(steps[steps["arm"].str.startswith("xy")][KEY].drop_duplicates())
    assert all(said in text for said, text in zip(advised["advice"], advised["text"], strict=True))


def test_a_model_that_says_the_same_is_perfect(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = replies(folder)

    def labeller(messages: Messages) -> str:
        asked = str(messages[-1]["content"])
        if "The suggestion:" in asked:
            claims = re.findall(r"^(\d+)\. ", asked.split("The claims:")[1], re.MULTILINE)
            return json.dumps({"claims": [{"claim": int(number), "stance": "adopts"} for number in claims]})
        return answers[asked]

    with scripted(labeller, tmp_path / "cache"):
        assert run(["traces", "label", str(folder), "--grader-model", MODEL]) == 0
    labels, labellings = read(folder, "behaviours"), read(folder, "labellings")
    assert labels["valid"].all()
    assert labellings["done"].all()
    found = calibrations(labels, labellings, read_hand(folder / "hand.jsonl"))
    assert {one.behaviour for one in found} == set(EVERYTHING)
    assert {(one.sensitivity.value, one.specificity.value) for one in found} == {(1.0, 1.0)}
    assert all((one.same_step, one.void) == (one.hits, 0) for one in found)
    capsys.readouterr()
    assert run(["traces", "calibrate", str(folder), str(folder / "hand.jsonl")]) == 0
    assert "100%" in capsys.readouterr().out


def replies(folder: Path) -> dict[str, str]:
    """Every question of a labeller about one behaviour, with what was found by hand as the answer."""
    hand = read_hand(folder / "hand.jsonl").dropna(subset=["step"])
    places: dict[tuple[Any, ...], list[int]] = {}
    for *key, step in hand[[*KEY, "behaviour", "step"]].itertuples(index=False, name=None):
        places.setdefault(tuple(key), []).append(int(step))
    found: dict[str, str] = {}
    for trace in traces_in(read(folder, "transcripts")):
        (window,) = windows(trace)
        by_number = {step.step: step for step in trace.steps}
        for behaviour in EVERYTHING:
            steps = [by_number[one] for one in places.get((*vars(trace.key).values(), behaviour), [])]
            asked = claims_question(window) if behaviour == "claim" else question(window, behaviour)
            said = json.dumps(
                {"claims" if behaviour == "claim" else "labels": [_label(one, behaviour) for one in steps]}
            )
            assert found.setdefault(asked, said) == said
    return found


def _label(step: Step, behaviour: str) -> dict[str, Any]:
    quote = {"step": step.step, "quote": step.text or step.reasoning}
    if behaviour == "claim":
        return quote | {"person": "first"}
    way = {"compliance": "lack_of_reasoning"} if behaviour == "complies" else {}
    return quote | {"importance": 5, "summary": "as by hand"} | way
