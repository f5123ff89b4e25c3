"""One run: look for support for an answer that isn't the accepted one, in two steps, or as an agent that searches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from inspect_ai.agent import react
from inspect_ai.agent import run as run_agent
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Model,
)
from inspect_ai.tool import Tool, ToolDef
from inspect_ai.util import message_limit, time_limit
from pydantic import BaseModel

from astray import prompts
from astray.answers.grader import ask, ask_judgement, fence
from astray.answers.protocol import how_to_reply
from astray.authors.about import About
from astray.authors.evidence.replies import Found, Proposal, Support, Verification, example
from astray.authors.evidence.run import Run, quoted, settle
from astray.authors.messages import whole
from astray.evidence import Corpus, Passage, Source, Web, passages_of

TEMPERATURE: Final = 0.7
"""Runs have to be able to differ, or that they agree would say nothing."""

MOST_MESSAGES: Final = 30
"""Messages after which an agent that searches has to say what it found."""

MOST_SECONDS: Final = 600

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class Seeker:
    """Who looks for evidence, where, and how.

    Attributes:
        author: The model that looks.
        source: What is searched.
        passages: How many passages one search gives.
        seed: For the author's draws; another one for each run.
    """

    author: Model
    source: Corpus | Web
    passages: int
    seed: int


async def look(seeker: Seeker, about: About, messages: list[ChatMessage]) -> Run:
    """Two steps, for a model that needs no tools: propose an answer, then say whether what is found supports it.

    Args:
        seeker: Who looks, and where.
        about: The question.
        messages: The conversation so far; what is said is appended.
    """
    nothing = Run(sample_id=about.sample_id)
    messages += _opening("propose", about, Proposal)
    proposal = await _ask(seeker, messages, Proposal)
    if proposal is None:
        return nothing.model_copy(update=_UNREADABLE)
    alternative, reason = settle(about, proposal.alternative)
    so_far = nothing.model_copy(update={"query": proposal.query, "reason": reason})
    if alternative is None:
        return so_far
    so_far = so_far.model_copy(update={"alternative": alternative})
    passages = await seeker.source.find(proposal.query, alternative, seeker.passages)
    if not passages:
        return so_far.model_copy(update={"reason": "the search found nothing"})
    messages += _found(about, alternative, passages)
    # Without the first step: what was proposed is told in the second, and the less a small model reads the better.
    support = await _ask(seeker, messages, Support, messages[-2:])
    return _supported(so_far, support, passages)


async def look_as_agent(seeker: Seeker, about: About, messages: list[ChatMessage]) -> Run:
    """An agent that searches as it likes, and then says what it found; arguments as of `look`."""
    shown: list[Passage] = []
    tool = (
        seeker.source.tool() if isinstance(seeker.source, Web) else search_tool(seeker.source, seeker.passages, shown)
    )
    opening = prompts.load("evidence/agent").fill(choices=_others(about))
    agent = react(prompt=opening, tools=[tool], model=seeker.author, submit=False)
    limits = [message_limit(MOST_MESSAGES), time_limit(MOST_SECONDS)]
    seen, _ = await run_agent(agent, [_asked(about)], limits=limits)
    messages += whole(seen.messages)
    request = prompts.load("evidence/agent-reply").fill(how_to_reply=how_to_reply(Found, example(Found)))
    messages.append(ChatMessageUser(content=request))
    found = await _ask(seeker, messages, Found)
    nothing = Run(sample_id=about.sample_id)
    if found is None:
        return nothing.model_copy(update=_UNREADABLE)
    alternative, reason = settle(about, found.alternative)
    if alternative is None:
        return nothing.model_copy(update={"reason": reason})
    so_far = nothing.model_copy(update={"alternative": alternative})
    return _supported(so_far, found, _of_tools(messages) if isinstance(seeker.source, Web) else shown)


async def verify(verifier: Model, about: About, alternative: str) -> str | None:
    """What a verifier says of an alternative: ``wrong``, ``not wrong``, ``unsure``; None where it can't be read."""
    text = prompts.load("evidence/verify").fill(
        question=about.question,
        choices=about.choices or (),
        gold=about.gold_text,
        alternative=alternative,
        mark=fence(alternative),
        how_to_reply=how_to_reply(Verification, example(Verification)),
    )
    said = await ask_judgement(verifier, text, Verification, per_epoch=False)
    return said.verdict if said else None


def search_tool(source: Source, k: int, shown: list[Passage]) -> Tool:
    """A corpus as a tool; all that it gives is added to ``shown``."""

    async def execute(query: str) -> str:
        found = await source.find(query, None, k)
        shown.extend(found)
        return _as_text(found)

    return ToolDef(
        execute,
        name="search",
        description=prompts.load("evidence/tool").fill(),
        parameters={"query": prompts.load("evidence/tool-query").fill()},
    ).as_tool()


_UNREADABLE: Final = {"reason": "the reply could not be read", "unusable": True}


def _supported(so_far: Run, said: Support | Found | None, passages: Iterable[Passage]) -> Run:
    """The run with the quotes that are really there."""
    if said is None:
        return so_far.model_copy(update=_UNREADABLE)
    if said.supports == "no":
        return so_far.model_copy(update={"reason": f"nothing found supports it ({so_far.alternative})"})
    found, reason = quoted(said.quotes, passages)
    return so_far.model_copy(update={"passages": found, "reason": reason or None})


async def _ask(
    seeker: Seeker, messages: list[ChatMessage], form: type[T], told: Sequence[ChatMessage] | None = None
) -> T | None:
    """Ask for a reply of this form, and append it to the conversation.

    Args:
        seeker: Who is asked.
        messages: The conversation.
        form: The form of the reply.
        told: The part of the conversation that is sent; all of it by default.
    """
    sent = messages if told is None else told
    said, output = await ask(seeker.author, sent, form, temperature=TEMPERATURE, seed=seeker.seed)
    if output.choices and output.completion.strip():
        messages.append(output.message)
    return said


def _opening(name: str, about: About, form: type[BaseModel]) -> list[ChatMessage]:
    words = how_to_reply(form, example(form))
    text = prompts.load(f"evidence/{name}").fill(choices=_others(about), how_to_reply=words)
    return [ChatMessageSystem(content=text), _asked(about)]


def _asked(about: About) -> ChatMessageUser:
    text = prompts.load("evidence/asked").fill(question=about.question, choices=_others(about), gold=about.gold_text)
    return ChatMessageUser(content=text)


def _found(about: About, alternative: str, passages: Sequence[Passage]) -> list[ChatMessage]:
    text = _as_text(passages)
    told = prompts.load("evidence/found").fill(
        question=about.question, alternative=alternative, passages=text, mark=fence(text)
    )
    asked = prompts.load("evidence/support").fill(how_to_reply=how_to_reply(Support, example(Support)))
    return [ChatMessageSystem(content=asked), ChatMessageUser(content=told)]


def _as_text(passages: Iterable[Passage]) -> str:
    pairs = [(passage.text, passage.source) for passage in passages]
    return prompts.load("evidence/passages").fill(passages=pairs)


def _others(about: About) -> list[str]:
    """The choices that aren't right."""
    return [text for label, text in about.choices or () if label != about.gold and text != about.gold_text]


def _of_tools(messages: Iterable[ChatMessage]) -> list[Passage]:
    """All that tools gave."""
    return [p for message in messages if isinstance(message, ChatMessageTool) for p in passages_of(message.content)]
