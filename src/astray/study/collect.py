"""From Inspect's logs to tables: every sample of every arm and round gets a row, also where nothing was had."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ContentReasoning

from astray.arm import Arm
from astray.benchmarks import METADATA_KEY, Benchmark, told_in
from astray.benchmarks.tau2 import conversation_in
from astray.errors import InputError
from astray.judges import STORE_KEY, RoundRecord, evidence_in, records
from astray.study.clock import Clock
from astray.study.engine import finished_logs, finished_samples
from astray.study.folder import Folder, describe
from astray.study.prepare import Prepared
from astray.study.sources import needs_evidence
from astray.tables import (
    CheckRow,
    ConversationRow,
    CritiqueRow,
    Outcome,
    OutcomeRow,
    SampleRow,
    TranscriptRow,
    write,
)

_ROUNDS: Final = "rounds_scorer"
"""The score that is astray's own and not the task's."""


@dataclass(frozen=True)
class _Where:
    """What all rows of one sample in one arm have in common."""

    study: str
    model: str
    benchmark: str
    sample_id: str
    arm: str
    epoch: int


@dataclass
class Tables:
    """The rows of a study."""

    outcomes: list[OutcomeRow]
    critiques: list[CritiqueRow]
    transcripts: list[TranscriptRow]
    samples: list[SampleRow]
    checks: list[CheckRow]
    conversations: list[ConversationRow] = field(default_factory=list)


def collect(prepared: Prepared, folder: Folder) -> Tables:
    """Make the tables of a study from its logs, and write them."""
    tables = Tables([], [], [], _sample_rows(prepared), _check_rows(prepared))
    wanted = {str(sample.id) for sample in prepared.samples}
    logs = finished_logs(folder.logs)
    for arm in prepared.arms:
        log = _log_of(prepared, arm, logs)
        if log is not None:
            _collect_arm(prepared, arm, log, wanted, tables)
    _write(folder.tables, tables, describe(prepared))
    return tables


def _collect_arm(prepared: Prepared, arm: Arm, log: EvalLog, wanted: set[str], tables: Tables) -> None:
    for sample in finished_samples(log, events=True):
        if str(sample.id) not in wanted:
            continue
        where = _Where(
            prepared.study.name,
            prepared.study.model,
            prepared.study.benchmark,
            str(sample.id),
            str(arm),
            sample.epoch,
        )
        history = records(sample.store.get(STORE_KEY))
        tables.outcomes += _outcome_rows(where, prepared, arm, sample, history)
        tables.critiques += _critique_rows(where, prepared.study.judge_of(arm), history)
        tables.transcripts += _transcript_rows(where, sample, history)
        tables.conversations += _conversation_rows(where, prepared, arm, sample)


def _log_of(prepared: Prepared, arm: Arm, logs: Iterable[EvalLog]) -> EvalLog | None:
    """The log of this arm under just these settings; logs of other settings may lie beside it."""
    arguments = prepared.task_arguments(arm)
    for log in logs:
        given = log.eval.task_args
        same = all(given.get(key) == value for key, value in arguments.items())
        if same and log.eval.model == prepared.study.model:
            return log
    return None


def _outcome_rows(
    where: _Where, prepared: Prepared, arm: Arm, sample: EvalSample, history: list[RoundRecord]
) -> Iterator[OutcomeRow]:
    subset = _own(sample).get("question", {}).get("subset")
    book = prepared.book.hash if prepared.book and arm.book_needs else None
    found = evidence_in(sample.store) if needs_evidence(arm) else None
    common = vars(where) | {
        "subset": subset,
        "book": book,
        "judge": prepared.study.judge_of(arm),
        "user": _user(prepared),
        "no_evidence": found.nothing if found else None,
        "alternative_wrong": found.alternative_wrong if found else None,
    }
    fields = RoundRecord.model_fields.keys() & OutcomeRow.model_fields.keys() - {"limit"}
    for record in history:
        yield OutcomeRow(**common, **{name: getattr(record, name) for name in fields}, limit=_limit_of(record, sample))
    for number in range(len(history), arm.rounds + 1):
        outcome, value, limit, error = _unreached(prepared.benchmark, sample, first=number == len(history))
        yield OutcomeRow(**common, round=number, outcome=outcome, value=value, limit=limit, error=error)


def _limit_of(record: RoundRecord, sample: EvalSample) -> str | None:
    return record.limit or ("context" if record.outcome is Outcome.LIMIT else None)


def _user(prepared: Prepared) -> str | None:
    """The model that plays the simulated user, where there is one."""
    return prepared.study.user_model if "user" in prepared.benchmark.nature.roles else None


def _unreached(
    benchmark: Benchmark, sample: EvalSample, *, first: bool
) -> tuple[Outcome, float | None, str | None, str | None]:
    """(outcome, value, limit, error) of a round that has no record."""
    if sample.error is not None:
        return Outcome.ERROR, None, None, _cause(sample.error.message)
    if sample.limit is not None:
        # What the agent had done when it ran out may already have been right, or right in part.
        try:
            value = _final_value(benchmark, sample) if first else 0.0
        except InputError as error:
            return Outcome.ERROR, None, sample.limit.type, str(error)
        outcome = Outcome.CORRECT if value >= 1 else Outcome.PARTIAL if value > 0 else Outcome.LIMIT
        return outcome, value, sample.limit.type, None
    return Outcome.ERROR, None, None, "the sample ended without an answer being recorded"


def _cause(message: str) -> str:
    """What failed, in a line. Inspect puts the whole request before it, and line ends as a backslash and an n."""
    lines = [line.strip() for line in message.replace("\\n", "\n").splitlines() if line.strip(" )\"'")]
    if not lines:
        return "unknown"
    return (lines[-1] if "Request:" in message else lines[0])[:300]


def _final_value(benchmark: Benchmark, sample: EvalSample) -> float:
    """What the task's own first score of the sample is worth; 0 where there is none, or it says nothing."""
    own = [score for name, score in (sample.scores or {}).items() if name != _ROUNDS]
    return (benchmark.value(own[0]) if own else None) or 0.0


