"""From ``hf:NAME`` to question rows: the map, the download, the rows that are drawn."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final

import yaml
from pydantic import ValidationError

from astray.benchmarks.hf.field_map import FieldMap, question_row
from astray.benchmarks.hub import hub_trouble, no_waiting_for_the_hub
from astray.benchmarks.qa.rows import Row, make_row, with_ids
from astray.errors import InputError, UsageError

_OTHER_LOADERS: Final = {"gpqa": "inspect_evals/gpqa_diamond"}
"""Data sets whose tasks bring a loader of their own."""


@cache
def ready_maps() -> Mapping[str, FieldMap]:
    """The field maps that come with astray, by name."""
    found = yaml.safe_load(files(__package__).joinpath("maps.yaml").read_text("utf-8"))
    return {name: FieldMap.model_validate(given) for name, given in found.items() if not name.startswith(".")}


def hub_rows(name: str, args: Mapping[str, Any]) -> tuple[list[Row], tuple[str, ...]]:
    """(the rows of a benchmark ``hf:…``, what is wrong with those that can't be used and are left out).

    Args:
        name: ``hf:`` and a ready map or several, separated by commas; or ``hf:owner/name``.
        args: Fields of the map: all that is needed of ``owner/name``, and what is to be different of a ready one.

    Raises:
        UsageError: No such map, or a field of it is missing, unknown or wrong.
        InputError: The data set can't be had, or has no row that can be used.
    """
    rows: list[Row] = []
    left_out: list[str] = []
    maps = _maps(name, args)
    for source, map in maps.items():
        these, without = _rows_of(source, map.model_dump_json())
        rows += _drawn(these, map.per_subset, map.seed) if map.per_subset else these
        left_out += without
    sampled = any(map.per_subset for map in maps.values())
    return with_ids(_in_turn(rows) if sampled else rows), tuple(left_out)


def _maps(name: str, args: Mapping[str, Any]) -> dict[str, FieldMap]:
    asked = name.removeprefix("hf:")
    if "/" in asked:
        return {asked.rpartition("/")[2]: _make(name, {"dataset": asked, **args})}
    return {one: _make(name, {**_ready(name, one).model_dump(), **args}) for one in asked.split(",")}


def _ready(name: str, one: str) -> FieldMap:
    if one in ready_maps():
        return ready_maps()[one]
    for other, task in _OTHER_LOADERS.items():
        if one.startswith(other):
            raise UsageError(f"benchmark '{name}': it has a loader of its own: '{task}'")
    raise UsageError(
        f"benchmark '{name}': no field map '{one}'; there are {', '.join(ready_maps())}; for another data set "
        "say hf:owner/name, and its fields with -T"
    )


def _make(name: str, given: Mapping[str, Any]) -> FieldMap:
    try:
        return FieldMap.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        what = {
            "missing": f"its field map lacks '{field}'; name it with -T {field}=…, or under task_args in a study file",
            "extra_forbidden": f"'{field}' is no part of a field map; there are {', '.join(FieldMap.model_fields)}",
        }.get(first["type"], f"{field}: {first['msg']}")
        raise UsageError(f"benchmark '{name}': {what}") from error


@lru_cache(maxsize=16)
def _rows_of(source: str, map_json: str) -> tuple[tuple[Row, ...], tuple[str, ...]]:
    """All rows of one source, and what is wrong with the others. Kept, for every arm is a task that asks for them."""
    map = FieldMap.model_validate_json(map_json)
    rows, left_out = [], []
    for number, found in _downloaded(source, map):
        where = f"hf:{source}: row {number}"
        try:
            rows.append(make_row(question_row(found, map, source), where))
        except (InputError, ValueError) as error:
            left_out.append(str(error) if isinstance(error, InputError) else f"{where}: {error}")
    if not rows:
        raise InputError(left_out[0] if left_out else f"hf:{source}: '{map.dataset}' has no rows in '{map.split}'")
    return tuple(rows), tuple(left_out)


def _downloaded(source: str, map: FieldMap) -> Iterable[tuple[int, dict[str, Any]]]:
    """(number from 0, row) of a data set's rows, of the fields and values that the map asks for.

    Raises:
        InputError: It can't be had, or no row has such a value.
    """
    try:
        import datasets
    except ImportError as error:
        raise InputError(
            f"hf:{source}: data sets on the hub are read with a library of their own: pip install 'astray[evals]'"
        ) from error
    try:
        with no_waiting_for_the_hub():
            data = datasets.load_dataset(map.dataset, map.config, split=map.split, revision=map.revision)
    except Exception as error:
        said = " ".join(str(error).split())[:300]
        what = hub_trouble(error) or f"'{map.dataset}' can't be loaded ({type(error).__name__}: {said})"
        raise InputError(f"benchmark 'hf:{source}': {what}") from error
    data = data.select_columns([name for name in map.fields if name in data.column_names])
    numbers = _wanted(source, map, data)
    return zip(numbers, data.select(numbers), strict=True)


def _wanted(source: str, map: FieldMap, data: Any) -> Sequence[int]:
    """The numbers of the rows that have the values asked for."""
    numbers: Sequence[int] = range(len(data))
    for field, values in map.where.items():
        if field not in data.column_names:
            raise InputError(f"hf:{source}: '{map.dataset}' has no field '{field}' to select by")
        column = [str(value) for value in data[field]]
        numbers = [number for number in numbers if column[number] in values]
        if not numbers:
            there = ", ".join(list(dict.fromkeys(column))[:20])
            raise InputError(f"hf:{source}: no row whose '{field}' is {' or '.join(values)}; there are {there}")
    return numbers


def _drawn(rows: Iterable[Row], count: int, seed: int) -> list[Row]:
    """So many rows of each subset, by a seed that doesn't depend on what other rows there are, in that order."""
    by_subset: dict[str | None, list[tuple[str, Row]]] = {}
    for row in rows:
        key = hashlib.sha256(f"{seed}/{row.model_dump_json()}".encode()).hexdigest()
        by_subset.setdefault(row.subset, []).append((key, row))
    return [row for some in by_subset.values() for _, row in sorted(some, key=lambda pair: pair[0])[:count]]


def _in_turn(rows: Iterable[Row]) -> list[Row]:
    """The first row of every subset, then the second: so that the first N samples are of all of them."""
    seen: dict[str | None, int] = {}
    turns = []
    for row in rows:
        seen[row.subset] = seen.get(row.subset, 0) + 1
        turns.append((seen[row.subset], row))
    return [row for _, row in sorted(turns, key=lambda pair: pair[0])]
