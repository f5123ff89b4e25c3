"""``astray/author``: writing as running. One sample of this Inspect task is one thing written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final, get_args

from inspect_ai import Task, task, task_with
from inspect_ai.agent import react
from inspect_ai.agent import run as run_agent
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, GenerateConfig, Model, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import bash
from inspect_ai.util import message_limit, time_limit

from astray import prompts as all_prompts
from astray.advice import Book, from_shelf
from astray.authors.about import about, about_from
from astray.authors.messages import whole
from astray.authors.replies import What
from astray.authors.writing import WORDS, Staff, Work, opening, request_now, told_of, write
from astray.authors.written import STORE_KEY, written_in
from astray.benchmarks import METADATA_KEY, Benchmark, Manner, check_fingerprint, find_benchmark
from astray.errors import UsageError

MOST_MESSAGES: Final = 40
"""Messages after which an author that looks around has to write."""

MOST_SECONDS: Final = 600
"""Seconds after which it has to."""

_LOOKS: Final = ("bad", "good")


@task
def author(
    benchmark: str,
    what: Sequence[str] = ("bad", "good", "neutral"),
    fingerprint: str | None = None,
    beside: str | None = None,
    checked: bool = False,
    attempts: int = 3,
    seed: int = 0,
    prompts: str | None = None,
    task_args: dict[str, Any] | None = None,
) -> Task:
    """Advice for every sample of a benchmark, written by a model and checked.

    Args:
        benchmark: ``starter``, ``qa:PATH``, ``hf:NAME``, or an Inspect task.
        what: What is written: ``bad``, ``good``, ``neutral``, ``decomposition``.
        fingerprint: Hash of the benchmark's samples, where they must be just these.
        beside: Hash of the book whose bad suggestions the neutral ones match in length.
        checked: Whether a checker model is asked about what rules can't tell.
        attempts: How often a thing is written before it is given up and left out.
        seed: For the author's draws.
        prompts: Hash of astray's prompts, part of the task's identity.
        task_args: Arguments of an Inspect task, or fields of an ``hf:`` map.

    Model roles: ``author``, by default the task's model; ``checker``, required where ``checked``.

    Raises:
        UsageError: Nothing of this name can be written.
        StudyMismatch: The benchmark's samples are others than the fingerprint says.
    """
    if strange := [one for one in what if one not in get_args(What)]:
        raise UsageError(f"'{strange[0]}' can't be written; there are {', '.join(get_args(What))}")
    the_benchmark = find_benchmark(benchmark, task_args)
    base = the_benchmark.task(Manner())
    check_fingerprint(benchmark, base, fingerprint)
    book = from_shelf(beside) if beside else None
    works = [
        (sample, _work(the_benchmark, base, sample, one, attempts, seed, book))
        for sample in base.dataset
        for one in what
    ]
    return _writing_task(base, [_sample(sample, work) for sample, work in works], the_benchmark.name, checked)


def looks_around(what: What, base: Task, sample: Sample) -> bool:
    """Whether the author of this looks around in the sample's environment before it writes."""
    return what in _LOOKS and (base.sandbox is not None or sample.sandbox is not None)


def _work(
    benchmark: Benchmark, base: Task, sample: Sample, what: Any, attempts: int, seed: int, book: Book | None
) -> Work:
    match = book.find(str(sample.id), "bad") if book else None
    return Work(
        what=what,
        about=about(benchmark, base, sample),
        attempts=attempts,
        seed=seed,
        words=(len(match.text.split()) if match else WORDS) if what == "neutral" else None,
        looks=looks_around(what, base, sample),
    )


def _sample(sample: Sample, work: Work) -> Sample:
    """The sample of one work: what the author is told of, and, where it looks around, the sample's environment."""
    return Sample(
        id=f"{sample.id}/{work.what}",
        input=told_of(work) or " ",
        target=sample.target,
        # What prepares the environment may read what the sample knows.
        metadata={**((sample.metadata or {}) if work.looks else {}), METADATA_KEY: {"work": asdict(work)}},
        sandbox=sample.sandbox if work.looks else None,
        files=sample.files if work.looks else None,
        setup=sample.setup if work.looks else None,
    )


def _writing_task(base: Task, samples: Sequence[Sample], benchmark: str, checked: bool) -> Task:
    """A task with the environment of the base task and nothing else of it."""
    looks = any(_work_of(sample.metadata).looks for sample in samples)
    made = task_with(
        base,
        dataset=MemoryDataset(list(samples), name=base.dataset.name),
        setup=base.setup if looks else None,
        solver=compose(checked),
        cleanup=None,
        scorer=checks_scorer(),
        metrics=None,
        config=GenerateConfig(),
        sandbox=base.sandbox if looks else None,
        approval=None,
        epochs=None,
        message_limit=None,
        token_limit=None,
        time_limit=None,
        working_limit=None,
        turn_limit=None,
        cost_limit=None,
        early_stopping=None,
        headline_metric=None,
        viewer=None,
        name=f"advice for {base.name.split('/')[-1]}",
        metadata={METADATA_KEY: {"benchmark": benchmark}},
    )
    made.model, made.model_roles = None, None
    return made


@solver
def compose(checked: bool) -> Solver:
    """Have a sample's work written, after a look around where it has an environment."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        work = _work_of(state.metadata)
        staff = Staff(get_model(role="author"), get_model(role="checker", required=True) if checked else None)
        messages = opening(work)
        if work.looks:
            messages = [*await _look_around(staff.author, messages), request_now(work)]
        done = await write(work, staff, messages)
        state.messages = messages
        state.store.set(STORE_KEY, done.model_dump(mode="json"))
        return state

    return solve


@scorer(metrics={"*": [mean()]})
def checks_scorer() -> Scorer:
    """Whether it was written, and how its checks came out; the checks one by one in the explanation."""

    async def score(state: TaskState, target: Target) -> Score:
        done = written_in({STORE_KEY: state.store.get(STORE_KEY)})
        if done is None:
            return Score(value=float("nan"), explanation="not finished")
        counts = {
            result: float(sum(check.result == result for check in done.checks))
            for result in ("passed", "failed", "unknown")
        }
        lines = [f"{check.name}: {check.result} ({check.by}) {check.note}".rstrip() for check in done.checks]
        return Score(
            value={"written": float(done.row is not None), **counts},
            answer=done.suggestion.text if done.suggestion else None,
            explanation="\n".join([*([f"left out: {done.reason}"] if done.reason else []), *lines]),
            metadata={METADATA_KEY: {"checks": {check.name: check.result for check in done.checks}}},
        )

    return score


async def _look_around(author: Model, messages: list[ChatMessage]) -> list[ChatMessage]:
    """The conversation after the author has explored the environment with a shell, within limits."""
    explorer = react(
        prompt=all_prompts.load("authors/explore").fill(), tools=[bash(timeout=60)], model=author, submit=False
    )
    limits = [message_limit(MOST_MESSAGES), time_limit(MOST_SECONDS)]
    seen, _ = await run_agent(explorer, messages, limits=limits)
    return whole(seen.messages)


def _work_of(metadata: dict[str, Any] | None) -> Work:
    own = dict((metadata or {})[METADATA_KEY]["work"])
    return Work(**own | {"about": about_from(own["about"])})
