"""From the name of a benchmark to the benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from astray.benchmarks.base import Benchmark
from astray.benchmarks.hf import hub_rows
from astray.benchmarks.inspect_task import InspectTask
from astray.benchmarks.qa import QA, load_rows
from astray.benchmarks.starter import starter
from astray.benchmarks.tau2.benchmark import PREFIX, Tau2
from astray.errors import UsageError, nearest

_LATER: Final = ("harbor:", "swe-bench:", "mcp-atlas:")
_FORMS: Final = "starter, qa:PATH, hf:NAME, tau2:DOMAIN, or any Inspect task (package/name, or file.py@task)"


def find_benchmark(
    name: str, task_args: Mapping[str, Any] | None = None, scale: Sequence[float] | None = None
) -> Benchmark:
    """The benchmark of this name.

    Args:
        name: ``starter``, ``qa:PATH``, ``hf:NAME``, ``tau2:DOMAIN[,DOMAIN]``, a registered Inspect task, or
            ``file.py@task``.
        task_args: Arguments for an Inspect task, or for the conversations of tau2; of ``hf:``, fields of the map.
        scale: Worst and best value of an Inspect task's scorer; 0 and 1 where None.

    Raises:
        UsageError: A name that can't stand for a benchmark; the message says what can.
        InputError: Its questions can't be read.
    """
    if name == "starter" or name.startswith("qa:"):
        _refuse_arguments(name, task_args)
    if name == "starter":
        return starter()
    if name.startswith("qa:"):
        return QA(name, load_rows(Path(name.removeprefix("qa:")).expanduser()))
    if name.startswith("hf:"):
        rows, left_out = hub_rows(name, task_args or {})
        return QA(name, rows, left_out=left_out)
    if name.startswith(PREFIX):
        return Tau2(name, dict(task_args or {}))
    if name.startswith(_LATER):
        raise UsageError(f"benchmark '{name}': '{name.split(':')[0]}:' is not built yet; there are {_FORMS}")
    if "/" in name or ".py" in name:
        worst, best = scale or (0.0, 1.0)
        return InspectTask(name, dict(task_args or {}), scale=(worst, best))
    raise UsageError(f"benchmark '{name}': {_hint(name)}there are {_FORMS}")


def _refuse_arguments(name: str, task_args: Mapping[str, Any] | None) -> None:
    if task_args:
        raise UsageError(f"benchmark '{name}': takes no -T {next(iter(task_args))}=…; Inspect tasks, tau2: and hf: do")


def _hint(name: str) -> str:
    if Path(name).is_file():
        return f"did you mean 'qa:{name}'? "
    near = nearest(name, ["starter"])
    return f"did you mean '{near}'? " if near else "no such benchmark; "
