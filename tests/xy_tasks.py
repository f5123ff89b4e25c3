"""Inspect tasks that become XY problems, for the tests: requests of every kind, and one where bad advice does harm."""

from inspect_ai import Task, task
from inspect_ai.agent import react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import Score, Scorer, Target, accuracy, includes, match, scorer
from inspect_ai.solver import TaskState, generate
from inspect_ai.tool import bash
from inspect_ai.util import sandbox

PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
SANDBOXED = {"files": {"a.txt": "one\n"}, "setup": "#!/bin/sh\necho two >> a.txt\n", "sandbox": "local"}


def kinds_of_samples() -> list[Sample]:
    """One sample for each way a request may stand in it, and one with everything a sample can have."""
    picture = ContentImage(image=PIXEL, detail="low")
    return [
        Sample(id="text", input="Name a colour.\n", target="blue"),
        Sample(id="last", input=[ChatMessageSystem(content="Be brief."), ChatMessageUser(content="Name a colour.")]),
        Sample(
            id="followed",
            input=[
                ChatMessageUser(content="Hello."),
                ChatMessageAssistant(content="Hello yourself."),
                ChatMessageUser(content="Name a colour."),
                ChatMessageAssistant(content="It is"),
            ],
        ),
        Sample(id="picture", input=[ChatMessageUser(content=[ContentText(text="Which colour?"), picture])]),
        Sample(
            id="picture-first",
            input=[ChatMessageUser(content=[picture, ContentText(text="This."), picture, ContentText(text="And it?")])],
        ),
        Sample(id="no-text", input=[ChatMessageUser(content=[picture])]),
        Sample(
            id="whole",
            input="Name a {colour}.",
            choices=["blue", "green"],
            target=["A", "B"],
            metadata={"subject": "art", "nested": {"list": [1, 2.5, None]}},
            **SANDBOXED,
        ),
    ]


@task
def kinds() -> Task:
    """All of them, asked as they are."""
    return Task(dataset=MemoryDataset(kinds_of_samples()), solver=generate(), scorer=includes())


@task
def many(n: int = 30) -> Task:
    """Sums without ids, shuffled anew whenever they are loaded."""
    dataset = MemoryDataset([Sample(input=f"What is {i}+{i}?", target=str(2 * i)) for i in range(n)])
    dataset.shuffle()
    return Task(dataset=dataset, solver=generate(), scorer=match(numeric=True))


CONFIG = "name = shop\nprot = 8080\nadmin = maria\n"
DEFAULTS = "name = example\nport = 8080\nadmin = nobody\n"


@scorer(metrics=[accuracy()])
def repaired() -> Scorer:
    """Whether the file has the right port and all else as it was."""

    async def score(state: TaskState, target: Target) -> Score:
        found = await sandbox().read_file("config/app.ini")
        return Score(value="C" if found == target.text else "I", answer=found)

    return score


@task
def shell() -> Task:
    """A react agent with a shell repairs a file."""
    sample = Sample(
        id="ini",
        input="The service doesn't start: config/app.ini has a misspelt key. Please repair it.",
        target=CONFIG.replace("prot", "port"),
        files={"config/app.ini": CONFIG, "config/defaults.ini": DEFAULTS},
    )
    return Task(
        dataset=MemoryDataset([sample]),
        solver=react(prompt="You repair machines.", tools=[bash(timeout=20)]),
        scorer=repaired(),
        sandbox="local",
        message_limit=20,
    )
