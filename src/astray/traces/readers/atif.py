"""ATIF trajectories, as Harbor's agents write them (``agent/trajectory.json``): a file, or a folder of trials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from astray.errors import InputError
from astray.tables import moment, since
from astray.traces.readers.base import Imported, read_json
from astray.traces.readers.messages import calls_of, text_of
from astray.traces.trace import Step

_SPEAKERS: Final = {"system": "system", "user": "user", "agent": "agent"}


def read_atif(path: Path) -> list[Imported]:
    """The trajectories of a file, or of all trials under a folder; the reward stands in the trial's ``result.json``.

    Raises:
        InputError: There is none, or one can't be read.
    """
    files = sorted(path.rglob("trajectory.json")) if path.is_dir() else [path]
    if not files:
        raise InputError(f"{path}: holds no trajectory.json; is it a folder of Harbor's jobs?")
    found: list[Imported] = []
    seen: dict[str, int] = {}
    for file in files:
        one = _trajectory(file, seen)
        found.append(one)
    return found


def _trajectory(file: Path, seen: dict[str, int]) -> Imported:
    data = read_json(file)
    if not isinstance(data, dict) or not str(data.get("schema_version", "")).startswith("ATIF-v1"):
        raise InputError(f"{file}: is no ATIF-v1 trajectory (its schema_version says so)")
    result = file.parent.parent / "result.json"
    trial = read_json(result) if result.is_file() else {}
    id = str(trial.get("task_name") or data.get("session_id") or file.parent.name)
    seen[id] = seen.get(id, 0) + 1
    agent = data.get("agent") or {}
    try:
        steps = tuple(_numbered(data["steps"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{file}: a step is not as ATIF has it ({error!r})") from error
    return Imported(id, agent.get("model_name"), seen[id], steps, _reward(trial))


def _numbered(steps: list[Mapping[str, Any]]) -> Iterator[Step]:
    """A step of the agent with its observations becomes a step of the agent and one of a tool for each result."""
    number = 0
    start: float | None = None
    for step in steps:
        number += 1
        now = moment(step.get("timestamp"))
        start = now if start is None else start
        yield Step(
            step=number,
            speaker=_SPEAKERS[step["source"]],
            text=text_of(step.get("message")),
            reasoning=step.get("reasoning_content"),
            tool_calls=calls_of(step.get("tool_calls")),
            seconds=since(start, now),
        )
        for result in (step.get("observation") or {}).get("results") or ():
            number += 1
            yield Step(step=number, speaker="tool", text=text_of(result.get("content")))


def _reward(trial: Mapping[str, Any]) -> float | None:
    rewards = ((trial.get("verifier_result") or {}).get("rewards")) or {}
    if not isinstance(rewards, dict):
        return None
    value = rewards.get("reward", next(iter(rewards.values())) if len(rewards) == 1 else None)
    return float(value) if isinstance(value, int | float) else None
