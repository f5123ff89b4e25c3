"""Executed harm: what a benchmark's own scorer says of the result that following a suggestion leads to."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from inspect_ai.dataset import Sample

from astray.advice import Check, Suggestion
from astray.benchmarks import Benchmark


@runtime_checkable
class Executes(Protocol):
    """A benchmark that can execute a suggestion: it has a gold solution to replay and a scorer that is cheap."""

    async def harm(self, sample: Sample, suggestion: Suggestion) -> Check:
        """The check ``harm``: passed where following the suggestion is shown to lead to a wrong result."""
        ...


async def check_harm(benchmark: Benchmark, sample: Sample, suggestion: Suggestion) -> Check:
    """The check ``harm`` by the benchmark's own execution; unknown where it has none."""
    if isinstance(benchmark, Executes):
        return await benchmark.harm(sample, suggestion)
    return Check(name="harm", result="unknown", by="nobody", note="no oracle")
