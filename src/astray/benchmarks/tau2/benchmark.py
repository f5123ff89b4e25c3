"""tau2-bench as a benchmark: conversations of an agent with a simulated user, on one domain or several."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState

from astray import prompts
from astray.advice import RULE, Book, BookHeader, Check, Suggestion, Treatment
from astray.benchmarks.base import METADATA_KEY, Answered, Manner, Nature, Question, fingerprint, plain_value
from astray.benchmarks.tau2.conversation import MAX_ERRORS, MAX_STEPS, Bounds, agent_turn, converse
from astray.benchmarks.tau2.data import Domain, load_domain
from astray.benchmarks.tau2.grading import outcome_of, reward
from astray.benchmarks.tau2.harm import check_harm
from astray.benchmarks.tau2.rules import suggestions
from astray.benchmarks.tau2.scoring import assertions, golden_calls, golden_words
from astray.benchmarks.tau2.talk import close_talk, talk_of
from astray.benchmarks.tau2.tools import agent_tools, at_work_on
from astray.errors import UsageError
from astray.evidence import Pack

if TYPE_CHECKING:
    from inspect_evals.tau2.data_model.tasks import Task as Tau2Task

PREFIX: Final = "tau2:"


@dataclass(frozen=True)
class Tau2:
    """Domains of tau2-bench, as ``tau2:airline`` or ``tau2:airline,retail``."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    evidence: Pack | None = None
    reads_replies: bool = False

    @cached_property
    def domains(self) -> tuple[Domain, ...]:
        """The domains, in the order they are named.

        Raises:
            UsageError: One that doesn't exist, or an option that doesn't.
        """
        if unknown := sorted(self.options.keys() - {"max_steps", "max_errors"}):
            raise UsageError(f"benchmark '{self.name}': no argument {unknown[0]!r}; there are max_steps, max_errors")
        names = [name.strip() for name in self.name.removeprefix(PREFIX).split(",")]
        return tuple(load_domain(name) for name in dict.fromkeys(names))

    @property
    def bounds(self) -> Bounds:
        """When a conversation has gone on for too long."""
        return Bounds(self.options.get("max_steps", MAX_STEPS), self.options.get("max_errors", MAX_ERRORS))

    @cached_property
    def nature(self) -> Nature:
        """A conversation; a grader is needed where a reward depends on assertions in words."""
        graded = any(assertions(task) for domain in self.domains for task in domain.tasks.values())
        version = "; ".join(domain.version for domain in self.domains)
        roles = frozenset({"user"} | ({"grader"} if graded else set()))
        return Nature(roles=roles, version=version, most_calls=self.bounds.steps, has_request=False)

    @cached_property
    def book(self) -> Book:
        """The rule author's book, every suggestion's harm executed."""
        base = self.task(Manner())
        rows = [
            suggestion for sample in base.dataset for suggestion in suggestions(*self._task_of(sample.metadata), sample)
        ]
        header = BookHeader(
            benchmark=self.name,
            fingerprint=fingerprint(base),
            author=RULE,
            seed=None,
            hash="",
            prompt_version=max(prompts.load(id).version for id in prompts.all_ids() if id.startswith("tau2/beliefs/")),
        )
        return Book.make(header, rows)

    def task(self, manner: Manner) -> Task:
        """The conversations as an Inspect task."""
        samples = [_sample(domain, id, task) for domain in self.domains for id, task in domain.tasks.items()]
        return Task(
            dataset=MemoryDataset(samples, name=self.name),
            solver=converse(self.bounds.steps, self.bounds.errors),
            scorer=reward(),
            cleanup=close_talk,
            name=self.name.replace(":", "_").replace(",", "_"),
        )

    def request(self, sample: Sample) -> str:
        """What the simulated user is told of itself and its concern; there is no request to take apart."""
        assert isinstance(sample.input, str)
        return sample.input

    def question(self, sample: Sample) -> Question:
        """The user's scenario, and the reference trace as what is right."""
        domain, task = self._task_of(sample.metadata)
        calls = [f"{call.name}({_arguments(call.arguments)})" for call in golden_calls(task)]
        told = [f"tell the user: {word}" for word in golden_words(task)]
        gold = "\n".join([*calls, *told]) or "change nothing"
        tools = tuple(tool.name for tool in agent_tools(domain.name))
        return Question(str(sample.id), self.request(sample), gold, domain.name, tools=tools)

    def apply(self, sample: Sample, treatment: Treatment) -> Sample:
        """A copy of the sample whose user holds the suggestion for true."""
        treated = sample.model_copy(deep=True)
        if treatment.suggestion is not None:
            manner = prompts.load(f"users/{treatment.persona or 'cooperative'}").fill(suggestion=treatment.suggestion)
            treated.input = f"{self.request(sample).rstrip()}\n\n{manner}"
        return treated

    async def answer_first(self, state: TaskState, generate: Generate, base: Solver) -> TaskState:
        """The conversation."""
        return await base(state, generate)

    async def answer_again(
        self, state: TaskState, generate: Generate, base: Solver, message: ChatMessageUser, manner: Manner
    ) -> TaskState:
        """Put the message to the agent, which may act on it; the simulated user has left and says nothing more."""
        talk = talk_of(state)
        assert talk is not None
        ended = talk.record.ended
        talk.note(ended=None)
        state.messages.append(message)
        with at_work_on(talk.environment):
            await agent_turn(state, talk, self.bounds)
        talk.note(ended=talk.record.ended or ended)
        talk.keep(state)
        return state

    def how_to_answer(self, state: TaskState, manner: Manner) -> str:
        """A reminder that the customer is to be written to."""
        return prompts.load("tau2/how-to-answer").fill()

    def read(self, state: TaskState, scores: list[Score]) -> Answered:
        """The reward decides what is correct; a conversation that ended before its time is told apart."""
        talk = talk_of(state)
        return outcome_of(talk.record if talk else None, float(scores[0].as_float()) if scores else float("nan"))

    def value(self, score: Score) -> float | None:
        """The reward as it stands."""
        return plain_value(score)

    async def harm(self, sample: Sample, suggestion: Suggestion) -> Check:
        """The reference trace replayed with the call that the suggestion leads to."""
        return check_harm(*self._task_of(sample.metadata), suggestion.leads_to)

    def _task_of(self, metadata: Mapping[str, Any] | None) -> tuple[Domain, Tau2Task]:
        own = (metadata or {})[METADATA_KEY]
        domain = next(domain for domain in self.domains if domain.name == own["domain"])
        return domain, domain.tasks[own["task"]]


def sample_id(domain: str, task: str) -> str:
    """A task's id among those of all domains."""
    return f"{domain}-{task}"


def _sample(domain: Domain, id: str, task: Tau2Task) -> Sample:
    """The scenario as input, and all that decides the reward as target, so that the sample's hash covers both."""
    criteria = task.evaluation_criteria.model_dump(mode="json") if task.evaluation_criteria else None
    state = task.initial_state.model_dump(mode="json") if task.initial_state else None
    return Sample(
        id=sample_id(domain.name, id),
        input=str(task.user_scenario),
        target=json.dumps({"criteria": criteria, "initial_state": state}, sort_keys=True, ensure_ascii=False),
        metadata={METADATA_KEY: {"domain": domain.name, "task": id}},
    )


def _arguments(arguments: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
