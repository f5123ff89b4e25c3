"""How long all measures take, and in how much memory, and how that grows with the rows.

    python perf/measures.py [--rows 1000000] [--partial]

The table is made up: 5 models, 20 arms, 5 rounds, and as many samples as the rows allow; answers are right or wrong,
or, with ``--partial``, scored between 0 and 1. Measured are the summary (all cells, 2,000 bootstrap draws), survival,
updating, heterogeneity of eight subsets, and ranking of the models. Runs a tenth and a hundredth of the rows too,
each size in a process of its own. Exits with 1 where that took more than 60 s or 2 GB.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pandas as pd

MODELS, ROUNDS, SUBSETS = 5, 5, 8
ARMS = (
    "original",
    *("reask@4", "judge-hypercritical-none@4", "judge-hypercritical-plain@4", "judge-hypercritical-strategic@4"),
    *("judge-hypercritical-persuasive@4", "judge-malicious-none@4", "judge-malicious-plain@4"),
    *("judge-malicious-strategic@4", "judge-malicious-persuasive@4", "judge-constructive-none@4"),
    *("judge-constructive-plain@4", "judge-constructive-gold@4", "reask@4+skeptical"),
    *("judge-hypercritical-none@4+skeptical", "judge-hypercritical-plain@4+skeptical"),
    *("judge-malicious-none@4+skeptical", "judge-malicious-plain@4+skeptical"),
    *("judge-hypercritical-none@4+trusting", "judge-malicious-none@4+trusting"),
)
SECONDS, GIGABYTES = 60.0, 2.0


def main() -> None:
    options = arguments()
    if options.child:
        measure(options.rows, partial=options.partial)
        return
    found = [child(rows, partial=options.partial) for rows in (options.rows // 100, options.rows // 10, options.rows)]
    for one in found:
        steps = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in one["steps"].items())
        print(f"{one['rows']:>9,} rows: {one['seconds']:5.1f} s, {one['gigabytes']:.2f} GB ({steps})")
    last = found[-1]
    kind = "partial scores" if options.partial else "right or wrong"
    print(f"{MODELS} models x {len(ARMS)} arms x {last['samples']:,} samples x {ROUNDS} rounds, {kind}", end=": ")
    print(f"{last['rows']:,} rows, {last['seconds']:.1f} s, {last['gigabytes']:.2f} GB")
    sys.exit(last["seconds"] > SECONDS or last["gigabytes"] > GIGABYTES)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How long all measures take.")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--partial", action="store_true", help="scores between 0 and 1")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    least = MODELS * len(ARMS) * ROUNDS * (1 if options.child else 100)
    if options.rows < least:
        sys.exit(f"--rows {options.rows}: at least {least:,} are needed for a sample in each")
    return options


def child(rows: int, *, partial: bool) -> dict[str, object]:
    """One size in a process of its own, so that its memory is its own."""
    more = ["--partial"] if partial else []
    command = [sys.executable, __file__, "--rows", str(rows), "--child", *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{rows} rows could not be measured:\n{done.stderr}")
    found: dict[str, object] = json.loads(done.stdout)
    return found


def measure(rows: int, *, partial: bool) -> None:
    from astray.measures import heterogeneity, rankings, summarize, survival, tracks, updating

    frame = table(rows // (MODELS * len(ARMS) * ROUNDS), partial=partial)
    steps: dict[str, float] = {}

    def timed(name: str, step: Callable[[], object]) -> None:
        start = time.monotonic()
        step()
        steps[name] = round(time.monotonic() - start, 2)

    start = time.monotonic()
    timed("summary", lambda: summarize(frame).to_frame())
    found = tracks(frame)
    timed("survival", lambda: [survival(track, kind=kind) for track in found for kind in ("lost", "won")])
    timed("updating", lambda: updating(found))
    timed("subsets", lambda: heterogeneity(frame))
    timed("ranking", lambda: rankings(found))
    seconds = time.monotonic() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    samples = frame["sample_id"].nunique()
    figures = {"rows": len(frame), "samples": samples, "seconds": seconds, "gigabytes": peak, "steps": steps}
    print(json.dumps(figures))


def table(samples: int, *, partial: bool) -> pd.DataFrame:
    """Outcomes as they are read from a study's tables: texts, and all columns that measures look at."""
    random = np.random.default_rng(1)
    shape = (MODELS, len(ARMS), samples, ROUNDS)
    model, arm, sample, round_ = (index.ravel() for index in np.indices(shape))
    ease = random.random(samples)
    score = np.clip(ease[sample] - 0.03 * round_ + random.normal(0, 0.2, len(sample)), 0, 1)
    score = np.round(score, 3) if partial else (score > 0.4).astype(float)
    outcome = np.where(score == 1, "correct", np.where(score == 0, "wrong", "partial"))
    ids = np.array([f"question-{number:06}" for number in range(samples)], dtype=object)
    subsets = np.array([f"subject {number % SUBSETS}" for number in range(samples)], dtype=object)
    judged = np.array(["judge" if "judge" in name else None for name in ARMS], dtype=object)
    return pd.DataFrame(
        {
            **{"study": "s", "user": None, "book": None, "benchmark": "b", "epoch": 1},
            "model": np.array([f"model {number}" for number in range(MODELS)], dtype=object)[model],
            "judge": judged[arm],
            "arm": np.array(ARMS, dtype=object)[arm],
            "sample_id": ids[sample],
            "subset": subsets[sample],
            "round": round_,
            "outcome": outcome,
            "value": score,
            "answer": np.where(score == 1, "A", np.where(random.random(len(score)) < 0.5, "B", "C")),
            "judge_spoke": (round_ > 0) & (judged[arm] != None),  # noqa: E711
            "critique_valid": np.where(round_ > 0, random.random(len(score)) < 0.97, None),
        }
    )


if __name__ == "__main__":
    main()
