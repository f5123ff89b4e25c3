"""``astray/evidence``: one sample of this Inspect task is one question, one epoch one run over it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from astray.authors.about import About, about, about_from
from astray.authors.evidence.run import STORE_KEY, run_in
from astray.authors.evidence.search import Seeker, look, look_as_agent, verify
from astray.benchmarks import METADATA_KEY, Manner, check_fingerprint, find_benchmark
from astray.errors import UsageError
from astray.evidence import Corpus, Web, source_from_shelf


@task
def evidence(
    benchmark: str,
    source: str,
    fingerprint: str | None = None,
    agent: bool = False,
    verified: bool = False,
    passages: int = 5,
    seed: int = 0,
    prompts: str | None = None,
    task_args: dict[str, Any] | None = None,
) -> Task:
    """Support for a wrong answer to every question of a benchmark; each epoch is a run that knows of no other.

    Args:
        benchmark: ``starter``, ``qa:PATH``, ``hf:NAME``, or an Inspect task.
        source: What is searched: ``corpus:HASH``, or ``web``.
        fingerprint: Hash of the benchmark's samples, where they must be just these.
        agent: Whether the author searches with a tool as often as it likes, instead of in two fixed steps.
        verified: Whether a verifier is asked if the answer that is supported is wrong.
        passages: How many passages one search gives.
        seed: For the author's draws.
        prompts: Hash of astray's prompts, part of the task's identity.
        task_args: Arguments of an Inspect task, or fields of an ``hf:`` map.

    Model roles: ``author``, by default the task's model; ``verifier``, required where ``verified``.

    Raises:
        UsageError: Something that can't be searched.
        InputError: The corpus isn't in the cache.
        StudyMismatch: The benchmark's samples are others than the fingerprint says.
    """
    the_benchmark = find_benchmark(benchmark, task_args)
    base = the_benchmark.task(Manner())
    check_fingerprint(benchmark, base, fingerprint)
    _searchable(source)
    samples = [_sample(about(the_benchmark, base, sample), sample) for sample in base.dataset]
    return Task(
        dataset=MemoryDataset(samples, name=base.dataset.name),
        solver=seek(source, agent, verified, passages, seed),
        scorer=support_scorer(),
        name=f"evidence for {base.name.split('/')[-1]}",
        metadata={METADATA_KEY: {"benchmark": the_benchmark.name}},
    )


@solver
def seek(source: str, agent: bool, verified: bool, passages: int, seed: int) -> Solver:
    """One run over one question; arguments as of `evidence`."""
    searched = _searchable(source)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        told = about_from(state.metadata[METADATA_KEY]["about"])
        verifier = get_model(role="verifier", required=True) if verified else None
        seeker = Seeker(get_model(role="author"), searched, passages, 1000 * seed + state.epoch)
        messages: list[ChatMessage] = []
        try:
            done = await (look_as_agent if agent else look)(seeker, told, messages)
        finally:
            state.messages = messages
        if done.found and verifier is not None:
            verdict = await verify(verifier, told, str(done.alternative))
            done = done.model_copy(update={"verdict": verdict})
        state.store.set(STORE_KEY, done.model_dump(mode="json"))
        return state

    return solve


@scorer(metrics={"*": [mean()]})
def support_scorer() -> Scorer:
    """Whether a run found support, and why not in the explanation."""

    async def score(state: TaskState, target: Target) -> Score:
        done = run_in({STORE_KEY: state.store.get(STORE_KEY)})
        if done is None:
            return Score(value=float("nan"), explanation="not finished")
        quotes = [f"{passage.text} [{passage.source}]" for passage in done.passages]
        return Score(
            value={"found": float(done.found)}, answer=done.alternative, explanation=done.reason or "\n".join(quotes)
        )

    return score


def _searchable(name: str) -> Corpus | Web:
    source = source_from_shelf(name)
    if not isinstance(source, (Corpus, Web)):
        raise UsageError(f"'{name}' can't be searched for other answers; name a corpus or the web")
    return source


def _sample(told: About, sample: Sample) -> Sample:
    return Sample(
        id=told.sample_id, input=told.question, target=sample.target, metadata={METADATA_KEY: {"about": asdict(told)}}
    )
