"""How long labelling takes, and how much memory, with a labeller that answers at once.

    python perf/traces.py [--traces 1000] [--steps 40] [--behaviours complies,disagrees,...]

Prints its size, seconds and the peak of resident memory for a quarter of the traces and for all of them.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from astray.cli import run
from astray.tables import Outcome, OutcomeRow, TranscriptRow, read, write
from astray.traces import EVERYTHING

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))


def main() -> None:
    options = arguments()
    if options.worker:
        return labelled(options.worker, options.behaviours)
    for count in (options.traces // 4, options.traces):
        with tempfile.TemporaryDirectory() as folder:
            study(Path(folder), count, options.steps)
            again = [sys.executable, __file__, "--worker", folder, "--behaviours", options.behaviours]
            environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
            done = subprocess.run(again, capture_output=True, text=True, check=False, env=environment)
            if done.returncode:
                sys.exit(f"could not measure: {done.stderr[-2000:]}")
            print(f"{count} traces of {options.steps} steps: {done.stdout.splitlines()[-1]}", flush=True)
    return None


def labelled(folder: Path, behaviours: str) -> None:
    """Label one study in this process, and print how long it took."""
    import inspect_ai.model
    from tests.trace_parts import labeller

    @inspect_ai.model.modelapi(name="instant")
    class Instant(inspect_ai.model.ModelAPI):
        async def generate(self, input, tools, tool_choice, config):  # type: ignore[no-untyped-def]
            output = inspect_ai.model.ModelOutput.from_content("instant", labeller([{"content": input[-1].text}]))
            output.usage = inspect_ai.model.ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            return output

    start = time.monotonic()
    code = run(["traces", "label", str(folder), "--grader-model", "instant/m", "--behaviours", behaviours])
    seconds = time.monotonic() - start
    rows = read(folder, "labellings")
    if code or not rows["done"].all():
        sys.exit(f"exit code {code}, {int((~rows['done']).sum())} void")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    labels = len(read(folder, "behaviours"))
    print(f"{len(rows)} labellings, {labels} labels, {seconds:.0f} s, peak memory {peak:.0f} MB")


def study(folder: Path, traces: int, steps: int) -> None:
    """Transcripts of so many steps, every one of its own."""
    transcripts, outcomes = [], []
    for number in range(traces):
        key = {"study": "s", "model": "m", "benchmark": "b", "sample_id": f"q{number}", "arm": "xy", "epoch": 1}
        for step in range(1, steps + 1):
            speaker = "user" if step == 1 else "agent" if step % 2 == 0 else "tool"
            text = f"This is step {step} of run {number}. " * 5
            if step == steps // 2:
                text += "I will change the port, as you say."
            transcripts.append(TranscriptRow(**key, step=step, round=0, speaker=speaker, text=text))
        outcomes.append(OutcomeRow(**key, round=0, outcome=Outcome.WRONG, value=0.0))
    write(folder / "tables", "transcripts", transcripts)
    write(folder / "tables", "outcomes", outcomes)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--traces", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--behaviours", default=",".join(EVERYTHING))
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
