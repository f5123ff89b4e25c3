"""Sections of the page on a study that has everything: checks, critiques by a model, subsets, several models."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest

from astray.measures import tracks
from astray.report import load, render
from astray.report.drawing import Axis, Flow, Mark, Row, dots, flow
from astray.report.drawing.svg import wrap
from astray.report.load import Material
from astray.report.papers.results import gather
from astray.report.sections import Chapter, Grid, advice_section, chapters, rounds_section, subsets_section
from astray.report.sections.advice import evidence_notes
from astray.report.sections.rounds import flow_of
from astray.report.sections.validity import weak_judges
from tests.report_study import build, enrich


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    folder = enrich(build(tmp_path_factory.mktemp("study") / "rich"))
    (folder / "books").mkdir()
    header = {"kind": "evidence", "counts": {"rows": 40, "not_wrong": 3}}
    (folder / "books" / "evidence-ab12.jsonl").write_text(json.dumps(header) + "\n{}\n")
    (folder / "books" / "evidence-torn.jsonl").write_text("{")
    return load([folder])


@pytest.fixture(scope="module")
def chapter(material: Material) -> Chapter:
    return chapters(material, gather(material))[0]


def grids(section: object) -> dict[str, Grid]:
    assert section is not None
    return {block.name: block for block in section.blocks if isinstance(block, Grid)}  # type: ignore[attr-defined]


def test_checks_are_shares_of_what_could_be_checked(chapter: Chapter, material: Material) -> None:
    found = grids(advice_section(chapter))
    harm = next(row for row in found["checks"].rows if row[0].text == "harm")
    own = material.checks[material.checks["name"] == "harm"]["result"]
    passed, failed = (own == "passed").sum(), (own == "failed").sum()
    assert [entry.value for entry in harm[2:5]] == [passed, failed, (own == "unknown").sum()]
    assert harm[5].value == pytest.approx(100 * passed / (passed + failed))
    assert harm[5].n == passed + failed
    assert found["checks"].caption.startswith("Checks of the suggestions kept. What failed while a model wrote")
    assert (
        dict(zip(found["bad-advice"].columns, found["bad-advice"].rows[0], strict=True))["Shown harmful"].value
        == passed
    )
    assert [row[0].text for row in found["updating"].rows] == ["bad advice"]


def test_what_evidence_lacks_is_said(chapter: Chapter) -> None:
    notes = evidence_notes(chapter)
    assert re.match(r"Hypercritical judge x2 \+ skeptical: on \d+ of 48 samples \(\d+%\) nothing was found", notes[0])
    assert notes[-1].startswith("Evidence evidence-ab12: a verifier finds 3 of 40 alternatives not wrong")


def test_weak_judges_are_named(chapter: Chapter) -> None:
    (sentence,) = weak_judges(chapter.attacks)
    assert "Malicious judge + trusting: only 58% of the critiques by judge-model" in sentence


def test_subsets_have_a_row_each_and_a_test(chapter: Chapter) -> None:
    found = grids(subsets_section(chapter))
    assert [row[0].text for row in found["subsets"].rows] == ["everyday life", "numbers", "physics"]
    assert len(found["alike"].rows) == 5


def test_a_flow_keeps_every_answer(chapter: Chapter) -> None:
    for track in tracks(chapter.outcomes):
        if len(track.rounds) > 1:
            found = flow_of(track)
            cell = next(c for c in chapter.suite.cells if c.arm == track.arm and c.last)
            for place, moves in enumerate(found.moves):
                for state, number in found.counts[place].items():
                    assert sum(n for (before, _), n in moves.items() if before == state) == number
                for state, number in found.counts[place + 1].items():
                    assert sum(n for (_, after), n in moves.items() if after == state) == number
            assert found.counts[-1]["right"] == cell.counts["correct"]
    assert rounds_section(chapter.suite, tracks(chapter.outcomes)) is not None


def test_without_rounds_there_is_no_section_on_them(chapter: Chapter) -> None:
    own = chapter.outcomes[~chapter.outcomes["arm"].str.contains("judge")]
    material = Material((), own, pd.DataFrame(), pd.DataFrame())
    (alone,) = chapters(material, gather(material))
    assert rounds_section(alone.suite, alone.tracks) is None
    assert advice_section(alone) is not None


def test_models_are_ranked_side_by_side(material: Material, tmp_path: Path) -> None:
    other = material.outcomes.assign(model="other/model")
    both = pd.concat([material.outcomes, other], ignore_index=True)
    html = render(Material(material.studies, both, material.samples, material.transcripts))
    assert "Who stands where" in html
    assert html.count('data-name="models-xy"') == 1
    assert html.index("Models side by side</h2>") < html.index("What the advice did</h3>")


@pytest.mark.parametrize("width", [720, 330])
def test_figures_hold_what_they_are_given(width: int) -> None:
    rows = [
        Row("a <b> label that is rather longer than the room there is", (Mark(-20, -30, -5, "n = 3"),), "−20", "bad")
    ]
    axis = Axis.around_zero([-30, -5], "points")
    drawn = dots(rows, axis, width, "told & said")
    assert axis.low <= -30
    assert axis.high >= 0
    assert "&lt;b&gt;" in drawn
    assert 'aria-label="told &amp; said"' in drawn
    assert "<title>n = 3</title>" in drawn
    places = [float(x) for x in re.findall(r' (?:x|x1|x2|cx)="([-\d.]+)"', drawn)]
    assert min(places) >= 0
    assert max(places) <= width


def test_a_flow_of_nothing_is_drawn() -> None:
    assert flow(Flow((0, 1), ({"right": 0}, {"right": 0}), ({},)), "none").startswith("<svg")


def test_labels_are_wrapped_and_cut() -> None:
    assert wrap("one two three", 60) == ["one two", "three"]
    assert wrap("x" * 50, 67) == ["x" * 9 + "…"]
    assert len(wrap("word " * 50, 100, 2)) == 2
    assert wrap("", 100) == [""]
