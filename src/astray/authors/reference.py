"""What a task keeps of its solution beside the answer: patches and scripts, tests, claims, tools, by where they stand.

The names are those of SWE-bench (Verified and Pro), of Harbor's tasks as inspect_harbor brings them (Terminal-Bench
among them), of tasks that bring such files along, and of MCP-Atlas. Another task is a name more in a table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from inspect_ai.dataset import Sample

MOST: Final = 20_000
"""Characters that are told of the files of a solution, and of those of its tests."""

PATCHES: Final = (("patch", "gold_patch"), ("test_patch",))
"""Metadata with the reference patch, and with that of its tests, whatever their case; a task has both or neither."""

TEXTS: Final[Mapping[str, tuple[str, ...]]] = {
    "solution": ("solution", "solution_script", "oracle_solution"),
    "tests": ("tests", "test_script", "test_code"),
}
"""Metadata that hold a script, or several by their names."""

PATHS: Final[Mapping[str, tuple[str, ...]]] = {
    "solution": ("solution_dir", "solve_path", "solution_path"),
    "tests": ("tests_dir", "test_path", "tests_path"),
}
"""Metadata that say where on this machine a script lies, or a folder of files."""

FILES: Final[Mapping[str, tuple[str, ...]]] = {
    "solution": ("solution/", "solution.sh", "solve.sh"),
    "tests": ("tests/", "run-tests.sh", "run_tests.sh"),
}
"""Files that a sample brings along: those of a folder of this name, or of this name itself."""

CLAIMS: Final = ("gtfa_claims", "claims")
"""Metadata with what a right answer states, a list or JSON."""

TOOLS: Final = ("enabled_tools",)
"""Metadata with the tools that who answers has: names, or objects with a name; a list or JSON."""


@dataclass(frozen=True)
class Reference:
    """What is known of a sample's solution.

    Attributes:
        text: The solution and its tests, or the claims; empty where the task keeps none.
        is_patch: Whether the solution is a patch of a code base.
        tools: Names of the tools that who answers has.
    """

    text: str = ""
    is_patch: bool = False
    tools: tuple[str, ...] = ()


def reference_of(sample: Sample) -> Reference:
    """What the sample's metadata, and the files it brings along, say of its solution."""
    known = {key.lower(): value for key, value in (sample.metadata or {}).items()}
    tools = tuple(_names(_first(known, TOOLS)))
    # A patch may come without tests, though not without a word about them.
    patch, tests = (next((known[name] for name in names if name in known), None) for names in PATCHES)
    if isinstance(patch, str) and isinstance(tests, str):
        return Reference(_joined([patch, tests]), True, tools)
    solution, tests = (_part(what, known, sample.files or {}) for what in ("solution", "tests"))
    claims = "\n".join(f"- {claim}" for claim in _listed(_first(known, CLAIMS)) if isinstance(claim, str))
    is_patch = any(line.startswith("diff --git ") for line in solution.splitlines())
    return Reference(_joined([solution, tests, claims]), is_patch, tools)


def _part(what: str, known: Mapping[str, Any], files: Mapping[str, str]) -> str:
    """A solution, or its tests, from the first place that has it."""
    text = _first(known, TEXTS[what])
    if isinstance(text, str):
        return text
    if isinstance(text, Mapping):
        return _shown((str(name), str(content)) for name, content in text.items())
    for place in (known[name] for name in PATHS[what] if isinstance(known.get(name), str) and known[name]):
        if found := _shown(_read(Path(place))):
            return found
    return _shown((name, _content(given)) for name, given in sorted(files.items()) if _is_of(what, name))


def _is_of(what: str, name: str) -> bool:
    return any(
        (f"/{place}" in f"/{name}") if place.endswith("/") else Path(name).name == place for place in FILES[what]
    )


def _content(given: str) -> str:
    """The text of a sample's file, which may be given by where it lies; empty where it isn't text."""
    if given.startswith("data:"):
        return ""
    try:
        return _text(Path(given)) if Path(given).is_file() else given
    except OSError:  # too long for a path
        return given


def _read(path: Path) -> Iterator[tuple[str, str]]:
    """(name, text) of a file, or of those in a folder, scripts first; what isn't text is left out."""
    if path.is_file():
        yield path.name, _text(path)
    found = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else []
    for file in sorted(found, key=lambda file: (file.suffix not in (".sh", ".py"), file)):
        yield file.relative_to(path).as_posix(), _text(file)


def _text(path: Path) -> str:
    """What a file says, as far as there is room for it; empty where it isn't text."""
    try:
        with path.open(encoding="utf-8") as handle:
            return handle.read(MOST + 1)
    except (OSError, UnicodeDecodeError):
        return ""


def _shown(files: Iterable[tuple[str, str]]) -> str:
    """Files one below the other, each under its name, cut where there is too much."""
    text = ""
    for name, content in files:
        text += f"\n\n{name}:\n{content.strip()}" if content.strip() else ""
        if len(text) > MOST:
            return text[:MOST].strip() + "\n(cut)"
    return text.strip()


def _first(known: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The first of these that says something, or None."""
    return next((known[name] for name in names if known.get(name)), None)


def _listed(value: Any) -> list[Any]:
    """A list, given as one or as JSON; empty where it is neither."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except json.JSONDecodeError:
            return []
    return list(value) if isinstance(value, (list, tuple)) else []


def _names(value: Any) -> Iterator[str]:
    for one in _listed(value):
        name = one.get("name") if isinstance(one, dict) else one
        if isinstance(name, str):
            yield name


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part.rstrip() for part in parts if part.strip())
