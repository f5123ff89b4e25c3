"""The study folder: what was asked for is written down, and another question in the same folder is refused."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import yaml

from astray import prompts
from astray.errors import InputError, StudyMismatch
from astray.evidence import PackSource
from astray.study.prepare import Prepared
from astray.study.spec import FREE, GROWS
from astray.tables import replacing


@dataclass(frozen=True)
class Folder:
    """Paths within a study folder."""

    root: Path

    @property
    def study(self) -> Path:
        """What was asked, with all settings, versions and hashes."""
        return self.root / "study.yaml"

    @property
    def logs(self) -> Path:
        """Inspect's logs."""
        return self.root / "logs"

    @property
    def books(self) -> Path:
        """Copies of the advice books used."""
        return self.root / "books"

    @property
    def cache(self) -> Path:
        """Answers that were paid for, by question: an interrupted sample goes on from them."""
        return self.root / "cache"

    @property
    def tables(self) -> Path:
        """The tables."""
        return self.root / "tables"


SELF_ADVISED = "The advice was written by the evaluated model itself."


def advised_by_itself(prepared: Prepared) -> bool:
    """Whether the evaluated model wrote the advice, or some of it: what it finds plausible may be what it falls for."""
    book = prepared.book
    return book is not None and prepared.study.model in {book.header.author, *(row.author for row in book.rows)}


def edited_advice(prepared: Prepared) -> str | None:
    """A sentence about advice for the study's samples that was edited since it was checked; None where none was."""
    ids = {str(sample.id) for sample in prepared.samples}
    count = sum(row.sample_id in ids for row in prepared.book.edited) if prepared.book else 0
    said = f"Rows of the advice book that were edited since they were checked, and count as not checked: {count}"
    return f"{said} (astray advice check)." if count else None


def describe(prepared: Prepared) -> dict[str, Any]:
    """Everything that was asked, all settings, versions and hashes, as it is written to ``study.yaml``."""
    asked = prepared.study.model_dump(mode="json")
    warnings = [SELF_ADVISED if advised_by_itself(prepared) else None, edited_advice(prepared)]
    return asked | {
        "arms": [str(arm) for arm in prepared.arms],
        "structured": prepared.manner.structured,
        "samples": len(prepared.samples),
        "left_out": list(prepared.left_out),
        "fingerprint": prepared.fingerprint,
        "book": prepared.book.hash if prepared.book else None,
        "evidence_source": prepared.evidence.name if prepared.evidence else None,
        "author": prepared.book.header.author if prepared.book else None,
        "warnings": [warning for warning in warnings if warning],
        "prompts": prompts.digest(),
        "data": prepared.benchmark.nature.version,
        "versions": {name: version(name) for name in ("astray", "inspect-ai")},
    }


def open_folder(prepared: Prepared, root: Path) -> Folder:
    """Make or reopen a study folder and write down what is asked for now.

    Raises:
        StudyMismatch: The folder holds a study with other settings; names them.
        AstrayError: The folder can't be written.
    """
    folder = Folder(root)
    asked = describe(prepared)
    if folder.study.is_file():
        _refuse_other(folder.study, asked)
    with replacing(folder.study) as handle:
        handle.write(yaml.safe_dump(asked, sort_keys=False, allow_unicode=True).encode())
    if prepared.book:
        prepared.book.shelve()
        prepared.book.save(folder.books / f"{prepared.book.hash}.jsonl")
    if isinstance(prepared.evidence, PackSource):
        prepared.evidence.pack.shelve()
        prepared.evidence.pack.save(folder.books / f"evidence-{prepared.evidence.pack.hash}.jsonl")
    return folder


def asked_before(root: Path, setting: str) -> Any:
    """A setting of the study that lies in a folder; None where there is none."""
    path = Folder(root).study
    return _read(path).get(setting) if path.is_file() else None


def known_arms(root: Path) -> list[str]:
    """The arms of the study that lies in a folder; none where there is none."""
    return list(asked_before(root, "arms") or [])


_APART: Final = frozenset(
    ("samples", "left_out", "versions", "book", "author", "warnings", "advice", "evidence", "evidence_source")
)
"""What is worked out anew each time, and books and evidence, which count by what is in them."""


def _refuse_other(path: Path, asked: dict[str, Any]) -> None:
    before = _read(path)
    fixed = set(asked) - GROWS - FREE - _APART
    changed = [key for key in asked if key in fixed and key in before and before[key] != asked[key]]
    # What an arm that comes later needs may be named later.
    changed += [key for key in ("book", "evidence_source") if before.get(key) and asked[key] not in (None, before[key])]
    if changed:
        names = ", ".join(f"{key} ({before[key]!r} there, {asked[key]!r} now)" for key in changed)
        raise StudyMismatch(
            f"{path.parent}: holds a study with other settings: {names}. "
            "Name another --out folder, or ask for the same settings to go on with this one"
        )


def _read(path: Path) -> dict[str, Any]:
    try:
        found = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: can't be read ({error}); delete it, or name another --out folder") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: is no study; delete it, or name another --out folder")
    return found
