"""What, how far, how long still: one line on a terminal.

Imported only when a line is shown: Inspect prints a banner about hooks that are registered when it starts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import ClassVar

from inspect_ai.hooks import Hooks, SampleEnd, TaskStart, hooks
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn


class _Line:
    """The progress line of what runs now: work counted in answers, samples named by arm, or by what is written."""

    def __init__(self, progress: Progress, answers: Mapping[str, int], samples: int, more: str, last: str) -> None:
        self._progress = progress
        self._answers = answers
        self._samples = samples
        self._more, self._last = more, last
        self._done: dict[str, int] = dict.fromkeys(answers, 0)
        self._bar = progress.add_task("starting", total=samples * sum(answers.values()))

    def sample_done(self, arm: str) -> None:
        if arm not in self._done:
            return
        self._done[arm] += 1
        waiting = [name for name, done in self._done.items() if done < self._samples]
        what = f"{waiting[0]} {self._done[waiting[0]]}/{self._samples}" if waiting else self._last
        if len(waiting) > 1:
            what += f" and {len(waiting) - 1} more{self._more}{'s' if self._more and len(waiting) > 2 else ''}"
        self._progress.update(self._bar, advance=self._answers[arm], description=what)


@hooks(name="progress", description="astray's progress line")
class ProgressHooks(Hooks):
    """Moves the progress line on; idle while nothing runs."""

    line: ClassVar[_Line | None] = None
    arms: ClassVar[dict[str, str]] = {}

    def enabled(self) -> bool:
        """Only while a line is shown."""
        return ProgressHooks.line is not None

    async def on_task_start(self, data: TaskStart) -> None:
        """Remember which arm a task is, or what it writes."""
        given = data.spec.task_args or {}
        ProgressHooks.arms[data.eval_id] = str(given.get("arm") or "".join(given.get("what") or ()))

    async def on_sample_end(self, data: SampleEnd) -> None:
        """One sample further."""
        if ProgressHooks.line:
            ProgressHooks.line.sample_done(ProgressHooks.arms.get(data.eval_id, ""))


@contextmanager
def progress_line(
    answers: Mapping[str, int], samples: int, console: Console, more: str = " arm", last: str = "writing tables"
) -> Iterator[None]:
    """Show progress while tasks run.

    Args:
        answers: For each arm, or each thing that is written, the answers one sample takes.
        samples: Samples times epochs, the same for each.
        console: Where to show it.
        more: What those are called that wait.
        last: What is done when all is answered.
    """
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        ProgressHooks.line = _Line(progress, answers, samples, more, last)
        try:
            yield
        finally:
            ProgressHooks.line = None
