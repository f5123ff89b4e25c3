"""Running tasks with Inspect's eval_set, for studies and authors alike: settings, resuming, plain errors."""

from __future__ import annotations

import errno
import gc
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from inspect_ai import Task, eval_set
from inspect_ai.log import EvalLog, EvalSample, list_eval_logs, read_eval_log, read_eval_log_samples, write_eval_log
from inspect_ai.model import CachePolicy, GenerateConfig, get_model

from astray import _compat
from astray.errors import AstrayError, BudgetReached, ModelUnavailable, UsageError
from astray.local import ensure, find
from astray.study.shared_model import Budget, SharedModel, check_reachable, first_line
from astray.study.spec import MODEL_FORM

ASKED_AGAIN: Final = 2
"""How often a sample that failed is asked again on resume."""

MAX_RETRIES: Final = 6
"""Tries again of one call, with growing waits (about three minutes in all), before it counts as failed."""

EMBEDDED_CONNECTIONS: Final = 4
"""Calls of the embedded model in flight, unless asked otherwise."""


@dataclass(frozen=True)
class Settings:
    """How tasks are run.

    Attributes:
        limit: How many samples of each task.
        epochs: Repetitions of every sample.
        temperature: Above 0, answers are drawn at random and none is cached.
        max_tokens: Most tokens of one reply, or None.
        timeout: Seconds for one try of one call.
        connections: Calls in flight, or None for Inspect's own choice.
        budget: What all models may use together, in all that is run with these settings, or None.
    """

    limit: int
    epochs: int = 1
    temperature: float = 0.0
    max_tokens: int | None = None
    timeout: float = 600
    connections: int | None = None
    budget: Budget | None = None


def run_tasks(
    tasks: Sequence[Task], logs: Path, model: SharedModel, roles: Mapping[str, SharedModel], settings: Settings
) -> AstrayError | None:
    """Run what is missing of these tasks, and return why nothing more is asked, or None.

    Raises:
        AstrayError: A task failed as a whole.
        OSError: The disk is full.
        KeyboardInterrupt: Interrupted; what was finished is in the logs.
    """
    revive(logs)
    for one in (model, *roles.values()):
        one.allow(settings.budget)
    options = {"model": model, "model_roles": dict(roles), **_options(settings, len(tasks))}
    # In a context of its own: Inspect's settings, the cache among them, would hold for the caller's calls too.
    with _little_upkeep():
        _, found = copy_context().run(eval_set, list(tasks), str(logs), **options)
    # Interrupted while several tasks run, eval_set returns no logs at all, and calls that a success.
    if len(found) < len(tasks) or any(log.status == "cancelled" for log in found):
        raise KeyboardInterrupt
    gone = next((one.gone for one in (model, *roles.values()) if one.gone), None)
    failed = next((log.error.message for log in found if log.status == "error" and log.error), None)
    if failed and os.strerror(errno.ENOSPC) in failed:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(logs))
    if failed and not gone:
        raise AstrayError(f"a task failed: {failed}")
    return gone


def connections_for(model: str, asked: int | None) -> int | None:
    """Calls in flight: as asked, else few for the embedded model, else Inspect's own choice."""
    # Inspect would open more and more connections to the embedded model, which has only so many slots.
    return asked or (EMBEDDED_CONNECTIONS if model.startswith("astray/") else None)


def shared(name: str) -> SharedModel:
    """A model by its name, fetched where it is embedded, and reachable as far as that can be told without a call.

    Raises:
        UsageError: No such model.
        ModelUnavailable: Nobody answers where it should be.
    """
    embedded = name.removeprefix("astray/")
    if embedded != name:
        # Now and not with the first question, which would look as if nothing happened.
        ensure(find(embedded))
    try:
        model = SharedModel(get_model(name, memoize=False))
    except (ValueError, ImportError) as error:
        raise UsageError(f"model '{name}': {first_line(error).rstrip('.')}; {MODEL_FORM}") from error
    check_reachable(model)
    return model


