"""Writing the files for papers."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from astray.measures import Summary
from astray.report.load import Material
from astray.report.papers.figures import figures
from astray.report.papers.formats import to_csv, to_latex, to_markdown
from astray.report.papers.methods import methods
from astray.report.papers.results import Results, gather
from astray.report.papers.sheets import sheets
from astray.report.words import Suite, suites
from astray.tables import replacing


def write_papers(material: Material, out: Path) -> Results:
    """Write tables, figures, methods and results below ``out``, and return the results.

    ``tables/*.csv|md|tex``, ``figures/*.pdf|svg``, ``methods.md``, ``results.json`` and ``results.schema.json``, the
    JSON schema it holds to. The same tables give the same bytes.

    Raises:
        InputError: The outcomes can't be used.
        AstrayError: ``out`` can't be written.
    """
    results = gather(material)
    for sheet in sheets(results):
        for ending, form in (("csv", to_csv), ("md", to_markdown), ("tex", to_latex)):
            _write(out / "tables" / f"{sheet.name}.{ending}", form(sheet).encode("utf-8", errors="replace"))
    shown = suites(Summary(results.cells))
    for suite, slug in zip(shown, _slugs(shown), strict=True):
        for name, ending, data in figures(suite):
            _write(out / "figures" / f"{name}{slug}.{ending}", data)
    _write(out / "methods.md", methods(results).encode("utf-8", errors="replace"))
    _write(out / "results.json", _json(results.model_dump(mode="json")))
    _write(out / "results.schema.json", _json(Results.model_json_schema(mode="serialization")))
    return results


def _write(path: Path, data: bytes) -> None:
    with replacing(path) as handle:
        handle.write(data)


def _json(data: Any) -> bytes:
    text = json.dumps(_finite(data), indent=1, ensure_ascii=False, allow_nan=False)
    return (text + "\n").encode("utf-8", errors="replace")


def _finite(data: Any) -> Any:
    """The same, numbers that JSON has no word for as null."""
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def _slugs(shown: Iterable[Suite]) -> list[str]:
    """What tells the figures of several suites apart, fit for a file's name; nothing where there is one."""
    names = [_slug(f"{suite.study}-{suite.model}-{suite.benchmark}") for suite in shown]
    if len(names) < 2:
        return [""] * len(names)
    uses = Counter(names)
    return [f"-{name}" if uses[name] == 1 else f"-{name}-{place}" for place, name in enumerate(names, 1)]


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")[:80] or "study"
