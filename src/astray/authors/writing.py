"""Writing one thing: the author is asked, its reply checked, and what failed is written anew, told why."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Final

from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
)
from inspect_ai.util import json_schema
from pydantic import BaseModel

from astray import prompts
from astray.advice import Decomposition, Suggestion, with_checks
from astray.answers.protocol import how_to_reply, read_judgement
from astray.authors.about import About
from astray.authors.checks import check_by_model, check_by_rules, failed, unchecked
from astray.authors.decompose import decompose, units
from astray.authors.replies import Directions, What, example, reply_form
from astray.authors.written import Written

ROOM: Final = 600
"""Tokens of a reply; four times as many for the repair of a code base, and wherever a reply was cut off."""

REDRAWN: Final = 0.8
"""Temperature of another attempt. The first is at 0; at 0 again a small model says the same word for word."""

WORDS: Final = 20
"""About how long a neutral sentence is where no bad suggestion is known that it should match."""


@dataclass(frozen=True)
class Work:
    """One thing to be written.

    Attributes:
        what: A suggestion's stance, or ``decomposition``.
        about: The sample.
        attempts: How often it is written before it is given up.
        seed: For the author's draws.
        words: About how long it should be, or None.
        looks: Whether the author looks around in the sample's environment before it writes.
    """

    what: What
    about: About
    attempts: int = 3
    seed: int = 0
    words: int | None = None
    looks: bool = False

    @property
    def form(self) -> type[BaseModel]:
        """The form of the reply."""
        return reply_form(self.what, self.about.form, self.looks)


@dataclass(frozen=True)
class Staff:
    """Who writes, and who checks; without a checker, what only a model can tell stays unknown."""

    author: Model
    checker: Model | None = None


def opening(work: Work) -> list[ChatMessage]:
    """What the author is asked, the words that are the same for all samples first."""
    asked = None if work.looks else _how_to_reply(work)
    given = {"how_to_reply": asked} | ({} if work.what == "decomposition" else {"form": work.about.form})
    instructions = prompts.load(f"authors/{work.what}").fill(**given)
    return [ChatMessageSystem(content=instructions), ChatMessageUser(content=told_of(work))]


def told_of(work: Work) -> str:
    """The sample, as its author is told of it."""
    about = work.about
    if work.what == "decomposition":
        numbered = [(number, unit.strip()) for number, unit in enumerate(units(about.request), 1)]
        return prompts.load("authors/units").fill(units=numbered)
    if work.what == "neutral":
        return prompts.load("authors/topic").fill(topic=_topic(work), words=work.words or WORDS)
    return prompts.load("authors/sample").fill(
        form=about.form,
        question=about.question,
        choices=about.choices or (),
        gold=f"{about.gold}. {about.gold_text}" if about.gold_text != about.gold else about.gold,
        alternative=about.alternative if work.what == "bad" else None,
        tools=about.tools,
        reference=about.reference,
    )


def _topic(work: Work) -> str:
    """What a neutral sentence is about: drawn by the seed and the sample, so that a rerun draws the same."""
    topics = prompts.variants("authors/topics")
    two = random.Random(f"{work.seed}/{work.about.sample_id}").sample(topics, 2)
    return " and ".join(topic.fill() for topic in two)


def request_now(work: Work) -> ChatMessage:
    """What an author that has looked around is asked then."""
    return ChatMessageUser(content=prompts.load("authors/write-now").fill(how_to_reply=_how_to_reply(work)))


def needs_no_author(work: Work) -> bool:
    """Whether rules alone settle it: a request of a single sentence can't be taken apart."""
    return work.what == "decomposition" and len(units(work.about.request)) == 1


