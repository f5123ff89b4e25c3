"""What a reader makes of a file: runs, each with its steps and what became of it."""

from __future__ import annotations

from dataclasses import dataclass

from astray.tables import Outcome
from astray.traces.trace import Step


@dataclass(frozen=True)
class Imported:
    """One run of one sample, as a file of another harness holds it.

    Attributes:
        sample_id: Id of the sample there.
        model: The model that acted, None where the file doesn't say.
        epoch: Repetition, from 1.
        steps: The steps; none where nothing of it is recorded.
        value: Its score 0…1, None where the file doesn't say.
        outcome: What became of it where the file says more than a score: it ran into a limit, or failed.
        why: Which limit, or what failed.
    """

    sample_id: str
    model: str | None
    epoch: int
    steps: tuple[Step, ...]
    value: float | None = None
    outcome: Outcome | None = None
    why: str | None = None
