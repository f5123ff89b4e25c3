"""A trace: everything that was said, thought and done in one run of one sample, as numbered steps."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, TypeAlias

import pandas as pd

from astray.terms import ORIGINAL_TEXT

KEY: Final = ("study", "model", "benchmark", "sample_id", "arm", "epoch")
"""The columns that tell one trace from another, in every table."""


@dataclass(frozen=True, order=True)
class Key:
    """Which run of which sample a trace is."""

    study: str
    model: str
    benchmark: str
    sample_id: str
    arm: str
    epoch: int

    @property
    def run(self) -> tuple[str, str, str, str]:
        """What the traces of one sample share under all arms."""
        return self.study, self.model, self.benchmark, self.sample_id


@dataclass(frozen=True)
class Step:
    """One step; the fields are the columns of the same names in the transcripts table."""

    step: int
    speaker: str
    text: str
    reasoning: str | None = None
    tool_calls: str | None = None
    advice: str | None = None
    round: int = 0
    seconds: float | None = field(default=None, compare=False)

    @property
    def by_agent(self) -> bool:
        """Whether the agent speaks."""
        return self.speaker == "agent"


@dataclass(frozen=True)
class Trace:
    """One transcript, its steps in order."""

    key: Key
    steps: tuple[Step, ...] = field(repr=False)

    @property
    def digest(self) -> str:
        """A hash over everything in the steps but their times; the key is not part of it."""
        steps = [{name: value for name, value in asdict(step).items() if name != "seconds"} for step in self.steps]
        data = json.dumps(steps, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def id(self) -> str:
        """A readable id of this trace, its own among all traces."""
        own = hashlib.sha256(json.dumps(asdict(self.key)).encode()).hexdigest()[:8]
        return f"{self.key.sample_id} {self.key.arm} {self.key.epoch} {own}"

    @property
    def advice(self) -> str | None:
        """The first advice in it: the suggestion in the request, else the first critique."""
        return next((step.advice for step in self.steps if step.advice), None)

    @property
    def has_reasoning(self) -> bool:
        """Whether what the agent thought is recorded for any of its steps."""
        return any(step.by_agent and (step.reasoning or "").strip() for step in self.steps)


def traces_in(transcripts: pd.DataFrame) -> tuple[Trace, ...]:
    """The traces of a transcripts table, by key; the order of the rows changes nothing."""
    columns = [*KEY, *Step.__dataclass_fields__]
    steps: dict[Key, list[Step]] = {}
    for row in transcripts[columns].itertuples(index=False, name=None):
        values = [None if isinstance(value, float) and value != value else value for value in row]
        study, model, benchmark, sample_id, arm, epoch = (str(value) for value in values[:6])
        key = Key(study, model, benchmark, sample_id, arm, int(epoch))
        steps.setdefault(key, []).append(_step(dict(zip(columns[6:], values[6:], strict=True))))
    return tuple(Trace(key, tuple(sorted(found, key=lambda one: one.step))) for key, found in sorted(steps.items()))


def packed(trace: Trace) -> str:
    """The trace as JSON: a string, since a thousand traces as dicts of dicts take several times the memory."""
    return json.dumps(asdict(trace), ensure_ascii=False)


def unpacked(text: str) -> Trace:
    """The trace that `packed` made this text of."""
    data = json.loads(text)
    return Trace(Key(**data["key"]), tuple(Step(**step) for step in data["steps"]))


Held: TypeAlias = Mapping[tuple[str, str, str, str, int], tuple[str, ...]]
"""By sample and epoch: what its advice was under any arm, each once, bad suggestions before all else."""


def advice_of(traces: Iterable[Trace]) -> Held:
    """All that was advised on each sample: suggestions in the request, and what a judge said first."""
    found: dict[tuple[str, str, str, str, int], list[str]] = {}
    for trace in sorted(traces, key=lambda one: (not _misleads(one), one.key)):
        there = found.setdefault((*trace.key.run, trace.key.epoch), [])
        if trace.advice and trace.advice not in there:
            there.append(trace.advice)
    return {place: tuple(advice) for place, advice in found.items()}


def suggestions_for(trace: Trace, held: Held) -> tuple[str, ...]:
    """What the claims of a trace are held against.

    Its own advice. Without one: all that was advised on the sample under other arms, for the control arm, since only
    the difference says something; the first of it for other arms.
    """
    if trace.advice:
        return (trace.advice,)
    elsewhere = held.get((*trace.key.run, trace.key.epoch), ())
    return elsewhere if trace.key.arm == ORIGINAL_TEXT else elsewhere[:1]


def _misleads(trace: Trace) -> bool:
    """Whether a bad suggestion is in the request."""
    return bool({"xy", "xy-instead"} & set(trace.key.arm.split("+")))


def _step(values: Mapping[str, Any]) -> Step:
    return Step(**{**values, "step": int(values["step"]), "round": int(values["round"]), "text": values["text"] or ""})
