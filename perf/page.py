"""The report page of a study of 20,000 samples: its size, the time to write it, the time until Chromium answers.

    python perf/page.py [--samples N] [--arms N] [--rows N]

The study is made up: every sample is asked under each arm, texts are of the length of real ones and don't repeat.
Growth is shown over a tenth of the samples, and all of them. Interactive is: the list of conversations is drawn and the
first one can be read, from the start of the navigation; a filter and a search are timed as well. With ``--rows`` it is
the page of that many outcomes of five models under twenty arms, without texts; interactive is: the main table sorts.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.chromium import FOUND, Chromium

from astray.report import load, write_page
from astray.tables import schema
from measures import ARMS as MANY
from measures import MODELS, ROUNDS, table

ARMS = ("original", "xy", "judge-hypercritical-none@2+skeptical", "xy-good")
WORDS = [
    w + e
    for w in ["ka", "lo", "mi", "ter", "van", "sol", "per", "nim", "gra", "dul", "ost", "bec", "tri", "ham", "fen"]
    for e in ("", "a", "en", "is", "or", "ly", "ed")
]


CLOCK = """(async () => {{
  const f = document.getElementById("filters").elements;
  const tell = (element, name) => element.dispatchEvent(new Event(name, {{ bubbles: true }}));
  const wait = (time) => new Promise((done) => setTimeout(done, time));
  const end = async () => {{
    await wait(260); // the page waits for typing to end
    while (document.getElementById("count").textContent.includes("searching")) await wait(10);
  }};
  const start = performance.now();
  {}
  return performance.now() - start;
}})()"""


def text(rng: random.Random, least: int, most: int) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(least, most))).capitalize() + "."


def rows(samples: int, arms: tuple[str, ...]) -> Iterator[tuple[str, dict[str, object]]]:
    rng = random.Random(1)
    for number in range(samples):
        sample = f"item-{number:05}"
        question, choices = text(rng, 20, 60), [[label, text(rng, 3, 9)] for label in "ABCD"]
        yield "samples", {"sample_id": sample, "question": question, "choices": json.dumps(choices), "gold": "A"}
        listed = "\n".join(f"{label}) {words}" for label, words in choices)
        ease = rng.random()
        for arm in arms:
            key, step = {"model": "m", "sample_id": sample, "arm": arm, "epoch": 1}, 0
            advice = text(rng, 12, 25) if arm.startswith("xy") else None
            asked = f"{question} {advice or ''}\n\n{listed}"
            for number_ in range(3 if "judge" in arm else 1):
                critique = text(rng, 20, 30) if number_ else None
                right = ease + 0.3 * rng.random() < 0.7
                for speaker, said, marked in (("user", asked, advice), ("judge", critique, critique)):
                    if said and (speaker == "judge") == bool(number_):
                        step += 1
                        yield (
                            "transcripts",
                            {**key, "step": step, "round": number_, "speaker": speaker, "text": said, "advice": marked},
                        )
                step += 1
                reply = json.dumps({"reasoning": text(rng, 20, 50), "answer": "A" if right else "B"})
                yield "transcripts", {**key, "step": step, "round": number_, "speaker": "agent", "text": reply}
                yield "outcomes", {
                    **key, "round": number_, "outcome": "correct" if right else "wrong", "value": float(right),
                    "answer": "A" if right else "B", "judge_spoke": bool(number_),
                }  # fmt: skip


def build(folder: Path, samples: int, arms: tuple[str, ...]) -> None:
    found: dict[str, list[dict[str, object]]] = {"outcomes": [], "transcripts": [], "samples": []}
    for name, row in rows(samples, arms):
        found[name].append({"study": "big", "benchmark": "b", **row})
    (folder / "tables").mkdir(parents=True)
    for name, many in found.items():
        frame = pd.DataFrame(many).reindex(columns=schema(name).names)
        frame.to_parquet(folder / "tables" / f"{name}.parquet")


def browse(page: Path) -> dict[str, float]:
    with Chromium() as tab:
        tab.size(1200)
        tab.open(page)  # once, so that the browser itself is warm
        tab.open(page)
        ready = tab.until("document.querySelector('#reader .talk') && performance.now()")
        filtered = tab.run(CLOCK.format("f.arm.selectedIndex = 2; tell(f.arm, 'change')"))
        searched = tab.run(
            CLOCK.format("f.flip.value = ''; f.text.value = 'item-00123'; tell(f.text, 'input'); await end()")
        )
        assert not tab.complaints, tab.complaints
        shown = tab.run("document.getElementById('count').textContent")
    print(f"  {shown}")
    return {"interactive": ready, "filter": filtered, "search": searched}


def sort(page: Path) -> dict[str, float]:
    """Milliseconds until the page of outcomes alone is there, and until its largest table is sorted by a column."""
    with Chromium() as tab:
        tab.size(1200)
        tab.open(page)
        tab.open(page)
        ready = tab.until("document.readyState === 'complete' && performance.now()")
        tab.run(
            "window.head = [...document.querySelectorAll('table')].sort((a, b) => b.rows.length - a.rows.length)[0]"
            ".querySelector('button.sort')"
        )
        pressed = tab.run(CLOCK.format("head.click(); document.body.offsetHeight;"))
        assert tab.run("!!document.querySelector('th[aria-sort]')"), "the table isn't sorted"
        assert not tab.complaints, tab.complaints
    return {"interactive": ready, "sort": pressed}


def outcomes_alone(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        study = Path(folder) / "study"
        (study / "tables").mkdir(parents=True)
        frame = table(rows // (MODELS * len(MANY) * ROUNDS), partial=False).reindex(columns=schema("outcomes").names)
        frame.to_parquet(study / "tables" / "outcomes.parquet")
        del frame
        start = time.monotonic()
        page = write_page(load([study]), study / "report")
        seconds, size = time.monotonic() - start, page.stat().st_size / 1e6
        print(f"{rows:,} outcomes without texts: read and written in {seconds:.1f} s; page {size:.2f} MB")
        if FOUND:
            print("  " + ", ".join(f"{name} {value:.0f} ms" for name, value in sort(page).items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--arms", type=int, default=len(ARMS))
    parser.add_argument("--rows", type=int)
    options = parser.parse_args()
    if options.rows:
        outcomes_alone(options.rows)
        return
    for samples in (options.samples // 10, options.samples):
        with tempfile.TemporaryDirectory() as folder:
            study = Path(folder) / "study"
            build(study, samples, ARMS[: options.arms])
            start = time.monotonic()
            material = load([study])
            read = time.monotonic()
            page = write_page(material, study / "report")
            done = time.monotonic()
            beside = [path.stat().st_size for path in page.parent.glob("more-*.js")]
            print(f"{samples} samples × {options.arms} arms, {len(material.outcomes)} outcomes")
            size = page.stat().st_size / 1e6
            print(f"  read in {read - start:.1f} s, written in {done - read:.1f} s; page {size:.2f} MB")
            total, largest = sum(beside) / 1e6, max(beside, default=0) / 1e6
            print(f"  beside it {len(beside)} files, {total:.1f} MB, the largest {largest:.2f} MB")
            if FOUND:
                print("  " + ", ".join(f"{name} {value:.0f} ms" for name, value in browse(page).items()))


if __name__ == "__main__":
    main()
