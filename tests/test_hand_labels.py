"""The labels by hand: enough of them, each at a step of the agent, and as `astray traces calibrate` reads them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from astray.measures.behaviour import KEY
from astray.measures.labellers import calibrations
from astray.tables import read
from astray.traces import EVERYTHING, traces_in
from astray.traces.hand import read_hand
from tests.hand_labels import EMBEDDED, hand_study


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


def test_every_label_is_at_a_step_of_the_agent(folder: Path) -> None:
    spoken = {(*vars(trace.key).values(), step.step) for trace in traces_in(read(folder, "transcripts"))
              for step in trace.steps if step.by_agent}  # fmt: skip
    hand = read_hand(folder / "hand.jsonl").dropna(subset=["step"])
    assert {tuple(row) for row in hand[[*KEY, "step"]].itertuples(index=False, name=None)} <= spoken


@pytest.mark.parametrize("turned", [False, True], ids=["as by hand", "the other way round"])
def test_a_labeller_that_says_the_same_is_perfect(folder: Path, turned: bool) -> None:
    hand = read_hand(folder / "hand.jsonl")
    labellings = hand[[*KEY, "behaviour"]].drop_duplicates().assign(labeller="L", done=True)
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
    advised = steps[(steps["speaker"] == "user") & steps["arm"].str.startswith("xy") & (steps["step"] <= 2)]
    own = steps[steps["arm"].str.startswith("xy")].groupby(KEY)["advice"].count()
    assert (own == 1).all()
    assert all(row.advice in row.text for row in advised.itertuples() if isinstance(row.advice, str))
