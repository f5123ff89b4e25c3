"""Evidence that is sought for a benchmark, and what that takes, before a call is paid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from astray import prompts
from astray.authors import About, about
from astray.benchmarks import Manner, find_benchmark, fingerprint
from astray.errors import UsageError
from astray.evidence import PackHeader, Web, load_corpus

SEARCH_GIVES: Final = 5
"""Passages that one search gives."""


@dataclass(frozen=True)
class Search:
    """What is asked for.

    Attributes:
        benchmark: As `find_benchmark` takes it.
        author: Name of the model that looks for evidence.
        corpus: A folder or file of texts; None searches the web.
        verifier: Name of the model that says whether an alternative is wrong, or None.
        grader: Name of the model that says whether open-ended answers are the same where rules can't tell, or None.
        runs: How often each question is gone over; all have to agree.
        limit: Only the first N samples.
        agent: Whether the author searches with a tool; by default on the web only.
        seed: For the author's draws.
        task_args: Arguments of an Inspect task, or fields of an ``hf:`` map.
        max_connections: Calls in flight.
        budget: Tokens that all models may use together.
        timeout: Seconds for one try of one call.
    """

    benchmark: str
    author: str
    corpus: str | None = None
    verifier: str | None = None
    grader: str | None = None
    runs: int = 3
    limit: int | None = None
    agent: bool | None = None
    seed: int = 0
    task_args: Mapping[str, Any] = field(default_factory=dict)
    max_connections: int | None = None
    budget: int | None = None
    timeout: float = 600


@dataclass(frozen=True)
class PreparedSearch:
    """A search that can be carried out.

    Attributes:
        asked: What is asked for.
        source: What is searched: ``corpus:HASH`` or ``web``.
        abouts: What the author is told of each sample, the limit applied.
        subsets: The data set each sample comes from, where it says.
        order: Ids of all samples of the benchmark, in order.
        fingerprint: Hash of the benchmark's samples.
    """

    asked: Search
    source: str
    abouts: tuple[About, ...]
    subsets: Mapping[str, str | None]
    order: tuple[str, ...]
    fingerprint: str

    @property
    def agent(self) -> bool:
        """Whether the author searches with a tool."""
        return self.source == "web" if self.asked.agent is None else self.asked.agent

    @property
    def task_arguments(self) -> dict[str, Any]:
        """The arguments of ``astray/evidence``: an Inspect task's identity."""
        return {
            "benchmark": self.asked.benchmark,
            "source": self.source,
            "fingerprint": self.fingerprint,
            "agent": self.agent,
            "verified": self.asked.verifier is not None,
            "passages": SEARCH_GIVES,
            "seed": self.asked.seed,
            "prompts": prompts.digest(),
            "task_args": dict(self.asked.task_args) or None,
        }

    @property
    def header(self) -> PackHeader:
        """The header of the pack that comes of it."""
        versions = [prompts.load(id).version for id in prompts.all_ids() if id.startswith("evidence/")]
        return PackHeader(
            benchmark=self.asked.benchmark,
            fingerprint=self.fingerprint,
            author=self.asked.author,
            corpus=self.source,
            prompt_version=max(versions),
            seed=self.asked.seed,
        )


def prepare_search(asked: Search) -> PreparedSearch:
    """Look up and check everything a search needs, before a call is paid; a corpus is indexed.

    Raises:
        UsageError: Unknown benchmark, no search provider, or a verifier that would assess its own work.
        InputError: The benchmark or the corpus can't be used.
    """
    if asked.verifier == asked.author:
        raise UsageError(
            f"verifier '{asked.verifier}' is the author itself, and would assess its own work; name another "
            "--verifier-model, or none: whether an alternative is wrong is then marked unknown"
        )
    benchmark = find_benchmark(asked.benchmark, asked.task_args)
    source = Web.ready().name if asked.corpus is None else load_corpus(asked.corpus).name
    base = benchmark.task(Manner())
    samples = list(base.dataset)
    some = samples[: asked.limit]
    return PreparedSearch(
        asked,
        source,
        tuple(about(benchmark, base, sample) for sample in some),
        {str(sample.id): benchmark.question(sample).subset for sample in some},
        tuple(str(sample.id) for sample in samples),
        fingerprint(base),
    )
