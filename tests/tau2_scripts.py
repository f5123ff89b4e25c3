"""Scripted agents and users for conversations of tau2-bench: plain functions from messages to what is said or called.

The user names its task, so that a scripted agent knows which reference trace to replay; it does its own steps of the
trace when asked to. `Said` is a remark, or a tool call; `as_output` and `as_reply` hand it to Inspect or a server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Any

from inspect_ai.model import ChatMessage, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolCall

from astray.benchmarks.tau2.data import DOMAINS, load_domain
from astray.benchmarks.tau2.environment import Call
from astray.benchmarks.tau2.harm import concrete
from astray.benchmarks.tau2.rules import select
from astray.benchmarks.tau2.scoring import TRANSFER, golden_calls, golden_words
from tests.scripted_server import Misbehave, Reply


@dataclass(frozen=True)
class Heard:
    """A message as scripts see it."""

    role: str
    text: str
    calls: int = 0


@dataclass(frozen=True)
class Said:
    """What a script says, or the call it makes."""

    text: str = ""
    calls: tuple[Call, ...] = ()


Speaker = Callable[[Sequence[Heard]], Said]


class Crash(Exception):
    """A scripted agent that dies."""


def task_of(name: str) -> tuple[Any, Any]:
    """Domain and task of ``airline-0``."""
    domain, _, id = name.partition("-")
    return load_domain(domain), load_domain(domain).tasks[id]


def named(messages: Sequence[Heard]) -> tuple[Any, Any]:
    """Domain and task that the user of a conversation has named."""
    first = next(message.text for message in messages if message.role == "user")
    found = re.search(r"TASK (.+?) END", first)
    assert found is not None, first
    return task_of(found[1])


def golden(messages: Sequence[Heard]) -> Said:
    """Replays the reference trace, asking the user for the user's own steps, then says what has to be said."""
    _, task = named(messages)
    calls = golden_calls(task)
    reported = [int(found[1]) for m in messages if (found := re.match(r"(\d+) steps are done", m.text))]
    done = sum(message.calls for message in messages) + sum(reported)
    if done < len(calls):
        who = calls[done].requestor
        next_ones = tuple(takewhile(lambda call: call.requestor == who, calls[done:]))
        steps = f"Please take steps {done} to {done + len(next_ones)}."
        return Said(calls=next_ones) if who == "assistant" else Said(steps)
    return Said("That is all. " + " ".join(golden_words(task)))


def resists(messages: Sequence[Heard]) -> Said:
    """Explains once why the user's belief does not help, then replays the reference trace."""
    said = any("does not help" in message.text for message in messages if message.role == "assistant")
    if not said and believes(messages):
        return Said("That does not help, because it changes nothing about your concern.")
    return golden(messages)


def complies(messages: Sequence[Heard]) -> Said:
    """Does first what the user's belief leads to, where that can be done, then replays the reference trace."""
    domain, task = named(messages)
    call = followed(f"{domain.name}-{task.id}") if believes(messages) else None
    if call is None:
        return golden(messages)
    if call.requestor == "user":
        first_turn = sum(message.role == "user" for message in messages) == 1
        return Said("Then please do as you say.") if first_turn else golden(messages)
    if not any(message.calls for message in messages):
        return Said(calls=(call,))
    first = next(index for index, message in enumerate(messages) if message.calls)
    return golden([*messages[:first], *messages[first + 1 :]])


@cache
def followed(name: str) -> Call | None:
    """The call by which the rule author's belief is followed on a task; None where none can be made."""
    domain, task = task_of(name)
    belief = select(domain.name, task)
    return concrete(domain, task, belief.leads_to) if belief else None


def refuses(messages: Sequence[Heard]) -> Said:
    """Hands over to a human at once."""
    if any(message.calls for message in messages):
        return Said("I can't help you with this; you are being transferred.")
    return Said(calls=(Call("assistant", TRANSFER, {"summary": "A customer."}),))


def silent(messages: Sequence[Heard]) -> Said:
    """Never answers."""
    return Said()


def crashes(messages: Sequence[Heard]) -> Said:
    """Dies."""
    raise Crash("the scripted agent is dead")


def stubborn(messages: Sequence[Heard]) -> Said:
    """Calls a tool that there isn't, for ever."""
    return Said(calls=(Call("assistant", "no_such_tool", {}),))


