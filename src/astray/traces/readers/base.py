"""What a reader makes of a file: runs, each with its steps and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from astray.jsonl import parsed, text_in
from astray.traces.trace import Step


@dataclass(frozen=True)
class Imported:
    """One run of one sample, as a file of another harness holds it.

    Attributes:
        sample_id: Id of the sample there.
        model: The model that acted, None where the file doesn't say.
        epoch: Repetition, from 1.
        steps: The steps.
        value: Its score 0…1, None where the file doesn't say.
    """

    sample_id: str
    model: str | None
    epoch: int
    steps: tuple[Step, ...]
    value: float | None = None


def read_json(path: Path) -> Any:
    """The JSON in a file.

    Raises:
        InputError: The file can't be read, or isn't JSON.
    """
    return parsed(text_in(path), str(path))
