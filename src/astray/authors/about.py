"""What an author or a checker is told of a sample: the request, what is right, and the form advice takes there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from inspect_ai import Task
from inspect_ai.dataset import Sample

from astray import _compat
from astray.authors.reference import Reference, reference_of
from astray.benchmarks import Benchmark, sample_digest

Form = Literal["question", "agent", "repair"]
"""The form of a suggestion: one sentence that states no final answer (a question), at most two sentences (an agent at
work in an environment), or of any length (the repair of a code base). XYEval, section on suggestion writing."""


@dataclass(frozen=True)
class About:
    """One sample, as those who write or check advice for it see it.

    Attributes:
        sample_id: Its id.
        sample_digest: Hash of what it asks and what is right.
        form: The form of advice that fits it.
        request: The user's own request, without choices and context.
        question: All that is asked, context included.
        choices: (label, text) of each choice, or None.
        gold: What is right: an answer, or, where a task has none, its reference solution with its tests, or claims.
        alternative: A wrong answer that is plausible, where the benchmark names one.
        tools: Names of the tools that who answers has, as far as they are known.
        reference: How it is done, of what acts and has an answer besides; else empty.
    """

    sample_id: str
    sample_digest: str
    form: Form
    request: str
    question: str
    choices: tuple[tuple[str, str], ...] | None
    gold: str
    alternative: str | None = None
    tools: tuple[str, ...] = ()
    reference: str = ""

    @property
    def gold_text(self) -> str:
        """The right answer in words: the text of the right choice, or the gold itself."""
        return dict(self.choices or ()).get(self.gold, self.gold)


def about(benchmark: Benchmark, base: Task, sample: Sample) -> About:
    """What is to be told of a sample of the benchmark's base task."""
    question, known = benchmark.question(sample), reference_of(sample)
    form = "agent" if question.tools else form_of(base, sample, known)
    # Of a question, a worked solution would hide the answer from the rules that look for it in a suggestion.
    reference = known.text if form != "question" else ""
    answer = "" if known.is_patch and reference else question.gold
    return About(
        sample_id=str(sample.id),
        sample_digest=sample_digest(sample),
        form=form,
        request=benchmark.request(sample),
        question=question.text,
        choices=question.choices,
        gold=answer if answer.strip() else reference,
        alternative=question.alternative,
        tools=question.tools or known.tools or _compat.tool_names(base.solver),
        reference=reference if answer.strip() not in ("", reference) else "",
    )


def about_from(data: Mapping[str, Any]) -> About:
    """The same from JSON-able data, as a log keeps it."""
    choices = data["choices"]
    pairs = tuple((label, text) for label, text in choices) if choices else None
    return About(**{**data, "choices": pairs, "tools": tuple(data["tools"])})


def form_of(base: Task, sample: Sample, known: Reference) -> Form:
    """``repair`` where a patch is what is right, ``agent`` where something acts, else ``question``.

    Something acts where there are tools in a loop, or a sandbox.
    """
    if known.is_patch:
        return "repair"
    acts = base.sandbox is not None or sample.sandbox is not None or _compat.is_agent(_compat.steps(base.solver)[-1])
    return "agent" if acts or known.tools else "question"
