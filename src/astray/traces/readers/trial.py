"""What Harbor says of the trial that a trajectory belongs to (``result.json``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from astray.errors import InputError
from astray.jsonl import json_in


@dataclass(frozen=True)
class Trial:
    """A trial, or one step of a trial that has several; all None where nothing is said of it.

    Attributes:
        sample_id: The task's name, with the step's after it.
        model: The model that acted.
        reward: What the verifier gave.
    """

    sample_id: str | None = None
    model: str | None = None
    reward: float | None = None


def trial_of(file: Path) -> Trial:
    """The trial of ``TRIAL/agent/trajectory.json``, or ``TRIAL/steps/STEP/agent/trajectory.json``.

    Raises:
        InputError: The trial's ``result.json`` can't be read.
    """
    folder = file.absolute().parent.parent
    step = folder.name if folder.parent.name == "steps" else None
    result = (folder.parent.parent if step else folder) / "result.json"
    if not result.is_file():
        return Trial()
    data = json_in(result)
    try:
        return _trial(data, step)
    except (TypeError, AttributeError) as error:
        raise InputError(f"{result}: is not as Harbor has it ({error!r})") from error


def _trial(data: Mapping[str, Any], step: str | None) -> Trial:
    task = data.get("task_name")
    steps = {one.get("step_name"): one for one in data.get("step_results") or []}
    model = (data.get("agent_info") or {}).get("model_info") or {}
    name = "/".join(part for part in (model.get("provider"), model.get("name")) if part)
    return Trial(
        sample_id=f"{task}/{step}" if task and step else task,
        model=name or None,
        reward=_reward(steps.get(step, {}) if step else data),
    )


def _reward(data: Mapping[str, Any]) -> float | None:
    rewards = (data.get("verifier_result") or {}).get("rewards") or {}
    value = rewards.get("reward", next(iter(rewards.values())) if len(rewards) == 1 else None)
    return float(value) if isinstance(value, int | float) else None
