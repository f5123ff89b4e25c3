"""What a report is made from: the tables and settings of one or more studies, read into memory."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from astray import tables
from astray.errors import InputError


@dataclass(frozen=True)
class EvidenceNote:
    """What an evidence pack kept with the study says of itself: rows, and alternatives a verifier finds not wrong."""

    name: str
    rows: int
    not_wrong: int


@dataclass(frozen=True, eq=False)
class Study:
    """One study folder: the name its rows carry in the report, its settings, and the evidence kept with it."""

    name: str
    folder: Path
    settings: Mapping[str, Any]
    evidence: tuple[EvidenceNote, ...] = ()


@dataclass(frozen=True, eq=False)
class Material:
    """The tables of all studies, one below the other; all but outcomes are empty where none were written."""

    studies: tuple[Study, ...]
    outcomes: pd.DataFrame
    samples: pd.DataFrame
    transcripts: pd.DataFrame
    critiques: pd.DataFrame = field(default_factory=pd.DataFrame)
    checks: pd.DataFrame = field(default_factory=pd.DataFrame)
    behaviours: pd.DataFrame = field(default_factory=pd.DataFrame)
    labellings: pd.DataFrame = field(default_factory=pd.DataFrame)
    conversations: pd.DataFrame = field(default_factory=pd.DataFrame)


def load(folders: Sequence[Path]) -> Material:
    """Read study folders. Studies that share a name are told apart by the names of their folders.

    Raises:
        InputError: A folder holds no outcomes table, or one that can't be read.
    """
    unique = list(dict.fromkeys(Path(folder).resolve() for folder in folders))
    if not unique:
        raise InputError("no study folder was given; name the --out folder of a study")
    outcomes = [tables.read(folder, "outcomes") for folder in unique]
    transcripts = [_optional(folder, "transcripts") for folder in unique]
    renamed = _new_names(
        unique, [pd.concat([a["study"], b["study"]]) for a, b in zip(outcomes, transcripts, strict=True)]
    )
    studies = [
        Study(name, folder, tables.read_settings(folder), tuple(_evidence(folder)))
        for folder, names in zip(unique, renamed, strict=True)
        for name in names.values() or [folder.name]
    ]
    return Material(
        studies=tuple(studies),
        outcomes=_stack(outcomes, renamed),
        samples=_stack([_optional(folder, "samples") for folder in unique], renamed),
        transcripts=_stack(transcripts, renamed),
        critiques=_stack([_optional(folder, "critiques") for folder in unique], renamed),
        checks=_stack([_optional(folder, "checks") for folder in unique], renamed),
        behaviours=_stack([_optional(folder, "behaviours") for folder in unique], renamed),
        labellings=_stack([_optional(folder, "labellings") for folder in unique], renamed),
        conversations=_stack([_optional(folder, "conversations") for folder in unique], renamed),
    )


def _new_names(folders: Sequence[Path], used: Sequence[pd.Series]) -> list[dict[str, str]]:
    """For each folder: name of a study in its tables to its name in the report."""
    names = [list(dict.fromkeys(found.astype(str))) for found in used]
    uses = Counter(name for found in names for name in found)
    places = Counter(folder.name for folder in folders)
    renamed = []
    for folder, found in zip(folders, names, strict=True):
        place = folder.name if places[folder.name] == 1 else f"{folder.parent.name}/{folder.name}"
        renamed.append({name: name if uses[name] == 1 else f"{name} ({place})" for name in found})
    taken = Counter(name for names_ in renamed for name in names_.values())
    if max(taken.values(), default=0) > 1:
        renamed = [{old: f"{new}, {i}" for old, new in names_.items()} for i, names_ in enumerate(renamed, 1)]
    return renamed


def _evidence(folder: Path) -> Iterator[EvidenceNote]:
    """Headers of the packs in the study's ``books``; a file that isn't one is none of ours to judge."""
    for path in sorted((folder / "books").glob("evidence-*.jsonl")):
        try:
            with path.open(encoding="utf-8") as handle:
                counts = json.loads(handle.readline())["counts"]
            yield EvidenceNote(path.stem, int(counts["rows"]), int(counts["not_wrong"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue


def _optional(folder: Path, name: str) -> pd.DataFrame:
    """The table; empty where it wasn't written, or where this version knows none of that name."""
    if name not in tables.ROW_TYPES:
        return pd.DataFrame({"study": []})
    try:
        tables.find(folder, name)
    except InputError:
        return pd.DataFrame(columns=list(tables.ROW_TYPES[name].model_fields))
    return tables.read(folder, name)


def _stack(frames: Sequence[pd.DataFrame], renamed: Sequence[Mapping[str, str]]) -> pd.DataFrame:
    """The frames one below the other, study names replaced, nulls as None."""
    parts = []
    for frame, names in zip(frames, renamed, strict=True):
        plain = frame.astype(object).where(frame.notna(), None)
        plain["study"] = [names.get(str(name), str(name)) for name in frame["study"]]
        parts.append(plain)
    return pd.concat(parts, ignore_index=True)
