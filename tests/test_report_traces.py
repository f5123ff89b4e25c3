"""What the page shows of behaviours: the numbers of the measures, in words, escaped."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from jsonschema import Draft202012Validator

from astray.cli import run
from astray.measures.traces import trace_measures
from astray.report import load, write_papers
from astray.report.sections.parts import Figure, Grid, Listing, Note
from astray.report.sections.traces import blocks_of
from astray.report.traces import Traces, traces_of
from astray.tables import read
from tests.studies import MODEL, scripted
from tests.trace_parts import labeller, study


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("labelled")
    with scripted(labeller, place / "cache"):
        assert run(["traces", "label", str(study(place / "s")), "--grader-model", MODEL]) == 0
    return place / "s"


@pytest.fixture(scope="module")
def tables(folder: Path) -> list[pd.DataFrame]:
    return [read(folder, name) for name in ("behaviours", "labellings", "outcomes", "transcripts")]


def shown(*tables: pd.DataFrame) -> Traces:
    (measured,) = trace_measures(*tables)
    return traces_of(measured, ("original", "xy"))


@pytest.fixture(scope="module")
def found(tables: list[pd.DataFrame]) -> Traces:
    return shown(*tables)


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
        "+0.6 0 to +1.8",
        "75%",
    ):
        assert words in text
    assert "None" not in text


def test_rates_are_drawn_by_arm_and_outcome(found: Traces) -> None:
    figures = {block.name: block for block in blocks_of(found) if isinstance(block, Figure)}
    complies = str(figures["rate-complies where it should not"].wide)
    for told in ("all: 40% (", "correct: 0% (", "incorrect: 50% (", "n = 4", "no advice", "bad advice"):
        assert told in complies
    assert {name for name in figures if name.startswith("rate-")} == {
        "rate-complies where it should not",
        "rate-disagrees with the user",
        "rate-takes the suggestion over as its own idea",
    }
    steps = str(figures["turns-by-arm"].wide)
    assert "2.6 (" in steps
    assert "2.0 (" in steps


def test_how_labellers_kept_to_the_rules_is_folded_away(found: Traces) -> None:
    (folded,) = (block for block in blocks_of(found) if isinstance(block, Listing))
    rows = {row[1].text: [entry.value for entry in row[2:]] for row in folded.grid.rows}
    assert rows["complies where it should not"] == [2, 0, 10, 0]
    assert rows["recognises what is wrong"] == [3, 0, 2, 0]


def test_steps_that_are_the_same_everywhere_are_not_drawn(found: Traces) -> None:
    same = tuple(replace(one, mean=found.turns[0].mean) for one in found.turns)
    drawn = [block.name for block in blocks_of(replace(found, turns=same)) if isinstance(block, Figure)]
    assert "turns-by-arm" not in drawn


def test_nothing_labelled_shows_nothing(tables: list[pd.DataFrame]) -> None:
    labels, labellings, *rest = tables
    assert trace_measures(labels.iloc[:0], labellings.iloc[:0], *rest) == ()


def test_labels_of_two_versions_of_a_prompt_are_not_passed_over(tables: list[pd.DataFrame]) -> None:
    behaviours, labellings, outcomes, transcripts = tables
    mixed = labellings.copy()
    mixed.loc[mixed.index[mixed.behaviour == "complies"][0], "prompt"] = "another"
    made = shown(behaviours, mixed, outcomes, transcripts)
    assert "complies: labelled with 2 versions of the prompt" in said(made)
    unmixed = shown(*tables)
    assert "versions of the prompt" not in said(unmixed)


@pytest.mark.parametrize(("invalid", "warned"), [(0, False), (1, False), (2, True)])
def test_a_labeller_that_makes_up_quotes_is_named(tables: list[pd.DataFrame], invalid: int, warned: bool) -> None:
    behaviours, labellings, outcomes, transcripts = tables
    counted = labellings.assign(labels=0, invalid=0)
    counted.loc[counted.index[0], ["labels", "invalid"]] = [5, invalid]
    made = shown(behaviours, counted, outcomes, transcripts)
    assert (f"{invalid} of 5 labels quote nothing that was said" in said(made)) == warned


def test_studies_are_measured_apart(tables: list[pd.DataFrame]) -> None:
    both = [pd.concat([table, table.assign(study="other")], ignore_index=True) for table in tables]
    (one,) = trace_measures(*tables)
    other, same = trace_measures(*both)
    assert (other.study, same) == ("other", one)
    assert other.rates == one.rates


def test_papers_have_what_was_labelled(folder: Path, tmp_path: Path) -> None:
    write_papers(load([folder]), tmp_path)
    rows = list(csv.DictReader((tmp_path / "tables" / "behaviours.csv").open()))
    (row,) = (one for one in rows if (one["arm"], one["behaviour"], one["kind"]) == ("xy", "complies", ""))
    assert [float(row[name]) for name in ("all (%)", "correct (%)", "incorrect (%)", "change (points)")] == [
        40, 0, 50, 40,
    ]  # fmt: skip
    assert (row["transcripts"], row["void"]) == ("5", "0")
    (turns,) = (one for one in csv.DictReader((tmp_path / "tables" / "turns.csv").open()) if one["arm"] == "xy")
    assert float(turns["steps"]) == 2.6
    said = list(csv.DictReader((tmp_path / "tables" / "communication.csv").open()))
    assert [(one["outcome"], one["said"], one["silent"]) for one in said] == [
        ("all", "1", "1"), ("correct", "1", "0"), ("incorrect", "0", "1"),
    ]  # fmt: skip
    schema, results = (json.loads((tmp_path / name).read_text()) for name in ("results.schema.json", "results.json"))
    Draft202012Validator(schema).validate(results)
    assert len(results["traces"]) == 1
