"""Inspect tasks with settings of their own, for the tests."""

from inspect_ai import Epochs, Task, task
from inspect_ai.agent import react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, ModelOutput
from inspect_ai.scorer import includes
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver


@task
def particular(epochs: int = 4, temperature: float | None = 0.5) -> Task:
    """Asks for epochs and a temperature of its own."""
    return Task(
        dataset=MemoryDataset([Sample(id="s", input="Which colour?", target="blue")]),
        solver=generate(),
        scorer=includes(),
        epochs=Epochs(epochs, "max"),
        config=GenerateConfig(temperature=temperature, max_tokens=77),
    )


@solver
def stops() -> Solver:
    """Answers at once, without a call, where the request says so."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if "at once" in state.input_text:
            state.output = ModelOutput.from_content("none", "blue")
            state.completed = True
        return state

    return solve


@task
def stopped() -> Task:
    """A step before an agent ends one of two samples."""
    samples = [Sample(id=word, input=f"Which colour, {word}?", target="blue") for word in ("at once", "in time")]
    return Task(dataset=MemoryDataset(samples), solver=[stops(), react(prompt="Say a colour.")], scorer=includes())
