"""ATIF trajectories, as Harbor's agents write them (``agent/trajectory.json``): a file, or a folder of trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from astray.errors import InputError
from astray.jsonl import json_in
from astray.tables import Outcome, moment, since
from astray.traces.readers.base import Imported
from astray.traces.readers.messages import calls_of, text_of, thoughts_of
from astray.traces.readers.trial import Trial, trial_of, trials_without_trajectory
from astray.traces.trace import Step

_SPEAKERS: Final = {"system": "system", "user": "user", "agent": "agent"}

Placed: TypeAlias = tuple[str, Mapping[str, Any]]
"""A step as the file has it, and where it stands."""


def read_atif(path: Path) -> list[Imported]:
    """The trajectories of a file, or of all trials under a folder; the reward stands in the trial's ``result.json``.

    What sub-agents did is left out: the agent itself saw no more than the result of its call. A trial without a
    trajectory is a run without steps.

    Raises:
        InputError: There is none, or one can't be read; names the file and the step.
    """
    files = sorted(path.rglob("trajectory.json")) if path.is_dir() else [path]
    if not files:
        raise InputError(f"{path}: holds no trajectory.json; is it a folder of Harbor's jobs?")
    seen: dict[tuple[str, str | None], int] = {}
    # What a task leaves behind may be called the same.
    found = [_trajectory(file, seen) for file in [one for one in files if one.parent.name == "agent"] or files]
    return [*found, *_without(path, seen)] if path.is_dir() else found


def _without(folder: Path, seen: dict[tuple[str, str | None], int]) -> Iterator[Imported]:
    for trial in trials_without_trajectory(folder):
        id = str(trial.sample_id)
        value, outcome, why = trial.ended
        if value is None and outcome is None:
            outcome, why = Outcome.ERROR, "neither a trajectory nor a reward"
        yield Imported(id, trial.model, _number(id, trial.model, seen), (), value, outcome, why)


def _number(id: str, model: str | None, seen: dict[tuple[str, str | None], int]) -> int:
    """Which run of this sample by this model it is."""
    seen[id, model] = seen.get((id, model), 0) + 1
    return seen[id, model]


def _trajectory(file: Path, seen: dict[tuple[str, str | None], int]) -> Imported:
    data, trial = _read(file), trial_of(file)
    steps = tuple(_numbered(_whole(file, data)))
    id = str(trial.sample_id or data.get("session_id") or file.parent.name)
    model = _model(data, trial)
    return Imported(id, model, _number(id, model, seen), steps, *trial.ended)


def _read(file: Path) -> Mapping[str, Any]:
    data = json_in(file)
    if not isinstance(data, dict) or not str(data.get("schema_version", "")).startswith("ATIF-v1"):
        raise InputError(f"{file}: is no ATIF-v1 trajectory (its schema_version says so)")
    if not isinstance(data.get("steps"), list):
        raise InputError(f"{file}: holds no list of steps")
    return data


def _model(data: Mapping[str, Any], trial: Trial) -> str | None:
    agent = data.get("agent")
    named = agent.get("model_name") if isinstance(agent, dict) else None
    return named or trial.model


def _whole(file: Path, data: Mapping[str, Any]) -> list[Placed]:
    """The steps of a trajectory and of those that continue it, without the copies at the beginning of these."""
    steps = _placed(file, data)
    files = {file}
    while ref := data.get("continued_trajectory_ref"):
        file = file.parent / str(ref)
        if file in files:
            raise InputError(f"{file}: is continued in itself")
        files.add(file)
        data = _read(file)
        there = [_said(step) for _, step in steps]
        # Of what is marked as copied, some stood nowhere before: what a summary handed over.
        steps += [
            one for one in _placed(file, data) if not one[1].get("is_copied_context") or _said(one[1]) not in there
        ]
    return steps


def _placed(file: Path, data: Mapping[str, Any]) -> list[Placed]:
    found: list[Placed] = []
    for number, step in enumerate(data["steps"], 1):
        if not isinstance(step, dict):
            raise InputError(f"{file}: step {number}: is no object")
        if not (step.get("extra") or {}).get("is_sidechain"):
            found.append((f"{file}: step {number}", step))
    return found


def _said(step: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    return step.get("source"), step.get("message"), step.get("tool_calls")


def _numbered(placed: Iterable[Placed]) -> Iterator[Step]:
    """A step of the agent with its observations becomes a step of the agent and one of a tool for each result."""
    number = 0
    start: float | None = None
    for place, step in placed:
        now = moment(step.get("timestamp"))
        start = now if start is None else start
        try:
            for one in _steps(step, since(start, now)):
                number += 1
                yield Step(step=number, **one)
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{place}: is not as ATIF has it ({error!r})") from error


def _steps(step: Mapping[str, Any], seconds: float | None) -> Iterator[dict[str, Any]]:
    message, calls = step.get("message"), step.get("tool_calls") or []
    said = {
        "text": text_of(message),
        "reasoning": step.get("reasoning_content") or thoughts_of(message),
        "tool_calls": calls_of(calls),
    }
    speaker = _SPEAKERS[step["source"]]
    if any(said.values()):
        yield {"speaker": speaker, "seconds": seconds, **said}
    order = {call.get("tool_call_id"): place for place, call in enumerate(calls)}
    results = (step.get("observation") or {}).get("results") or []
    for result in sorted(results, key=lambda one: order.get(one.get("source_call_id"), len(order))):
        # A mere reference to another trajectory is nothing that was said.
        if result.get("content") is not None or result.get("source_call_id"):
            yield {"speaker": "tool", "text": text_of(result.get("content"))}
