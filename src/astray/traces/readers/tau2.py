"""Results of τ²-bench (``results.json``), as the agent saw them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from astray.errors import InputError
from astray.traces.readers.base import Imported, read_json
from astray.traces.readers.messages import steps_of


def read_tau2(path: Path) -> list[Imported]:
    """The simulations of a results file; what the simulated user does with tools of its own the agent never saw.

    Raises:
        InputError: It can't be read.
    """
    data = read_json(path)
    if not isinstance(data, dict) or not isinstance(data.get("simulations"), list):
        raise InputError(f"{path}: holds no 'simulations'; is it a results.json of tau2?")
    model = ((data.get("info") or {}).get("agent_info") or {}).get("llm")
    return [_simulation(path, number, one, model) for number, one in enumerate(data["simulations"], 1)]


def _simulation(path: Path, number: int, one: Mapping[str, Any], model: str | None) -> Imported:
    try:
        steps = tuple(steps_of(_seen(one["messages"])))
        reward = (one.get("reward_info") or {}).get("reward")
        value = None if reward is None else min(1.0, max(0.0, float(reward)))
        return Imported(str(one["task_id"]), model, int(one.get("trial") or 0) + 1, steps, value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{path}: simulation {number} is not as tau2 has it ({error!r})") from error


def _seen(messages: list[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """What the agent sees: words of both, calls of its own tools and their results."""
    for message in messages:
        if message["role"] == "user":
            yield {**_kept(message), "role": "simulated user"}
        elif message["role"] != "tool":
            yield dict(message)
        else:
            for result in message.get("tool_messages") or [message]:
                if result.get("requestor", "assistant") == "assistant":
                    yield {**_kept(message), **_kept(result), "role": "tool"}


def _kept(message: Mapping[str, Any]) -> dict[str, Any]:
    return {name: message[name] for name in ("content", "timestamp") if message.get(name) is not None}
