"""The page in a real browser, opened from disk: every control does what it says, and the console stays silent."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from astray import tables
from astray.report import load, write_page
from astray.report.page import make
from tests.chromium import FOUND, Chromium
from tests.report_study import build

pytestmark = [pytest.mark.slow, pytest.mark.skipif(FOUND is None, reason="no Chromium on this machine")]


@pytest.fixture(scope="module")
def tab() -> Iterator[Chromium]:
    with Chromium() as found:
        yield found


@pytest.fixture(autouse=True)
def silent(tab: Chromium) -> Iterator[None]:
    tab.complaints.clear()
    yield
    assert tab.complaints == []


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = build(tmp_path_factory.mktemp("study") / "demo")
    return write_page(load([folder]), folder / "report")


def opened(tab: Chromium, page: Path, width: int = 1200) -> Chromium:
    tab.size(width)
    tab.open(page)
    tab.until("!document.getElementById('reader') || document.getElementById('reader').childElementCount > 0")
    return tab


def put(tab: Chromium, name: str, value: str, event: str = "change") -> None:
    tab.run(
        f"(() => {{ const e = document.getElementById('filters').elements['{name}'];"
        f"const o = [...(e.options ?? [])].find((o) => o.text === {value!r}); e.value = o ? o.value : {value!r};"
        f"e.dispatchEvent(new Event('{event}', {{bubbles: true}})); }})()"
    )


def count(tab: Chromium) -> str:
    return str(tab.run("document.getElementById('count').textContent"))


def reader(tab: Chromium) -> str:
    return str(tab.run("document.getElementById('reader').innerText"))


def test_filters_narrow_the_list(tab: Chromium, page: Path) -> None:
    opened(tab, page)
    assert count(tab) == "55 of 288 conversations"
    put(tab, "arm", "bad advice")
    put(tab, "flip", "right to wrong")
    assert count(tab) == "14 of 288 conversations"
    put(tab, "flip", "any")
    put(tab, "outcome", "error")
    assert count(tab) == "1 of 288 conversations"
    tab.run("document.querySelector('#filters [type=reset]').click()")
    tab.until("document.getElementById('count').textContent === '288 of 288 conversations'")
    put(tab, "advised", "no")
    assert count(tab) == "63 of 288 conversations"


def test_search_reads_all_that_was_said(tab: Chromium, page: Path) -> None:
    opened(tab, page)
    put(tab, "flip", "any")
    put(tab, "text", "MY NIECE", "input")
    tab.until("document.getElementById('count').textContent === '48 of 288 conversations'")
    put(tab, "text", "starter-07", "input")
    tab.until("document.getElementById('count').textContent === '6 of 288 conversations'")
    put(tab, "text", "no such words", "input")
    tab.until("document.getElementById('count').textContent.startsWith('0 of 288')")
    assert "No conversation fits" in reader(tab)


def test_arrow_keys_read_on(tab: Chromium, page: Path) -> None:
    opened(tab, page)
    first = reader(tab)
    tab.run("document.getElementById('list').focus()")
    tab.key("ArrowDown")
    tab.until(f"document.getElementById('reader').innerText !== {first!r}")
    active = tab.run(
        "document.getElementById(document.getElementById('list').getAttribute('aria-activedescendant')).ariaSelected"
    )
    assert active == "true"
    tab.key("End")
    tab.until("document.querySelector('[aria-selected=true]').getAttribute('aria-posinset') === '55'")
    assert tab.run("document.querySelectorAll('#list .item').length < 30")


def test_a_number_of_flips_leads_to_its_conversations(tab: Chromium, page: Path) -> None:
    opened(tab, page)
    tab.run("document.querySelector('[data-show-arm=xy][data-show-flip=lost]').click()")
    tab.until("document.getElementById('count').textContent === '14 of 288 conversations'")
    tab.until("document.querySelector('#reader mark')?.textContent.startsWith('I think you should')")
    assert "without advice ✓" in reader(tab)


def test_tables_sort_by_click_and_back(tab: Chromium, page: Path) -> None:
    opened(tab, page)
    rows = "[...document.querySelectorAll('table[data-name=arms] tbody tr')]"
    column = f"{rows}.map((row) => row.cells[2].innerText.split('\\n')[0])"
    before = tab.run(column)
    click = "document.querySelectorAll('table[data-name=arms] thead button')[2].click()"
    tab.run(click)
    assert tab.run(column) == ["73%", "71%", "67%", "50%", "40%", "28%"]
    assert tab.run("document.querySelectorAll('table[data-name=arms] th')[2].ariaSort") == "descending"
    tab.run(click)
    assert tab.run(column) == ["28%", "40%", "50%", "67%", "71%", "73%"]
    tab.run(click)
    assert tab.run(column) == before
    assert tab.run("document.querySelector('[aria-sort]')") is None


def test_a_table_is_copied_with_its_numbers(tab: Chromium, page: Path) -> None:
    opened(tab, page)
    tab.run("navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }")
    tab.run("document.querySelector('table[data-name=arms] [data-copy]').click()")
    tab.until("document.querySelector('table[data-name=arms] .done').textContent === 'Copied'")
    lines = [line.split("\t") for line in tab.run("copied").splitlines()]
    assert lines[0][:6] == ["Arm", "n", "Accuracy", "Accuracy low", "Accuracy high", "Accuracy n"]
    assert len({len(line) for line in lines}) == 1
    bad = next(line for line in lines if line[0] == "bad advice")
    assert float(bad[2]) == pytest.approx(100 * 19 / 47)
    assert bad[5] == "47"
    assert float(bad[lines[0].index("Change")]) == pytest.approx(-1400 / 47)
    tab.run("document.querySelector('table[data-name=patterns] [data-copy]').click()")
    tab.until("copied.startsWith('Course')")
    assert all(re.fullmatch("[✓✗–]+\t[0-9.]+\t[0-9]+", line) for line in tab.run("copied").splitlines()[1:])


def test_figures_are_saved(tab: Chromium, page: Path) -> None:
    opened(tab, page)
    tab.run(
        "globalThis.saved = {}; globalThis.create = URL.createObjectURL; URL.createObjectURL = (blob) => {"
        "saved[blob.type] = blob; return create.call(URL, blob); };"
        "HTMLAnchorElement.prototype.click = function () { saved.name = this.download; };"
        "for (const one of document.querySelectorAll('figure[data-name=change-by-arm] [data-save]')) one.click()"
    )
    tab.until("!!(saved['image/png'] && saved['image/svg+xml'])")
    svg = tab.run("saved['image/svg+xml'].text()")
    assert svg.startswith("<svg")
    assert "--d-bad" in svg
    assert "&amp;#" not in svg
    assert '"Segoe UI"' in svg
    assert tab.run("saved.name") == "change-by-arm.png"
    head = "saved['image/png'].arrayBuffer().then((b) => String.fromCharCode(...new Uint8Array(b).slice(0, 24)))"
    data = str(tab.run(head)).encode("latin-1")
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(data[16:20]) == 3 * (720 + 32)


@pytest.mark.parametrize("width", [360, 1000, 1400])
def test_nothing_is_wider_than_the_screen(tab: Chromium, page: Path, width: int) -> None:
    opened(tab, page, width)
    assert tab.run("document.documentElement.scrollWidth") == width
    wide = "[...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth + 1)"
    assert tab.run(f"{wide}.map((e) => e.querySelector('table').dataset.name)") == []


def test_every_control_has_a_name(tab: Chromium, page: Path) -> None:
    opened(tab, page)
    nodes = tab.call("Accessibility.getFullAXTree")["nodes"]
    roles = {"button", "link", "combobox", "searchbox", "listbox", "option", "table", "image", "navigation", "form"}
    seen = set()
    for node in nodes:
        role = node.get("role", {}).get("value")
        if role in roles and not node.get("ignored"):
            seen.add(role)
            assert node.get("name", {}).get("value"), node
    assert {"button", "link", "combobox", "searchbox", "listbox", "option", "table", "image", "navigation"} <= seen


def test_hostile_text_stays_text(tab: Chromium, tmp_path: Path) -> None:
    folder = build(tmp_path / "x", name="<script>alert(2)</script>", hostile=True)
    opened(tab, write_page(load([folder]), tmp_path / "out"))
    assert "<script>alert(1)</script>" in reader(tab)
    assert "שלום 🙂" in reader(tab)
    assert tab.run("document.querySelectorAll('img, #reader script').length") == 0


def _one(folder: Path, outcome: str, number: int = 1) -> Path:
    key: dict[str, Any] = {"study": "s", "model": "m", "benchmark": "b", "epoch": 1, "round": 0, "outcome": outcome}
    value = None if outcome == "error" else float(outcome == "correct")
    rows = [
        tables.OutcomeRow(**key, sample_id=f"q{i}", arm=arm, value=value)
        for i in range(number)
        for arm in ("original", "xy")
    ]
    tables.write(folder / "tables", "outcomes", rows)
    return folder


@pytest.mark.parametrize(
    ("outcome", "number", "said"),
    [
        ("correct", 0, "There is nothing to report"),
        ("correct", 1, "accuracy stayed at 100%"),
        ("correct", 30, "accuracy stayed at 100%"),
        ("error", 30, "nothing can be said"),
    ],
    ids=["empty", "one sample", "all correct", "all void"],
)
def test_little_or_nothing_to_report(tab: Chromium, tmp_path: Path, outcome: str, number: int, said: str) -> None:
    opened(tab, write_page(load([_one(tmp_path, outcome, number)]), tmp_path / "out"))
    assert said in tab.run("document.body.innerText")


def test_texts_beside_the_page_are_read_from_there(tab: Chromium, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("astray.report.browser.chunks.SMALL", 4000)
    monkeypatch.setattr("astray.report.browser.chunks.LARGE", 8000)
    made = make(load([build(tmp_path / "s")]), room=9_000)
    for name, text in {**made.beside, "index.html": made.html}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    opened(tab, tmp_path / "index.html")
    put(tab, "flip", "any")
    put(tab, "text", "my niece", "input")
    tab.until("document.getElementById('count').textContent === '48 of 288 conversations'")
    tab.run("document.getElementById('list').focus()")
    tab.key("End")
    tab.until("document.querySelector('#reader mark')?.textContent.includes('my niece')")
    last = max(int(name[5:-3]) for name in made.beside)
    (tmp_path / f"more-{last}.js").write_text(made.beside[f"more-{last}.js"].replace('more("', 'more("x'))
    opened(tab, tmp_path / "index.html")
    put(tab, "flip", "any")
    tab.run("document.getElementById('list').focus()")
    tab.key("End")
    tab.until("document.querySelector('#reader [role=alert]')?.textContent.includes('belongs to another report')")


def test_a_chapter_for_each_of_several_studies(tab: Chromium, tmp_path: Path) -> None:
    one, two = build(tmp_path / "one"), build(tmp_path / "two", samples=10)
    opened(tab, write_page(load([one, two]), tmp_path / "out"))
    titles = tab.run("[...document.querySelectorAll('.suite-name')].map((e) => e.textContent)")
    assert titles == ["demo (one)", "demo (two)"]
    assert tab.run("document.querySelector('#models h2').textContent") == "Models side by side"
    put(tab, "suite", "astray/qwen2.5-coder-1.5b, starter (demo (two))")
    assert "of 348 conversations" in count(tab)


def test_it_prints(tab: Chromium, page: Path) -> None:
    opened(tab, page)
    pdf = base64.b64decode(tab.call("Page.printToPDF", preferCSSPageSize=True)["data"])
    assert pdf[:5] == b"%PDF-"
    assert 3 <= pdf.count(b"/Type /Page\n") <= 14


def test_long_instructions_are_folded_and_advice_never_is(tab: Chromium, tmp_path: Path) -> None:
    material = load([build(tmp_path / "s", samples=4)])
    steps, policy = material.transcripts.copy(), "Never refund. " * 200
    firsts = steps["step"] == 1
    policies = steps[firsts].assign(step=0, speaker="system", text=policy, advice=None)
    advised = steps[firsts].assign(step=-1, speaker="system", text=policy + "Take B.", advice="Take B.")
    opened(tab, write_page(replace(material, transcripts=pd.concat([advised, policies, steps])), tmp_path / "out"))
    put(tab, "flip", "any")
    tab.until("document.querySelectorAll('#reader .step.system').length === 2")
    folded = "document.querySelectorAll('#reader .step.system details.long')"
    assert tab.run(f"{folded}.length") == 1
    assert tab.run(f"{folded}[0].open") is False
    assert tab.run(f"{folded}[0].querySelector('summary').innerText").endswith("… (2,800 characters)")
    assert tab.run("document.querySelector('#reader .step.system mark').innerText") == "Take B."


def test_labels_stand_in_the_margin_of_their_step(tab: Chromium, tmp_path: Path) -> None:
    material = load([build(tmp_path / "s", samples=6)])
    said = material.transcripts[material.transcripts["speaker"] == "judge"]
    labels = said[["study", "model", "benchmark", "sample_id", "arm", "epoch", "step"]].assign(
        behaviour="self_blame", importance=6, summary="Takes <b>it</b>.", quote="mistake", valid=True, labeller="L",
        compliance=None, person=None, stance=None, place="aloud",
    )  # fmt: skip
    opened(tab, write_page(replace(material, behaviours=labels), tmp_path / "out"))
    put(tab, "flip", "any")
    put(tab, "arm", "hypercritical judge x2 + skeptical")
    tab.until("document.querySelectorAll('#reader .step.judge .margin').length === 2")
    assert tab.run("document.querySelector('#reader .margin').innerText").startswith("self blame Takes <b>it</b>.")
    assert tab.run("document.querySelectorAll('#reader .step.agent .margin').length") == 0
