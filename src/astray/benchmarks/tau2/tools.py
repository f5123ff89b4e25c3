"""The tools of agent and user: those of inspect-evals, at work on the environment of the conversation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from typing import Any

from inspect_ai.model import ChatMessageAssistant
from inspect_ai.tool import Tool, ToolDef, ToolError
from inspect_ai.util import LimitExceededError

from astray.benchmarks.tau2.environment import Call, Environment, Requestor

_NOW: ContextVar[Environment] = ContextVar("astray_tau2_environment")


@contextmanager
def at_work_on(environment: Environment) -> Iterator[None]:
    """While within, tools work on this environment."""
    token = _NOW.set(environment)
    try:
        yield
    finally:
        _NOW.reset(token)


@cache
def agent_tools(domain: str) -> tuple[ToolDef, ...]:
    """The agent's tools in a domain."""
    if domain == "airline":
        from inspect_evals.tau2.airline.tools import all_airline_tools as tools
    elif domain == "retail":
        from inspect_evals.tau2.retail.tools import all_retail_tools as tools
    else:
        from inspect_evals.tau2.telecom.tools import all_telecom_agent_tools as tools
    return tuple(_on_environment(make()) for make in tools)


@cache
def user_tools(domain: str) -> tuple[ToolDef, ...]:
    """The user's own tools in a domain; none where the user only talks."""
    if domain != "telecom":
        return ()
    from inspect_evals.tau2.telecom.user_tools import all_telecom_user_tools

    return tuple(_on_environment(make()) for make in all_telecom_user_tools)


def calls_of(message: ChatMessageAssistant, requestor: Requestor) -> list[Call]:
    """The tool calls of a message that could be read."""
    return [Call(requestor, call.function, call.arguments) for call in message.tool_calls or () if not call.parse_error]


def _on_environment(tool: Tool) -> ToolDef:
    """A tool of inspect-evals that works on the environment at hand, and whose every error is its answer."""
    known = ToolDef(tool)

    @wraps(tool)
    async def execute(*args: Any, **kwargs: Any) -> Any:
        environment = _NOW.get()
        try:
            with environment.at_hand():
                return await tool(*args, **kwargs)
        except (ToolError, LimitExceededError):
            raise
        except Exception as error:
            # As upstream: an agent reads what went wrong. Inspect would end the sample as failed.
            raise ToolError(str(error) or type(error).__name__) from error
        finally:
            environment.sync()

    # A definition and not a tool, which Inspect would take apart anew for every call of the model.
    return ToolDef(execute, name=known.name, description=known.description, parameters=known.parameters)
