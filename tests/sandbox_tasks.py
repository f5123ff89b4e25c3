"""Inspect tasks whose scorers work in the agent's sandbox, for the tests."""

from inspect_ai import Task, task
from inspect_ai.agent import react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Scorer, Target, accuracy, includes, scorer
from inspect_ai.solver import TaskState
from inspect_ai.tool import bash
from inspect_ai.util import sandbox

TRACES = "echo leaked > hidden_test.py; rm -r notes; echo changed > answer.txt; mkdir -p deep/er"


@scorer(metrics=[accuracy()])
def untidy() -> Scorer:
    """Right if the file says so; leaves a test, deletes what the agent wrote, and changes its answer."""

    async def score(state: TaskState, target: Target) -> Score:
        there = (await sandbox().exec(["ls"])).stdout.split()
        said = (await sandbox().exec(["cat", "answer.txt"])).stdout.strip()
        await sandbox().exec(["sh", "-c", TRACES])
        await sandbox().write_file("grade.txt", "seen")
        clean = "hidden_test.py" not in there and "grade.txt" not in there
        return Score(value="C" if clean and said == target.text else "I", answer=f"{said} {' '.join(there)}")

    return score


def _task(scorer: Scorer, compose: str | None = None) -> Task:
    sample = Sample(id="s", input="Write four into answer.txt.", target="4", files={"start.txt": "given\n"})
    return Task(
        dataset=MemoryDataset([sample]),
        solver=react(prompt="You work with files.", tools=[bash(timeout=20)]),
        scorer=scorer,
        sandbox=("docker", compose) if compose else "local",
        message_limit=40,
    )


@task
def tests_in_sandbox() -> Task:
    """Scored by what is done in the sandbox."""
    return _task(untidy())


@task
def scored_in_container(compose: str) -> Task:
    """The same in the container of a compose file."""
    return _task(untidy(), compose)


@task
def only_reads() -> Task:
    """The same, scored by the reply alone."""
    return _task(includes())
