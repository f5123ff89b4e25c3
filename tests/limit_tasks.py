"""Agents that run out of messages, for the tests; what the scorer gives stands in the target."""

import json

from inspect_ai import Task, task
from inspect_ai.agent import react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from tests.inspect_tasks import look_up


@scorer(metrics=[mean()])
def as_told() -> Scorer:
    """Gives what the target says."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=json.loads(target.text))

    return score


@scorer(metrics=[mean()])
def another() -> Scorer:
    """A second scorer, which counts for nothing."""

    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=1)

    return score


@task
def endless(given: list[str]) -> Task:
    """An agent whose message limit is reached before it submits; a sample for each score."""
    samples = [Sample(id=text, input="Find the value of x.", target=text) for text in given]
    return Task(
        dataset=MemoryDataset(samples),
        solver=react(prompt="You look things up.", tools=[look_up()]),
        scorer=[as_told(), another()],
        message_limit=4,
    )
