"""The generator as all arms of a study share it: each distinct question is asked once, and a dead model is noticed."""

from __future__ import annotations

import hashlib
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

import anyio
from inspect_ai.model import ChatMessage, Model, ModelOutput

from astray import _compat
from astray.benchmarks import told_now
from astray.errors import AstrayError, BudgetReached, ModelUnavailable

PATIENCE: Final = 30.0
"""Seconds without any answer after which failing connections are no longer retried."""

FAILURES: Final = 3
"""Failed calls in a row, each after its own retries, after which the model counts as gone."""


@dataclass
class Budget:
    """Tokens that models may use together, in and out; answers out of the cache cost none."""

    most: int
    used: int = 0

    @classmethod
    def of(cls, most: int | None) -> Budget | None:
        """A fresh one; None where there is no limit."""
        return None if most is None else cls(most)

    @property
    def reached(self) -> bool:
        """Whether nothing more may be asked."""
        return self.used >= self.most


@dataclass
class _Life:
    """How a model is doing. Inspect hands out a copy of a role's model at every call for it: all share this."""

    failures: int = 0
    last_answer: float = field(default_factory=time.monotonic)
    gone: AstrayError | None = None
    budget: Budget | None = None


class NoReplyError(Exception):
    """A provider's answer in which there is no reply at all: it is asked for again."""


class SharedModel(Model):
    """A model that is asked each distinct question once, also when arms ask it at the same time.

    Inspect's cache answers a question that was answered before. Two arms that ask the same at once would both miss
    it, so a question in flight is waited for. Where nothing is cached, as in a study whose answers are drawn at random
    (temperature above 0), nothing waits.
    """

    def __init__(self, model: Model) -> None:
        super().__init__(model.api, model.config, model.model_args)
        setattr(self.api, "generate", self._paid(self.api.generate))  # noqa: B010 (a method can't be assigned)
        self._locks: dict[bytes, tuple[anyio.Lock, int]] = {}
        self._life = _Life()

    @property
    def gone(self) -> AstrayError | None:
        """Why nothing more is asked, or None."""
        return self._life.gone

    def allow(self, budget: Budget | None) -> None:
        """Let it use no more than what is left of a budget, which it may share with others."""
        self._life.budget = budget

    async def generate(self, input: str | list[ChatMessage], *args: Any, **kwargs: Any) -> ModelOutput:
        """As `Model.generate`, once for each distinct question.

        Raises:
            ModelUnavailable: The model has stopped answering; nothing is asked any more.
            BudgetReached: The budget is used up; nothing is asked any more.
        """
        life = self._life
        if life.budget and life.budget.reached and not life.gone:
            life.gone = BudgetReached(f"the budget of {life.budget.most:,} tokens is used up ({life.budget.used:,})")
        if life.gone:
            raise type(life.gone)(str(life.gone))
        waits = _compat.is_cached(self, input, *args, **kwargs)
        async with self._alone(_key(input)) if waits else nullcontext():
            try:
                output = await super().generate(input, *args, **kwargs)
            except Exception as error:
                self._note_failure(error)
                raise
        life.failures, life.last_answer = 0, time.monotonic()
        return output

    def should_retry(self, ex: BaseException) -> Any:
        """As Inspect decides, but a connection that has failed for `PATIENCE` seconds is not tried for ever."""
        if _is_connection_failure(ex) and time.monotonic() - self._life.last_answer > PATIENCE:
            return False
        if isinstance(ex, NoReplyError):
            return True
        return super().should_retry(ex)

    def _note_failure(self, error: Exception) -> None:
        if type(error).__name__ == "LimitExceededError" or _is_about_the_question(error):
            return
        self._life.failures += 1
        if self._life.failures >= FAILURES and self.gone is None:
            self._life.gone = ModelUnavailable(f"{self} has stopped answering ({first_line(error)})")

    def _paid(self, generate: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """The provider's call, counted; fails where there is no reply: Inspect would keep nothing as the answer."""

        async def call(*args: Any, **kwargs: Any) -> Any:
            result = await generate(*args, **kwargs)
            output = result[0] if isinstance(result, tuple) else result
            if isinstance(output, ModelOutput):
                if self._life.budget and output.usage:
                    self._life.budget.used += output.usage.total_tokens
                if not output.choices:
                    raise NoReplyError("the provider's answer holds no reply")
            return result

        return call

    @asynccontextmanager
    async def _alone(self, key: bytes) -> AsyncIterator[None]:
        """Nobody else asks this question meanwhile. Equal keys only make calls wait, so they need not be exact."""
        lock, waiting = self._locks.get(key, (anyio.Lock(), 0))
        self._locks[key] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._locks.pop(key)
            if waiting > 1:
                self._locks[key] = (lock, waiting - 1)


def check_reachable(model: Model) -> None:
    """Whether anybody listens where the model should be; costs no call.

    Raises:
        ModelUnavailable: Its server refuses connections, or its name isn't known.
    """
    base_url = model.api.base_url
    if not base_url:
        return
    parts = urlsplit(base_url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=5).close()
    except OSError as error:
        raise ModelUnavailable(
            f"model '{model}': nobody answers at {parts.hostname}:{port} ({error.strerror or error}); "
            "start its server, or correct its base URL"
        ) from error


def first_line(error: BaseException) -> str:
    """An error as one short line, without anything that looks like a key."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200]


def _is_about_the_question(error: BaseException) -> bool:
    """Whether a server is there and refuses this one request, as too long or against its rules."""
    cause: BaseException | None = error
    while cause is not None:
        status = getattr(cause, "status_code", None)
        if isinstance(status, int):
            return status in (400, 413, 422)
        cause = cause.__cause__ or cause.__context__
    return "Error code: 400" in str(error)


def _is_connection_failure(error: BaseException) -> bool:
    names = {kind.__name__ for kind in type(error).__mro__}
    return "APIConnectionError" in names or "ConnectError" in names or isinstance(error, ConnectionError)


def _key(input: str | list[ChatMessage]) -> bytes:
    text = input if isinstance(input, str) else "\0".join(f"{message.role}\1{message.text}" for message in input)
    # Two arms may differ in nothing but what the agent is told, which is put in later: they needn't wait.
    text += f"\0{told_now()}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
