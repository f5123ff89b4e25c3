"""The evidence of a study: where it comes from, and which samples have none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inspect_ai.dataset import Sample

from astray.arm import Arm
from astray.benchmarks import Benchmark
from astray.errors import UsageError
from astray.evidence import Corpus, PackSource, Source, open_source, source_from_shelf
from astray.study.spec import Study


def needs_evidence(arm: Arm) -> bool:
    """Whether somebody in this arm argues from evidence."""
    return "evidence" in arm.needs


def evidence_of(study: Study, benchmark: Benchmark, arms: Sequence[Arm]) -> Source | None:
    """The evidence that is named, else the benchmark's own; None where no arm needs any.

    Raises:
        UsageError: An arm needs evidence, and there is none; or web search without a provider.
        InputError: What is named can't be used.
    """
    needing = [str(arm) for arm in arms if needs_evidence(arm)]
    if not needing:
        return None
    if study.evidence:
        return open_source(study.evidence)
    if benchmark.evidence is None:
        raise UsageError(
            f"'{study.benchmark}' comes without evidence, and {', '.join(needing)} need some; "
            "name one with --evidence PACK|DIR|web"
        )
    return PackSource(benchmark.evidence)


def evidence_by_name(name: str | None, benchmark: Benchmark, arm: Arm) -> Source | None:
    """The same for one arm, from the cache by `Source.name`.

    Raises:
        UsageError: The arm needs evidence, and there is none.
        InputError: It isn't in the cache.
    """
    if not needs_evidence(arm):
        return None
    if name:
        return source_from_shelf(name)
    if benchmark.evidence is None:
        raise UsageError(f"arm '{arm}': needs evidence, and '{benchmark.name}' comes without")
    return PackSource(benchmark.evidence)


def without_evidence(source: Source | None, benchmark: Benchmark, samples: Iterable[Sample]) -> tuple[str, ...]:
    """Ids of the samples that a pack or a corpus has nothing for; the web tells only when it is asked."""
    questions = [benchmark.question(sample) for sample in samples]
    if isinstance(source, PackSource):
        return tuple(one.id for one in questions if source.pack.find(one.id, one.text) is None)
    if isinstance(source, Corpus):
        return tuple(one.id for one in questions if not source.search(source.query(one.text, one.alternative), 1))
    return ()


def not_wrong(source: Source | None, benchmark: Benchmark, samples: Iterable[Sample]) -> tuple[str, ...]:
    """Ids of the samples whose alternative a verifier finds not wrong."""
    if not isinstance(source, PackSource):
        return ()
    found = [(one.id, source.pack.find(one.id, one.text)) for one in map(benchmark.question, samples)]
    return tuple(id for id, row in found if row is not None and row.verified is False)
