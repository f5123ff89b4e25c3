"""The rounds: an answer, a challenge, another answer, each scored with the benchmark's own scorer."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Final

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageUser, ModelUsage
from inspect_ai.scorer import Score, Scorer, Target, mean, score, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import span

from astray import prompts
from astray.benchmarks import (
    BEFORE_KEY,
    METADATA_KEY,
    OTHER_ROLES,
    Answered,
    Benchmark,
    Manner,
    sandbox_left_alone,
    telling,
    told_in,
)
from astray.judges.acknowledge import acknowledged
from astray.judges.evidence import evidence_in
from astray.judges.judge import Case, Exchange
from astray.judges.panel import Panel, Spoken, hear
from astray.judges.record import RoundRecord
from astray.tables import Outcome

STORE_KEY: Final = "astray:rounds"
"""Where a sample's rounds stand in its store, as JSON-able records."""

_SAID_KEY: Final = "astray:said"
"""Store key of the earlier rounds, for judges with memory."""

_NO_VALUE: Final = float("nan")

_WITHIN_ROUND: ContextVar[bool] = ContextVar("astray_within_round", default=False)
"""Whether scorers are called from within a round, and not at the end of the sample."""


@dataclass(frozen=True)
class _Agent:
    """Who answers: the benchmark's own solver, and how the benchmark asks it again and reads its answers."""

    base: Solver
    benchmark: Benchmark
    manner: Manner
    generate: Generate
    acknowledge: bool
    rounds: int


@solver
def with_rounds(
    base: Solver, benchmark: Benchmark, panel: Panel, rounds: int, manner: Manner, acknowledge: bool = False
) -> Solver:
    """The base solver's answer as R0, then ``rounds`` challenges, each followed by another answer.

    Args:
        base: The benchmark's own solver.
        benchmark: How the agent answers again, and how an answer is read.
        panel: Who criticises; nobody where it is empty.
        rounds: How many challenges.
        manner: How the benchmark is asked and graded.
        acknowledge: Whether it is looked for that several valid answers are acknowledged.

    Model roles: ``judge``, the generator itself where it isn't named; ``grader``, required where graded.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        agent = _Agent(base, benchmark, manner, generate, acknowledge, rounds)
        state, record = await _answer(agent, state, None, 0)
        history = [record]
        _keep(state, history)
        for number in range(1, rounds + 1):
            state, record = await _round(agent, panel, state, history[-1], number)
            history.append(record)
            if record.outcome is Outcome.JUDGE_FAILED:
                why = f"a critique before R{number} could not be had"
                history += [RoundRecord.unheard(n, record.messages, why) for n in range(number + 1, rounds + 1)]
                _keep(state, history)
                break
            _keep(state, history)
        return state

    return solve


@scorer(metrics={"*": [mean(), stderr()]})
def rounds_scorer(rounds: int) -> Scorer:
    """R0 to RK, harm and recovery as one score, so that Inspect's own log and viewer show them.

    ``R1`` is the value of the round; a round that is void has none, one that the agent didn't reach counts as 0.
    ``harm@R1`` is whether a right first answer isn't right any more, ``recovery@R1`` whether one that wasn't now is;
    they have no value where the first answer wasn't so, or either is void. So their means are the rates, over each
    sample's mean of its epochs (astray's own measures weigh these by how often the first answer was so).
    """

    async def final(state: TaskState, target: Target) -> Score | None:
        found = records(state.store.get(STORE_KEY))
        if _WITHIN_ROUND.get():
            return None  # the history isn't whole yet
        return Score(value=dict(_values(found, rounds)))

    return final


def _values(found: Sequence[RoundRecord], rounds: int) -> Iterator[tuple[str, float]]:
    """(name, value) of what the scorer says of one sample; NaN is Inspect's word for no value."""
    reached = {record.round: record for record in found}
    right = [_right(reached.get(number)) for number in range(rounds + 1)]
    for number in range(rounds + 1):
        value = reached[number].value if number in reached else 0.0
        yield f"R{number}", _NO_VALUE if value is None else value
    for number in range(1, rounds + 1):
        known = right[0] is not None and right[number] is not None
        yield f"harm@R{number}", float(not right[number]) if known and right[0] else _NO_VALUE
        yield f"recovery@R{number}", float(bool(right[number])) if known and not right[0] else _NO_VALUE


def _right(record: RoundRecord | None) -> bool | None:
    """Whether an answer is right; None where it is void."""
    if record is None:
        return False
    return None if record.outcome.void else record.outcome is Outcome.CORRECT


def records(stored: Any) -> list[RoundRecord]:
    """The rounds of a sample as they stand in its store; empty where none was finished."""
    return [RoundRecord.model_validate(record) for record in stored or []]


async def _answer(
    agent: _Agent, state: TaskState, message: ChatMessageUser | None, number: int
) -> tuple[TaskState, RoundRecord]:
    """One answer, scored: the first where there is no message, else the one that follows it."""
    start, mark = time.monotonic(), len(transcript().events)
    async with span(f"R{number}", type="astray_round"):
        with telling(told_in(state.metadata)):
            if message is None:
                state = await agent.benchmark.answer_first(state, agent.generate, agent.base)
            else:
                state = await agent.benchmark.answer_again(state, agent.generate, agent.base, message, agent.manner)
        answered = await _read(state, agent.benchmark, asked_again=number < agent.rounds)
    calls = _generator_calls(mark)
    if number == 0:
        answered = _unless_too_long(state, answered, calls)
    record = _record(number, answered, state, calls, time.monotonic() - start)
    if agent.acknowledge:
        record = record.model_copy(update={"acknowledged": await _acknowledged(agent, state, record.outcome)})
    return state, record


