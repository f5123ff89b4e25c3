"""From a study to what is needed to run it: benchmark, book, samples, hashes. Costs no call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample

from astray import _compat, prompts
from astray.advice import Book
from astray.arm import Arm
from astray.authors import is_verbatim
from astray.benchmarks import Benchmark, Manner, find_benchmark, fingerprint
from astray.errors import InputError, UsageError
from astray.evidence import PackSource, Source
from astray.study.sources import evidence_of, needs_evidence, without_evidence
from astray.study.spec import Study
from astray.study.task import has_advice, refuse_other_samples


@dataclass(frozen=True)
class Prepared:
    """A study that can be run.

    Attributes:
        study: What was asked for.
        arms: Every arm to run, ``original`` first.
        benchmark: The benchmark.
        book: The advice book, where an arm needs one.
        book_needs: What the book must have for a sample: stances, ``decomposition``.
        samples: The samples every arm sees, in order, the limit applied.
        left_out: Ids of samples left out of all arms for want of advice.
        manner: How the benchmark is asked and graded.
        fingerprint: Hash of the benchmark's samples.
        evidence: Where evidence comes from, where an arm needs some.
        without_evidence: Ids of samples that a pack or a corpus has nothing for; they are run, and marked.
        own_roles: Model roles that the benchmark itself uses, as far as that can be told.
        own_epochs: Epochs that the benchmark's task asks for itself, or None.
        own_temperature: The temperature that it asks for itself, or None.
    """

    study: Study
    arms: tuple[Arm, ...]
    benchmark: Benchmark
    book: Book | None
    book_needs: tuple[str, ...]
    samples: tuple[Sample, ...]
    left_out: tuple[str, ...]
    manner: Manner
    fingerprint: str
    evidence: Source | None = None
    without_evidence: tuple[str, ...] = ()
    own_roles: frozenset[str] = frozenset()
    own_epochs: int | None = None
    own_temperature: float | None = None

    def task_arguments(self, arm: Arm) -> dict[str, Any]:
        """The arguments of ``astray/arm`` for one arm: an Inspect task's identity."""
        return {
            "benchmark": self.study.benchmark,
            "arm": str(arm),
            "fingerprint": self.fingerprint,
            "book": self.book.hash if self.book else None,
            "book_needs": list(self.book_needs),
            "placement": self.study.placement,
            "structured": self.manner.structured,
            "graded": self.manner.graded,
            "elicit": self.manner.elicit,
            "seed": self.study.seed,
            "judge_memory": self.study.judge_memory,
            "moderator": self.study.moderator,
            "prompts": prompts.digest(),
            "task_args": self.study.task_args or None,
            "scale": list(self.study.scale) if self.study.scale else None,
            "evidence": self.evidence.name if self.evidence and needs_evidence(arm) else None,
        }


def prepare(study: Study) -> Prepared:
    """Look up and check everything a study needs, before a call is paid.

    Raises:
        UsageError: Unknown benchmark or arm, a conversation asked of a single-turn benchmark.
        InputError: The benchmark's file, the book or the evidence can't be used; a decomposition is of other words.
        StudyMismatch: The book or the evidence pack was written for another version of the benchmark.
    """
    arms = study.all_arms
    benchmark = find_benchmark(study.benchmark, study.task_args, study.scale)
    _refuse_what_cannot_be(study, benchmark, arms)
    book_needs = tuple(sorted({need for arm in arms for need in arm.book_needs}))
    book = _book(study, benchmark, book_needs)
    manner = _manner(study, benchmark)
    base = benchmark.task(manner)
    refuse_other_samples(book, base)
    samples, left_out = _select(base, book, book_needs, study)
    _refuse_other_words(study, benchmark, book, samples)
    mark = fingerprint(base)
    evidence = evidence_of(study, benchmark, arms)
    refuse_other_samples(evidence.pack if isinstance(evidence, PackSource) else None, base)
    lacking = without_evidence(evidence, benchmark, samples)
    own = (frozenset(_compat.roles_used(base)), base.epochs, base.config.temperature)
    return Prepared(study, arms, benchmark, book, book_needs, samples, left_out, manner, mark, evidence, lacking, *own)


