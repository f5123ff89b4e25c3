"""What astray adds to the time of a run: wall time over the ideal, CPU a call, memory, beside bare Inspect.

400 samples under `judge-hypercritical-none@4` (2,000 calls) against a local server that answers after 1 s and after
0.2 s, 50 connections; and the same number of calls by bare Inspect tasks in the same run: as single questions (bare),
and as the same conversations, which are longer (talk). Every measurement is a process of its own; the server is
another. Figures are ratios within one run: the machine cancels out. A shared machine changes its speed within a
minute, so they take turns, and the medians are compared.

    python perf/overhead.py [--samples 400] [--rounds 4] [--connections 50] [--latencies 1,0.2] [--repeats 3]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
SERVER = HERE.parent / "tests" / "scripted_server.py"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--connections", type=int, default=50)
    parser.add_argument("--latencies", default="1,0.2")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        return child(given)
    calls = given.samples * (given.rounds + 1)
    print(
        f"{given.samples} samples, judge-hypercritical-none@{given.rounds}: {calls} calls, {given.connections} at once"
    )
    worst = 0
    for latency in map(float, given.latencies.split(",")):
        worst = max(worst, compare(given, calls, latency))
    return worst


def compare(given: argparse.Namespace, calls: int, latency: float) -> int:
    ideal = calls * latency / given.connections
    found: dict[str, list[dict[str, float]]] = {"astray": [], "bare": [], "talk": []}
    for _ in range(given.repeats):
        for kind, runs in found.items():
            run = measure(given, kind, latency)
            if run is None or run["asked"] != calls:
                print(
                    f"latency {latency:g} s: could not be measured; {kind} "
                    + (f"asked {run['asked']} times, not {calls}" if run else "failed")
                )
                return 1
            runs.append(run)
    wall = {kind: median(run["wall"] for run in runs) for kind, runs in found.items()}
    for kind, runs in found.items():
        print(
            f"latency {latency:g} s, {kind:6}: {wall[kind]:6.2f} s wall = {wall[kind] / ideal:.2f} of the ideal "
            f"{ideal:.1f} s, {1000 * median(run['cpu'] for run in runs) / calls:5.1f} ms CPU a call, "
            f"{max(run['rss'] for run in runs):.0f} MB at most"
        )
    for kind, told in (("bare", "single questions"), ("talk", "the same conversations")):
        turns = ", ".join(f"{a['wall'] / b['wall']:.2f}" for a, b in zip(found["astray"], found[kind], strict=True))
        ratio = wall["astray"] / wall[kind]
        print(f"latency {latency:g} s: astray / bare Inspect, {told} = {ratio:.2f} (turn by turn: {turns})")
    return 0


def measure(given: argparse.Namespace, kind: str, latency: float) -> dict[str, float] | None:
    server = subprocess.Popen(
        [sys.executable, str(SERVER), "--latency", str(latency)], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    port = server.stdout.readline().strip()
    folder = Path(tempfile.mkdtemp(prefix="astray-overhead-"))
    environment = os.environ | {
        "SCRIPTED_BASE_URL": f"http://127.0.0.1:{port}/v1",
        "SCRIPTED_API_KEY": "none",
        "ASTRAY_CACHE": str(folder / "cache"),
    }
    options = ["--samples", given.samples, "--rounds", given.rounds, "--connections", given.connections]
    command = [sys.executable, __file__, "--child", f"{kind}:{folder}", *map(str, options)]
    try:
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
        if ran.returncode != 0:
            print(ran.stderr[-2000:], file=sys.stderr)
            return None
        return json.loads(ran.stdout.splitlines()[-1]) | {"asked": asked(port)}
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


def asked(port: str) -> int:
    import urllib.request

    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/count") as reply:
        return int(json.load(reply)["count"])


def child(given: argparse.Namespace) -> int:
    """One measurement; the clock runs from the first to the last call, start-up and imports apart."""
    kind, _, folder = given.child.partition(":")
    go = {"astray": run_astray, "bare": run_bare, "talk": run_talk}[kind]
    wall, cpu = go(given, Path(folder))
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"wall": wall, "cpu": cpu, "rss": rss}))
    return 0


def run_astray(given: argparse.Namespace, folder: Path) -> tuple[float, float]:
    from rich.console import Console

    from astray.study import make_study, prepare, run_study

    rows = folder / "rows.jsonl"
    rows.write_text("".join(json.dumps(row(i)) + "\n" for i in range(given.samples)))
    settings = {
        "benchmark": f"qa:{rows}",
        "model": "openai-api/scripted/m",
        "arms": f"judge-hypercritical-none@{given.rounds}",
        "max_connections": given.connections,
    }
    prepared = prepare(make_study(settings, "perf"))
    warm_up()
    start, cpu = time.monotonic(), time.process_time()
    run_study(prepared, folder / "study", Console(stderr=True))
    return time.monotonic() - start, time.process_time() - cpu


def run_bare(given: argparse.Namespace, folder: Path) -> tuple[float, float]:
    from inspect_ai.solver import multiple_choice

    return run_inspect(given, folder, given.samples * (given.rounds + 1), [multiple_choice()])


def run_talk(given: argparse.Namespace, folder: Path) -> tuple[float, float]:
    from inspect_ai.solver import generate, multiple_choice, user_message

    again = "A reviewer finds this answer wrong. Answer again, in the same form."
    rounds = [step for _ in range(given.rounds) for step in (user_message(again), generate())]
    return run_inspect(given, folder, given.samples, [multiple_choice(), *rounds])


def run_inspect(given: argparse.Namespace, folder: Path, count: int, solver: list[Any]) -> tuple[float, float]:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import choice

    rows = [row(i) for i in range(count)]
    samples = [Sample(id=r["id"], input=r["question"], choices=r["choices"], target="B") for r in rows]
    task = Task(dataset=MemoryDataset(samples), solver=solver, scorer=choice())
    warm_up()
    start, cpu = time.monotonic(), time.process_time()
    eval(
        task,
        model="openai-api/scripted/m",
        log_dir=str(folder / "logs"),
        display="none",
        max_connections=given.connections,
        max_samples=given.connections + given.connections // 4,
        log_realtime=False,
        score_display=False,
        log_model_api=False,
        temperature=0,
    )
    return time.monotonic() - start, time.process_time() - cpu


def warm_up() -> None:
    """Load what is loaded once a process: entry points, providers."""
    from inspect_ai.model import get_model

    get_model("openai-api/scripted/warm")


def row(number: int) -> dict[str, object]:
    return {
        "id": f"r{number}",
        "question": f"What is {number}+{number}?",
        "choices": ["1", "2", "3", "4"],
        "answer_index": 1,
    }


if __name__ == "__main__":
    sys.exit(main())
