"""What is written for papers: tables, figures, methods, results; and models side by side in the terminal."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from jsonschema import Draft202012Validator
from rich.console import Console

from astray import report, tables
from astray.advice import Book, Check
from astray.cli import run
from astray.errors import InputError
from astray.measures import Estimate
from astray.report import Material, Study, gather, load, write_papers
from astray.report.comparing import unlike
from astray.report.papers import Sheet, sheets
from astray.report.papers.formats import one_line, said, to_csv, to_latex, to_markdown
from astray.report.papers.methods import methods
from astray.report.papers.sheet import P
from tests.measured import frame, outcomes
from tests.report_study import SETTINGS, build
from tests.studies import astray, book_for, choice_rows, scripted

HOSTILE = '<script>alert(1)</script> & 50% of $5_x #1 \\end{table} \u202eשלום\u202c 🙂 | a\nb "q" [x] =1+1'


def material(*parts: list[dict[str, Any]], settings: dict[str, Any] | None = None, name: str = "s") -> Material:
    rows = frame(*parts) if parts else pd.DataFrame(columns=list(frame(outcomes("xy", "✓")).columns))
    empty = pd.DataFrame()
    return Material((Study(name, Path("nowhere"), settings or {}),), rows, empty, empty)


def whole(found: Material) -> Material:
    """The same with every column that tables have when they are read."""
    empty = {name: pd.DataFrame(columns=tables.schema(name).names) for name in ("samples", "transcripts")}
    rows = found.outcomes.reindex(columns=tables.schema("outcomes").names)
    return Material(found.studies, rows, **empty)


def written(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    root = tmp_path_factory.mktemp("papers")
    write_papers(load([build(root / "study")]), root / "report")
    return written(root / "report")


def rows_of(files: dict[str, bytes], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[name].decode())))


# Files


def test_every_table_is_there_in_three_forms(files: dict[str, bytes]) -> None:
    names = {Path(name).stem for name in files if name.startswith("tables/")}
    assert names == {"arms", "differences", "rounds", "classes", "updating"}
    for name in names:
        assert {f"tables/{name}.csv", f"tables/{name}.md", f"tables/{name}.tex"} <= set(files)
    assert {"figures/forest.pdf", "figures/forest.svg", "figures/rounds.pdf", "figures/rounds.svg"} <= set(files)


def test_the_same_tables_give_the_same_bytes(files: dict[str, bytes], tmp_path: Path) -> None:
    write_papers(load([build(tmp_path / "study")]), tmp_path / "report")
    assert written(tmp_path / "report") == files


def test_csv_holds_whole_numbers_and_the_others_say_the_same(files: dict[str, bytes]) -> None:
    xy = next(row for row in rows_of(files, "tables/arms.csv") if row["arm"] == "xy")
    results = json.loads(files["results.json"])
    cell = next(cell for cell in results["cells"] if cell["arm"] == "xy")
    assert float(xy["change (points)"]) == cell["against_original"]["points"]["value"]
    assert float(xy["accuracy (%)"]) == pytest.approx(100 * cell["accuracy"]["value"])
    assert float(xy["accuracy (%) low"]) == pytest.approx(100 * cell["accuracy"]["low"])
    assert (xy["accuracy (%) n"], xy["void"]) == ("47", "1")
    shown = said(Estimate(**cell["against_original"]["points"]))
    assert shown.startswith("−29.8 [−")
    assert shown.replace("[", "\\[").replace("]", "\\]") in files["tables/arms.md"].decode()
    value, interval = shown.replace("−", "$-$").split(" ", 1)
    assert re.search(
        rf"& {re.escape(value)} &.*\n.*& {{\\tiny {re.escape(interval)}}} &", files["tables/arms.tex"].decode()
    )


def test_latex_is_whole(files: dict[str, bytes]) -> None:
    for name, data in files.items():
        if name.endswith(".tex"):
            latex_is_whole(data.decode())


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX on this machine")
def test_latex_is_set_no_wider_than_the_text(files: dict[str, bytes], tmp_path: Path) -> None:
    found = [name for name in files if name.endswith(".tex")]
    for name in found:
        (tmp_path / Path(name).name).write_bytes(files[name])
    packages = r"\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}\usepackage{booktabs,amssymb,graphicx}"
    put_in = "".join(rf"\input{{{Path(name).name}}}\clearpage" for name in found)
    source = rf"\documentclass{{article}}{packages}\begin{{document}}{put_in}\end{{document}}"
    (tmp_path / "all.tex").write_text(source)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout
    assert len(found) > 3


def latex_is_whole(text: str) -> None:
    """Environments match, every row has as many columns as the table, and nothing is left unescaped."""
    spec = re.search(r"\\begin\{tabular\}\{([lr]+)\}", text)
    assert spec is not None
    assert text.count(r"\begin{") == text.count(r"\end{") == 2
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    for row in body:
        if row == r"\addlinespace[2pt]":
            continue
        assert row.endswith(r" \\")
        assert len(re.findall(r"(?<!\\)&", row)) == len(spec[1]) - 1
        assert not row.startswith(("[", "*"))
        assert not re.search(r"(?<!\\)[#%_]", row)
        assert row.count("{") == row.count("}")


def test_results_hold_to_their_schema(files: dict[str, bytes]) -> None:
    schema, results = json.loads(files["results.schema.json"]), json.loads(files["results.json"])
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(results)
    assert results["format"] == "astray-results-1"
    assert results["studies"][0]["settings"]["hashes"] == SETTINGS["hashes"]
    broken = results | {"cells": [results["cells"][0] | {"arm": 7}]}
    assert not Draft202012Validator(schema).is_valid(broken)


def test_methods_name_every_setting_version_and_hash(files: dict[str, bytes]) -> None:
    text = files["methods.md"].decode()
    for value in (*SETTINGS["versions"].values(), *SETTINGS["hashes"].values(), "xy-neutral", "2,000 resamples"):
        assert value in text
    assert "1 epoch, temperature 0.0" in text
    assert "Void, and left out: 3 of 432 outcomes" in text


def test_figures_hold_text_and_no_date(files: dict[str, bytes]) -> None:
    forest = files["figures/forest.svg"].decode()
    assert "bad advice" in forest
    assert "<dc:date>" not in forest
    assert files["figures/forest.pdf"].startswith(b"%PDF-")
    assert b"CreationDate" not in files["figures/forest.pdf"]


def test_several_suites_have_their_own_figures(tmp_path: Path) -> None:
    two = [outcomes(arm, course, model=m) for m in ("a/b", "a b") for arm, course in (("original", "✓✗"), ("xy", "✗✗"))]
    write_papers(material(*two), tmp_path)
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == [
        "forest-s-a-b-b-1.pdf", "forest-s-a-b-b-1.svg", "forest-s-a-b-b-2.pdf", "forest-s-a-b-b-2.svg",
    ]  # fmt: skip


# What is unpleasant


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([], id="empty study"),
        pytest.param([outcomes("original", "✓"), outcomes("xy", "✗")], id="one sample"),
        pytest.param(
            [outcomes("original", "✓✓✓"), outcomes("xy", "✓✓✓"), outcomes("reask@2", ["✓✓✓"] * 3)], id="all right"
        ),
        pytest.param([outcomes("original", "!!"), outcomes("xy", "!!"), outcomes("reask", ["!!"])], id="all void"),
        pytest.param(
            [outcomes("original", "✓✗✓✗"), outcomes("xy", "✗"), outcomes("reask@2", ["✓✗", "✓"])], id="half run"
        ),
        pytest.param([outcomes("xy", "✓✗")], id="no original"),
        pytest.param(
            [outcomes("original", "✓"), [row | {"sample_id": "z"} for row in outcomes("xy", "✓")]], id="one arm only"
        ),
        pytest.param([outcomes("original", "✓✗"), outcomes("arm of another version@x", "✗✗")], id="unknown arm"),
    ],
)
def test_sensible_output_for(parts: list[list[dict[str, Any]]], tmp_path: Path) -> None:
    page = re.sub(r"(?s)<(script|style)\b.*?</\1>", "", report.render(whole(material(*parts))))
    assert "<h1" in page
    assert not re.search(r"(?i)\b(nan|none|inf)\b", re.sub("<[^>]*>", " ", page))
    write_papers(material(*parts), tmp_path)
    files = written(tmp_path)
    schema, results = json.loads(files["results.schema.json"]), json.loads(files["results.json"])
    Draft202012Validator(schema).validate(results)
    assert b"NaN" not in files["results.json"]
    for name, data in files.items():
        if name.startswith("tables/"):
            assert not re.search(r"\b(nan|None|inf)\b", data.decode()), name
        if name.endswith(".tex") and parts:
            latex_is_whole(data.decode())
    assert "tables/arms.csv" in files
    assert "Statistics" in files["methods.md"].decode()


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"value": float("nan")}, "3 scored rows hold no value, the first is sample 'q000', arm 'xy', round 0"),
        ({"outcome": "of another version"}, "unknown outcome class of another version"),
    ],
)
def test_rows_that_cannot_be_are_named(more: dict[str, Any], says: str) -> None:
    found = whole(material(outcomes("original", "✓✗✓"), outcomes("xy", "✗✗✗", **more)))
    with pytest.raises(InputError, match=re.escape(says)):
        report.render(found)
    with pytest.raises(InputError, match=re.escape(says)):
        gather(found)


def test_hostile_names_harm_nothing(tmp_path: Path) -> None:
    parts = [outcomes(arm, course, study=HOSTILE, model=HOSTILE) for arm, course in (("original", "✓✗"), ("xy", "✗✗"))]
    more = [outcomes("xy", "✗✓", study="[t]", model="*m*"), outcomes("original", "✗✓", study="[t]", model="*m*")]
    settings = {"note": HOSTILE, "versions": {"x": HOSTILE}, "rate": float("nan"), "nothing": None}
    write_papers(material(*parts, *more, settings=settings, name=HOSTILE), tmp_path)
    files = written(tmp_path)
    json.loads(files["results.json"])
    assert json.loads(files["results.json"])["studies"][0]["settings"]["rate"] is None
    assert (
        rows_of(files, "tables/arms.csv")[0]["study"]
        == HOSTILE.split(" \u202e")[0] + ' \u202eשלום\u202c 🙂 | a\nb "q" [x] =1+1'
    )
    for name, data in files.items():
        text = data.decode("utf-8", errors="replace")
        if name.endswith((".md", ".svg")):
            assert "<script" not in text, name
        if name.endswith((".md", ".tex")):
            assert "\u202e" not in text, name
        if name.endswith(".tex"):
            latex_is_whole(text)


def test_a_table_is_made_narrow_for_readers_alone() -> None:
    rows = (
        ("s", "xy", Estimate(1.0, 0.5, 2.0, 9), P(0.5), None),
        ("s", "a|b", Estimate(None, None, None, 0), P(None), 3),
    )
    sheet = Sheet("t", "A table.", ("study", "arm", "value", "p", "k"), rows)
    assert to_csv(sheet).splitlines() == [
        "study,arm,value,value low,value high,value n,p,k", "s,xy,1.0,0.5,2.0,9,0.5,", "s,a|b,,,,0,,3",
    ]  # fmt: skip
    assert to_markdown(sheet).splitlines() == [
        "| arm | value | p | k |",
        "|:---|---:|---:|---:|",
        "| xy | 1.0 \\[0.5, 2.0\\] | 0.50 | – |",
        "| a\\|b | – | – | 3 |",
        "",
        "A table. study: s.",
    ]
    assert "study & " not in to_latex(sheet)
    assert one_line("a\u0000b\u202e c\n\td") == "ab c d"


# Side by side


def console() -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, width=140), out


def test_studies_are_compared_with_what_is_not_shared_said(tmp_path: Path) -> None:
    folders = [build(tmp_path / "a"), build(tmp_path / "b", name="other", samples=60)]
    screen, out = console()
    report.compare(load(folders), screen)
    text = out.getvalue()
    assert "starter, bad advice: change against no advice, points (47 shared samples)" in text
    assert re.search(r"1 +1–?2? +50% .* 12 +astray/qwen2.5-coder-1.5b +other", text)
    assert "Published" not in text


def test_published_numbers_stand_below_and_are_marked() -> None:
    arms = [outcomes("original", "✓✗", model=m, benchmark="inspect_evals/arc_challenge") for m in "ab"]
    screen, out = console()
    report.compare(material(*arms), screen)
    assert "Published numbers, for orientation: other samples, other harnesses, no intervals." in out.getvalue()
    assert "published: arXiv 2506.03332, 4.2" in out.getvalue()
    made = {sheet.name: sheet for sheet in sheets(gather(material(*arms)))}
    assert {"ranking", "published"} <= set(made)


def test_nothing_to_compare_is_said() -> None:
    screen, out = console()
    report.compare(material(outcomes("original", "✓")), screen)
    assert "Nothing to compare" in out.getvalue()


def test_settings_that_differ_are_named() -> None:
    one = {"benchmark": "b", "temperature": 0.0, "fingerprint": "x", "epochs": 1}
    studies = [Study(name, Path(name), one | more) for name, more in (("s", {}), ("t", {"temperature": 0.7}))]
    assert unlike(studies) == ["b: studies differ in temperature: 0.0 / 0.7"]
    assert unlike([*studies[:1], Study("u", Path("u"), {})]) == []


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [str(build(tmp_path / "a")), str(build(tmp_path / "b", name="other"))]
    assert run(["compare", *folders]) == 0
    assert "48 shared samples" in capsys.readouterr().out
    assert run(["report", *folders, "--out", str(tmp_path / "both")]) == 0
    assert {"index.html", "methods.md", "results.json", "tables/ranking.tex"} <= set(written(tmp_path / "both"))
    assert run(["compare", str(tmp_path / "nowhere")]) == 1


def test_methods_without_any_setting() -> None:
    text = methods(gather(material(outcomes("original", "✓"))))
    assert "none are recorded" in text


# From a run to the report


def test_a_run_hands_on_what_its_book_records(tmp_path: Path) -> None:
    rows = choice_rows(tmp_path / "rows.jsonl", 2)
    book = Book.load(book_for(tmp_path / "book.jsonl", ["q0", "q1", "elsewhere"]))
    checks = (Check(name="harm", result="passed", by="execution", note="leads to C"),)
    checked = [row.model_copy(update={"checks": checks if row.stance == "bad" else ()}) for row in book.suggestions]
    path = Book.make(book.header, checked).save(tmp_path / "checked.jsonl")
    with scripted(lambda _: '{"reasoning": "So.", "answer": "B"}', tmp_path / "cache"):
        assert astray("run", rows, "--advice", str(path), out=tmp_path / "out", arms="xy") == 0
    table = tables.read(tmp_path / "out", "checks")
    assert table[["sample_id", "stance", "name", "result", "by"]].to_numpy().tolist() == [
        ["q0", "bad", "harm", "passed", "execution"],
        ["q1", "bad", "harm", "passed", "execution"],
    ]
    (bad,) = rows_of(written(tmp_path / "out" / "report"), "tables/bad-advice.csv")
    assert (bad["arm"], bad["shown harmful"], bad["all (points) n"]) == ("xy", "2", "2")
