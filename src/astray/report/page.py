"""The page: one self-contained HTML file, made from tables alone; long transcripts may stand in files beside it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import jinja2
from markupsafe import Markup

from astray import tables
from astray.report import words
from astray.report.browser import Store, store
from astray.report.browser.store import ROOM
from astray.report.load import Material, Study, load
from astray.report.papers.results import Results, gather
from astray.report.sections import (
    Chapter,
    Section,
    advice_section,
    arms_section,
    chapters,
    conversations_section,
    models_section,
    name,
    rounds_section,
    subsets_section,
    traces_section,
    validity_section,
)

SCRIPTS: Final = ("page.js", "index.js", "list.js", "reader.js")
"""Joined in this order into the one script of the page."""

MOST: Final = 4_800_000
"""Bytes of sections and transcripts together: with style and script the page is then below 5 MB."""

STYLES: Final = ("figure.css", "page.css", "browser.css", "print.css")


@dataclass(frozen=True)
class Page:
    """The page, and the texts of the files beside it by name."""

    html: str
    beside: dict[str, str]


@dataclass(frozen=True)
class Drawn:
    """A section as HTML."""

    id: str
    title: str
    html: Markup


@dataclass(frozen=True)
class Part:
    """A chapter as the template shows it: its sections, ids told apart from those of other chapters."""

    id: str
    name: str
    chapter: Chapter
    sections: tuple[Drawn, ...]


def write_report(folders: Sequence[Path], out: Path) -> Path:
    """Write ``out/index.html`` from the tables of one or more study folders and return its path.

    Raises:
        InputError: A folder holds no outcomes, or they can't be used.
        AstrayError: ``out`` can't be written.
    """
    return write_page(load(folders), out)


def write_page(material: Material, out: Path, results: Results | None = None) -> Path:
    """Write ``out/index.html``, and ``more-N.js`` beside it where transcripts are too long for one page.

    Args:
        material: The tables.
        out: The folder; files ``more-N.js`` of an earlier page in it are removed.
        results: What was measured already, to save the time.

    Returns:
        The page's path.

    Raises:
        AstrayError: ``out`` can't be written.
    """
    page = make(material, results)
    out = Path(out)
    for file, text in page.beside.items():
        with tables.replacing(out / file) as handle:
            handle.write(text.encode())
    path = out / "index.html"
    with tables.replacing(path) as handle:
        handle.write(page.html.encode("utf-8", errors="replace"))
    for old in out.glob("more-*.js"):
        if old.name not in page.beside:
            old.unlink(missing_ok=True)
    return path


def render(material: Material, results: Results | None = None) -> str:
    """The page as text."""
    return make(material, results).html


def make(material: Material, results: Results | None = None, *, room: int = ROOM) -> Page:
    """The page and what stands beside it.

    Args:
        material: The tables.
        results: What was measured already, to save the time.
        room: Bytes of transcripts that the page holds itself; fewer where its sections leave less of `MOST`.
    """
    results = gather(material) if results is None else results
    found = chapters(material, results)
    level = 2 if len(found) == 1 else 3
    parts = [_part(chapter, found, place, level) for place, chapter in enumerate(found, 1)]
    models = _drawn(models_section(found, results), "", 2)
    drawn = [one for part in parts for one in part.sections] + ([models] if models else [])
    kept = store(material, min(room, MOST - sum(len(one.html.encode("utf-8", "replace")) for one in drawn)))
    script = "\n".join(_text(name) for name in SCRIPTS)
    html = (
        _environment()
        .get_template("index.html.j2")
        .render(
            title=_title(found, material.studies),
            parts=parts,
            models=models,
            studies=[(study, _arms_of(study, found)) for study in material.studies],
            warnings=[w for study in material.studies for w in _warnings(study)],
            store=kept,
            style=Markup("\n".join(_text(name) for name in STYLES)),
            figure_style=Markup(_text("figure.css")),
            script=Markup(script),
            policy=_policy(script, kept),
        )
    )
    inside = len(kept.inside)
    return Page(html, {f"more-{inside + place}.js": text for place, text in enumerate(kept.beside)})


def _policy(script: str, kept: Store) -> str:
    """What the page may do: run this very script, and load the files beside it where there are any."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    more = " 'self' file:" if kept.beside else ""
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'{more}; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _part(chapter: Chapter, every: Sequence[Chapter], place: int, level: int) -> Part:
    id = f"suite-{place}"
    if not chapter.suite.cells:
        return Part(id, name(chapter, every), chapter, _sections((traces_section(chapter),), id, level))
    sections = (
        arms_section(chapter.suite, words.power_note(chapter.suite)),
        rounds_section(chapter.suite, chapter.tracks),
        advice_section(chapter),
        conversations_section(chapter),
        traces_section(chapter),
        validity_section(chapter),
        subsets_section(chapter),
    )
    return Part(id, name(chapter, every), chapter, _sections(sections, id, level))


def _sections(sections: Sequence[Section | None], id: str, level: int) -> tuple[Drawn, ...]:
    return tuple(one for section in sections if (one := _drawn(section, f"{id}-", level)))


def _drawn(section: Section | None, prefix: str, level: int) -> Drawn | None:
    """A section with its heading of this level; ``prefix`` stands before its id."""
    if section is None:
        return None
    html = _environment().get_template("section.html.j2").render(section=section, prefix=prefix, level=level)
    return Drawn(prefix + section.id, section.title, Markup(html))


def _title(found: Sequence[Chapter], studies: Sequence[Study]) -> str:
    if len(found) == 1:
        return f"{found[0].suite.model} on {found[0].suite.benchmark}"
    return ", ".join(dict.fromkeys(study.name for study in studies)) or "No outcomes"


def _warnings(study: Study) -> list[str]:
    found = study.settings.get("warnings") or []
    return [str(item) for item in ([found] if isinstance(found, str) else found)]


def _arms_of(study: Study, found: Sequence[Chapter]) -> list[str]:
    own = [chapter for chapter in found if chapter.suite.study == study.name]
    return list(dict.fromkeys(arm for chapter in own for arm in chapter.arms))


@cache
def _text(name: str) -> str:
    return (files("astray.report") / "templates" / name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    """Everything is escaped, an undefined name raises."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("astray.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        line=words.arm_line,
        notes=words.notes,
        tied=lambda text: text.replace("n = ", "n\u00a0=\u00a0"),
        say=lambda name: str(name).replace("_", " "),
        block=lambda block: type(block).__name__,
        digits=lambda value: str(value) if isinstance(value, int) else f"{value:.8g}",
        courses=lambda pattern: pattern.replace("✓", "right ").replace("✗", "not right ").strip(),
    )
    tests: dict[str, Any] = {
        "tree": lambda value: isinstance(value, dict),
        "row": lambda value: isinstance(value, (list, tuple)),
    }
    environment.tests.update(tests)
    return environment
