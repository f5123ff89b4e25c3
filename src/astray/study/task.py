"""``astray/arm``: one arm of one benchmark as one registered Inspect task, its arguments plain JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from inspect_ai import Task, task, task_with
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import chain

from astray.advice import Book, Placement, Treatment, from_shelf, treat
from astray.arm import Arm
from astray.benchmarks import (
    METADATA_KEY,
    Benchmark,
    Manner,
    check_fingerprint,
    find_benchmark,
    fingerprint,
    sample_digest,
)
from astray.errors import StudyMismatch, UsageError
from astray.evidence import Pack, Source
from astray.judges import Panel, find_evidence, make_judge, rounds_scorer, with_rounds
from astray.study.sources import evidence_by_name


@task
def arm(
    benchmark: str,
    arm: str = "original",
    fingerprint: str | None = None,
    book: str | None = None,
    book_needs: Sequence[str] = (),
    placement: Placement = "append",
    structured: bool = False,
    graded: bool = False,
    elicit: bool = False,
    seed: int = 0,
    judge_memory: bool = False,
    moderator: bool = False,
    prompts: str | None = None,
    task_args: dict[str, Any] | None = None,
    scale: Sequence[float] | None = None,
    evidence: str | None = None,
) -> Task:
    """One arm of one benchmark.

    Args:
        benchmark: ``starter``, ``qa:PATH``, ``hf:NAME``, or an Inspect task.
        arm: The arm's text.
        fingerprint: Hash of the benchmark's samples, where the task must be just these.
        book: Hash of the advice book; the benchmark's own book where there is one and none is named.
        book_needs: What the book must have for a sample; others are left out, in all arms alike.
        placement: Where in the request a suggestion stands: ``append`` or ``prepend``.
        structured: Whether replies are constrained to a schema.
        graded: Whether a grader model settles what rules leave undecided.
        elicit: Whether the label alone is asked for, once, where no answer can be read.
        seed: For what judges without knowledge say.
        judge_memory: Whether judges see the earlier rounds.
        moderator: Whether a moderator makes one message of what several judges say in a round.
        prompts: Hash of astray's prompts, part of the task's identity.
        task_args: Arguments of an Inspect task, or fields of an ``hf:`` map.
        scale: Worst and best value of its scorer.
        evidence: ``pack:HASH``, ``corpus:HASH`` or ``web``; the benchmark's own evidence where none is named.

    Model roles: ``grader``, required where ``graded``; ``judge``, for judges with knowledge and the moderator: where
    it isn't named, the evaluated model criticises itself. Judges without knowledge speak in set phrases.

    Raises:
        UsageError: An arm that can't be run on this benchmark.
        StudyMismatch: The benchmark's samples are others than the fingerprint says.
    """
    the_benchmark = find_benchmark(benchmark, task_args, scale)
    the_arm = Arm.parse(arm)
    needs_book = bool(the_arm.book_needs or book_needs)
    the_book = from_shelf(book) if book else the_benchmark.book if needs_book else None
    manner = Manner(structured, graded, elicit)
    base = the_benchmark.task(manner)
    check_fingerprint(benchmark, base, fingerprint)
    refuse_other_samples(the_book, base)
    source = evidence_by_name(evidence, the_benchmark, the_arm)
    treated = treated_samples(the_benchmark, base, the_arm, the_book, book_needs, placement)
    any_one = treated[0][1]
    judges = tuple(make_judge(seat, *judge, seed) for seat, judge in enumerate(any_one.judges))
    panel = Panel(judges, any_one.with_critique, judge_memory, moderator)
    return arm_task(the_benchmark, base, the_arm, treated, manner, panel, source)


Treated = tuple[Sample, Treatment]
"""A treated sample, and what was done to it."""


def treated_samples(
    benchmark: Benchmark, base: Task, arm: Arm, book: Book | None, book_needs: Sequence[str], placement: Placement
) -> list[Treated]:
    """Every sample that has what the study needs of the book, treated.

    Raises:
        UsageError: There is none.
    """
    pairs = [
        (treated_sample(benchmark, sample, treatment), treatment)
        for sample in base.dataset
        if has_advice(sample, book, book_needs)
        for treatment in [treat(arm, str(sample.id), book, placement)]
        if treatment is not None
    ]
    if not pairs:
        raise UsageError(f"arm '{arm}': no sample of '{benchmark.name}' has the advice it needs; name an --advice book")
    return pairs


def arm_task(
    benchmark: Benchmark,
    base: Task,
    arm: Arm,
    treated: Sequence[Treated],
    manner: Manner,
    panel: Panel,
    evidence: Source | None = None,
) -> Task:
    """The base task over treated samples, with rounds after its answer, and evidence found before it."""
    solve = with_rounds(base.solver, benchmark, panel, treated[0][1].rounds, manner, arm.defense == "acknowledge")
    samples = [sample for sample, _ in treated]
    return task_with(
        base,
        dataset=MemoryDataset(samples, name=base.dataset.name, location=base.dataset.location),
        solver=chain(find_evidence(evidence), solve) if evidence else solve,
        scorer=[*_as_list(base.scorer), rounds_scorer(arm.rounds)],
        name=f"{base.name.split('/')[-1]} {arm}",
        metadata={**(base.metadata or {}), METADATA_KEY: {"benchmark": benchmark.name, "arm": str(arm)}},
    )


def has_advice(sample: Sample, book: Book | None, book_needs: Sequence[str]) -> bool:
    """Whether the book has everything that some arm of the study needs for this sample."""
    return all(book is not None and book.has(str(sample.id), need) for need in book_needs)


def treated_sample(benchmark: Benchmark, sample: Sample, treatment: Treatment) -> Sample:
    """The sample under a treatment, with what a reader of the log needs to know of it."""
    treated = benchmark.apply(sample, treatment)
    own = dict((treated.metadata or {}).get(METADATA_KEY, {}))
    own |= {"treatment": treatment.to_json(), "question": vars(benchmark.question(sample))}
    treated.metadata = {**(treated.metadata or {}), METADATA_KEY: own}
    return treated


_KINDS: Final = (("book", "advice book", "astray advise"), ("pack", "evidence pack", "astray evidence build"))


def refuse_other_samples(book: Book | Pack | None, base: Task) -> None:
    """Refuse a book or pack made for another version of the benchmark; one written by hand names no version.

    Raises:
        StudyMismatch: Names the samples that differ, or that aren't there any more.
    """
    if book is None or not book.header.fingerprint or book.header.fingerprint == fingerprint(base):
        return
    name, kind, command = _KINDS[isinstance(book, Pack)]
    digests = {str(sample.id): sample_digest(sample) for sample in base.dataset}
    written_for = {(row.sample_id, row.sample_digest) for row in book.rows if row.sample_digest}
    other = sorted({id for id, digest in written_for if digests.get(id) != digest})
    if other or not written_for:
        shown = ", ".join(other[:10]) + (f" and {len(other) - 10} more" if len(other) > 10 else "")
        what = (
            f"of its {len({id for id, _ in written_for})} samples, {len(other)} differ or are gone: {shown}"
            if other
            else (f"fingerprint {fingerprint(base)}, and the {name} says {book.header.fingerprint}")
        )
        raise StudyMismatch(
            f"the {kind} was written for another version of '{book.header.benchmark}' ({what}); write it anew "
            f"with '{command}', or, where you know that it fits, empty the header's fingerprint"
        )


def _as_list(given: Any) -> list[Any]:
    if given is None:
        return []
    return list(given) if isinstance(given, (list, tuple)) else [given]