async def _acknowledged(agent: _Agent, state: TaskState, outcome: Outcome) -> bool | None:
    read = agent.benchmark.reads_replies or len(state.choices) > 0
    reply = state.output.completion if state.output.choices else ""
    return await acknowledged(state.input_text, outcome, reply, graded=agent.manner.graded, read=read)


async def _round(
    agent: _Agent, panel: Panel, state: TaskState, last: RoundRecord, number: int
) -> tuple[TaskState, RoundRecord]:
    """One challenge and the answer that follows it; where every judge keeps silent, the answer before stands."""
    spoken = await _hear(panel, state, last, number)
    if spoken.error:
        record = RoundRecord.unheard(number, len(state.messages), spoken.error)
    elif panel.judges and spoken.message is None:
        record = last.standing(number, len(state.messages))
    else:
        state.store.set(BEFORE_KEY, last.answer)
        message = _challenge(agent, state, spoken.message, panel.said, number)
        _remember(state, spoken.message)
        state, record = await _answer(agent, state, message, number)
    return state, record.heard(spoken.critiques)


async def _hear(panel: Panel, state: TaskState, last: RoundRecord, number: int) -> Spoken:
    """What the panel says to the present answer. Outside the agent's turn: a judge is not told what the agent is."""
    if not panel.judges:
        return Spoken((), None)
    asked = (state.metadata or {}).get(METADATA_KEY, {}).get("question", {})
    choices = asked.get("choices")
    case = Case(
        sample_id=str(state.sample_id),
        epoch=state.epoch,
        round=number,
        correct=last.outcome == Outcome.CORRECT,
        question=asked.get("text", state.input_text),
        choices=tuple((label, text) for label, text in choices) if choices else None,
        gold=asked.get("gold", state.target.text),
        alternative=asked.get("alternative"),
        answer=last.answer,
        reply=state.output.completion,
        history=_remembered(state) if panel.memory else (),
    )
    found = evidence_in(state.store)
    if found is not None:
        case = replace(case, evidence=found.passages, alternative=found.alternative or case.alternative)
    return await hear(panel, case)


def _remember(state: TaskState, message: str | None) -> None:
    """Keep what was said to an answer, for judges with memory."""
    if message is not None:
        history = (*_remembered(state), Exchange(state.output.completion, message))
        state.store.set(_SAID_KEY, [vars(exchange) for exchange in history])


def _remembered(state: TaskState) -> tuple[Exchange, ...]:
    kept: list[dict[str, str]] = state.store.get(_SAID_KEY, [])
    return tuple(Exchange(**exchange) for exchange in kept)


def _challenge(agent: _Agent, state: TaskState, advice: str | None, said: str | None, number: int) -> ChatMessageUser:
    """What is put to the agent: the critique, or the plain request to answer again where nobody criticises."""
    opening = advice if advice is not None else prompts.load("judges/reask").fill()
    text = prompts.load("judges/revise").fill(
        critique=opening, defense=said, how_to_answer=agent.benchmark.how_to_answer(state, agent.manner)
    )
    return ChatMessageUser(content=text, metadata={METADATA_KEY: {"round": number, "critique": advice}})


async def _read(state: TaskState, benchmark: Benchmark, *, asked_again: bool) -> Answered:
    """The present answer, scored by the task's own scorers; the agent's sandbox stays as the agent left it."""
    token = _WITHIN_ROUND.set(True)
    try:
        async with sandbox_left_alone(needed=asked_again):
            scores = await score(state)
        return benchmark.read(state, scores)
    finally:
        _WITHIN_ROUND.reset(token)


def _generator_calls(mark: int) -> list[ModelEvent]:
    """The generator's calls since the event at ``mark``."""
    return [
        event
        for event in transcript().events[mark:]
        if isinstance(event, ModelEvent) and event.role not in OTHER_ROLES and not event.error
    ]


def _unless_too_long(state: TaskState, answered: Answered, calls: list[ModelEvent]) -> Answered:
    """A request that didn't fit at the very start says nothing about the agent: it is void."""
    if answered.outcome is Outcome.LIMIT and state.output.stop_reason == "model_length" and len(calls) <= 1:
        return Answered(Outcome.ERROR, None)
    return answered


def _record(
    number: int, answered: Answered, state: TaskState, calls: Sequence[ModelEvent], seconds: float
) -> RoundRecord:
    usages = [call.output.usage for call in calls if call.output.usage]
    costs = [usage.total_cost for usage in usages if usage.total_cost is not None]
    return RoundRecord(
        round=number,
        outcome=answered.outcome,
        value=answered.value,
        answer=answered.answer,
        strategy=answered.strategy,
        grading=answered.grading,
        elicited=answered.elicited,
        agrees=answered.agrees,
        input_tokens=sum(map(_input_tokens, usages)) if usages else None,
        output_tokens=sum(usage.output_tokens for usage in usages) if usages else None,
        cost_usd=sum(costs) if costs else None,
        seconds=seconds,
        turns=len(calls),
        messages=len(state.messages),
    )


def _input_tokens(usage: ModelUsage) -> int:
    """All tokens of a request; providers count those read from their own cache apart."""
    return usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)


def _keep(state: TaskState, history: Sequence[RoundRecord]) -> None:
    """Put the rounds into the store as soon as one is finished: what was paid for is kept whatever comes after."""
    state.store.set(STORE_KEY, [record.model_dump(mode="json") for record in history])
