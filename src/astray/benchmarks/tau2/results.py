"""Files that tau2-bench writes its results to: ``results.json``, alone or with ``simulations/`` beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from astray.errors import InputError
from astray.jsonl import json_in

STOPPED: Final = ("user_stop", "agent_stop")
"""Ways to end after which upstream judges what was done; after all others it gives 0."""

LIMITS: Final = {
    "max_steps": "steps",
    "too_many_errors": "errors",
    "timeout": "time",
    "context_window_exceeded": "context",
}
"""Ways to end that are limits of the agent's; all others say nothing about it."""


@dataclass(frozen=True)
class Results:
    """What a file of results holds, as it stands there.

    Attributes:
        info: What was run.
        tasks: The tasks.
        simulations: The simulations, each with the place where it stands.
    """

    info: Mapping[str, Any]
    tasks: Sequence[Mapping[str, Any]]
    simulations: Sequence[tuple[str, Mapping[str, Any]]]


def read_results(path: Path) -> Results:
    """Read a results file, or a folder with one.

    Raises:
        InputError: It can't be read, holds no simulations, or is of spoken conversations.
    """
    file = path / "results.json" if path.is_dir() else path
    data = json_in(file)
    apart = file.parent / "simulations"
    if isinstance(data, dict) and "simulations" not in data and apart.is_dir():
        named = [(str(one), json_in(one)) for one in sorted(apart.glob("*.json"))]
    elif isinstance(data, dict) and isinstance(data.get("simulations"), list):
        named = [(f"{file}: simulation {number}", one) for number, one in enumerate(data["simulations"], 1)]
    else:
        raise InputError(f"{file}: holds no 'simulations'; is it a results.json of tau2-bench?")
    for where, one in named:
        if not isinstance(one, dict):
            raise InputError(f"{where}: is no object")
        if one.get("ticks"):
            raise InputError(f"{where}: is a spoken conversation, whose sounds can't be read")
    return Results(data.get("info") or {}, data.get("tasks") or (), named)


def policy_of(info: Mapping[str, Any], simulation: Mapping[str, Any]) -> str | None:
    """The policy that the agent was given, where it is kept, and no message holds it."""
    if any(message["role"] == "system" for message in simulation.get("messages") or ()):
        return None
    return simulation.get("policy") or (info.get("environment_info") or {}).get("policy")


def thoughts_of(message: Mapping[str, Any]) -> str | None:
    """What the model thought: only the raw reply holds it."""
    choices = (message.get("raw_data") or {}).get("choices") or [{}]
    return message.get("reasoning_content") or (choices[0].get("message") or {}).get("reasoning_content")
