"""Every prompt of astray: Markdown files with front matter, one folder for each room, filled in one pass.

A prompt's id is its path without the ending (``qa/choice``). Values are never templates, and an undefined
variable raises. Version and hash go into every log and book.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import yaml
from jinja2 import Environment, StrictUndefined, Template, UndefinedError

_JINJA = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)


@dataclass(frozen=True)
class Prompt:
    """One prompt: its id, its version from the front matter, and its text, a Jinja template."""

    id: str
    version: int
    text: str

    def fill(self, **values: Any) -> str:
        """The text with ``values`` put in; values are not read as templates.

        Raises:
            LookupError: The prompt names a variable that isn't given.
        """
        try:
            return _compiled(self.text).render(**values).strip()
        except UndefinedError as error:
            raise LookupError(f"prompt {self.id}: {error.message}") from error


@cache
def load(id: str) -> Prompt:
    """The prompt with this id.

    Raises:
        LookupError: There is none, or its front matter has no version.
    """
    file = _folder().joinpath(f"{id}.md")
    if not file.is_file():
        raise LookupError(f"no prompt {id}.md among {', '.join(all_ids())}")
    _, front, text = file.read_text(encoding="utf-8").split("---\n", 2)
    version = (yaml.safe_load(front) or {}).get("version")
    if not isinstance(version, int):
        raise LookupError(f"prompt {id}.md: front matter lacks an integer 'version'")
    return Prompt(id, version, text.strip())


@cache
def variants(folder: str) -> tuple[Prompt, ...]:
    """All prompts of one folder, by name: alternatives of which one is drawn."""
    ids = [id for id in all_ids() if id.rpartition("/")[0] == folder]
    if not ids:
        raise LookupError(f"no prompts in {folder}/")
    return tuple(load(id) for id in ids)


@cache
def all_ids() -> tuple[str, ...]:
    """The ids of all prompts, sorted."""
    return tuple(sorted(_walk(_folder(), "")))


@cache
def digest() -> str:
    """One hash over every prompt's id, version and text: part of a run's identity."""
    parts = [f"{p.id}\0{p.version}\0{p.text}" for p in map(load, all_ids())]
    return hashlib.sha256("\0\0".join(parts).encode()).hexdigest()[:12]


@cache
def _compiled(text: str) -> Template:
    return _JINJA.from_string(text)


def _folder() -> Traversable:
    return files(__name__)


def _walk(folder: Traversable, prefix: str) -> Sequence[str]:
    found: list[str] = []
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.name.startswith("_"):
            found += _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".md"):
            found.append(prefix + entry.name.removesuffix(".md"))
    return found
