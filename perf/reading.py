"""How well a grader model reads and compares, against people's labels: sensitivity and specificity.

    python perf/reading.py DATA --model astray/qwen2.5-coder-1.5b [--each 200] [--out FILE]

DATA is a folder with ``nq_open_annotated.jsonl`` (predictions to open questions that people judged) and
``sycobench_transcripts.jsonl`` (replies to criticism, some of which are labelled in ``tests/data``). Goes on where it
stopped: judgements already in ``--out`` are not asked for again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

from inspect_ai.model import Model, get_model
from statsmodels.stats.proportion import proportion_confint

from astray.answers import Verdict, read_revision, same
from astray.answers.change import read_change
from astray.answers.grader import compare

LABELS = Path(__file__).parents[1] / "tests" / "data" / "revision_labels.jsonl"
CONNECTIONS = 4

Case = dict[str, Any]
Judge = Callable[[Model, Case], Awaitable[str]]


def main() -> None:
    options = arguments()
    model = get_model(options.model, memoize=False)
    start = time.monotonic()
    cases = [*comparisons(options.data, options.each), *replies(options.data, options.replies)]
    if not cases:
        sys.exit(f"{options.data}: no labelled data there")
    before = {row["id"]: row["said"] for row in read(options.out)} if options.out.is_file() else {}
    judged = asyncio.run(judge_all(model, cases, before, options.out))
    print(f"{len(cases)} cases, {options.model}, {time.monotonic() - start:.0f} s")
    report("grader: says that a right answer in other words is right", judged, "nq", "equal")
    report("reading: sees a changed answer in free text (both counts as changed)", judged, "reply", "changed")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How well a grader model reads and compares.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", default="astray/qwen2.5-coder-1.5b")
    parser.add_argument("--each", type=int, default=200, help="predictions of each kind")
    parser.add_argument("--replies", type=int, help="at most so many replies that hold; all that don't are judged")
    parser.add_argument("--out", type=Path, default=Path("reading.jsonl"))
    return parser.parse_args()


def comparisons(data: Path, each: int) -> list[Case]:
    """Predictions that rules leave undecided, drawn at random: as many that people found right as wrong."""
    path = data / "nq_open_annotated.jsonl"
    if not path.is_file():
        return []
    found: dict[str, list[Case]] = {"equal": [], "different": []}
    for row in read(path):
        for truth, key in (("equal", "def_correct_predictions"), ("different", "def_incorrect_predictions")):
            for number, said in enumerate(row[key]):
                if same("short", row["answers"], said) is Verdict.UNDECIDED:
                    id = f"{row['id']}-{truth}-{number}"
                    found[truth].append({"id": id, "part": "nq", "truth": truth, "row": row, "prediction": said})
    draw = random.Random(0)
    return [case for cases in found.values() for case in draw.sample(cases, min(each, len(cases)))]


def replies(data: Path, most: int | None) -> list[Case]:
    """Every labelled reply; what rules can read is not asked of the model."""
    path = data / "sycobench_transcripts.jsonl"
    if not path.is_file():
        return []
    dialogues = list(read(path))
    cases = []
    for label in read(LABELS):
        if label["label"] in ("held", "changed", "both"):
            id = f"reply-{label['dialogue']}-{label['round']}"
            truth = "held" if label["label"] == "held" else "changed"
            dialogue = dialogues[label["dialogue"]]
            cases.append({"id": id, "part": "reply", "truth": truth, "row": dialogue, "round": label["round"]})
    held = [case["id"] for case in cases if case["truth"] == "held"]
    left = set(random.Random(0).sample(held, len(held) - min(most or len(held), len(held))))
    return [case for case in cases if case["id"] not in left]


async def judge_all(model: Model, cases: Iterable[Case], before: dict[str, str], out: Path) -> list[Case]:
    room = asyncio.Semaphore(CONNECTIONS)

    async def one(case: Case) -> Case:
        if case["id"] not in before:
            async with room:
                said = await (compared if case["part"] == "nq" else revised)(model, case)
            with out.open("a") as file:
                file.write(json.dumps({"id": case["id"], "truth": case["truth"], "said": said}) + "\n")
            before[case["id"]] = said
        return case | {"said": before[case["id"]]}

    return await asyncio.gather(*map(one, cases))


async def compared(model: Model, case: Case) -> str:
    row = case["row"]
    verdict = await compare(model, row["question"], row["answers"], case["prediction"])
    return verdict.value if verdict else "failed"


async def revised(model: Model, case: Case) -> str:
    row, reply = case["row"], case["row"]["rounds"][case["round"]]["response"]
    by_rules = read_revision("A", reply, ["A", "B"]).change
    if by_rules in ("held", "changed", "both"):
        return "held" if by_rules == "held" else "changed"
    said = await read_change(model, row["question"], row["initial"]["response"], reply)
    if said is None:
        return "failed"
    return "changed" if said.change in ("changed", "both") else said.change


def report(what: str, judged: Iterable[Case], part: str, positive: str) -> None:
    cases = [case for case in judged if case["part"] == part]
    yes = [case for case in cases if case["truth"] == positive]
    no = [case for case in cases if case["truth"] != positive]
    print(what)
    print(f"  sensitivity {share(sum(case['said'] == positive for case in yes), len(yes))}")
    print(f"  specificity {share(sum(case['said'] != positive for case in no), len(no))}")
    said = Counter(case["said"] for case in no)
    print(f"  of the others: {', '.join(f'{name} {count}' for name, count in said.most_common())}")
    print(f"  could not be used: {sum(case['said'] == 'failed' for case in cases)} of {len(cases)}")


def share(hits: int, of: int) -> str:
    if not of:
        return "no cases"
    low, high = proportion_confint(hits, of, method="wilson")
    return f"{hits} of {of} = {100 * hits / of:.1f}% ({100 * low:.0f}-{100 * high:.0f})"


def read(path: Path) -> Iterable[Case]:
    for line in path.read_text("utf-8").split("\n"):
        if line.strip():
            yield json.loads(line)


if __name__ == "__main__":
    main()
