"""The page: one self-contained HTML file, made from tables alone."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import jinja2
import pandas as pd
from markupsafe import Markup

from astray import tables
from astray.measures import Attacks, Cell, attacks, summarize
from astray.report import words
from astray.report.chart import Chart, chart
from astray.report.flipped import Flips, flipped
from astray.report.load import Material, Study, load
from astray.report.reading import reading_notes
from astray.report.subsets import SubsetRow, subset_rows
from astray.tables import VOID, Outcome

MOST_VOID: Final = 500
"""Void outcomes that are listed one by one."""


@dataclass(frozen=True)
class Chapter:
    """What the page shows of one model and benchmark."""

    suite: words.Suite
    findings: tuple[str, ...]
    doubts: tuple[str, ...]
    power: str | None
    chart: Chart
    classes: tuple[str, ...]
    strategies: tuple[tuple[str, int, float], ...]
    reading: tuple[str, ...]
    subsets: tuple[SubsetRow, ...]
    attacks: tuple[Attacks, ...]
    flips: Flips
    void: tuple[dict[str, Any], ...]


def write_report(folders: Sequence[Path], out: Path) -> Path:
    """Write ``out/index.html`` from the tables of one or more study folders and return its path.

    Raises:
        InputError: A folder holds no outcomes, or they can't be used.
        AstrayError: ``out`` can't be written.
    """
    return write_page(load(folders), out)


def write_page(material: Material, out: Path) -> Path:
    """Write ``out/index.html`` from tables in memory and return its path.

    Raises:
        AstrayError: ``out`` can't be written.
    """
    html = render(material)
    path = Path(out) / "index.html"
    with tables.replacing(path) as handle:
        handle.write(html.encode("utf-8", errors="replace"))
    return path


def render(material: Material) -> str:
    """The page as text."""
    chapters = tuple(_chapter(suite, material) for suite in words.suites(summarize(material.outcomes)))
    script = _text("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        _templates()
        .get_template("index.html.j2")
        .render(
            title=_title(chapters, material.studies),
            chapters=chapters,
            studies=material.studies,
            warnings=[w for study in material.studies for w in _warnings(study)],
            style=Markup(_text("page.css")),
            script=Markup(script),
            script_hash=digest,
        )
    )


def _chapter(suite: words.Suite, material: Material) -> Chapter:
    own = material.outcomes
    own = own[(own["study"] == suite.study) & (own["model"] == suite.model) & (own["benchmark"] == suite.benchmark)]
    return Chapter(
        suite=suite,
        findings=words.findings(suite),
        doubts=words.doubts(suite),
        power=words.power_note(suite),
        chart=chart(suite),
        classes=tuple(str(o) for o in Outcome if any(cell.counts[o] for cell in suite.cells)),
        strategies=_strategies(own),
        reading=reading_notes(own),
        subsets=subset_rows(own, suite.arms),
        attacks=_attacks(suite, material),
        flips=flipped(suite, material),
        void=tuple(_void(own)),
    )


def _attacks(suite: words.Suite, material: Material) -> tuple[Attacks, ...]:
    """What the critiques of models were; set phrases are what they should be by construction."""
    found = [one for one in attacks(material.critiques) if one.judge is not None]
    own = [one for one in found if (one.study, one.model, one.benchmark) == (suite.study, suite.model, suite.benchmark)]
    return tuple(sorted(own, key=lambda one: suite.arms.index(one.arm) if one.arm in suite.arms else len(suite.arms)))


def _strategies(outcomes: pd.DataFrame) -> tuple[tuple[str, int, float], ...]:
    """How answers were read: (strategy, rows, share of the rows that aren't void), commonest first."""
    read = outcomes[~outcomes["outcome"].isin([str(o) for o in VOID])]["strategy"]
    counts = Counter(str(name) if name else "no answer read" for name in read)
    total = sum(counts.values())
    return tuple((name, count, count / total) for name, count in sorted(counts.items(), key=lambda i: (-i[1], i[0])))


def _void(outcomes: pd.DataFrame) -> list[dict[str, Any]]:
    rows = outcomes[outcomes["outcome"].isin([str(o) for o in VOID])]
    return [{str(key): value for key, value in row.items()} for row in rows.to_dict("records")]


def _title(chapters: Sequence[Chapter], studies: Sequence[Study]) -> str:
    if len(chapters) == 1:
        return f"{chapters[0].suite.model} on {chapters[0].suite.benchmark}"
    return ", ".join(dict.fromkeys(study.name for study in studies)) or "No outcomes"


def _warnings(study: Study) -> list[str]:
    found = study.settings.get("warnings") or []
    return [str(item) for item in ([found] if isinstance(found, str) else found)]


def _text(name: str) -> str:
    return (files("astray.report") / "templates" / name).read_text(encoding="utf-8")


def _templates() -> jinja2.Environment:
    """Everything is escaped, an undefined name raises."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("astray.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        percent=words.percent,
        signed=words.signed,
        spread=words.spread,
        p=words.p_text,
        label=words.arm_label,
        line=words.arm_line,
        bad=words.is_bad,
        kind=words.class_kind,
        notes=words.notes,
        widths=widths,
        tied=lambda text: text.replace("n = ", "n\u00a0=\u00a0"),
        say=lambda name: str(name).replace("_", " "),
    )
    environment.globals.update(most_void=MOST_VOID, arms_of=arms_of)
    environment.tests["tree"] = lambda value: isinstance(value, dict)
    environment.tests["row"] = lambda value: isinstance(value, (list, tuple))
    return environment


def widths(cell: Cell, classes: Sequence[str]) -> list[tuple[str, float]]:
    """Widths in percent of the stacked bar of a cell, by outcome class."""
    return [(name, 100 * cell.counts[name] / cell.rows) for name in classes if cell.counts[name]]


def arms_of(study: Study, chapters: Sequence[Chapter]) -> list[str]:
    """The arms of a study, in order."""
    own = [chapter.suite for chapter in chapters if chapter.suite.study == study.name]
    return list(dict.fromkeys(arm for suite in own for arm in suite.arms))