def _refuse_what_cannot_be(study: Study, benchmark: Benchmark, arms: Sequence[Arm]) -> None:
    """Refuse arms that have nothing to act on in this benchmark, and a study without a model that it can't do without.

    Raises:
        UsageError: Names the arm or the option.
    """
    nature = benchmark.nature
    for arm in arms:
        if "conversation" in arm.needs and "user" not in nature.roles:
            raise UsageError(f"arm '{arm}': nobody converses in '{study.benchmark}'; it needs one such as tau2:airline")
        if "decomposition" in arm.needs and not nature.has_request:
            raise UsageError(
                f"arm '{arm}': in '{study.benchmark}' a simulated user says things its own way, and there is no "
                "request to take apart; use 'xy'"
            )
    missing = [role for role in sorted(nature.roles) if getattr(study, f"{role}_model") is None]
    if missing:
        needs = {"user": "has a simulated user", "grader": "has assertions in words that a model has to judge"}
        why = " and ".join(needs[role] for role in missing)
        options = " and ".join(f"--{role}-model" for role in missing)
        raise UsageError(f"'{study.benchmark}' {why}; name {options} (the evaluated model is never taken for it)")


def _refuse_other_words(study: Study, benchmark: Benchmark, book: Book | None, samples: Sequence[Sample]) -> None:
    """Refuse decompositions that aren't in the request word for word, where an arm asks by them.

    Raises:
        InputError: Names the samples.
    """
    asking = [str(arm) for arm in study.all_arms if "decomposition" in arm.needs]
    if not asking or book is None:
        return
    found = ((benchmark.request(sample), book.decomposition(str(sample.id))) for sample in samples)
    other = [parts.sample_id for request, parts in found if parts and not is_verbatim(parts, request)]
    if other:
        named = ", ".join(f"'{id}'" for id in other[:10]) + (f" and {len(other) - 10} more" if len(other) > 10 else "")
        raise InputError(
            f"{study.advice or 'the advice book'}: the decompositions of {named} are not in the request word for word, "
            f"so that {', '.join(asking)} would ask something else; 'astray advice check' says which passages"
        )


def _select(
    base: Task, book: Book | None, book_needs: Sequence[str], study: Study
) -> tuple[tuple[Sample, ...], tuple[str, ...]]:
    """Samples with the advice they need, the first ``limit`` of them; and the ids of those passed over on the way.

    What stands behind the first ``limit`` samples, and behind the last that is run, is left out by the limit.
    """
    with_advice = [sample for sample in base.dataset if has_advice(sample, book, book_needs)]
    if not with_advice:
        options = " ".join(f"--what {need}" for need in book_needs)
        raise InputError(
            f"the advice book has no sample of '{study.benchmark}' with all that is needed ({', '.join(book_needs)}); "
            f"name one with --advice that was written for it: astray advise {study.benchmark} {options} …"
        )
    run = with_advice[: study.limit]
    ids, kept = [str(sample.id) for sample in base.dataset], {str(sample.id) for sample in run}
    last = max(place for place, one in enumerate(ids, 1) if one in kept)
    reached = ids[: max(study.limit, last)] if study.limit else ids
    return tuple(run), tuple(one for one in reached if one not in kept)


def _book(study: Study, benchmark: Benchmark, book_needs: Sequence[str]) -> Book | None:
    if not book_needs:
        return None
    if study.advice:
        return Book.load(Path(study.advice).expanduser())
    if benchmark.book is None:
        needing = [str(arm) for arm in study.all_arms if arm.book_needs]
        raise UsageError(
            f"'{study.benchmark}' comes without an advice book, and {', '.join(needing)} need one; "
            "name one with --advice BOOK"
        )
    return benchmark.book


def _manner(study: Study, benchmark: Benchmark) -> Manner:
    if not benchmark.reads_replies:
        for option in ("structured", "elicit"):
            if getattr(study, option):
                raise UsageError(f"--{option}: '{study.benchmark}' reads replies its own way; leave the flag out")
        return Manner(graded=study.grader_model is not None)
    # The embedded model's prose often names no answer; but what has to be worked out needs prose.
    suits = study.model.startswith("astray/") and not benchmark.nature.worked_out
    structured = suits if study.structured is None else study.structured
    return Manner(structured, study.grader_model is not None, study.elicit)
