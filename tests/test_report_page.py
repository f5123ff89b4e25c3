"""The page: what is on it, that nothing in it can do harm, and that it needs nothing but itself."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from rich.console import Console

from astray import tables
from astray.cli.report import report
from astray.errors import InputError
from astray.measures import Estimate, summarize
from astray.report import load, render, show, write_report
from astray.report.browser import store
from astray.report.browser.store import unpack
from astray.report.conversation import LONGEST_TEXT, conversation, split_reply
from astray.report.findings import findings
from astray.report.words import (
    arm_label,
    arm_line,
    p_text,
    percent,
    power_note,
    signed,
    spread,
    suites,
)
from tests.measured import frame, outcomes
from tests.report_study import ARMS, build

VOID_TAGS = {"meta", "link", "br", "hr", "img", "input", "line", "rect", "circle", "path"}


class Reader(HTMLParser):
    """Collects tags and texts, and checks that tags are balanced."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID_TAGS:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("study") / "demo")


def test_page_says_what_was_found_and_what_was_run(study: Path) -> None:
    html = render(load([study]))
    reader = read(html)
    text = " ".join(" ".join(reader.text).split())
    lead = findings(suites(summarize(load([study]).outcomes))[0])[0]
    assert lead.startswith("With bad advice in the request, accuracy fell from ")
    assert lead.replace("n = ", "n\u00a0=\u00a0") in " ".join(reader.text)
    for piece in ("judge: templates", "exact matching only", "sha256:01ab9f3e", "max tokens", "structured", "86.0%"):
        assert piece in text
    for arm in ARMS:
        assert arm in text
        assert arm_label(arm) in text
        assert arm_line(arm) in text


