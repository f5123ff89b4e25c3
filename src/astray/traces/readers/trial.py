"""What Harbor says of the trial that a trajectory belongs to (``result.json``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from astray.errors import InputError
from astray.jsonl import json_in
from astray.tables import Outcome

_OUT_OF_TIME: Final = "AgentTimeoutError"


@dataclass(frozen=True)
class Trial:
    """A trial, or one step of a trial that has several; all None where nothing is said of it.

    Attributes:
        sample_id: The task's name, with the step's after it.
        model: The model that acted.
        reward: What the verifier gave.
        failure: The kind of exception that ended the trial.
    """

    sample_id: str | None = None
    model: str | None = None
    reward: float | None = None
    failure: str | None = None

    @property
    def ended(self) -> tuple[float | None, Outcome | None, str | None]:
        """(value, outcome, why); outcome and why None where the value says it, or nothing is known."""
        if self.failure == _OUT_OF_TIME:
            return self.reward or 0.0, Outcome.LIMIT, "time"
        if self.reward is None and self.failure:
            return None, Outcome.ERROR, f"ended by {self.failure}"
        return self.reward, None, None


def trial_of(file: Path) -> Trial:
    """The trial of ``TRIAL/agent/trajectory.json``, or ``TRIAL/steps/STEP/agent/trajectory.json``.

    Raises:
        InputError: The trial's ``result.json`` can't be read.
    """
    folder = file.absolute().parent.parent
    step = folder.name if folder.parent.name == "steps" else None
    result = (folder.parent.parent if step else folder) / "result.json"
    return _read(result, step) if result.is_file() else Trial()


def trials_without_trajectory(folder: Path) -> Iterator[Trial]:
    """The trials under a folder whose agent left no trajectory: it failed before, or writes none.

    Raises:
        InputError: A trial's ``result.json`` can't be read.
    """
    for result in sorted(folder.rglob("result.json")):
        if not any(result.parent.rglob("trajectory.json")):
            trial = _read(result, None)
            if trial.sample_id:
                yield trial


def _read(result: Path, step: str | None) -> Trial:
    data = json_in(result)
    try:
        return _trial(data, step)
    except (TypeError, AttributeError) as error:
        raise InputError(f"{result}: is not as Harbor has it ({error!r})") from error


def _trial(data: Mapping[str, Any], step: str | None) -> Trial:
    task = data.get("task_name")
    steps = {one.get("step_name"): one for one in data.get("step_results") or []}
    own = steps.get(step, {}) if step else data
    model = (data.get("agent_info") or {}).get("model_info") or {}
    name = "/".join(part for part in (model.get("provider"), model.get("name")) if part)
    return Trial(
        sample_id=f"{task}/{step}" if task and step else task,
        model=name or None,
        reward=_reward(own),
        failure=(own.get("exception_info") or {}).get("exception_type"),
    )


def _reward(data: Mapping[str, Any]) -> float | None:
    rewards = (data.get("verifier_result") or {}).get("rewards") or {}
    value = rewards.get("reward", next(iter(rewards.values())) if len(rewards) == 1 else None)
    return float(value) if isinstance(value, int | float) else None
