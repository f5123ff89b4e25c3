"""Running a study: Inspect's eval_set over one task for each arm, resumable, and honest about what was not had."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from inspect_ai import Task, eval_set
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, write_eval_log
from inspect_ai.model import CachePolicy, GenerateConfig, get_model
from rich.console import Console

from astray import _compat
from astray.errors import AstrayError, ModelUnavailable, UsageError
from astray.local import ensure, find
from astray.study.folder import Folder, open_folder
from astray.study.plan import answers_per_sample
from astray.study.prepare import Prepared
from astray.study.shared_model import SharedModel, check_reachable, first_line
from astray.study.task import arm as arm_of

ASKED_AGAIN: Final = 2
"""How often a sample that failed is asked again on resume."""

MAX_RETRIES: Final = 6
"""Tries again of one call, with growing waits (about three minutes in all), before it counts as failed."""

EMBEDDED_CONNECTIONS: Final = 4
"""Calls of the embedded model in flight, unless asked otherwise."""


@dataclass(frozen=True)
class Ran:
    """What a run came to."""

    folder: Folder
    gone: str | None
    """Why the model counts as gone, or None."""


def run_study(prepared: Prepared, out: Path, console: Console) -> Ran:
    """Run what is missing of a study. Tables are made from the logs afterwards, by `collect`.

    Raises:
        UsageError: Unknown model.
        ModelUnavailable: The model can't be had at the start.
        StudyMismatch: The folder holds another study.
        OSError: The disk is full.
        AstrayError: Inspect refuses; its message is shown.
        KeyboardInterrupt: Interrupted; what was finished is kept.
    """
    with answers_kept_in(Folder(out).cache), _plain_errors():
        model = _shared(prepared.study.model)
        roles = {role: _shared(name) for role, name in _role_names(prepared).items()}
        folder = open_folder(prepared, out)
        tasks = [arm_of(**prepared.task_arguments(arm)) for arm in prepared.arms]
        revive(folder.logs)
        with _progress(prepared, console):
            options = {"model": model, "model_roles": roles, **_settings(prepared, tasks)}
            # In a context of its own: Inspect's settings, the cache among them, would hold for the caller's calls too.
            _, logs = copy_context().run(eval_set, tasks, str(folder.logs), **options)
    # Interrupted while several tasks run, eval_set returns no logs at all, and calls that a success.
    if len(logs) < len(tasks) or any(log.status == "cancelled" for log in logs):
        raise KeyboardInterrupt
    failed = next((log.error.message for log in logs if log.status == "error" and log.error), None)
    if failed and os.strerror(errno.ENOSPC) in failed:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder.root))
    gone = next((one.gone for one in (model, *roles.values()) if one.gone), None)
    if failed and not gone:
        raise AstrayError(f"a task of the study failed: {failed}")
    return Ran(folder, gone)


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


def _may_be_asked_again(sample: Any) -> bool:
    if sample.error is None:
        return False
    counted = [error for error in sample.error_retries or [] if ModelUnavailable.__name__ not in error.traceback]
    return len(counted) < ASKED_AGAIN


def _role_names(prepared: Prepared) -> dict[str, str]:
    """The models of the roles that are named; a judge that isn't is the evaluated model itself.

    Also a judge that no arm needs yet: roles belong to a task's identity, and arms may be added.
    """
    names = {"grader": prepared.study.grader_model, "judge": prepared.study.judge_model}
    return {role: name for role, name in names.items() if name}


def _shared(name: str) -> SharedModel:
    """A model by its name, fetched where it is embedded, and reachable as far as that can be told without a call."""
    embedded = name.removeprefix("astray/")
    if embedded != name:
        # Now and not with the first question, which would look as if nothing happened.
        ensure(find(embedded))
    try:
        model = SharedModel(get_model(name, memoize=False))
    except (ValueError, ImportError) as error:
        raise UsageError(
            f"model '{name}': {first_line(error).rstrip('.')}; a model is provider/name, "
            "e.g. astray/qwen2.5-coder-1.5b or openai/gpt-4o-mini"
        ) from error
    check_reachable(model)
    return model


def _settings(prepared: Prepared, tasks: list[Task]) -> dict[str, Any]:
    study = prepared.study
    # Inspect would open more and more connections to the embedded model, which has only so many slots.
    connections = study.max_connections or (EMBEDDED_CONNECTIONS if study.model.startswith("astray/") else None)
    config = GenerateConfig(
        temperature=study.temperature,
        max_tokens=study.max_tokens,
        max_retries=MAX_RETRIES,
        attempt_timeout=round(study.timeout),
    )
    if study.temperature == 0:
        config.cache = CachePolicy(expiry=None)
    if connections:
        config.max_connections = connections
    return config.model_dump(exclude_none=True) | {
        "cache": config.cache,
        "limit": len(prepared.samples),
        "epochs": study.epochs,
        "max_tasks": len(tasks),
        "max_samples": connections + max(2, connections // 4) if connections else None,
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


def _progress(prepared: Prepared, console: Console) -> AbstractContextManager[None]:
    if not console.is_terminal:
        return nullcontext()
    from astray.study.progress import progress_line

    samples = len(prepared.samples) * prepared.study.epochs
    return progress_line(answers_per_sample(prepared.arms), samples, console)


@contextmanager
def answers_kept_in(folder: Path) -> Iterator[None]:
    """Inspect's cache of answers within the study folder: never another study's, or another server's, answers."""
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
def _plain_errors() -> Iterator[None]:
    """Inspect's refusals print nothing in quiet mode: they become errors that are shown."""
    try:
        yield
    except _compat.PrerequisiteError as error:
        raise AstrayError(_compat.plain(error)) from error
