"""One task's world: databases of its own, the tools of agent and user, and what state they are in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from inspect_ai.util import Store
from pydantic import BaseModel

from astray import _compat
from astray.benchmarks.tau2.copies import Copies
from astray.benchmarks.tau2.data import Domain
from astray.errors import InputError

if TYPE_CHECKING:
    from inspect_evals.tau2.data_model.tasks import Task

Requestor = Literal["assistant", "user"]


@dataclass(frozen=True)
class Call:
    """A tool call: by whom, of what, with which arguments."""

    requestor: Requestor
    name: str
    arguments: Mapping[str, Any]


class Environment:
    """A task's world at its beginning, and from then on as calls change it.

    Its databases stand in a store of its own and not in the sample's, so that no log ever holds them.
    """

    def __init__(self, domain: Domain, task: Task) -> None:
        self.store = Store()
        self.agent, self.user = _toolkits(domain, self.store)
        self._synced = _synced(self.agent, self.user)
        state = task.initial_state
        if state is not None and state.initialization_data is not None:
            raise InputError(f"tau2 task '{task.id}': begins with data of its own, which astray can't set up")
        for action in (state.initialization_actions if state else None) or []:
            self.call(Call(action.env_type, action.func_name, action.arguments))

    def call(self, call: Call) -> Any:
        """Carry out a call of one of the environment's functions; one it doesn't have changes nothing.

        Raises:
            Exception: Whatever the function raises where it refuses.
        """
        toolkit = self.user if call.requestor == "user" else self.agent
        function = None if call.name.startswith("_") else getattr(toolkit, call.name, None)
        if function is None:
            return None
        try:
            return function(**deepcopy(dict(call.arguments)))
        finally:
            self.sync()

    def replay(self, calls: Iterable[Call]) -> list[str]:
        """Carry out calls in order; those that are refused change nothing. Returns the refusals."""
        refused = []
        for call in calls:
            try:
                self.call(call)
            except Exception as error:  # as upstream: every error is an answer of the tool
                refused.append(f"{call.name}: {error}")
        return refused

    def sync(self) -> None:
        """Let the user's phone see what the agent changed, and the other way round (telecom alone)."""
        if self._synced is not None:
            self._synced.sync_tools()

    def holds(self, call: Call, expected: bool) -> bool:
        """Whether an assertion on the environment comes out as expected."""
        toolkit = self.user if call.requestor == "user" else self.agent
        return bool(getattr(toolkit, call.name)(**call.arguments) == expected)

    def state(self) -> str:
        """What state the databases are in, as text: equal for equal states of one domain."""
        return json.dumps([_state(kit.db) for kit in (self.agent, self.user) if kit is not None], sort_keys=True)

    @contextmanager
    def at_hand(self) -> Iterator[None]:
        """While within, the tools of inspect-evals work on this environment."""
        with _compat.store_instead(self.store):
            yield


def _toolkits(domain: Domain, store: Store) -> tuple[Any, Any]:
    """The functions of agent and user; names and instances are those under which inspect-evals looks for them."""
    if domain.name == "airline":
        from inspect_evals.tau2.airline.AirlineAgentTools import AirlineAgentTools as Toolkit

        return _toolkit(Toolkit, "AirlineTools", domain.databases[0], store), None
    if domain.name == "retail":
        from inspect_evals.tau2.retail.RetailAgentTools import RetailAgentTools as Retail

        return _toolkit(Retail, "RetailTools", domain.databases[0], store), None
    from inspect_evals.tau2.telecom.TelecomAgentTools import TelecomAgentTools
    from inspect_evals.tau2.telecom.TelecomUserTools import TelecomUserTools

    agent, user = domain.databases
    return (
        _toolkit(TelecomAgentTools, "TelecomAgentTools", agent, store),
        _toolkit(TelecomUserTools, "TelecomUserTools", user, store),
    )


def _toolkit(kind: Any, instance: str, database: Any, store: Store) -> Any:
    """The functions of one side over a copy of its database, which stands in the store too, where tools look for it."""
    own = Store()
    toolkit = kind(store=own, instance=instance, db=_copied(database), initialized=True)
    for key in list(own.keys()):
        store.set(key, own.get(key))
        # Read from the object and not from its store, each field would else be validated whenever it is read.
        own.delete(key)
    return toolkit


def _copied(database: BaseModel) -> BaseModel:
    values = {name: getattr(database, name) for name in type(database).model_fields}
    if all(isinstance(value, dict) for value in values.values()):
        return type(database).model_construct(None, **{name: Copies(value) for name, value in values.items()})
    return deepcopy(database)


def _synced(agent: Any, user: Any) -> Any:
    if user is None:
        return None
    from inspect_evals.tau2.telecom.environment import Environment as Telecom

    return Telecom(user_tools=user, tools=agent)


def _state(database: BaseModel) -> Any:
    values = {name: getattr(database, name) for name in type(database).model_fields}
    if all(isinstance(value, Copies) for value in values.values()):
        return {name: value.changes() for name, value in values.items()}
    return database.model_dump(mode="json")