def revive(logs: Path) -> None:
    """Have samples that failed asked again, each at most `ASKED_AGAIN` times: their logs count as incomplete."""
    for log in finished_logs(logs):
        # A log in which nothing at all could be scored has no results.
        if log.results is not None and log.results.completed_samples == log.results.total_samples:
            continue
        whole = read_eval_log(log.location)
        if any(_may_be_asked_again(sample) for sample in whole.samples or []):
            whole.invalidated = True
            write_eval_log(whole)


def finished_logs(folder: Path) -> list[EvalLog]:
    """Headers of the latest log of each task that came to an end; newer ones replace older."""
    latest: dict[str, EvalLog] = {}
    for info in sorted(list_eval_logs(str(folder)), key=lambda info: info.mtime or 0) if folder.is_dir() else []:
        header = read_eval_log(info, header_only=True)
        latest[header.eval.task_id] = header
    return list(latest.values())


def finished_samples(log: EvalLog, *, events: bool = False) -> Iterator[EvalSample]:
    """The samples of a log without those that were broken off from outside; their events only where asked for."""
    unread = set() if events else {"events"}
    for sample in read_eval_log_samples(
        log.location, all_samples_required=False, resolve_attachments="full", exclude_fields=unread
    ):
        # One that was broken off is owed, and no failure.
        if sample.error is None or not sample.error.message.startswith(("CancelledError(", "Cancelled(")):
            yield sample


@contextmanager
def answers_kept_in(folder: Path) -> Iterator[None]:
    """Inspect's cache of answers within this folder: never another study's, or another server's, answers."""
    before = os.environ.get("INSPECT_CACHE_DIR")
    os.environ["INSPECT_CACHE_DIR"] = str(folder.absolute())
    try:
        yield
    finally:
        if before is None:
            del os.environ["INSPECT_CACHE_DIR"]
        else:
            os.environ["INSPECT_CACHE_DIR"] = before


@contextmanager
def plain_errors() -> Iterator[None]:
    """Inspect's refusals print nothing in quiet mode: they become errors that are shown."""
    try:
        yield
    except _compat.PrerequisiteError as error:
        raise AstrayError(_compat.plain(error)) from error


@contextmanager
def _little_upkeep() -> Iterator[None]:
    """Spare a run what costs it a tenth of its time where replies come fast (`perf/overhead.py`).

    Python's collector walks all that lives, loaded libraries included, again and again: what stands already is set
    aside, and young objects are looked at less often. Inspect's cache writes three lines of trace for every call.
    """
    thresholds = gc.get_threshold()
    trace = logging.getLogger("inspect_ai.model._cache")
    level = trace.level
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    trace.setLevel(logging.INFO)
    try:
        yield
    finally:
        trace.setLevel(level)
        gc.set_threshold(*thresholds)
        gc.unfreeze()


def _may_be_asked_again(sample: Any) -> bool:
    if sample.error is None:
        return False
    uncounted = (ModelUnavailable.__name__, BudgetReached.__name__)
    errors = [error.traceback for error in sample.error_retries or []]
    return sum(not any(name in text for name in uncounted) for text in errors) < ASKED_AGAIN


def _options(settings: Settings, tasks: int) -> dict[str, Any]:
    config = GenerateConfig(
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        max_retries=MAX_RETRIES,
        attempt_timeout=round(settings.timeout),
    )
    if settings.temperature == 0:
        config.cache = CachePolicy(expiry=None)
    connections = settings.connections
    if connections:
        config.max_connections = connections
    return config.model_dump(exclude_none=True) | {
        "cache": config.cache,
        "limit": settings.limit,
        "epochs": settings.epochs,
        "max_tasks": tasks,
        "max_samples": connections + max(2, connections // 4) if connections else None,
        # Nothing is cached above 0: a finished sample that isn't in the log yet would be paid for again.
        "log_buffer": 1 if settings.temperature > 0 else None,
        "fail_on_error": False,
        "retry_attempts": 0,
        "retry_immediate": False,
        "display": "none",
        "log_level": "error",
        "log_realtime": False,
        "log_dir_allow_dirty": True,
        "score_display": False,
        "log_model_api": False,
        "ctl_server": False,
        "acp_server": False,
    }
