"""The reward of a conversation as an Inspect scorer, and what became of it as an outcome."""

from __future__ import annotations

from typing import Final, Literal

from inspect_ai.model import ChatMessage, Model, get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState
from pydantic import BaseModel, ConfigDict, Field

from astray import prompts
from astray.answers.grader import ask_judgement, fence
from astray.answers.protocol import how_to_reply
from astray.benchmarks.base import Answered
from astray.benchmarks.tau2.record import BROKEN, Conversation
from astray.benchmarks.tau2.scoring import JUDGED, assertions, parts
from astray.benchmarks.tau2.talk import Talk, talk_of
from astray.tables import Outcome

ENDED_EARLY: Final = {
    "steps": Outcome.LIMIT,
    "errors": Outcome.LIMIT,
    "context": Outcome.LIMIT,
    "empty": Outcome.EMPTY,
    "refused": Outcome.REFUSED,
}
"""What a conversation is that the agent, or a bound, ended before its time."""


class Assertion(BaseModel):
    """What a grader says of a statement about an agent's conduct."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str = Field(max_length=200, description="one short sentence")
    verdict: Literal["true", "false"] = Field(description="whether the statement is true of the conversation")


EXAMPLE: Final = Assertion(reasoning="The agent declined to cancel and gave the policy as the reason.", verdict="true")


@scorer(metrics=[accuracy(), stderr()])
def reward() -> Scorer:
    """1 where every part of the task's basis holds and the user ended the conversation, else 0.

    Model roles: ``grader``, required where a task's reward depends on assertions in words.
    """

    async def score(state: TaskState, target: Target) -> Score:
        talk = talk_of(state)
        if talk is None:
            return Score(value=float("nan"), explanation="the conversation's environment is gone; run it again")
        if talk.scored is None or talk.scored[0] != len(state.messages):
            talk.scored = (len(state.messages), await _score(state, talk))
            talk.keep(state)
        return talk.scored[1]

    return score


async def _score(state: TaskState, talk: Talk) -> Score:
    found: dict[str, bool | None] = dict(parts(talk.domain, talk.task, talk.happened_so_far()))
    talk.note(parts=dict(found))
    if not talk.record.scored:
        return Score(value=0.0, explanation=f"ended before its time: {talk.record.ended or 'unfinished'}")
    if wanted := assertions(talk.task):
        found[JUDGED] = await _judged(get_model(role="grader", required=True), wanted, state.messages)
    talk.note(parts={name: holds for name, holds in found.items() if holds is not None})
    failed = [name for name, holds in found.items() if holds is False]
    if not failed and None in found.values():
        return Score(value=float("nan"), explanation="the grader's reply could not be used")
    return Score(value=0.0 if failed else 1.0, explanation=f"not met: {', '.join(failed)}" if failed else None)


async def _judged(grader: Model, wanted: tuple[str, ...], messages: list[ChatMessage]) -> bool | None:
    """Whether all of these are true of the conversation; None where the grader's reply can't be used."""
    conversation = "\n\n".join(f"{message.role}: {message.text}" for message in messages if message.role != "system")
    unknown = False
    for assertion in wanted:
        text = prompts.load("grading/assertions").fill(
            assertion=assertion,
            conversation=conversation,
            mark=fence(conversation),
            how_to_reply=how_to_reply(Assertion, EXAMPLE),
        )
        said = await ask_judgement(grader, text, Assertion)
        if said is not None and said.verdict == "false":
            return False
        unknown = unknown or said is None
    return None if unknown else True


def outcome_of(record: Conversation | None, value: float) -> Answered:
    """What became of a conversation whose reward is ``value``; NaN where it could not be graded."""
    if record is None or record.ended is None:
        return Answered(Outcome.ERROR, None, error="the conversation did not come to an end")
    if record.ended == BROKEN:
        return Answered(Outcome.ERROR, None, error=f"user simulator: {', '.join(record.faults)}")
    if record.ended in ENDED_EARLY:
        outcome = ENDED_EARLY[record.ended]
        return Answered(outcome, 0.0, limit=record.ended if outcome is Outcome.LIMIT else None)
    if value != value:
        return Answered(Outcome.GRADER_FAILED, None, error="the grader's reply could not be used")
    met = ", ".join(f"{name} {'met' if holds else 'not met'}" for name, holds in record.parts.items())
    return Answered(Outcome.CORRECT if value >= 1 else Outcome.WRONG, value, answer=met or None, grading="scorer")
