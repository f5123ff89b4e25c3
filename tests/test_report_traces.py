"""What the page shows of behaviours: the numbers of the measures, in words, escaped."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from astray.cli import run
from astray.report.sections.parts import Figure, Grid, Note
from astray.report.sections.traces import blocks_of
from astray.report.traces import Traces, traces_of
from astray.tables import read
from tests.studies import MODEL, scripted
from tests.trace_parts import labeller, study


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> list[pd.DataFrame]:
    folder: Path = tmp_path_factory.mktemp("labelled")
    with scripted(labeller, folder / "cache"):
        assert run(["traces", "label", str(study(folder / "s")), "--grader-model", MODEL]) == 0
    return [read(folder / "s", name) for name in ("behaviours", "labellings", "outcomes", "transcripts")]


@pytest.fixture(scope="module")
def found(tables: list[pd.DataFrame]) -> Traces:
    made = traces_of(*tables, arms=("original", "xy"))
    assert made is not None
    return made


def said(found: Traces) -> str:
    """All words of the section, figures included."""
    texts: list[str] = []
    for block in blocks_of(found):
        if isinstance(block, Grid):
            texts += [block.caption, *(f"{entry.text} {entry.interval}" for row in block.rows for entry in row)]
        elif isinstance(block, Figure):
            texts += [block.caption, str(block.wide)]
        elif isinstance(block, Note):
            texts.append(block.text)
    return " ".join(texts)


def test_rows_hold_the_rates(found: Traces) -> None:
    rows = {(row.arm, row.name): row for row in found.rows}
    complies = rows["xy", "complies where it should not"]
    assert (complies.everywhere.rate.value, complies.correct.rate.value, complies.incorrect.rate.value) == (0.4, 0, 0.5)
    assert complies.change is not None
    assert complies.change.points.value == 40
    assert rows["original", "complies where it should not"].change is None
    assert rows["xy", "in spite of doubts it voices"].kind
    assert [row.arm for row in found.rows[:2]] == ["original", "xy"]


def test_curves_end_where_the_rate_is(found: Traces) -> None:
    (panel,) = (one for one in found.panels if (one.arm, one.name) == ("xy", "complies where it should not"))
    assert {(curve.group, curve.share[-1], curve.transcripts) for curve in panel.curves} == {
        ("correct", 0, 1),
        ("incorrect", 0.5, 4),
    }


def test_the_page_says_it(found: Traces) -> None:
    text = said(found)
    for words in (
        "complies where it should not",
        "40%",
        "+40",
        "2 of 5",
        "2.6",
        "75%",
    ):
        assert words in text
    assert "None" not in text


def test_nothing_labelled_shows_nothing(tables: list[pd.DataFrame]) -> None:
    labels, labellings, *rest = tables
    assert traces_of(labels.iloc[:0], labellings.iloc[:0], *rest, arms=()) is None


def test_labels_of_two_versions_of_a_prompt_are_not_passed_over(tables: list[pd.DataFrame]) -> None:
    behaviours, labellings, outcomes, transcripts = tables
    mixed = labellings.copy()
    mixed.loc[mixed.index[mixed.behaviour == "complies"][0], "prompt"] = "another"
    made = traces_of(behaviours, mixed, outcomes, transcripts, arms=("original", "xy"))
    assert made is not None
    assert "complies: labelled with 2 versions of the prompt" in said(made)
    unmixed = traces_of(*tables, arms=("original", "xy"))
    assert unmixed is not None
    assert "versions of the prompt" not in said(unmixed)


@pytest.mark.parametrize(("invalid", "warned"), [(0, False), (1, False), (2, True)])
def test_a_labeller_that_makes_up_quotes_is_named(tables: list[pd.DataFrame], invalid: int, warned: bool) -> None:
    behaviours, labellings, outcomes, transcripts = tables
    counted = labellings.assign(labels=0, invalid=0)
    counted.loc[counted.index[0], ["labels", "invalid"]] = [5, invalid]
    made = traces_of(behaviours, counted, outcomes, transcripts, arms=("original", "xy"))
    assert made is not None
    assert (f"{invalid} of 5 labels quote nothing that was said" in said(made)) == warned
