"""Labels by hand: what a person says is, and is not, in a transcript."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from astray.errors import InputError
from astray.jsonl import numbered, parsed, text_in, validated
from astray.traces.kinds import EVERYTHING


class HandLabel(BaseModel):
    """One line of a file of labels by hand."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    study: str = Field(description="Key of the transcript, as in its table.")
    model: str
    benchmark: str
    sample_id: str
    arm: str
    epoch: int = 1
    behaviour: str = Field(description="What was looked for.")
    step: int | None = Field(description="Where it is; null says that it was looked for and is nowhere.")


def read_hand(path: Path) -> pd.DataFrame:
    """The labels by hand of a JSON Lines file.

    Raises:
        InputError: It can't be read, or a line is no such label; names the line.
    """
    rows: list[HandLabel] = []
    for number, line in numbered(text_in(path)):
        where = f"{path}: line {number}"
        row = validated(parsed(line, where), HandLabel, where)
        if row.behaviour not in EVERYTHING:
            raise InputError(f"{where}: no behaviour '{row.behaviour}'; there are {', '.join(EVERYTHING)}")
        rows.append(row)
    if not rows:
        raise InputError(f"{path}: holds no labels")
    return pd.DataFrame([row.model_dump() for row in rows]).astype({"step": "Int64"})
