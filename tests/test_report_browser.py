"""The browser of conversations: what is listed, what is packed, and what goes beside the page."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from astray import tables
from astray.measures import summarize
from astray.report import load, write_page
from astray.report.browser import Run, collect, store
from astray.report.browser.chunks import shows
from astray.report.browser.store import pack, unpack
from astray.report.conversation import conversation
from astray.report.load import Material
from astray.report.page import make
from astray.report.words import suites
from tests.report_study import build


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return load([build(tmp_path_factory.mktemp("study") / "demo")])


def run(*outcomes: str, before: str | None = None) -> Run:
    rows = tuple((number, outcome, None) for number, outcome in enumerate(outcomes))
    return Run(("s", "m", "b"), "q", "xy", 1, (0, before, None) if before else None, rows, True)


@pytest.mark.parametrize(
    ("found", "flip", "trail"),
    [
        (run("correct", "wrong"), "lost", "✓✗"),
        (run("wrong", "refused", "correct"), "won", "✗–✓"),
        (run("correct", "wrong", "correct"), "", "✓✗✓"),
        (run("error", "correct"), "", "○✓"),
        (run("correct", "judge_failed"), "", "✓○"),
        (run("wrong", before="correct"), "lost", "✓→✗"),
        (run("partial", before="wrong"), "", "✗→✗"),
        (run("correct"), "", "✓"),
    ],
)
def test_flips_and_trails(found: Run, flip: str, trail: str) -> None:
    assert (found.flip, found.trail) == (flip, trail)


def test_flips_are_those_of_the_measures(material: Material) -> None:
    runs = collect(material.outcomes, set())
    for cell in suites(summarize(material.outcomes))[0].cells:
        if cell.last and cell.change:
            own = [one.flip for one in runs if one.arm == cell.arm]
            assert own.count("lost") == cell.change.right_to_wrong
            assert own.count("won") == cell.change.wrong_to_right


def test_conversations_on_a_sample_stand_together_and_flipped_samples_first(material: Material) -> None:
    runs = collect(material.outcomes, set())
    samples = list(dict.fromkeys(one.sample for one in runs))
    assert [one.sample for one in runs] == [sample for sample in samples for _ in range(6)]
    assert [one.arm for one in runs[:6]] == list(dict.fromkeys(one.arm for one in runs))
    flipped = [any(one.flip for one in runs[i : i + 6]) for i in range(0, len(runs), 6)]
    assert flipped == sorted(flipped, reverse=True)
    assert 0 < sum(flipped) < len(flipped)


def test_what_is_packed_comes_back_whole(material: Material) -> None:
    kept = store(material)
    index = unpack(kept.index)
    assert kept.runs == len(index["runs"]["arm"]) == 288
    assert kept.outside == 0
    assert kept.beside == ()
    place = next(
        i for i in range(288) if index["arms"][index["runs"]["arm"][i]][0] == "xy" and index["runs"]["flip"][i] == 1
    )
    chunk = unpack(kept.inside[index["runs"]["chunk"][place]])
    answers, before, steps, hidden, labels = chunk["runs"][str(place)]
    assert before[0] == "correct"
    assert answers[0][1] == "wrong"
    assert chunk["strings"][steps[0][4]].startswith("I think you should")
    assert chunk["strings"][steps[0][4]] in chunk["strings"][steps[0][3]]
    assert steps[1][2] == "agent"
    assert (hidden, labels) == (0, [])
    assert len(set(chunk["strings"])) == len(chunk["strings"])
    assert store(material) == kept


def test_what_does_not_fit_stands_beside_the_page(material: Material, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("astray.report.browser.chunks.SMALL", 4000)
    monkeypatch.setattr("astray.report.browser.chunks.LARGE", 8000)
    page = make(material, room=9_000)
    assert 2 < len(page.beside) < 12
    assert "script-src &#39;sha256-" in page.html
    assert "&#39;self&#39; file:" in page.html
    stamp = re.search(r'data-stamp="(\w+)"', page.html)
    assert stamp
    number = min(int(name.removeprefix("more-").removesuffix(".js")) for name in page.beside)
    text = page.beside[f"more-{number}.js"]
    assert text.startswith(f'"use strict";\nastray.more("{stamp[1]}", {number}, "')
    assert f"packed-{number - 1}" in page.html
    assert f'id="packed-{number}"' not in page.html
    (tmp_path / "more-99.js").write_text("of an older page")
    write_page(material, tmp_path)
    assert not list(tmp_path.glob("more-*.js"))


def test_large_sections_leave_the_transcripts_less_room(material: Material, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = make(material)
    assert 'id="packed-0"' in whole.html
    sections = whole.html.partition("<main")[2].partition('<section id="conversations"')[0]
    monkeypatch.setattr("astray.report.page.MOST", len(sections.encode()) + 100)
    page = make(material)
    assert page.beside
    assert 'id="packed-0"' not in page.html


def test_labels_of_steps_are_kept_where_their_quote_stands(material: Material) -> None:
    one = material.transcripts[material.transcripts["speaker"] == "agent"].iloc[0]
    base = {name: one[name] for name in ("study", "model", "benchmark", "sample_id", "arm", "epoch", "step")}
    label = {"behaviour": "complies", "importance": 7, "summary": "Follows.", "quote": "fits best", "valid": True}
    label |= {"compliance": "expressed_doubt", "person": None, "stance": None, "place": "aloud", "labeller": "L"}
    frame = pd.DataFrame([base | label, base | label | {"valid": False, "summary": "Made up."}])
    kept = store(replace(material, behaviours=frame))
    found = [
        [(label[1], chunk["strings"][label[3]], label[5]) for label in labels]
        for chunk in map(unpack, kept.inside)
        for *_, labels in chunk["runs"].values()
        if labels
    ]
    assert found == [[("complies: expressed doubt", "Follows.", -1)]]


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ({"behaviour": "self_blame"}, "self blame"),
        ({"behaviour": "claim", "person": "first", "stance": "adopts"}, "claim: first person, adopts"),
        ({"behaviour": "unexpressed", "place": "reasoning"}, "sees the flaw: only thought"),
        ({"behaviour": "unexpressed", "place": "aloud"}, "sees the flaw: said aloud"),
    ],
)
def test_a_label_says_what_it_shows(label: dict[str, str], words: str) -> None:
    assert shows({"compliance": None, "person": None, "stance": None, "place": "aloud"} | label) == words


def test_a_labelled_step_is_shown_however_late_it_stands() -> None:
    row = {"round": 0, "speaker": "agent", "text": "x", "advice": None, "reasoning": None, "tool_calls": None}
    rows = [row | {"step": number} for number in range(1, 201)]
    assert [step.number for step in conversation(rows, {150})][-2:] == [80, 150]


def test_lone_surrogates_do_not_stop_the_page() -> None:
    assert unpack(pack('["a\ud800b"]')) == ["a?b"]


def test_half_an_arm_and_a_sample_in_one_arm_only(tmp_path: Path) -> None:
    folder = build(tmp_path / "s", samples=12)
    frame = tables.read(folder, "outcomes")
    frame = frame[~((frame["arm"] == "xy") & (frame["sample_id"] > "starter-06"))]
    frame = frame[~((frame["arm"] == "original") & (frame["sample_id"] == "starter-02"))]
    rows = frame.astype(object).where(frame.notna(), None).reset_index(drop=True)
    found = replace(load([folder]), outcomes=rows)
    runs = collect(found.outcomes, set())
    assert sum(one.arm == "xy" for one in runs) == 6
    lonely = next(one for one in runs if one.arm == "xy" and one.sample == "starter-02")
    assert lonely.before is None
    assert lonely.flip == ""
    assert "Forest plot" in make(found).html
