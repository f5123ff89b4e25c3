"""Inspect tasks of different kinds, for the tests: what a person might have in a file of their own."""

from inspect_ai import Task, task
from inspect_ai.agent import react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import choice, includes, match
from inspect_ai.solver import generate, multiple_choice, prompt_template, system_message
from inspect_ai.tool import Tool, tool


@task
def sums(n: int = 4) -> Task:
    """Free text, no ids, a prompt template after the question, a system message."""
    return Task(
        dataset=MemoryDataset([Sample(input=f"What is {i}+{i}?", target=str(2 * i)) for i in range(n)]),
        solver=[system_message("You add numbers."), prompt_template("{prompt}\n\nThe number alone."), generate()],
        scorer=match(numeric=True),
    )


@task
def letters() -> Task:
    """Multiple choice, as Inspect asks and scores it."""
    samples = [
        Sample(id=i + 1, input=f"Which is {i}+{i}?", choices=[str(2 * i + 1), str(2 * i), "77", "99"], target="B")
        for i in range(3)
    ]
    return Task(dataset=MemoryDataset(samples), solver=multiple_choice(), scorer=choice())


@tool
def look_up() -> Tool:
    async def execute(key: str) -> str:
        """Look a key up.

        Args:
            key: The key.
        """
        return f"the value of {key} is 42"

    return execute


@task
def agent() -> Task:
    """A react agent with a tool."""
    return Task(
        dataset=MemoryDataset([Sample(id="a1", input="Find the value of x.", target="42")]),
        solver=react(prompt="You look things up.", tools=[look_up()]),
        scorer=includes(),
        message_limit=30,
    )


@task
def clerk() -> Task:
    """The same agent, several questions."""
    samples = [Sample(id=f"k{i}", input=f"Find the value of key{i}.", target="42") for i in range(4)]
    return Task(
        dataset=MemoryDataset(samples),
        solver=react(prompt="You look things up.", tools=[look_up()]),
        scorer=includes(),
        message_limit=30,
    )
