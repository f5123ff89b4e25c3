"""Asking the prover: one process for all questions, started when first asked, killed when an answer takes too long."""

from __future__ import annotations

import atexit
import json
import queue
import subprocess
import sys
import threading
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from astray.answers.formula import Tree
from astray.answers.readings import Verdict

SECONDS: Final = 5.0
START_SECONDS: Final = 60.0
_WORKER: Final = Path(__file__).with_name("prover_worker.py")


class Prover:
    """The process and the way to it. What it can't say in time is undecided."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()

    def ask(self, first: Tree, second: Tree, *, seconds: float = SECONDS) -> Verdict:
        """Whether two formulas are equal."""
        with self._lock:
            try:
                process = self._running()
                if process is None or process.stdin is None:
                    return Verdict.UNDECIDED
                process.stdin.write(json.dumps([first, second]) + "\n")
                process.stdin.flush()
                return Verdict(self._lines.get(timeout=seconds))
            except (OSError, ValueError, queue.Empty):
                self._stop()
                return Verdict.UNDECIDED

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._stop()

    def _running(self) -> subprocess.Popen[str] | None:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._stop()
        # -P: the worker's folder is no place to import from, its neighbours have names of their own.
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(_WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._lines = queue.Queue()
        threading.Thread(target=_pump, args=(self._process, self._lines), daemon=True).start()
        return self._process if self._lines.get(timeout=START_SECONDS) == "ready" else None

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue


def _pump(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    """Carry the lines of a process over, and an empty one when it ends."""
    try:
        for line in process.stdout or ():
            lines.put(line.strip())
    except ValueError:
        pass
    lines.put("")


_PROVER: Final = Prover()
atexit.register(_PROVER.close)


@lru_cache(maxsize=1)
def available() -> bool:
    """Whether sympy is installed."""
    return find_spec("sympy") is not None


def prove(first: Tree, second: Tree) -> Verdict:
    """Whether two formulas are equal, by exact symbolic proof; undecided without sympy."""
    return _PROVER.ask(first, second) if available() else Verdict.UNDECIDED
