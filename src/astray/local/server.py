"""One llama.cpp server per model in this process: started on first use, shared by all tasks, gone with the process."""

from __future__ import annotations

import atexit
import os
import secrets
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from astray.errors import ModelUnavailable, UsageError

SLOT_TOKENS = 4096
"""Tokens of context that each request has, prompt and reply together, unless `SLOT_TOKENS_NAME` says otherwise."""

SLOT_TOKENS_NAME = "ASTRAY_SLOT_TOKENS"
"""Environment variable for more: an agent's policy and tools may not fit."""

MAX_SLOTS = 8
"""Most requests worked on at once; more wait in the server's queue. A slot takes about 120 MB with the 1.5B model."""

PROMPT_CACHE_MIB = 512
"""Memory for prompts that no slot holds any more (28 KB a token with the 1.5B model): the next round of a conversation
goes on from there, although other questions came between. llama.cpp's default would take up to 8 GB."""

_GROUP_QUOTA = Path("/sys/fs/cgroup/cpu.max")


@dataclass(frozen=True)
class Running:
    """A server that answers.

    Attributes:
        url: Of the OpenAI-compatible API, ending in `/v1`.
        key: API key; without it any page in a browser on this machine could use the model.
        slots: Requests it works on at once.
    """

    url: str
    key: str
    slots: int


_running: dict[Path, tuple[Running, Any]] = {}
_starting = threading.Lock()


def running(file: Path) -> Running | None:
    """The server of this model file, if there is one in this process."""
    held = _running.get(file)
    return held[0] if held else None


def start(file: Path, slots: int) -> Running:
    """The server of this model file, started if need be (seconds); call it from a thread, not from an event loop.

    Args:
        file: Verified model file.
        slots: Requests to work on at once, if it isn't running yet.

    Raises:
        ModelUnavailable: xllamacpp isn't installed, or can't load the file.
    """
    with _starting:
        if file not in _running:
            if not _running:
                atexit.register(stop_all)
            _running[file] = _start(file, max(1, min(slots, MAX_SLOTS)))
        return _running[file][0]


def slot_tokens() -> int:
    """Tokens of context that each request has.

    Raises:
        UsageError: The environment variable is no number of at least 512.
    """
    asked = os.environ.get(SLOT_TOKENS_NAME) or str(SLOT_TOKENS)
    if not asked.isdecimal() or int(asked) < 512:
        raise UsageError(f"{SLOT_TOKENS_NAME}={asked}: should be a number of tokens, 512 or more")
    return int(asked)


def stop_all() -> None:
    """Stop every server; requests in flight are dropped."""
    with _starting:
        _running.clear()  # the servers' destructors stop them


def _start(file: Path, slots: int) -> tuple[Running, Any]:
    xllamacpp = _import()
    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.model_alias = {file.stem}  # else replies, and so logs, name the path
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.api_keys = [key := secrets.token_urlsafe(16)]
    params.n_parallel, params.n_ctx = slots, slots * slot_tokens()
    # Not unified: every slot has its own context, so that one long request can't push another out.
    params.kv_unified, params.fit_params = False, False
    params.cont_batching, params.cache_prompt = True, True
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = cores()
    params.verbosity = -1
    params.ui = params.endpoint_slots = False
    try:
        server = xllamacpp.Server(params)
    except Exception as error:
        raise ModelUnavailable(f"llama.cpp can't load {file}: {error}") from error
    return Running(f"{server.listening_address}/v1", key, slots), server


def _import() -> Any:
    # Threads that spin at a barrier while another program has their core make each other wait: measured on two cores
    # beside one busy program, 1 token/s; waiting passively, 6. Only this import reads it.
    before = os.environ.get("OMP_WAIT_POLICY")
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        import xllamacpp
    except ImportError as error:
        reason = "" if error.name == "xllamacpp" else f" ({error})"
        raise ModelUnavailable(
            f"The embedded model needs xllamacpp, which isn't there{reason}: pip install 'astray[local]'"
        ) from error
    finally:
        if before is None:
            os.environ.pop("OMP_WAIT_POLICY", None)
    return xllamacpp


def cores() -> int:
    """Cores this process may use: its affinity, and the quota of its container."""
    count = len(os.sched_getaffinity(0))
    try:
        quota, period = _GROUP_QUOTA.read_text("ascii").split()
        return max(1, min(count, int(quota) // int(period)))
    except (OSError, ValueError):  # no such file, or "max": no quota
        return count
