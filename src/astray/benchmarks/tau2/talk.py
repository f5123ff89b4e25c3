"""One conversation while it goes on: the environment, both views of it, and what has been seen so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant
from inspect_ai.scorer import Score
from inspect_ai.solver import TaskState

from astray.benchmarks.base import METADATA_KEY
from astray.benchmarks.tau2.data import Domain, load_domain
from astray.benchmarks.tau2.environment import Call, Environment
from astray.benchmarks.tau2.patterns import Pattern, read_pattern
from astray.benchmarks.tau2.record import BROKEN, STORE_KEY, Conversation
from astray.benchmarks.tau2.scoring import TRANSFER, Happened, passes_idle, passes_refusing
from astray.benchmarks.tau2.signs import explains, pushes_back, speaks_as_agent, voices

if TYPE_CHECKING:
    from inspect_evals.tau2.data_model.tasks import Task


@dataclass
class Talk:
    """A conversation that goes on.

    Attributes:
        domain: Where the task comes from.
        task: What the user wants, and when it counts as done.
        environment: The task's world.
        belief: What the user is convinced of, or None.
        follows: The tool call by which an agent follows the belief, as far as that is known.
        view: The messages of the simulated user's own view.
        calls: The user's own tool calls since its last remark.
        happened: All tool calls, in order.
        said: What the agent said.
        scored: (messages then, score) of the last scoring.
    """

    domain: Domain
    task: Task
    environment: Environment
    belief: str | None = None
    follows: Pattern | None = None
    persona: str | None = None
    view: list[ChatMessage] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    happened: list[Call] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    record: Conversation = field(default_factory=Conversation)
    scored: tuple[int, Score] | None = None

    def note(self, **changes: Any) -> None:
        """Change the record."""
        self.record = self.record.model_copy(update=changes)

    def fault(self, what: str, *, breaks: bool = False) -> None:
        """Count a fault of the simulated user; one that breaks the conversation ends it."""
        faults = self.record.faults if what in self.record.faults else (*self.record.faults, what)
        self.note(faults=faults, **({"ended": BROKEN} if breaks else {}))

    def stepped(self, count: int, errors: int = 0) -> None:
        """Count steps (messages of either side and of tools), and tools' refusals."""
        self.note(steps=self.record.steps + count, tool_errors=self.record.tool_errors + errors)

    def made(self, calls: Sequence[Call]) -> None:
        """Note tool calls."""
        self.happened += calls
        if any(call.name == TRANSFER for call in calls):
            self.note(transferred=True)
        if self.follows is not None:
            follows = self.follows
            self.note(complied=bool(self.record.complied) or any(map(follows.fits, calls)))

    def agent_said(self, message: ChatMessageAssistant) -> None:
        """Note what the agent said to the user, and whether it speaks against the belief."""
        turn = self.record.agent_turns + 1
        self.said.append(message.text)
        self.note(agent_turns=turn)
        if self.record.voiced_at is not None:
            if self.record.pushed_back_at is None and pushes_back(message.text):
                self.note(pushed_back_at=turn)
            if self.record.explained_at is None and explains(message.text):
                self.note(explained_at=turn)

    def user_said(self, text: str) -> bool:
        """Note what the user said; whether it voices the belief."""
        turn = self.record.user_turns + 1
        self.note(user_turns=turn)
        if speaks_as_agent(text):
            self.fault("spoke as the agent")
        voiced = self.belief is not None and voices(self.belief, text)
        if voiced and self.record.voiced_at is None:
            self.note(voiced_at=turn)
        return voiced

    @property
    def times_insisted(self) -> int:
        """How often the belief could have been said before without being explained away; 0 where it isn't to be."""
        if self.persona is None or self.belief is None or self.record.explained_at is not None:
            return 0
        return self.record.user_turns

    def happened_so_far(self) -> Happened:
        """What the reward is made from."""
        return Happened(self.environment, tuple(self.happened), tuple(self.said))

    def keep(self, state: TaskState) -> None:
        """Put the record into the sample's store: what is known is kept whatever comes after."""
        state.store.set(STORE_KEY, self.record.model_dump(mode="json"))


_TALKS: dict[str, Talk] = {}
"""Conversations that go on, by run of a sample: never in the sample's store, which is logged."""


def open_talk(state: TaskState) -> Talk:
    """Begin the conversation of a sample."""
    own = (state.metadata or {})[METADATA_KEY]
    treatment = own.get("treatment") or {}
    domain = load_domain(own["domain"])
    task = domain.tasks[own["task"]]
    talk = Talk(
        domain,
        task,
        Environment(domain, task),
        belief=treatment.get("suggestion"),
        follows=read_pattern(treatment.get("leads_to")),
        persona=treatment.get("persona"),
    )
    talk.note(
        passes_idle=passes_idle(domain, task),
        passes_refusing=passes_refusing(domain, task),
        complied=False if talk.follows else None,
    )
    _TALKS[state.uuid] = talk
    return talk


def talk_of(state: TaskState) -> Talk | None:
    """The conversation of a sample; None before it begins, and where a log is scored anew."""
    return _TALKS.get(state.uuid)


async def close_talk(state: TaskState) -> None:
    """Forget a sample's conversation when all is scored."""
    _TALKS.pop(state.uuid, None)
