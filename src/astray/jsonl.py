"""JSON Lines, in which books, packs, questions and labels are kept: read with every fault named by its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from astray.errors import InputError

T = TypeVar("T", bound=BaseModel)


def text_in(path: Path, what: str = "file") -> str:
    """The text of a file, a byte order mark apart.

    Args:
        path: The file.
        what: What it should be, for the message where it isn't there.

    Raises:
        InputError: No such file, it can't be read, or it isn't UTF-8 (names the byte, and what to do).
    """
    if not path.is_file():
        raise InputError(f"{path}: no such {what}")
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise InputError(
            f"{path}: not UTF-8 (byte 0x{byte:02x} at {error.start}); convert it first, "
            f"for example with: iconv -f cp1252 -t utf-8 {path.name}"
        ) from error
    except OSError as error:
        raise InputError(f"{path}: can't be read ({error.strerror})") from error


def numbered(text: str) -> list[tuple[int, str]]:
    """The lines that aren't blank, each with its number from 1.

    Only a newline ends a line of JSON Lines: `str.splitlines` would cut at Unicode's other line ends too.
    """
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def json_in(path: Path) -> Any:
    """What a JSON file holds.

    Raises:
        InputError: It can't be read, or isn't JSON.
    """
    return parsed(text_in(path), str(path))


def parsed(text: str, where: str) -> Any:
    """What a JSON text holds.

    Raises:
        InputError: It isn't JSON; ``where`` says which text.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: not JSON ({error.msg}, column {error.colno})") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: can't be read ({error})") from error


def validated(data: Any, kind: type[T], where: str) -> T:
    """JSON-able data as an object of a type.

    Raises:
        InputError: It is none; names the first field at fault, and ``where``.
    """
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{where}: {field + ': ' if field else ''}{message}") from error
