"""What is to be written for a benchmark, and what that takes, before a call is paid."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from astray import prompts
from astray.advice import BookHeader
from astray.authors import About, What, Work, about, looks_around, needs_no_author
from astray.benchmarks import Manner, find_benchmark, fingerprint
from astray.errors import UsageError

EVERYTHING: Final[tuple[What, ...]] = ("bad", "good", "neutral", "decomposition")
"""All that can be written, in the order of a book."""


@dataclass(frozen=True)
class Commission:
    """What is asked for.

    Attributes:
        benchmark: As `find_benchmark` takes it.
        author: Name of the model that writes.
        checker: Name of the model that checks, or None.
        what: What is to be written.
        limit: Only for the first N samples.
        attempts: How often a thing is written before it is left out.
        seed: For the author's draws.
        task_args: Arguments of an Inspect task, or fields of an ``hf:`` map.
        max_connections: Calls in flight.
        budget: Tokens that all models may use together.
        timeout: Seconds for one try of one call.
    """

    benchmark: str
    author: str
    checker: str | None = None
    what: tuple[What, ...] = ("bad", "good", "neutral")
    limit: int | None = None
    attempts: int = 3
    seed: int = 0
    task_args: Mapping[str, Any] = field(default_factory=dict)
    max_connections: int | None = None
    budget: int | None = None
    timeout: float = 600


@dataclass(frozen=True)
class Prepared:
    """A commission that can be carried out.

    Attributes:
        asked: The commission.
        abouts: What authors are told of each sample, the limit applied.
        order: Ids of all samples of the benchmark, in order.
        fingerprint: Hash of the benchmark's samples.
        looks: Whether authors look around in the samples' sandboxes before they write.
    """

    asked: Commission
    abouts: tuple[About, ...]
    order: tuple[str, ...]
    fingerprint: str
    looks: bool = False

    def task_arguments(self, what: What, beside: str | None) -> dict[str, Any]:
        """The arguments of ``astray/author`` for one thing to be written: an Inspect task's identity."""
        return {
            "benchmark": self.asked.benchmark,
            "what": [what],
            "fingerprint": self.fingerprint,
            "beside": beside,
            "checked": self.asked.checker is not None,
            "attempts": self.asked.attempts,
            "seed": self.asked.seed,
            "prompts": prompts.digest(),
            "task_args": dict(self.asked.task_args) or None,
        }

    @property
    def header(self) -> BookHeader:
        """The header of the book that comes of it."""
        versions = [prompts.load(id).version for id in prompts.all_ids() if id.startswith("authors/")]
        return BookHeader(
            benchmark=self.asked.benchmark,
            fingerprint=self.fingerprint,
            author=self.asked.author,
            prompt_version=max(versions),
            seed=self.asked.seed,
            hash="",
        )

    def calls(self, there: Mapping[What, int]) -> tuple[int, int]:
        """(least, most) calls of the author where so many of each are there already; looking around comes to it."""
        least = sum(max(0, self._askable(what) - there.get(what, 0)) for what in self.asked.what)
        return least, least * self.asked.attempts

    def _askable(self, what: What) -> int:
        return sum(not needs_no_author(Work(what, about)) for about in self.abouts)


def refuse_own_checker(checker: str | None, authors: Collection[str | None]) -> None:
    """Refuse a checker that wrote what it is to check.

    Raises:
        UsageError: It is one of the authors.
    """
    if checker is not None and checker in authors:
        raise UsageError(
            f"checker '{checker}' is the author itself, and would assess its own work; name another "
            "--checker-model, or none: what only a model can tell is then marked unknown"
        )


def prepare_commission(asked: Commission) -> Prepared:
    """Look up and check everything that writing needs, before a call is paid.

    Raises:
        UsageError: Unknown benchmark, or a checker that would check its own work.
        InputError: The benchmark can't be used.
    """
    refuse_own_checker(asked.checker, [asked.author])
    benchmark = find_benchmark(asked.benchmark, asked.task_args)
    base = benchmark.task(Manner())
    samples = list(base.dataset)
    abouts = tuple(about(benchmark, base, sample) for sample in samples[: asked.limit])
    looks = any(looks_around(what, base, sample) for what in asked.what for sample in samples[: asked.limit])
    return Prepared(asked, abouts, tuple(str(sample.id) for sample in samples), fingerprint(base), looks)
