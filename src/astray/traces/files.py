"""Files that transcripts and labels are read from."""

from __future__ import annotations

from pathlib import Path

from astray.errors import InputError


def numbered_lines(path: Path) -> list[tuple[int, str]]:
    """The lines of a JSON Lines file that aren't blank, each with its number from 1.

    Raises:
        InputError: The file can't be read.
    """
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: can't be read ({error})") from error
    # Only \n ends a line of JSON Lines: splitlines() would cut at Unicode's other line ends too.
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
