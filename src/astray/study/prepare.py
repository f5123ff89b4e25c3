"""From a study to what is needed to run it: benchmark, book, samples, hashes. Costs no call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample

from astray import prompts
from astray.advice import Book, Stance
from astray.arm import Arm
from astray.benchmarks import Benchmark, Manner, find_benchmark, fingerprint
from astray.errors import InputError, UsageError
from astray.study.spec import Study
from astray.study.task import has_advice, refuse_unbuilt


@dataclass(frozen=True)
class Prepared:
    """A study that can be run.

    Attributes:
        study: What was asked for.
        arms: Every arm to run, ``original`` first.
        benchmark: The benchmark.
        book: The advice book, where an arm needs one.
        stances: Kinds of suggestion a sample must have.
        samples: The samples every arm sees, in order, the limit applied.
        left_out: Ids of samples left out of all arms for want of advice.
        manner: How the benchmark is asked and graded.
        fingerprint: Hash of the benchmark's samples.
    """

    study: Study
    arms: tuple[Arm, ...]
    benchmark: Benchmark
    book: Book | None
    stances: tuple[Stance, ...]
    samples: tuple[Sample, ...]
    left_out: tuple[str, ...]
    manner: Manner
    fingerprint: str

    def task_arguments(self, arm: Arm) -> dict[str, Any]:
        """The arguments of ``astray/arm`` for one arm: an Inspect task's identity."""
        return {
            "benchmark": self.study.benchmark,
            "arm": str(arm),
            "fingerprint": self.fingerprint,
            "book": self.book.hash if self.book else None,
            "stances": list(self.stances),
            "structured": self.manner.structured,
            "graded": self.manner.graded,
            "elicit": self.manner.elicit,
            "seed": self.study.seed,
            "prompts": prompts.digest(),
            "task_args": self.study.task_args or None,
        }


def prepare(study: Study) -> Prepared:
    """Look up and check everything a study needs, before a call is paid.

    Raises:
        UsageError: Unknown benchmark or arm, an arm that isn't built, a conversation asked of a single-turn benchmark.
        InputError: The benchmark's file or the book can't be used.
    """
    arms = study.all_arms
    for arm in arms:
        refuse_unbuilt(arm)
    benchmark = find_benchmark(study.benchmark, study.task_args)
    stances = tuple(sorted({arm.stance for arm in arms if arm.stance}))
    book = _book(study, benchmark, stances)
    manner = _manner(study, benchmark)
    base = benchmark.task(manner)
    samples, left_out = _select(base, book, stances, study)
    mark = fingerprint(base)
    return Prepared(study, arms, benchmark, book, stances, samples, left_out, manner, mark)


def _select(
    base: Task, book: Book | None, stances: Sequence[Stance], study: Study
) -> tuple[tuple[Sample, ...], tuple[str, ...]]:
    """Samples with the advice they need, the first ``limit`` of them; and the ids of the others."""
    with_advice = [sample for sample in base.dataset if has_advice(sample, book, stances)]
    if not with_advice:
        raise InputError(
            f"the advice book has no suggestions ({', '.join(stances)}) for any sample of '{study.benchmark}'; "
            "was it written for this benchmark?"
        )
    kept = {str(sample.id) for sample in with_advice}
    left_out = tuple(str(sample.id) for sample in base.dataset if str(sample.id) not in kept)
    return tuple(with_advice[: study.limit]), left_out


def _book(study: Study, benchmark: Benchmark, stances: Sequence[Stance]) -> Book | None:
    if not stances:
        return None
    if study.advice:
        return Book.load(Path(study.advice).expanduser())
    if benchmark.book is None:
        needing = [str(arm) for arm in study.all_arms if arm.stance]
        raise UsageError(
            f"'{study.benchmark}' comes without an advice book, and {', '.join(needing)} need suggestions; "
            "name one with --advice BOOK"
        )
    return benchmark.book


def _manner(study: Study, benchmark: Benchmark) -> Manner:
    if not benchmark.reads_replies:
        for option in ("structured", "elicit"):
            if getattr(study, option):
                raise UsageError(f"--{option}: '{study.benchmark}' reads replies its own way; leave the flag out")
        return Manner()
    structured = study.model.startswith("astray/") if study.structured is None else study.structured
    return Manner(structured, study.grader_model is not None, study.elicit)
