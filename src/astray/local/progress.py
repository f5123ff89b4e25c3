"""How a download is shown: a bar on a terminal, else a line at the start and one at the end. Never on stdout."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn


def megabytes(count: int) -> str:
    """Bytes as people read them, e.g. `1117 MB` (decimal megabytes)."""
    return f"{count / 1e6:.0f} MB"


class Meter:
    """What a source reports to. This one shows plain lines on stderr."""

    def say(self, text: str) -> None:
        """Show one line."""
        print(text, file=sys.stderr, flush=True)

    def begin(self, label: str, total: int, done: int = 0) -> None:
        """A transfer starts: `total` bytes of which `done` are there already."""
        self._since, self._total, self._label = time.monotonic(), total, label
        rest = f", {megabytes(done)} of it here already" if done else ""
        self.say(f"Fetching {label} ({megabytes(total)}{rest})")

    def advance(self, count: int) -> None:
        """`count` more bytes are there."""

    def end(self, done: bool) -> None:
        """The transfer is over, complete or not."""
        if done:
            self.say(f"Fetched {self._label} in {time.monotonic() - self._since:.0f} s")


class Bar(Meter):
    """A bar with bytes, speed and time left, on a terminal's stderr."""

    def __init__(self, console: Console) -> None:
        """Draw on `console`."""
        self._console = console
        self._progress: Progress | None = None

    def say(self, text: str) -> None:
        """Show one line, above the bar."""
        self._console.print(text, markup=False, highlight=False)

    def begin(self, label: str, total: int, done: int = 0) -> None:
        """Draw the bar."""
        columns = (DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
        self._progress = Progress(TextColumn("{task.description}"), BarColumn(), *columns, console=self._console)
        self._task = self._progress.add_task(label, total=total, completed=done)
        self._progress.start()

    def advance(self, count: int) -> None:
        """Move the bar."""
        if self._progress:
            self._progress.advance(self._task, count)

    def end(self, done: bool) -> None:
        """Leave the bar as it is."""
        if self._progress:
            self._progress.stop()
            self._progress = None


def for_stderr() -> Meter:
    """A bar if stderr is a terminal, else lines."""
    console = Console(stderr=True)
    return Bar(console) if console.is_terminal else Meter()
