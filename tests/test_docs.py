"""The documentation holds: its Python runs, its files load, its commands can be asked for."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from astray.advice import Book
from astray.arm import parse_arms
from astray.benchmarks.hf import FieldMap, ready_maps
from astray.benchmarks.qa import load_rows
from astray.cli import VERBS, astray
from astray.evidence import Pack
from astray.study import load_study
from astray.terms import TERMS
from tests import tables_page

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md"])


def blocks(language: str) -> list[tuple[str, str]]:
    found = []
    for page in PAGES:
        fences = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
        of_language = [text for name, text in fences if name == language]
        found += [(f"{page.name}-{number}", text) for number, text in enumerate(of_language, 1)]
    return found


def test_the_page_of_tables_is_that_of_the_row_types() -> None:
    made = tables_page.page()
    assert (ROOT / "docs" / "tables.md").read_text("utf-8") == made, "python tests/tables_page.py > docs/tables.md"


def commands() -> list[str]:
    text = "\n".join(text for _, text in blocks("")).replace("\\\n", " ")
    return sorted({line.strip() for line in re.findall(r"^\s*(astray [a-z].*)$", text, re.MULTILINE)})


@pytest.mark.parametrize("text", [pytest.param(text, id=id) for id, text in blocks("python") if "read(" not in text])
def test_python_runs(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(text, "docs", "exec"), {"__name__": "docs"})


def test_the_book_loads(tmp_path: Path) -> None:
    (text,) = [text for id, text in blocks("json") if id.startswith("books")]
    (tmp_path / "book.jsonl").write_text(text)
    assert Book.load(tmp_path / "book.jsonl").find("sum-1", "neutral")


def test_the_pack_loads(tmp_path: Path) -> None:
    (text,) = [text for id, text in blocks("json") if id.startswith("evidence")]
    (tmp_path / "pack.jsonl").write_text(text)
    assert Pack.load(tmp_path / "pack.jsonl").find("fish-1")


def test_the_rows_load(tmp_path: Path) -> None:
    (text,) = [text for id, text in blocks("json") if id.startswith("benchmarks")]
    (tmp_path / "rows.jsonl").write_text(text)
    assert [row.the_kind for row in load_rows(tmp_path / "rows.jsonl")] == ["choice", "short", "boolean"]


@pytest.mark.parametrize("text", [pytest.param(text, id=id) for id, text in blocks("yaml") if "benchmark:" in text])
def test_the_studies_load(text: str, tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(text)
    study = load_study(tmp_path / "study.yaml")
    if study.benchmark.startswith("hf:"):
        map = ready_maps()[study.benchmark.removeprefix("hf:")]
        FieldMap.model_validate({**map.model_dump(), **study.task_args})


@pytest.mark.parametrize("line", commands())
def test_commands_can_be_asked_for(line: str) -> None:
    _, verb, *words = shlex.split(line, comments=True)
    assert verb in VERBS
    command = astray.get_command(click.Context(astray), verb)
    if isinstance(command, click.Group):
        verb, *words = words
        command = command.get_command(click.Context(command), verb)
    assert command is not None
    context = command.make_context(verb, [word for word in words if word != "…"], resilient_parsing=False)
    parse_arms(context.params.get("arms") or "original")


def test_every_term_is_explained() -> None:
    text = (ROOT / "docs" / "arms.md").read_text() + (ROOT / "docs" / "judges.md").read_text()
    for term in TERMS.values():
        if not term.text.startswith("judge-"):
            assert f"`{term.text}" in text, term.text
