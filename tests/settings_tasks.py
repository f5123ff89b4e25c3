"""Inspect tasks with settings of their own, for the tests."""

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import includes
from inspect_ai.solver import generate


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