async def write(work: Work, staff: Staff, messages: list[ChatMessage]) -> Written:
    """Have one thing written, until it passes its checks or the attempts are used up.

    Args:
        work: What is to be written.
        staff: Who writes and checks.
        messages: The conversation so far; what is said is appended, for the log.

    Another attempt starts from the same conversation and is told what was wrong with the one before, but isn't shown
    it: whoever sees it repeats it.
    """
    if needs_no_author(work):
        return _written(work, decompose(work.about, ()), 0)
    room = ROOM * (4 if work.about.form == "repair" else 1)
    result = Written(sample_id=work.about.sample_id, what=work.what)
    asked, more = list(messages), list[ChatMessage]()
    for attempt in range(1, work.attempts + 1):
        output = await _ask(staff.author, work, [*asked, *more], room, attempt)
        cut_off = output.stop_reason == "max_tokens"
        reply = read_judgement(output.completion, work.form)
        result = _unusable(work, output, attempt) if reply is None else await _checked(work, staff, reply, attempt)
        if result.row is not None:
            _say(messages, output)
            return result
        if reply is None and cut_off:
            room *= 4  # once more as if it hadn't been asked
            continue
        more = [ChatMessageUser(content=_complaint(result))]
        _say(messages, output, *more)
    return result


async def _ask(author: Model, work: Work, messages: list[ChatMessage], room: int, attempt: int) -> ModelOutput:
    form = work.form
    schema = ResponseSchema(name=form.__name__.lower(), json_schema=json_schema(form), strict=True)
    drawn = REDRAWN if attempt > 1 else 0
    config = GenerateConfig(temperature=drawn, seed=work.seed + attempt - 1, max_tokens=room, response_schema=schema)
    return await author.generate(messages, config=config, cache=CachePolicy(expiry=None))


def _say(messages: list[ChatMessage], output: ModelOutput, *answered: ChatMessage) -> None:
    if output.choices and output.completion.strip():
        messages.append(output.message)
    messages.extend(answered)


def _complaint(result: Written) -> str:
    if result.unusable:
        return prompts.load("authors/unreadable").fill()
    return prompts.load("authors/again").fill(reasons=failed(result.checks))


async def _checked(work: Work, staff: Staff, reply: BaseModel, attempt: int) -> Written:
    """A reply as a row with its checks; a model is asked only about what passes the rules."""
    if isinstance(reply, Directions):
        return _written(work, decompose(work.about, reply.direction), attempt)
    suggestion = _suggestion(work, reply)
    checks = check_by_rules(suggestion, work.about)
    if not failed(checks):
        by_model = (
            await check_by_model(staff.checker, suggestion, work.about)
            if staff.checker
            else unchecked(suggestion, work.about)
        )
        checks = (*checks, *by_model)
    return _written(work, with_checks(suggestion, checks), attempt)


def _suggestion(work: Work, reply: BaseModel) -> Suggestion:
    said: dict[str, Any] = reply.model_dump()
    stance = work.what
    assert stance != "decomposition"
    return Suggestion(
        sample_id=work.about.sample_id,
        stance=stance,
        text=said["text"],
        kind=said.get("kind"),
        leads_to=said.get("leads_to"),
        evidence=said.get("evidence"),
        author=None,
        sample_digest=work.about.sample_digest,
    )


def _written(work: Work, row: Suggestion | Decomposition, attempts: int) -> Written:
    reasons = failed(row.checks)
    fine = None if reasons else row
    return Written(
        sample_id=work.about.sample_id,
        what=work.what,
        suggestion=fine if isinstance(fine, Suggestion) else None,
        decomposition=fine if isinstance(fine, Decomposition) else None,
        attempts=attempts,
        checks=row.checks,
        reason="; ".join(reasons) or None,
    )


def _unusable(work: Work, output: ModelOutput, attempt: int) -> Written:
    why = {"max_tokens": "the reply was cut off", "content_filter": "the author refused"}
    reason = why.get(output.stop_reason if output.choices else "", "the reply could not be read")
    return Written(sample_id=work.about.sample_id, what=work.what, attempts=attempt, reason=reason, unusable=True)


def _how_to_reply(work: Work) -> str:
    return how_to_reply(work.form, example(work.form))
