"""The paragraph on methods: what was done, with all settings, versions and hashes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

import jinja2

from astray.measures import Cell
from astray.measures.equivalence import MARGIN
from astray.measures.estimates import DRAWS, SEED
from astray.report.papers.formats import one_line
from astray.report.papers.results import Results
from astray.report.words import arm_line
from astray.tables import NO_ANSWER, VOID

_MARKS: Final = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]#|~"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"})


def methods(results: Results) -> str:
    """Markdown: a paragraph for each study, one on the statistics, and a list of all settings."""
    template = _templates().get_template("methods.md.j2")
    return template.render(
        studies=[_study(record.name, record.settings, results) for record in results.studies],
        astray=results.astray,
        draws=f"{DRAWS:,}",
        seed=SEED,
        margin=f"{MARGIN:g}",
        no_answer=", ".join(sorted(NO_ANSWER)),
        void=", ".join(sorted(VOID)),
    )


def _study(name: str, settings: Mapping[str, Any], results: Results) -> dict[str, Any]:
    own = [cell for cell in results.cells if cell.study == name]
    arms = dict.fromkeys(cell.arm for cell in own)
    return {
        "name": name,
        "settings": list(_flat(settings)),
        "models": _several(cell.model for cell in own),
        "benchmarks": _several(cell.benchmark for cell in own),
        "judges": _several(cell.judge for cell in own),
        "books": _several(cell.book for cell in own),
        "arms": [(arm, arm_line(arm)) for arm in arms],
        "samples": max((cell.n for cell in own), default=0),
        "void": _void(own),
        "asked": settings,
    }


def _void(cells: Iterable[Cell]) -> str:
    """How many outcomes are void, over all arms and rounds."""
    rows = [(cell.void, cell.rows) for cell in cells]
    void, of = sum(v for v, _ in rows), sum(r for _, r in rows)
    return f"{void} of {of} outcomes"


def _several(names: Iterable[str | None]) -> str:
    return ", ".join(dict.fromkeys(name for name in names if name))


def _flat(settings: Mapping[str, Any], before: str = "") -> Iterable[tuple[str, str]]:
    """Every setting as (name, value); those within others with both names."""
    for key, value in settings.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}.")
        elif value not in (None, "", [], ()):
            yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _templates() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("astray.report.papers", "."),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=lambda value: one_line(str(value)).translate(_MARKS) if value is not None else "",
    )
