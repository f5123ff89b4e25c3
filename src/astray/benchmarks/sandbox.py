"""Scoring leaves no traces: what a scorer changes in an agent's sandbox is undone before the agent acts again.

Scorers that run tests put them there, and an agent that is asked again would find them (inspect_ai PR #841).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from inspect_ai.event import SandboxEvent
from inspect_ai.log import transcript
from inspect_ai.util import SandboxEnvironment, sandbox

from astray.errors import InputError

LARGEST: Final = 1024 * 1024
"""Kilobytes that a working directory may hold, to be kept."""

_SECONDS: Final = 300
"""For one copy."""

# Inspect's own helpers run from `sandbox-tools` within a local sandbox, and stay where they are.
_COPY: Final = """
[ "$(pwd)" != / ] || { echo "it is the root of the file system" >&2; exit 3; }
[ "$(du -sk . | cut -f1)" -le "$1" ] || { echo "it holds more than $1 kB" >&2; exit 3; }
copy=$(mktemp -d) && cp -a . "$copy" && rm -rf "$copy/sandbox-tools" && echo "$copy"
"""
_RESTORE: Final = """
find . -mindepth 1 -maxdepth 1 ! -name sandbox-tools -exec rm -rf {} + && cp -a "$1"/. .
"""
_REMOVE: Final = 'rm -rf "$1"'


@asynccontextmanager
async def sandbox_left_alone(*, needed: bool) -> AsyncIterator[None]:
    """What is done within to the working directory of the sample's sandbox is undone afterwards.

    It is the default sandbox's; what else is changed in it, and other sandboxes, stay changed. Where nothing was run
    or written within, nothing is put back; where the sample has no sandbox, nothing is done at all.

    Args:
        needed: Whether the agent goes on with it.

    Raises:
        InputError: It is needed and has changed, and can't be put back; says why.
    """
    box = _sandbox()
    if box is None:
        yield
        return
    copy, why = await _copied(box)
    mark = len(transcript().events)
    try:
        yield
        if _changed(mark):
            if copy is not None:
                why = await _run(box, _RESTORE, copy)
            if why and needed:
                raise InputError(
                    f"the task's scorer works in the sandbox, and its working directory can't be kept as the agent "
                    f"left it ({why}): an agent that is asked again would see what scoring left there"
                )
    finally:
        if copy is not None:
            await _run(box, _REMOVE, copy)


def _sandbox() -> SandboxEnvironment | None:
    try:
        return sandbox()
    except ProcessLookupError:
        return None


async def _copied(box: SandboxEnvironment) -> tuple[str | None, str | None]:
    """(where a copy of the working directory is, why there is none)."""
    try:
        done = await box.exec(["sh", "-c", _COPY, "sh", str(LARGEST)], timeout=_SECONDS, timeout_retry=False)
    except (OSError, UnicodeDecodeError) as error:
        return None, str(error) or type(error).__name__
    return (done.stdout.strip(), None) if done.success else (None, _last_line(done.stderr))


async def _run(box: SandboxEnvironment, script: str, copy: str) -> str | None:
    """Run a script on the copy; why it failed, or None."""
    try:
        done = await box.exec(["sh", "-c", script, "sh", copy], timeout=_SECONDS, timeout_retry=False)
    except (OSError, UnicodeDecodeError) as error:
        return str(error) or type(error).__name__
    return None if done.success else _last_line(done.stderr)


def _changed(mark: int) -> bool:
    """Whether something was run or written in a sandbox since the event at ``mark``."""
    return any(
        isinstance(event, SandboxEvent) and event.action in ("exec", "write_file")
        for event in transcript().events[mark:]
    )


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:200] if lines else "no reason given"