def chatty(messages: Sequence[Heard]) -> Said:
    """Says something friendly for ever."""
    return Said("I see. Could you tell me more?")


def user(messages: Sequence[Heard]) -> Said:
    """Names its task, voices its belief, does its own steps, and leaves when all is done."""
    scenario, last = messages[0].text, messages[-1]
    name = name_in(scenario)
    _, task = task_of(name)
    said = [message for message in messages if message.role == "assistant"]
    if not said:
        belief = re.search(r'You are convinced of this: "(.+?)"', scenario)
        return Said(f"TASK {name} END. {belief[1] if belief else ''}".strip())
    if last.role == "tool":
        steps = _STEPS.search(_asked(messages))
        return Said(f"{int(steps[2]) - int(steps[1])} steps are done." if steps else "I have done it.")
    if steps := _STEPS.search(last.text):
        return Said(calls=golden_calls(task)[int(steps[1]) : int(steps[2])])
    if "do as you say" in last.text:
        call = followed(name)
        assert call is not None
        return Said(calls=(call,))
    if "being transferred" in last.text:
        return Said("###TRANSFER###")
    if "That is all." in last.text:
        return Said("Thanks. ###STOP###")
    if "does not help" in last.text:
        return Said("All right, then let us do it your way.")
    return Said("Well, what about my concern?")


def _asked(messages: Sequence[Heard]) -> str:
    return next(message.text for message in reversed(messages) if message.role == "user")


def believes(messages: Sequence[Heard]) -> bool:
    """Whether the user's first remark holds more than its task."""
    first = next(message.text for message in messages if message.role == "user")
    return not first.endswith("END.")


def name_in(scenario: str) -> str:
    """The task of a scenario: named in it by a test, or the first one that has it (in telecom, several may)."""
    found = re.search(r"TASK (.+?) END", scenario)
    return found[1] if found else next(name for text, name in _SCENARIOS.items() if text in scenario)


_STEPS = re.compile(r"Please take steps (\d+) to (\d+)")
_SCENARIOS = {
    str(task.user_scenario): f"{domain}-{id}" for domain in DOMAINS for id, task in load_domain(domain).tasks.items()
}


# For Inspect's own eval


def model_of(agent: Speaker) -> Model:
    """A model of Inspect's that speaks as the script does."""

    def output(input: list[ChatMessage], *_: Any) -> ModelOutput:
        return as_output(agent([heard(message) for message in input]))

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def heard(message: ChatMessage) -> Heard:
    return Heard(message.role, message.text, len(getattr(message, "tool_calls", None) or ()))


def as_output(said: Said) -> ModelOutput:
    output = ModelOutput.from_content("mockllm/model", said.text)
    if said.calls:
        output.choices[0].stop_reason = "tool_calls"
        output.choices[0].message.tool_calls = [
            ToolCall(id=f"c{number}", function=call.name, arguments=dict(call.arguments))
            for number, call in enumerate(said.calls)
        ]
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


# For a scripted server


def script_of(agent: Speaker, person: Speaker = user) -> Callable[[list[dict[str, Any]]], Misbehave | Reply]:
    """A server's script that plays both, told apart by what they are told."""

    def script(messages: list[dict[str, Any]]) -> Misbehave | Reply:
        said = [_heard_json(message) for message in messages]
        plays_user = any("<scenario>" in message.text for message in said if message.role == "system")
        # Defenses stand before and after: a script sees the agent's own conversation.
        try:
            return as_reply((person if plays_user else agent)(said), len(messages))
        except Crash:
            return Misbehave("status:400")

    return script


def _heard_json(message: dict[str, Any]) -> Heard:
    content = message.get("content") or ""
    text = content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)
    role = "system" if message["role"] == "developer" else message["role"]
    return Heard(role, text, len(message.get("tool_calls") or ()))


def as_reply(said: Said, number: int) -> Reply:
    if not said.calls:
        return Reply(said.text)
    functions = [{"name": call.name, "arguments": json.dumps(dict(call.arguments))} for call in said.calls]
    calls = [
        {"id": f"c{number}-{place}", "type": "function", "function": function}
        for place, function in enumerate(functions)
    ]
    return Reply(None, "tool_calls", extra={"tool_calls": calls})
