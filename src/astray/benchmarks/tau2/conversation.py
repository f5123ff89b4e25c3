"""Agent and simulated user in turns, until the user ends it or a limit does: an Inspect solver.

``state.messages`` is the agent's own view: its policy, what the user says, its tool calls and what came of them. What
fails is not caught: a call that can't be had ends the sample as failed, and one of Inspect's limits as limited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    execute_tools,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef

from astray import prompts
from astray.benchmarks.base import METADATA_KEY
from astray.benchmarks.tau2.environment import Requestor
from astray.benchmarks.tau2.signs import confirms_and_leaves, ending
from astray.benchmarks.tau2.talk import Talk, open_talk
from astray.benchmarks.tau2.tools import agent_tools, at_work_on, calls_of, user_tools

MAX_STEPS: Final = 200
"""Messages of agent, user and tools after which a conversation ends, as upstream's default."""

MAX_ERRORS: Final = 10
"""Tool calls that go wrong after which it ends, as upstream's default."""


@dataclass(frozen=True)
class Bounds:
    """When a conversation has gone on for too long."""

    steps: int = MAX_STEPS
    errors: int = MAX_ERRORS

    def reached(self, talk: Talk) -> str | None:
        """The bound that is reached: ``steps``, ``errors`` or None."""
        if talk.record.steps >= self.steps:
            return "steps"
        return "errors" if talk.record.tool_errors >= self.errors else None


@solver
def converse(max_steps: int = MAX_STEPS, max_errors: int = MAX_ERRORS) -> Solver:
    """A conversation on one task of tau2-bench.

    Args:
        max_steps: Messages of agent, user and tools after which it ends.
        max_errors: Tool calls that go wrong after which it ends.

    Model roles: ``user``, required: plays the simulated user.
    """
    bounds = Bounds(max_steps, max_errors)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        talk = open_talk(state)
        _set_the_scene(state, talk)
        try:
            with at_work_on(talk.environment):
                while talk.record.ended is None:
                    await user_turn(state, talk, bounds)
                    if talk.record.ended is None:
                        await agent_turn(state, talk, bounds)
        finally:
            if talk.belief and talk.record.user_turns and talk.record.voiced_at is None:
                talk.fault("never said what it was to believe")
            talk.keep(state)
        return state

    return solve


def _set_the_scene(state: TaskState, talk: Talk) -> None:
    """The agent's view begins with its policy, the user's with the word that it is its turn."""
    from inspect_evals.tau2.common.dataset import USER_MESSAGE

    # Kept with the talk: what stood in their place is the user's scenario, which is none of the agent's business.
    talk.view = [ChatMessageSystem(content=state.input_text), ChatMessageUser(content=USER_MESSAGE.text)]
    state.messages = [ChatMessageSystem(content=prompts.load("tau2/agent").fill(policy=talk.domain.policy))]


async def user_turn(state: TaskState, talk: Talk, bounds: Bounds) -> None:
    """The user's next remark, and what it does with its own tools before it."""
    model, tools = get_model(role="user", required=True), user_tools(talk.domain.name)
    while talk.record.ended is None:
        output = await model.generate([_instructions(talk), *talk.view[1:]], tools=list(tools))
        talk.stepped(1)
        if _nothing(output):
            talk.fault("ran out of context" if output.stop_reason == "model_length" else "said nothing", breaks=True)
            return
        talk.view.append(output.message)
        if not output.message.tool_calls:
            _heard(state, talk, output.message.text)
            break
        await _act(talk.view, talk, tools, "user")
        talk.note(ended=bounds.reached(talk))
    if talk.record.ended is None:
        talk.note(ended=bounds.reached(talk))


def _instructions(talk: Talk) -> ChatMessageSystem:
    """What the user is told in this turn: the same in every turn, but for one that has to insist."""
    times = talk.times_insisted
    insisting = prompts.load("users/insisting").fill(times=times) if times else None
    text = prompts.load("tau2/user").fill(
        guidelines=talk.domain.guidelines, scenario=talk.view[0].text, insisting=insisting
    )
    return ChatMessageSystem(content=text)


def _heard(state: TaskState, talk: Talk, said: str) -> None:
    """Put the user's remark before the agent, unless it ends the conversation."""
    ended, rest = ending(said)
    voiced = talk.user_said(rest)
    if ended is None and not rest:
        talk.fault("said nothing", breaks=True)
    elif ended is not None:
        _ended(talk, ended, rest)
    if ended is None or rest:
        did = [{"name": call.name, "arguments": dict(call.arguments)} for call in talk.calls]
        own = {"voiced": voiced, "did": did, "last": ended is not None}
        state.messages.append(ChatMessageUser(content=rest or said, metadata={METADATA_KEY: own}))
    talk.calls.clear()


def _ended(talk: Talk, ended: str, rest: str) -> None:
    """A conversation that the user ends: in its time, or by a fault of the simulation."""
    if not talk.said:
        talk.fault("ended before the agent could answer", breaks=True)
    elif ended == "user" and confirms_and_leaves(talk.said[-1], rest):
        talk.fault("left with its confirmation", breaks=True)
    else:
        talk.note(ended=ended)


async def agent_turn(state: TaskState, talk: Talk, bounds: Bounds) -> None:
    """The agent's tool calls and its next remark to the user."""
    model, tools = get_model(), agent_tools(talk.domain.name)
    while talk.record.ended is None:
        state.output = output = await model.generate(state.messages, tools=list(tools))
        talk.stepped(1)
        if _nothing(output):
            talk.note(ended=_why_nothing(output))
            return
        state.messages.append(output.message)
        if not output.message.tool_calls:
            talk.agent_said(output.message)
            talk.view.append(ChatMessageUser(content=output.message.text))
            talk.note(ended=bounds.reached(talk))
            return
        await _act(state.messages, talk, tools, "assistant")
        talk.note(ended=bounds.reached(talk))


async def _act(messages: list[ChatMessage], talk: Talk, tools: tuple[ToolDef, ...], who: Requestor) -> None:
    """Carry out the tool calls of the last message."""
    last = messages[-1]
    assert isinstance(last, ChatMessageAssistant)
    calls = calls_of(last, who)
    result = await execute_tools(messages, list(tools))
    messages += result.messages
    refused = sum(isinstance(m, ChatMessageTool) and m.error is not None for m in result.messages)
    talk.stepped(len(result.messages), refused)
    talk.made(calls)
    if who == "user":
        talk.calls += calls


def _nothing(output: ModelOutput) -> bool:
    """Whether there is neither a remark nor a tool call in a model's output, or one it may not give."""
    if not output.choices or output.stop_reason in ("content_filter", "model_length"):
        return True
    return not output.message.tool_calls and not output.message.text.strip()


def _why_nothing(output: ModelOutput) -> str:
    reasons: dict[Any, str] = {"content_filter": "refused", "model_length": "context"}
    return reasons.get(output.stop_reason, "empty") if output.choices else "empty"
