"""``astray/label``: labelling as running. One sample of this Inspect task is one trace, with all that is looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from astray.answers.grader import ask_judgement
from astray.tables import read
from astray.traces.kinds import check_behaviours, held_against, look_for
from astray.traces.label import Labelling
from astray.traces.trace import Trace, advice_of, packed, suggestions_for, traces_in, unpacked
from astray.traces.windows import MOST

STORE_KEY: Final = "astray:labelled"
"""Where the labellings stand in a sample's store, as JSON-able data."""

METADATA_KEY: Final = "astray"


@task
def label(
    study: str,
    behaviours: Sequence[str],
    limit: int | None = None,
    transcripts: str | None = None,
    prompts: str | None = None,
    most: int = MOST,
) -> Task:
    """Behaviours in the transcripts of a study, labelled by a model.

    Args:
        study: The study's folder, with its ``tables``.
        behaviours: What is looked for.
        limit: Only the first so many samples of the study, under all arms.
        transcripts: Hash of the transcripts, part of the task's identity.
        prompts: Hash of the prompts, part of the task's identity.
        most: Characters of a window.

    Model roles: ``grader``, who labels; required.

    Raises:
        UsageError: Something of this name can't be looked for.
        InputError: There are no transcripts.
    """
    names = check_behaviours(tuple(behaviours))
    traces = chosen(traces_in(read(Path(study), "transcripts")), limit)
    return Task(
        dataset=MemoryDataset(samples_of(traces), name="transcripts"),
        solver=labelling(list(names), most),
        scorer=labels_scorer(),
        config=GenerateConfig(),
        name="labels",
    )


def chosen(traces: Sequence[Trace], limit: int | None) -> tuple[Trace, ...]:
    """The traces of the first so many samples: all arms of a sample stay together."""
    runs = list(dict.fromkeys(trace.key.run for trace in sorted(traces, key=lambda one: one.key)))[:limit]
    kept = set(runs)
    return tuple(trace for trace in traces if trace.key.run in kept)


def samples_of(traces: Sequence[Trace]) -> list[Sample]:
    """A sample for each trace."""
    held = advice_of(traces)
    return [
        Sample(
            id=trace.id,
            input=f"{len(trace.steps)} steps of {trace.key.model}",
            metadata={METADATA_KEY: {"trace": packed(trace), "suggestions": list(suggestions_for(trace, held))}},
        )
        for trace in traces
    ]


@solver
def labelling(behaviours: list[str], most: int) -> Solver:
    """Look for every behaviour in the sample's trace, one after the other."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        own = state.metadata[METADATA_KEY]
        ask = partial(ask_judgement, get_model(role="grader", required=True), per_epoch=False)
        trace = unpacked(own["trace"])
        found = [
            await look_for(name, trace, suggestion, ask, most=most)
            for name in behaviours
            for suggestion in held_against(name, own["suggestions"])
        ]
        state.store.set(STORE_KEY, [one.model_dump(mode="json") for one in found if one is not None])
        return state

    return solve


@scorer(metrics={"*": [mean()]})
def labels_scorer() -> Scorer:
    """How many labels were found, are void, and how many labellings are."""

    async def score(state: TaskState, target: Target) -> Score:
        found = labelled_in({STORE_KEY: state.store.get(STORE_KEY)}) or ()
        labels = [one for labelling in found for one in labelling.labels]
        return Score(
            value={
                "labels": float(sum(one.place is not None for one in labels)),
                "void_labels": float(sum(one.place is None for one in labels)),
                "void_labellings": float(sum(one.reason is not None for one in found)),
            },
            explanation="\n".join(f"step {one.step}: {one.summary}" for one in labels),
        )

    return score


def labelled_in(store: Mapping[str, Any]) -> tuple[Labelling, ...] | None:
    """The labellings in a sample's store; None where the sample didn't come to its end."""
    found = store.get(STORE_KEY)
    return None if found is None else tuple(map(Labelling.model_validate, found))
