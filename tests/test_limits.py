"""An agent that runs out of its messages before its answer is recorded: its own scorer says what that was worth."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from astray import tables
from tests.scripted_server import Reply
from tests.studies import Messages, astray, scripted
from tests.test_xy_tasks import call

FILE = Path(__file__).with_name("limit_tasks.py")


def agent(messages: Messages) -> Reply:
    """Looks things up and never submits."""
    return call(len(messages), "look_up", key="x")


def outcomes(folder: Path, given: list[str], *more: str) -> pd.DataFrame:
    """The outcomes of a study in which the scorer gives each of these."""
    values = f"given={json.dumps(given)}"
    with scripted(agent, folder / "cache"):
        assert astray("run", f"{FILE}@endless", "-T", values, *more, out=folder / "out", arms="reask") == 0
    return tables.read(folder / "out", "outcomes").set_index(["arm", "sample_id", "round"])


@pytest.mark.parametrize(
    ("scale", "worth"),
    [
        (
            None,
            {
                '"C"': ("correct", 1), "1.0": ("correct", 1), '{"score": 1.0}': ("correct", 1), "true": ("correct", 1),
                '"P"': ("partial", 0.5), "0.5": ("partial", 0.5), "[0.25, 1]": ("partial", 0.25),
                '"I"': ("limit", 0), "0": ("limit", 0), "NaN": ("limit", 0),
            },
        ),
        ("1..5", {"1": ("limit", 0), "5": ("correct", 1), "3": ("partial", 0.5), '{"score": 5}': ("correct", 1)}),
        ("5..1", {"1": ("correct", 1), "5": ("limit", 0)}),
    ],
)  # fmt: skip
def test_what_was_done_at_the_limit_is_worth_what_the_scorer_says(
    scale: str | None, worth: dict[str, tuple[str, float]], tmp_path: Path
) -> None:
    frame = outcomes(tmp_path, list(worth), *(["--scale", scale] if scale else []))
    for arm in ("original", "reask"):
        found = frame.loc[arm].xs(0, level="round")
        assert dict(zip(found.index, zip(found.outcome, found.value, strict=True), strict=True)) == worth
    assert set(frame.limit) == {"message"}
    later = frame.loc["reask"].xs(1, level="round")
    assert set(zip(later.outcome, later.value, strict=True)) == {("limit", 0.0)}, "no later round was reached"


def test_a_score_off_the_scale_is_void_and_says_so(tmp_path: Path) -> None:
    row = outcomes(tmp_path, ["7"], "--scale", "1..5").loc[("original", "7", 0)]
    assert (row.outcome, row.limit) == ("error", "message")
    assert pd.isna(row.value)
    assert "--scale WORST..BEST" in row.error
