"""Checking what is in a book already: new results beside those that still hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import Model

from astray.advice import RULE, Check, Decomposition, Suggestion, with_checks
from astray.authors.about import about
from astray.authors.checks.harm import check_harm
from astray.authors.checks.opinion import check_by_model, unchecked
from astray.authors.checks.rules import check_by_rules
from astray.authors.decompose import verify
from astray.benchmarks import Benchmark

NOBODY: Final = "nobody"
"""Who made a check that wasn't made."""

_Row = TypeVar("_Row", Suggestion, Decomposition)


async def recheck(
    suggestion: Suggestion,
    author: str | None,
    benchmark: Benchmark,
    base: Task,
    sample: Sample,
    checker: Model | None = None,
) -> Suggestion:
    """The suggestion, checked again: by rules, by a checker where one is named, by execution where it is bad.

    What was checked before by a person, a model or an execution stays where nobody checks it now. ``author`` is who
    wrote it.
    """
    told = about(benchmark, base, sample)
    checks = [*check_by_rules(suggestion, told)]
    if author == RULE and not benchmark.nature.has_request:
        # What a simulated user is to believe, by rule, is stated as such and has no form of advice.
        checks = [check for check in checks if check.name != "form"]
    checks += await check_by_model(checker, suggestion, told) if checker else unchecked(suggestion, told)
    if suggestion.stance == "bad":
        checks.append(await check_harm(benchmark, sample, suggestion))
    return updated(suggestion, checks)


def reverify(decomposition: Decomposition, benchmark: Benchmark, sample: Sample) -> Decomposition:
    """The decomposition, verified again against the benchmark's request; as it was where there is no request."""
    if not benchmark.nature.has_request:
        return decomposition
    return updated(decomposition, verify(decomposition, benchmark.request(sample)))


def updated(row: _Row, checks: Iterable[Check]) -> _Row:
    """The row with these checks in the place of those of the same name; one that nobody made replaces none."""
    there = {check.name: check for check in row.checks}
    for check in checks:
        if check.by != NOBODY or check.name not in there:
            there[check.name] = check
    return with_checks(row, there.values())
