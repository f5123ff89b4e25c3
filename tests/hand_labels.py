"""Transcripts that were read and labelled by hand, as a study to be labelled by a model and held against them.

    python tests/hand_labels.py OUT
    astray traces label OUT --grader-model M
    astray traces calibrate OUT OUT/hand.jsonl

Writes OUT/tables (transcripts, outcomes) and OUT/hand.jsonl. The transcripts are scripted (``hand/scripted.yaml``), or
of the embedded model on the starter questions (``hand/embedded.jsonl``, labels in ``hand/embedded.yaml``).
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from astray.tables import Outcome, OutcomeRow, TranscriptRow, read, write
from astray.traces import EVERYTHING, traces_in
from astray.traces.kinds import applies, held_against
from astray.traces.trace import advice_of, suggestions_for

HAND = Path(__file__).parent / "hand"
EMBEDDED = "astray/qwen2.5-coder-1.5b"

Labels = dict[str, list[int]]
Run = tuple[list[TranscriptRow], OutcomeRow, Labels]


def hand_study(folder: Path) -> Path:
    """Write the study and its labels by hand; returns the folder."""
    runs = [*scripted(), *embedded()]
    write(folder / "tables", "transcripts", [row for rows, _, _ in runs for row in rows])
    write(folder / "tables", "outcomes", [outcome for _, outcome, _ in runs])
    known = {_key(outcome): labels for _, outcome, labels in runs}
    traces = traces_in(read(folder, "transcripts"))
    held = advice_of(traces)
    lines = [
        json.dumps({**vars(trace.key), "behaviour": behaviour, "step": step})
        for trace in traces
        for behaviour in EVERYTHING
        if any(applies(behaviour, trace, about) for about in held_against(behaviour, suggestions_for(trace, held)))
        for step in known[tuple(vars(trace.key).values())].get(behaviour) or [None]
    ]
    (folder / "hand.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def scripted() -> Iterator[Run]:
    """The scripted transcripts."""
    epochs: Counter[tuple[str, str]] = Counter()
    for course in yaml.safe_load((HAND / "scripted.yaml").read_text("utf-8")):
        place = course["sample"], course["arm"]
        epochs[place] += 1
        key: dict[str, Any] = {"study": "hand", "model": "scripted", "benchmark": "hand", "epoch": epochs[place]}
        key |= {"sample_id": course["sample"], "arm": course["arm"]}
        rows = list(_steps(key, course["steps"], course.get("advice")))
        yield rows, _outcome(key, course["outcome"], rows), course["labels"]


def embedded() -> Iterator[Run]:
    """The transcripts of the embedded model."""
    labels = yaml.safe_load((HAND / "embedded.yaml").read_text("utf-8"))
    for line in (HAND / "embedded.jsonl").read_text("utf-8").splitlines():
        run = json.loads(line)
        key: dict[str, Any] = {"study": "hand", "model": EMBEDDED, "benchmark": "starter", "epoch": 1}
        key |= {"sample_id": run["sample_id"], "arm": run["arm"]}
        rows = [TranscriptRow(**key, step=number, **step) for number, step in enumerate(run["steps"], 1)]
        found = {behaviour: places.get(run["sample_id"], []) for behaviour, places in labels[run["arm"]].items()}
        yield rows, _outcome(key, run["outcome"], rows), found


def _steps(key: dict[str, Any], steps: list[dict[str, Any]], advice: str | None) -> Iterator[TranscriptRow]:
    """The rows of a scripted course; what a judge says, or a user later on, begins a round."""
    round = 0
    for number, step in enumerate(steps, 1):
        ((speaker, said),) = step.items()
        parts = said if isinstance(said, dict) else {"says": said}
        text = str(parts["says"])
        round += speaker == "judge" or (speaker == "user" and number > 1 and key["arm"].startswith("reask"))
        own = text if speaker == "judge" else advice if "{advice}" in text else None
        calls = parts.get("calls")
        yield TranscriptRow(
            **key,
            step=number,
            round=round,
            speaker=speaker,
            text=text.replace("{advice}", advice or ""),
            reasoning=parts.get("thinks"),
            tool_calls=json.dumps([{"name": calls, "arguments": {}}]) if calls else None,
            advice=own,
        )


def _outcome(key: dict[str, Any], outcome: str, rows: list[TranscriptRow]) -> OutcomeRow:
    value = float(outcome == "correct")
    return OutcomeRow(**key, round=rows[-1].round, outcome=Outcome(outcome), value=value)


def _key(row: OutcomeRow) -> tuple[object, ...]:
    return row.study, row.model, row.benchmark, row.sample_id, row.arm, row.epoch


if __name__ == "__main__":
    print(f"{hand_study(Path(sys.argv[1]))}: {len([*scripted(), *embedded()])} transcripts and their labels by hand")
