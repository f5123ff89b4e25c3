"""What was said, in chunks: all conversations on a sample in one chunk, every text in it once."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import pandas as pd

from astray.report.browser.runs import Key, Run
from astray.report.conversation import Step, conversation

SMALL: Final = 250_000
"""Characters of text after which a chunk within the page is full: what is unpacked when a conversation is opened."""

LARGE: Final = 2_000_000
"""The same beside the page."""

Sheet: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = Mapping[Key, Sequence[Mapping[str, Any]]]


@dataclass
class Chunk:
    """Conversations by number of their run, and sheets by number of their first run's sample.

    Attributes:
        strings: Every text once.
        runs: For each run: answers as (round, outcome, answer), steps, and labels.
        sheets: For each sample's id: question, gold, alternative, choices.
    """

    strings: dict[str, int] = field(default_factory=dict)
    runs: dict[str, Any] = field(default_factory=dict)
    sheets: dict[str, Any] = field(default_factory=dict)
    size: int = 0

    def text(self, words: str | None) -> int:
        """Number of a text; -1 for none."""
        if words is None:
            return -1
        if words not in self.strings:
            self.strings[words] = len(self.strings)
            self.size += len(words)
        return self.strings[words]

    def json(self) -> str:
        """As it is stored."""
        data = {"strings": list(self.strings), "runs": self.runs, "sheets": self.sheets}
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


Making: TypeAlias = Generator[tuple[Chunk, list[int]], bool | None, None]
"""Chunks with the numbers of their runs; takes whether the next one may be large."""


def chunked(runs: Sequence[Run], said: Rows, labels: Rows, sheets: Mapping[tuple[str, str, str], Sheet]) -> Making:
    """Chunks with the numbers of their runs, in order; ``send(True)`` says that they may be large from now on."""
    large: bool | None = False
    chunk, numbers = Chunk(), list[int]()
    for group in _by_sample(runs):
        for number in group:
            _add(chunk, number, runs[number], said, labels, sheets)
            numbers.append(number)
        if chunk.size >= (LARGE if large else SMALL):
            large = (yield chunk, numbers) or large
            chunk, numbers = Chunk(), list[int]()
    if numbers:
        yield chunk, numbers


def _by_sample(runs: Sequence[Run]) -> Iterator[list[int]]:
    """Numbers of the runs on each sample; runs on one sample stand together."""
    group: list[int] = []
    last: tuple[str, str, str] | None = None
    for number, run in enumerate(runs):
        sample = (run.suite[0], run.suite[2], run.sample)
        if group and sample != last:
            yield group
            group = []
        group.append(number)
        last = sample
    if group:
        yield group


def _add(
    chunk: Chunk,
    number: int,
    run: Run,
    said: Rows,
    labels: Rows,
    sheets: Mapping[tuple[str, str, str], Sheet],
) -> None:
    sample = (run.suite[0], run.suite[2], run.sample)
    if sample in sheets:
        chunk.sheets.setdefault("\t".join(sample), _sheet(chunk, sheets[sample]))
    rows, marked = said.get(run.key, ()), labels.get(run.key, ())
    steps = conversation(rows, {int(row["step"]) for row in marked})
    several = len({row["labeller"] for row in marked}) > 1
    chunk.runs[str(number)] = [
        [[place, outcome, chunk.text(answer)] for place, outcome, answer in run.rows],
        [run.before[1], chunk.text(run.before[2])] if run.before else 0,
        [_step(chunk, step) for step in steps],
        len(rows) - len(steps),
        _once(_label(chunk, row, several) for row in marked),
    ]


def _sheet(chunk: Chunk, sheet: Sheet) -> list[Any]:
    choices = [[label, chunk.text(text)] for label, text in _choices(sheet.get("choices"))]
    return [*(chunk.text(sheet.get(name)) for name in ("question", "gold", "alternative", "subset")), choices]


def _step(chunk: Chunk, step: Step) -> list[Any]:
    """Round, position, kind, text, advice, answer, reasoning, calls, characters cut."""
    texts = [chunk.text(words) for words in (step.text, step.advice, step.answer, step.reasoning)]
    return [step.round, step.number, step.kind, *texts, [chunk.text(call) for call in step.calls], step.cut]


def _once(labels: Iterable[list[Any]]) -> list[list[Any]]:
    """Each label once: a claim that was held against several suggestions stands there for each."""
    return [list(label) for label in dict.fromkeys(map(tuple, labels))]


def _label(chunk: Chunk, row: Mapping[str, Any], several: bool) -> list[Any]:
    """Step, what it shows, importance, summary, quote, and the labeller where there are several."""
    return [
        int(row["step"]),
        shows(row),
        row["importance"],
        chunk.text(row["summary"]),
        chunk.text(row["quote"]),
        chunk.text(row["labeller"]) if several else -1,
    ]


_RECOGNISES: Final = {"reasoning": "only thought", "aloud": "said aloud", "call": "in a call"}


def shows(row: Mapping[str, Any]) -> str:
    """What a label shows, in a few words, with its kind: ``complies: expressed doubt``."""
    behaviour = str(row["behaviour"])
    if behaviour == "unexpressed":
        return f"sees the flaw: {_RECOGNISES.get(row['place'], 'void')}"
    claim = f"{row['person']} person, {row['stance']}" if behaviour == "claim" else None
    kind = row["compliance"] if behaviour == "complies" else claim
    return (f"{behaviour}: {kind}" if kind else behaviour).replace("_", " ")


def by_run(frame: pd.DataFrame, wanted: Iterable[str]) -> dict[Key, list[dict[str, Any]]]:
    """The rows of a table by run; columns that it doesn't have are left out."""
    if frame.empty:
        return {}
    names = ("study", "model", "benchmark", "sample_id", "arm", "epoch")
    keys = [frame[name].tolist() for name in names]
    columns = [name for name in wanted if name in frame.columns]
    values = zip(*(frame[name].tolist() for name in columns), strict=True)
    found: dict[Key, list[dict[str, Any]]] = {}
    for (study, model, benchmark, sample, arm, epoch), row in zip(zip(*keys, strict=True), values, strict=True):
        key = (str(study), str(model), str(benchmark), str(sample), str(arm), int(epoch))
        found.setdefault(key, []).append(dict(zip(columns, row, strict=True)))
    return found


def _choices(text: str | None) -> list[tuple[str, str]]:
    try:
        return [(str(label), str(choice)) for label, choice in json.loads(text or "[]")]
    except (ValueError, TypeError):
        return []
