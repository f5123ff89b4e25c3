"""Results of τ²-bench (``results.json``), as the agent saw them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from astray.errors import InputError
from astray.tables import Outcome
from astray.traces.readers.base import Imported, read_json
from astray.traces.readers.messages import steps_of

_STOPPED: Final = ("user_stop", "agent_stop")
"""Ways to end after which upstream judges what was done; after all others it gives 0."""

_LIMITS: Final = {
    "max_steps": "steps",
    "too_many_errors": "errors",
    "timeout": "time",
    "context_window_exceeded": "context",
}
"""Ways to end that are limits of the agent's; all others say nothing about it."""


def read_tau2(path: Path) -> list[Imported]:
    """The simulations of a results file, or of a folder with one and ``simulations/`` beside it.

    First stands the policy. What the simulated user does with tools of its own, and says along with it, the agent
    never saw.

    Raises:
        InputError: It can't be read, or is of spoken conversations.
    """
    file = path / "results.json" if path.is_dir() else path
    data = read_json(file)
    apart = file.parent / "simulations"
    if isinstance(data, dict) and "simulations" not in data and apart.is_dir():
        named = [(str(one), read_json(one)) for one in sorted(apart.glob("*.json"))]
    elif isinstance(data, dict) and isinstance(data.get("simulations"), list):
        named = [(f"{file}: simulation {number}", one) for number, one in enumerate(data["simulations"], 1)]
    else:
        raise InputError(f"{file}: holds no 'simulations'; is it a results.json of tau2?")
    seen: dict[str, int] = {}
    return [_simulation(where, one, data.get("info") or {}, seen) for where, one in named]


def _simulation(where: str, one: Mapping[str, Any], info: Mapping[str, Any], seen: dict[str, int]) -> Imported:
    try:
        if one.get("ticks"):
            raise InputError(f"{where}: is a spoken conversation, whose sounds can't be read")
        id = str(one["task_id"])
        seen[id] = seen.get(id, 0) + 1
        epoch = seen[id] if one.get("trial") is None else int(one["trial"]) + 1
        policy = one.get("policy") or (info.get("environment_info") or {}).get("policy")
        steps = tuple(steps_of(_seen(one["messages"], policy)))
        model = (info.get("agent_info") or {}).get("llm")
        return Imported(id, model, epoch, steps, *_ended(one))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{where}: is not as tau2 has it ({error!r})") from error


def _ended(one: Mapping[str, Any]) -> tuple[float | None, Outcome | None, str | None]:
    """(value, outcome, why)."""
    reason = one.get("termination_reason")
    if reason in _LIMITS:
        return 0.0, Outcome.LIMIT, _LIMITS[reason]
    if reason and reason not in _STOPPED:
        return None, Outcome.ERROR, f"ended by {reason}"
    reward = (one.get("reward_info") or {}).get("reward")
    return (None if reward is None else min(1.0, max(0.0, float(reward)))), None, None


def _seen(messages: list[Mapping[str, Any]], policy: str | None) -> Iterator[dict[str, Any]]:
    """What the agent sees: its policy, words of both, calls of its own tools and their results."""
    if policy and not any(message["role"] == "system" for message in messages):
        yield {"role": "system", "content": policy}
    for message in messages:
        if message["role"] == "user":
            # A message with calls goes to the user's tools, words and all.
            if not message.get("tool_calls"):
                yield {**_kept(message), "role": "simulated user"}
        elif message["role"] != "tool":
            yield {**message, "reasoning_content": _thoughts(message)}
        else:
            for result in message.get("tool_messages") or [message]:
                if result.get("requestor", "assistant") == "assistant":
                    yield {**_kept(message), **_kept(result), "role": "tool"}


def _thoughts(message: Mapping[str, Any]) -> str | None:
    """What the model thought: only the raw reply holds it."""
    choices = (message.get("raw_data") or {}).get("choices") or [{}]
    return message.get("reasoning_content") or (choices[0].get("message") or {}).get("reasoning_content")


def _kept(message: Mapping[str, Any]) -> dict[str, Any]:
    return {name: message[name] for name in ("content", "timestamp") if message.get(name) is not None}
