"""Having the traces of a study labelled: planned, resumable, and the tables of labels made from the logs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from astray.errors import AstrayError
from astray.study.engine import (
    Settings,
    answers_kept_in,
    connections_for,
    finished_logs,
    finished_samples,
    plain_errors,
    run_tasks,
    shared,
)
from astray.study.shared_model import Budget
from astray.tables import BehaviourRow, LabellingRow, read
from astray.traces.book import merged, rows_of, save
from astray.traces.kinds import applies, calls, held_against, prompt_hash
from astray.traces.label import Labelling
from astray.traces.task import METADATA_KEY, chosen, label, labelled_in
from astray.traces.trace import Trace, advice_of, suggestions_for, traces_in, unpacked
from astray.traces.windows import MOST, Window, windows


@dataclass(frozen=True)
class Asked:
    """What is to be labelled.

    Attributes:
        study: The study's folder.
        labeller: Name of the model that labels.
        behaviours: What is looked for.
        limit: Only the first so many samples of the study, under all arms.
        most: Characters of a window.
        max_connections: Calls in flight.
        budget: Tokens that all models may use together.
        timeout: Seconds for one try of one call.
    """

    study: Path
    labeller: str
    behaviours: tuple[str, ...]
    limit: int | None = None
    most: int = MOST
    max_connections: int | None = None
    budget: int | None = None
    timeout: float = 600


@dataclass(frozen=True)
class Plan:
    """What labelling takes, before a call is paid.

    Attributes:
        traces: How many.
        asked: Labellings that are asked for: traces that a behaviour applies to, over behaviours, and for claims over
            suggestions.
        there: Labellings among them that are there already.
        least: Fewest calls of the labeller that are still to be made.
        most: Most calls.
        tokens: About how many tokens of transcripts the fewest calls read, prompts apart; four characters each.
    """

    traces: int
    asked: int
    there: int
    least: int
    most: int
    tokens: int


@dataclass(frozen=True)
class Labelled:
    """What came of it: rows of this labeller and these behaviours, and why the model counts as gone, or None."""

    labels: tuple[BehaviourRow, ...]
    labellings: tuple[LabellingRow, ...]
    missing: int
    gone: AstrayError | None = None


def plan_labels(asked: Asked) -> Plan:
    """What is still to be asked.

    Raises:
        InputError: The study has no transcripts.
    """
    # Void ones too: the same question would get the same answer again, out of the cache.
    made = {_identity(row) for row in _made(asked)}
    plan = _plan(asked, made)
    # Without the logs and answers of earlier labelling, what is asked for one more trace asks for all of them again.
    return plan if plan.there == plan.asked or _folder(asked).is_dir() else _plan(asked, set())


def _plan(asked: Asked, made: AbstractSet[tuple[object, ...]]) -> Plan:
    traces = _traces(asked)
    held = advice_of(traces)
    total = there = least = most = characters = 0
    for trace in traces:
        shown: tuple[Window, ...] = ()  # cut only where something is missing
        suggestions, key, digest = suggestions_for(trace, held), tuple(asdict(trace.key).values()), trace.digest
        for name in asked.behaviours:
            wanted = [one for one in held_against(name, suggestions) if applies(name, trace, one)]
            missing = [one for one in wanted if (*key, name, one, digest) not in made]
            total, there = total + len(wanted), there + len(wanted) - len(missing)
            if missing:
                shown = shown or windows(trace, asked.most)
                low, high = calls(name, len(shown), len(missing))
                length = sum(len(one.text) + len(one.text_before) for one in shown)
                least, most, characters = least + low, most + high, characters + length
    return Plan(len(traces), total, there, least, most, round(characters / 4))


def label_study(asked: Asked) -> Labelled:
    """Have labelled what is missing, and write the tables ``behaviours`` and ``labellings`` of the study.

    Rows of other labellers and behaviours stay as they are.

    Raises:
        UsageError: Unknown model.
        ModelUnavailable: The model can't be had at the start.
        InputError: The study has no transcripts.
        AstrayError: Inspect refuses, or the folder can't be written.
        KeyboardInterrupt: Interrupted; the tables hold what was finished.
    """
    plan = plan_labels(asked)
    if plan.asked and plan.there == plan.asked:
        save_labels(asked)
        return _there(asked)
    arguments, number = _task_arguments(asked)
    folder = _folder(asked)
    settings = Settings(
        limit=max(1, number),
        timeout=asked.timeout,
        connections=connections_for(asked.labeller, asked.max_connections),
        budget=Budget.of(asked.budget),
    )
    with answers_kept_in(folder / "cache"), plain_errors():
        labeller = shared(asked.labeller)
        try:
            tasks = [label(**arguments)]
            gone = run_tasks(tasks, folder / "logs", labeller, {"grader": labeller}, settings)
        except (KeyboardInterrupt, AstrayError):
            save_labels(asked)
            raise
    done = save_labels(asked)
    return Labelled(done.labels, done.labellings, done.missing, gone)


def save_labels(asked: Asked) -> Labelled:
    """Write the tables from all labellings that are finished, beside those of other labellers and behaviours."""
    labels, labellings = _collected(asked, _traces(asked))
    traces = traces_in(read(asked.study, "transcripts"))
    held = advice_of(traces)
    current = {(*asdict(one.key).values(), one.digest): suggestions_for(one, held) for one in traces}
    save(asked.study, *merged(asked.study, labels, labellings, current))
    plan = plan_labels(asked)
    return Labelled(tuple(labels), tuple(labellings), plan.asked - len(labellings))


def _there(asked: Asked) -> Labelled:
    """What the tables hold of it."""
    traces = {(*asdict(trace.key).values(), trace.digest) for trace in _traces(asked)}
    labellings = [row for row in _made(asked) if (*_identity(row)[:6], row.transcript) in traces]
    places = {_identity(row)[:8] for row in labellings}
    rows = rows_of(asked.study, "behaviours", BehaviourRow)
    labels = [row for row in rows if row.labeller == asked.labeller and _identity(row) in places]
    return Labelled(tuple(labels), tuple(labellings), 0)


def _collected(asked: Asked, traces: Sequence[Trace]) -> tuple[list[BehaviourRow], list[LabellingRow]]:
    arguments = _arguments(asked, traces)
    labels: list[BehaviourRow] = []
    labellings: list[LabellingRow] = []
    for log in finished_logs(_folder(asked) / "logs"):
        given = log.eval.task_args
        if log.eval.model != asked.labeller or any(given.get(key) != value for key, value in arguments.items()):
            continue
        for sample in finished_samples(log):
            found = labelled_in(sample.store)
            for one in found or ():
                trace = unpacked(sample.metadata[METADATA_KEY]["trace"])
                rows = list(label_rows(trace, asked.labeller, one))
                labels += rows
                labellings.append(_labelling_row(trace, asked, one, rows))
    return labels, labellings


def label_rows(trace: Trace, labeller: str, found: Labelling) -> list[BehaviourRow]:
    """The rows of one labelling, by step."""
    rows = [
        BehaviourRow(
            **asdict(trace.key),
            labeller=labeller,
            behaviour=found.behaviour,
            about=found.about,
            valid=one.place is not None,
            **one.model_dump(),
        )
        for one in found.labels
    ]
    return sorted(rows, key=lambda row: row.step)


def _labelling_row(trace: Trace, asked: Asked, found: Labelling, rows: Sequence[BehaviourRow]) -> LabellingRow:
    return LabellingRow(
        **asdict(trace.key),
        labeller=asked.labeller,
        behaviour=found.behaviour,
        done=found.reason is None,
        reason=found.reason,
        windows=found.windows,
        labels=len(rows),
        invalid=sum(not row.valid for row in rows),
        about=found.about,
        transcript=trace.digest,
        prompt=prompt_hash(found.behaviour, asked.most),
    )


def _traces(asked: Asked) -> tuple[Trace, ...]:
    return chosen(traces_in(read(asked.study, "transcripts")), asked.limit)


def _made(asked: Asked) -> list[LabellingRow]:
    """Labellings of this labeller that are there, made with the prompts of now."""
    hashes = {name: prompt_hash(name, asked.most) for name in asked.behaviours}
    rows = rows_of(asked.study, "labellings", LabellingRow)
    return [row for row in rows if row.labeller == asked.labeller and hashes.get(row.behaviour) == row.prompt]


def _identity(row: LabellingRow | BehaviourRow) -> tuple[object, ...]:
    key = row.study, row.model, row.benchmark, row.sample_id, row.arm, row.epoch, row.behaviour, row.about
    return (*key, row.transcript) if isinstance(row, LabellingRow) else key


def _folder(asked: Asked) -> Path:
    """Where logs and answers of labelling are kept."""
    return asked.study / "labels"


def _task_arguments(asked: Asked) -> tuple[dict[str, Any], int]:
    """The task's arguments and the number of its samples; the traces are read again there, and not held twice."""
    traces = _traces(asked)
    return _arguments(asked, traces), len(traces)


def _arguments(asked: Asked, traces: Sequence[Trace]) -> dict[str, Any]:
    """The arguments of ``astray/label``: an Inspect task's identity."""
    shown = hashlib.sha256("".join(f"{trace.id}{trace.digest}" for trace in traces).encode()).hexdigest()[:16]
    told = hashlib.sha256("".join(prompt_hash(name, asked.most) for name in asked.behaviours).encode()).hexdigest()
    return {
        "study": str(asked.study.absolute()),
        "behaviours": list(asked.behaviours),
        "limit": asked.limit,
        "transcripts": shown,
        "prompts": told[:12],
        "most": asked.most,
    }
