"""Labels by hand: what a person says is, and is not, in a transcript."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from astray.errors import InputError
from astray.jsonl import numbered, parsed, text_in, validated
from astray.traces.kinds import EVERYTHING
from astray.traces.trace import KEY


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
    """The labels by hand of a JSON Lines file; the index says which line a row is of.

    Raises:
        InputError: It can't be read, or a line is no such label; names the line.
    """
    rows: dict[int, HandLabel] = {}
    for number, line in numbered(text_in(path)):
        where = f"{path}: line {number}"
        row = validated(parsed(line, where), HandLabel, where)
        if row.behaviour not in EVERYTHING:
            raise InputError(f"{where}: no behaviour '{row.behaviour}'; there are {', '.join(EVERYTHING)}")
        rows[number] = row
    if not rows:
        raise InputError(f"{path}: holds no labels")
    found = pd.DataFrame([row.model_dump() for row in rows.values()], index=list(rows))
    return found.astype({"step": "Int64"})


def check_hand(hand: pd.DataFrame, transcripts: pd.DataFrame, path: Path) -> None:
    """See that labels by hand are of these transcripts, and at steps of the agent.

    A label of something else would count as one that the labeller has missed.

    Args:
        hand: What `read_hand` made of ``path``.
        transcripts: The ``transcripts`` table.
        path: The file, named where something is wrong.

    Raises:
        InputError: A line names another transcript, or a step at which the agent doesn't speak; names the line.
    """
    spoken: dict[tuple[str, ...], set[int]] = {}
    for *key, step, speaker in transcripts[[*KEY, "step", "speaker"]].itertuples(index=False, name=None):
        steps = spoken.setdefault(tuple(map(str, key)), set())
        steps |= {int(step)} if speaker == "agent" else set()
    for line, *key, step in hand[[*KEY, "step"]].itertuples(name=None):
        place, told = tuple(map(str, key)), ", ".join(map(str, key))
        if place not in spoken:
            raise InputError(
                f"{path}: line {line}: no transcript {told} in this study; "
                f"it has {len(spoken)}, by {', '.join(KEY)}: the columns of its transcripts table"
            )
        if not pd.isna(step) and int(step) not in spoken[place]:
            raise InputError(f"{path}: line {line}: the agent doesn't speak in step {step} of {told}")
