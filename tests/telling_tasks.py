"""Inspect tasks whose agents make their messages in ways of their own, for the tests of what agents are told."""

import json
import socket
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.agent import Agent, AgentState, agent, agent_bridge, as_solver, sandbox_agent_bridge
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageSystem, ChatMessageUser, get_model
from inspect_ai.scorer import Scorer, includes, model_graded_qa
from inspect_ai.solver import Generate, Solver, TaskState, chain, generate, solver, system_message
from inspect_ai.util import SandboxEnvironmentType, sandbox
from openai import AsyncOpenAI

COMMAND_LINE_AGENT = Path(__file__).with_name("command_line_agent.sh")


def _task(solver: Solver, scorer: Scorer | None = None, sandbox: SandboxEnvironmentType | None = None) -> Task:
    sample = Sample(id="s1", input="Name a colour.", target="blue")
    return Task(dataset=MemoryDataset([sample]), solver=solver, scorer=scorer or includes(), sandbox=sandbox)


@solver
def two_calls(*, reads_state: bool) -> Solver:
    """Two calls with a message list of its own; as command-line agents do, it may take system messages over."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        found = [m.text for m in state.messages if m.role == "system"] if reads_state else []
        prompt = "\n\n".join(["You have a list of your own.", *found])
        messages: list[ChatMessage] = [ChatMessageSystem(content=prompt), ChatMessageUser(content=state.input_text)]
        for more in ("Go on.", None):
            state.output = await get_model().generate(messages)
            messages += [state.output.message, *([ChatMessageUser(content=more)] if more else [])]
        return state

    return solve


@task
def own_list() -> Task:
    """An agent that doesn't look at the sample's messages."""
    return _task(two_calls(reads_state=False))


@task
def cli_like() -> Task:
    """An agent that hands the sample's system messages on to a program, as those of inspect_swe do."""
    return _task(chain(system_message("From the task."), two_calls(reads_state=True)))


@agent
def bridged_agent() -> Agent:
    """A program with a client of its own, whose calls Inspect's bridge turns into calls of the model."""

    async def execute(state: AgentState) -> AgentState:
        async with agent_bridge(state) as bridge:
            client = AsyncOpenAI(api_key="none")
            messages: list[Any] = [
                {"role": "system", "content": "You have a list of your own."},
                {"role": "user", "content": state.messages[-1].text},
            ]
            for more in ("Go on.", ""):
                reply = await client.chat.completions.create(model="inspect", messages=messages)
                messages += [{"role": "assistant", "content": reply.choices[0].message.content}]
                messages += [{"role": "user", "content": more}] if more else []
            return bridge.state

    return execute


@task
def bridged() -> Task:
    """An agent behind Inspect's bridge."""
    return _task(as_solver(bridged_agent()))


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@agent
def command_line_agent() -> Agent:
    """A program in the sandbox, which knows nothing but an address to send its requests to, as those of inspect_swe."""

    async def execute(state: AgentState) -> AgentState:
        async with sandbox_agent_bridge(state, port=_free_port()) as bridge:
            await sandbox().write_file("agent.sh", COMMAND_LINE_AGENT.read_text())
            known = {"PORT": str(bridge.port), "ASKED": json.dumps(state.messages[-1].text)}
            done = await sandbox().exec(["bash", "agent.sh"], env=known, timeout=60)
            if not done.success:
                raise RuntimeError(f"{done.stdout}\n{done.stderr}")
            return bridge.state

    return execute


@task
def boxed(compose: str | None = None) -> Task:
    """A program in a sandbox: on this machine, or in the container of a compose file."""
    return _task(as_solver(command_line_agent()), sandbox=("docker", compose) if compose else "local")


@solver
def with_others() -> Solver:
    """Asks others in the middle of its work: a simulated user, and a judge that is the same model."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state = await generate(state)
        for role in ("user", "judge", "grader"):
            await get_model(role=role).generate(f"You are the {role}.")
        state.messages.append(ChatMessageUser(content="Once more."))
        return await generate(state)

    return solve


@task
def others() -> Task:
    """An agent that asks others, and a grader afterwards."""
    return _task(with_others(), model_graded_qa(template="Grade this: {answer}. {instructions}", model=None))


@task
def plain() -> Task:
    """Nothing but generate."""
    return _task(generate())