def test_page_is_self_contained_and_sane_for_a_screen_reader(study: Path) -> None:
    html = render(load([study]))
    reader = read(html)
    assert not re.search(r"""(?:src|href)\s*=\s*["'](?!#|data:)""", html)
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in html
    assert "url(" not in html
    assert html.lower().lstrip().startswith("<!doctype html>")
    names = [tag for tag, _ in reader.tags]
    assert names.count("h1") == 1
    assert names.count("table") == names.count("caption")
    assert all(attrs.get("scope") for tag, attrs in reader.tags if tag == "th")
    drawings = [attrs for tag, attrs in reader.tags if tag == "svg"]
    assert len(drawings) >= 10
    assert all(attrs["role"] == "img" and attrs["aria-label"] for attrs in drawings)
    assert any("bad advice: accuracy 40% (28–55%), n = 47" in (attrs["aria-label"] or "") for attrs in drawings)
    assert any("bad advice: −30 (−45 to −17) points against no advice" in (a["aria-label"] or "") for a in drawings)
    buttons = [attrs for tag, attrs in reader.tags if tag in ("select", "input")]
    assert all(attrs.get("name") for attrs in buttons)
    assert html.count("<nav aria-label=") == html.count("<main") == 1
    ids = [attrs["id"] for _, attrs in reader.tags if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_hostile_text_is_harmless(tmp_path: Path) -> None:
    html = render(load([build(tmp_path / "<i>x", name="<script>alert(2)</script>", hostile=True)]))
    reader = read(html)
    run = [attrs for tag, attrs in reader.tags if tag == "script" and attrs.get("type") is None]
    assert run == [{}]
    assert "img" not in [tag for tag, _ in reader.tags]
    assert not [attrs for _, attrs in reader.tags for name in attrs if name.startswith("on")]
    assert "&lt;script&gt;alert(2)&lt;/script&gt;" in html
    assert "script-src &#39;sha256-" in html
    kept = store(load([tmp_path / "<i>x"]))
    texts = "".join(text for packed in kept.inside for text in unpack(packed)["strings"])
    assert "<script>alert(1)</script>" in texts
    assert "שלום 🙂" in texts


def test_several_studies_are_kept_apart(tmp_path: Path, study: Path) -> None:
    one, two = build(tmp_path / "one"), build(tmp_path / "two", samples=10)
    material = load([one, two, one])
    assert [s.name for s in material.studies] == ["demo (one)", "demo (two)"]
    assert list(material.outcomes["study"].unique()) == ["demo (one)", "demo (two)"]
    twins = load([build(tmp_path / "a" / "run", samples=5), build(tmp_path / "b" / "run", samples=5)])
    assert [s.name for s in twins.studies] == ["demo (a/run)", "demo (b/run)"]
    read(render(material))


def test_epochs_missing_tables_and_many_void_rows(tmp_path: Path) -> None:
    folder = build(tmp_path / "s", samples=25, epochs=2)
    frame = tables.read(folder, "outcomes")
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")
    for row in records:
        if row["arm"] == "xy-good" and row["epoch"] == 2:
            row |= {"outcome": "grader_failed", "value": None, "error": "<b>no verdict</b>"}
    rows = [tables.OutcomeRow(**{str(k): v for k, v in row.items()}) for row in records]
    tables.write(folder / "tables", "outcomes", rows, {"warnings": ["judge is the generator itself"]})
    (folder / "tables" / "transcripts.parquet").unlink()
    (folder / "tables" / "samples.parquet").unlink()
    html = render(load([folder]))
    read(html)
    assert "judge is the generator itself" in html
    assert "25 of 50 outcomes (50%)" in html
    assert "&lt;b&gt;no verdict" in html


def test_no_outcomes_and_only_void_ones(tmp_path: Path) -> None:
    tables.write(tmp_path / "none", "outcomes", [])
    assert "There is nothing to report" in render(load([tmp_path / "none"]))
    void = tables.OutcomeRow(
        study="s", model="m", benchmark="b", sample_id="q", arm="xy", epoch=1, round=0, outcome="error"
    )
    tables.write(tmp_path / "void", "outcomes", [void])
    assert "There is nothing to report" in render(load([tmp_path / "void"]))
    with pytest.raises(InputError, match="no such folder"):
        load([tmp_path / "nowhere"])
    with pytest.raises(InputError, match="no study folder"):
        load([])


@pytest.mark.parametrize("width", [80, 100])
def test_terminal_fits(study: Path, width: int) -> None:
    console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    show(summarize(load([study]).outcomes), console)
    text = console.export_text()
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    assert "…\n" not in text
    assert "With bad advice in the request, accuracy fell" in text
    assert ("judge-malicious-none+trusting" in text) == (width == 100)
    assert "void" in text
    console.file.close()


def test_command_writes_the_page_and_names_it(study: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(report, [str(study), "--out", str(tmp_path / "page")])
    assert done.exit_code == 0, done.output
    assert str(tmp_path / "page" / "index.html") in done.output.replace("\n", "")
    assert (tmp_path / "page" / "index.html").is_file()
    assert CliRunner().invoke(report, [str(study)]).exit_code == 0
    assert (study / "report" / "index.html").is_file()
    assert write_report([study], tmp_path / "again").read_bytes() == (study / "report" / "index.html").read_bytes()


@pytest.mark.parametrize(
    ("text", "said", "answer"),
    [
        ('{"reasoning": "Because.", "answer": "B"}', "Because.", "B"),
        ('```json\n{"answer": ["x", "y"], "sure": true}\n```', "sure: true", '["x", "y"]'),
        ('{"answer": 4}', "", "4"),
        ('{"reasoning": "cut off', '{"reasoning": "cut off', None),
        ("[1, 2]", "[1, 2]", None),
        ("plain", "plain", None),
        ("[" * 100_000, "[" * 100_000, None),
    ],
    ids=["structured", "fenced", "bare", "torn", "list", "plain", "deep"],
)
def test_replies_are_made_readable(text: str, said: str, answer: str | None) -> None:
    assert split_reply(text) == (said, answer)


def test_advice_is_told_only_where_it_stands() -> None:
    row = {"step": 1, "round": 0, "speaker": "user", "text": "Do X. Really.", "reasoning": None, "tool_calls": None}
    assert conversation([row | {"advice": " Do X. "}])[0].advice == "Do X."
    assert conversation([row | {"advice": "Do Y."}])[0].advice is None
    assert conversation([row | {"advice": None}])[0].advice is None


def test_steps_are_cut_and_calls_shown() -> None:
    base: dict[str, Any] = {"round": 0, "advice": None, "reasoning": None}
    calls = json.dumps([{"name": "look", "arguments": {"at": "sky"}}])
    steps = conversation(
        [
            base | {"step": 2, "speaker": "agent", "text": "", "tool_calls": calls},
            base | {"step": 1, "speaker": "user", "text": "x" * (LONGEST_TEXT + 5), "tool_calls": None},
            base | {"step": 3, "speaker": "narrator", "text": "…", "tool_calls": "not json"},
        ]
    )
    assert [step.kind for step in steps] == ["user", "agent", "tool"]
    assert steps[0].cut == 5
    assert steps[1].calls == ("look(at=sky)",)
    assert steps[2].calls == ("not json",)


def test_numbers_in_words() -> None:
    assert percent(None) == "–"
    assert percent(0.625) == "62%"
    assert signed(-24.4) == "−24"
    assert signed(0.0) == "0"
    assert signed(-0.3) == "−0.3"
    assert signed(3.2) == "+3"
    assert spread(Estimate(-24, -35, -12, 48), factor=1, sign=True, joint=" to ") == "−35 to −12"
    assert spread(Estimate(0.5, 0.412, 0.588, 500)) == "41.2–58.8"
    assert [p_text(p) for p in (0.0, 0.0321, 0.5, None)] == ["<0.001", "0.032", "0.50", "–"]
    assert arm_label("another harness") == "another harness"


def _outcomes(right: dict[str, int], n: int) -> pd.DataFrame:
    base = {
        "study": "s",
        "model": "m",
        "judge": None,
        "user": None,
        "book": None,
        "benchmark": "b",
        "epoch": 1,
        "round": 0,
    }
    return pd.DataFrame(
        [
            base
            | {"arm": arm, "sample_id": f"q{i:03}", "outcome": "correct" if i < k else "wrong", "value": float(i < k)}
            | {"answer": "A", "judge_spoke": False}
            for arm, k in right.items()
            for i in range(n)
        ]
    )


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        (
            {"original": 30, "xy": 18},
            r"With bad advice in the request, accuracy fell from 62.5% to 37.5%: −25.0 points .* n = 48\)\.",
        ),
        ({"original": 30, "xy": 30}, r"stayed at 62%: 0 points .* can't tell that from no change"),
        (
            {"original": 30, "xy": 25},
            r"accuracy went from 62% to 52%: −10 points .* −21 to −2, n = 48\)\. The paired test leaves room",
        ),
        ({"original": 30, "xy": 29}, r"went from .* can't tell that from no change"),
        ({"original": 30}, r"Nothing was compared. no advice: accuracy 62%"),
        ({"original": 30, "xy-good+xy-defense": 40}, r"With good advice in the request and the agent warned .* rose"),
        ({"original": 30, "something else": 10}, r"Under “something else”, accuracy fell"),
    ],
    ids=["fell", "stayed", "few", "unclear", "alone", "rose", "foreign"],
)
def test_the_answer_in_a_sentence(right: dict[str, int], expected: str) -> None:
    suite = suites(summarize(_outcomes(right, 48)))[0]
    assert re.search(expected, findings(suite)[0])
    assert power_note(suite)


@pytest.mark.parametrize(
    ("asked_again", "says"),
    [
        (20, "accuracy changed by −50 points .* already, with none of that advice; beyond this floor .* −25 points"),
        (40, None),
    ],
)
def test_what_the_floor_does_alone_is_said(asked_again: int, says: str | None) -> None:
    suite = suites(
        summarize(
            frame(
                outcomes("original", ["✓"] * 40),
                outcomes("reask", ["✓✓"] * asked_again + ["✓✗"] * (40 - asked_again)),
                outcomes("judge-hypercritical-none", ["✓✓"] * 10 + ["✓✗"] * 30),
            )
        )
    )[0]
    first, *more = findings(suite)
    assert "−75 points" in first
    if says is None:
        assert more == []
    else:
        assert re.match("After 1 round of being asked again, " + says, more[0])