_HARM: Final = {"passed": "harmful", "failed": "harmless", "unknown": "undefined"}


def _conversation_rows(where: _Where, prepared: Prepared, arm: Arm, sample: EvalSample) -> Iterator[ConversationRow]:
    found = conversation_in(sample.store)
    if found is None:
        return
    suggested = prepared.book.find(where.sample_id, arm.stance) if prepared.book and arm.stance else None
    checks = [check for check in suggested.checks if check.name == "harm"] if suggested else []
    fields = found.model_fields_set & ConversationRow.model_fields.keys() - {"faults", "parts"}
    yield ConversationRow(
        **vars(where),
        **{name: getattr(found, name) for name in fields - {"complied"}},
        user=_user(prepared),
        subset=_own(sample).get("question", {}).get("subset"),
        faults="; ".join(found.faults) or None,
        voiced=found.voiced_at is not None if suggested else None,
        complied=found.complied,
        parts=json.dumps(found.parts) if found.parts else None,
        harm=_HARM[checks[0].result if checks else "unknown"] if arm.stance == "bad" else None,
    )


def _critique_rows(where: _Where, judge: str | None, history: list[RoundRecord]) -> Iterator[CritiqueRow]:
    for record in history:
        for critique in record.critiques:
            if critique["text"] is not None or critique["error"] is not None:
                by = judge if critique["knowledge"] != "none" else None
                yield CritiqueRow(**vars(where), judge=by, round=record.round, **critique)


def _transcript_rows(where: _Where, sample: EvalSample, history: list[RoundRecord]) -> Iterator[TranscriptRow]:
    suggestion = (_own(sample).get("treatment") or {}).get("suggestion")
    told = told_in(sample.metadata)
    # What the agent was told went into its calls and isn't among the sample's messages.
    messages = told.put_into(sample.messages) if told else sample.messages
    ends = [record.messages + len(messages) - len(sample.messages) for record in history]
    clock = Clock(sample)
    for index, message in enumerate(messages):
        number = sum(end <= index for end in ends)
        speaker, advice = _speaker(message, suggestion)
        yield TranscriptRow(
            **vars(where),
            step=index + 1,
            round=number,
            speaker=speaker,
            text=message.text,
            reasoning=_reasoning(message),
            tool_calls=_tool_calls(message),
            advice=advice,
            seconds=clock.seconds(message),
        )


def _speaker(message: ChatMessage, suggestion: str | None) -> tuple[str, str | None]:
    """(who speaks, the advice within the text)."""
    if isinstance(message, ChatMessageAssistant):
        return "agent", None
    if message.role != "user":
        return message.role, None
    own = (message.metadata or {}).get(METADATA_KEY, {})
    if own.get("critique"):
        return "judge", own["critique"]
    if "voiced" in own:
        return "simulated user", message.text if own["voiced"] else None
    return "user", suggestion if suggestion and suggestion in message.text else None


def _reasoning(message: ChatMessage) -> str | None:
    """What was thought, as far as it can be read: providers that keep it to themselves send it encrypted."""
    if isinstance(message.content, str):
        return None
    thoughts = [part for part in message.content if isinstance(part, ContentReasoning)]
    parts = [part.summary or ("" if part.redacted else part.reasoning) for part in thoughts]
    return "\n\n".join(part for part in parts if part) or None


def _tool_calls(message: ChatMessage) -> str | None:
    if isinstance(message, ChatMessageAssistant) and message.tool_calls:
        calls = [{"name": call.function, "arguments": call.arguments} for call in message.tool_calls]
        return json.dumps(calls, ensure_ascii=False, default=str)
    if did := (message.metadata or {}).get(METADATA_KEY, {}).get("did"):
        return json.dumps(did, ensure_ascii=False, default=str)  # a simulated user's own
    if isinstance(message, ChatMessageTool) and message.function:
        return json.dumps([{"name": message.function}], ensure_ascii=False)
    return None


def _sample_rows(prepared: Prepared) -> list[SampleRow]:
    questions = map(prepared.benchmark.question, prepared.samples)
    return [
        SampleRow(
            study=prepared.study.name,
            benchmark=prepared.study.benchmark,
            sample_id=question.id,
            subset=question.subset,
            question=question.text,
            choices=json.dumps(question.choices, ensure_ascii=False) if question.choices else None,
            gold=question.gold,
            alternative=question.alternative,
        )
        for question in questions
    ]


def _check_rows(prepared: Prepared) -> list[CheckRow]:
    """What the book records of the suggestions for the study's samples."""
    if prepared.book is None:
        return []
    common = {"study": prepared.study.name, "benchmark": prepared.study.benchmark, "book": prepared.book.hash}
    ids = {str(sample.id) for sample in prepared.samples}
    return [
        CheckRow(**common, sample_id=row.sample_id, stance=row.stance, **check.model_dump())
        for row in prepared.book.suggestions
        if row.sample_id in ids
        for check in row.checks
    ]


def _own(sample: EvalSample) -> dict[str, Any]:
    found = (sample.metadata or {}).get(METADATA_KEY)
    return found if isinstance(found, dict) else {}


def _write(folder: Path, tables: Tables, settings: dict[str, Any]) -> None:
    for name, rows in vars(tables).items():
        write(folder, name, rows, settings)
