"""Reading and writing tables as parquet files: schemas from the row types, writes atomic."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from types import UnionType
from typing import IO, Any, Final, Union, get_args, get_origin

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from astray.errors import AstrayError, InputError
from astray.tables.rows import ROW_TYPES, Row

SETTINGS_KEY: Final = b"astray"
"""Key of the parquet metadata under which a study's settings travel with its tables, as JSON."""

_ARROW: Final[dict[type, pa.DataType]] = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


def schema(name: str) -> pa.Schema:
    """The parquet schema of a table, generated from its row type."""
    return pa.schema(
        pa.field(column, _arrow_type(info.annotation), metadata={"description": info.description or ""})
        for column, info in ROW_TYPES[name].model_fields.items()
    )


def write(folder: Path, name: str, rows: Iterable[Row], settings: Mapping[str, Any] | None = None) -> Path:
    """Write one table atomically into ``folder`` and return its path.

    Args:
        folder: The study's ``tables`` folder; made where missing.
        name: A key of `ROW_TYPES`.
        rows: The rows, in order.
        settings: What the study was, as JSON-able data; travels in the file's metadata.
    """
    columns = schema(name)
    data = [row.model_dump() for row in rows]
    table = pa.Table.from_pylist(data, schema=columns)
    table = table.replace_schema_metadata({SETTINGS_KEY: json.dumps(settings or {}, default=str).encode()})
    path = folder / f"{name}.parquet"
    with replacing(path) as handle:
        pq.write_table(table, handle, compression="zstd")
    return path


def read(folder: str | Path, name: str) -> pd.DataFrame:
    """Read one table of a study.

    Args:
        folder: The study's folder, or its ``tables`` folder.
        name: A key of `ROW_TYPES`: ``outcomes``, ``critiques``, ``transcripts``, ``samples``, ``checks``.

    Raises:
        InputError: No such table, or a column without a default is missing.

    A column that an earlier version of astray didn't have yet has its default, mostly null.
    """
    path = find(folder, name)
    with _readable(path):
        table = pq.read_table(path)
    columns = ROW_TYPES[name].model_fields
    missing = [column for column in columns if column not in table.column_names]
    if needed := [column for column in missing if columns[column].is_required()]:
        raise InputError(
            f"{path}: columns missing: {', '.join(needed)}; the file is from another version of astray: the same "
            "'astray run' as before makes it anew from the logs"
        )
    for column in missing:
        default = pa.scalar(columns[column].default, schema(name).field(column).type)
        table = table.append_column(column, pa.repeat(default, len(table)))
    frame = table.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    return frame


def read_settings(folder: str | Path) -> dict[str, Any]:
    """What the study was, as it was written beside its outcomes; empty where nothing was recorded.

    Raises:
        InputError: There are no outcomes, or the file can't be read.
    """
    path = find(folder, "outcomes")
    with _readable(path):
        metadata = pq.read_schema(path).metadata or {}
    found = json.loads(metadata.get(SETTINGS_KEY, b"{}"))
    return found if isinstance(found, dict) else {}


def find(folder: str | Path, name: str) -> Path:
    """Path of a table in a study's folder or its ``tables`` folder.

    Raises:
        InputError: There is none; the message says what the folder holds.
    """
    if name not in ROW_TYPES:
        raise InputError(f"no table is called '{name}'; there are {', '.join(ROW_TYPES)}")
    folder = Path(folder)
    for candidate in (folder / "tables" / f"{name}.parquet", folder / f"{name}.parquet"):
        if candidate.is_file():
            return candidate
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; give the --out folder of a study")
    raise InputError(f"{folder}: holds no tables/{name}.parquet; is it the --out folder of a finished 'astray run'?")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file beside ``path`` and move it there only when it is whole: a reader never sees half of it.

    Raises:
        AstrayError: The disk is full or the folder can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    except OSError as error:
        raise AstrayError(f"{path}: can't be written ({error.strerror}); choose another --out folder") from error
    try:
        with os.fdopen(descriptor, "wb") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as error:
        raise AstrayError(f"{path}: can't be written ({error.strerror}); free some space and run again") from error
    finally:
        Path(name).unlink(missing_ok=True)


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"{path}: not a readable parquet file ({error}); make the tables again with 'astray run'"
        ) from error


def _arrow_type(annotation: Any) -> pa.DataType:
    if get_origin(annotation) in (Union, UnionType):
        (annotation,) = (arg for arg in get_args(annotation) if arg is not type(None))
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return pa.string()
    return _ARROW[annotation]
