"""Results of τ²-bench (``results.json``), as the agent saw them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from astray.benchmarks.tau2.results import LIMITS, STOPPED, policy_of, read_results, thoughts_of
from astray.errors import InputError
from astray.tables import Outcome
from astray.traces.readers.base import Imported
from astray.traces.readers.messages import steps_of


def read_tau2(path: Path) -> list[Imported]:
    """The simulations of a results file, or of a folder with one and ``simulations/`` beside it.

    First stands the policy. What the simulated user does with tools of its own, and says along with it, the agent
    never saw.

    Raises:
        InputError: It can't be read, or is of spoken conversations.
    """
    results = read_results(path)
    seen: dict[str, int] = {}
    return [_simulation(where, one, results.info, seen) for where, one in results.simulations]


def _simulation(where: str, one: Mapping[str, Any], info: Mapping[str, Any], seen: dict[str, int]) -> Imported:
    try:
        id = str(one["task_id"])
        seen[id] = seen.get(id, 0) + 1
        epoch = seen[id] if one.get("trial") is None else int(one["trial"]) + 1
        steps = tuple(steps_of(_seen(one["messages"], policy_of(info, one))))
        model = (info.get("agent_info") or {}).get("llm")
        return Imported(id, model, epoch, steps, *_ended(one))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{where}: is not as tau2 has it ({error!r})") from error


def _ended(one: Mapping[str, Any]) -> tuple[float | None, Outcome | None, str | None]:
    """(value, outcome, why)."""
    reason = one.get("termination_reason")
    if reason in LIMITS:
        return 0.0, Outcome.LIMIT, LIMITS[reason]
    if reason and reason not in STOPPED:
        return None, Outcome.ERROR, f"ended by {reason}"
    reward = (one.get("reward_info") or {}).get("reward")
    return (None if reward is None else min(1.0, max(0.0, float(reward)))), None, None


def _seen(messages: list[Mapping[str, Any]], policy: str | None) -> Iterator[dict[str, Any]]:
    """What the agent sees: its policy, words of both, calls of its own tools and their results."""
    if policy:
        yield {"role": "system", "content": policy}
    for message in messages:
        if message["role"] == "user":
            # A message with calls goes to the user's tools, words and all.
            if not message.get("tool_calls"):
                yield {**_kept(message), "role": "simulated user"}
        elif message["role"] != "tool":
            yield {**message, "reasoning_content": thoughts_of(message)}
        else:
            for result in message.get("tool_messages") or [message]:
                if result.get("requestor", "assistant") == "assistant":
                    yield {**_kept(message), **_kept(result), "role": "tool"}


def _kept(message: Mapping[str, Any]) -> dict[str, Any]:
    return {name: message[name] for name in ("content", "timestamp") if message.get(name) is not None}
