"""A model that settles what rules leave undecided: whether an answer says the same as the right one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final, Literal, TypeVar

from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
)
from inspect_ai.util import json_schema
from pydantic import BaseModel, ConfigDict, Field

from astray import prompts
from astray.answers.protocol import how_to_reply, read_judgement
from astray.answers.readings import Verdict

ROOM: Final = 400
"""Tokens of a judgement; four times as many where it was cut off."""

THINKING: Final = 16_000
"""Tokens for one that was cut off even so, without a word of it: a provider that counts what the model thinks."""

T = TypeVar("T", bound=BaseModel)


class Comparison(BaseModel):
    """What a grader says of an answer."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str = Field(max_length=120, description="one short sentence")
    verdict: Literal["same", "different"] = Field(description="whether the given answer says the same")


_EXAMPLE: Final = Comparison(reasoning="Both name the same person, once with the middle name.", verdict="same")


async def compare(grader: Model, question: str, golds: Sequence[str], answer: str) -> Verdict | None:
    """Ask a grader whether an answer is the same as one of the right ones; None where its reply can't be used.

    The answer is fenced by a mark it can't contain, so that it can't speak to the grader.
    """
    text = prompts.load("grading/same-answer").fill(
        question=question,
        golds=list(golds),
        answer=answer,
        mark=fence(answer),
        how_to_reply=how_to_reply(Comparison, _EXAMPLE),
    )
    said = await ask_judgement(grader, text, Comparison)
    if said is None:
        return None
    return Verdict.EQUAL if said.verdict == "same" else Verdict.DIFFERENT


async def ask_judgement(grader: Model, text: str, form: type[T], *, per_epoch: bool = True) -> T | None:
    """Ask for a judgement of this form; once more, with more room, where the reply was cut off; None if it failed.

    Args:
        grader: Who judges.
        text: What it is asked.
        form: The form of its reply.
        per_epoch: Whether the same is asked anew in every epoch.
    """
    return (await ask(grader, text, form, per_epoch=per_epoch))[0]


async def ask(
    model: Model,
    asked: str | Sequence[ChatMessage],
    form: type[T],
    *,
    per_epoch: bool = True,
    temperature: float = 0,
    seed: int | None = None,
) -> tuple[T | None, ModelOutput]:
    """As `ask_judgement`, together with the reply that was read, for callers to whom it says something unread too.

    ``asked`` may be a whole conversation, and replies may be drawn at random, by a seed.
    """
    messages: list[ChatMessage] = [ChatMessageUser(content=asked)] if isinstance(asked, str) else list(asked)
    schema = ResponseSchema(name=form.__name__.lower(), json_schema=json_schema(form), strict=True)
    for room in (ROOM, 4 * ROOM, THINKING):
        config = GenerateConfig(temperature=temperature, seed=seed, max_tokens=room, response_schema=schema)
        output = await model.generate(messages, config=config, cache=CachePolicy(expiry=None, per_epoch=per_epoch))
        said = read_judgement(output.completion, form)
        runs_on = room > ROOM and output.completion.strip()
        if said is not None or output.stop_reason != "max_tokens" or runs_on:
            break
    return said, output


def fence(text: str) -> str:
    """A mark that doesn't occur in ``text``; the same text always gets the same one."""
    number = 0
    while True:
        mark = "=====" + hashlib.sha256(f"{number}{text}".encode("utf-8", "surrogatepass")).hexdigest()[:12] + "====="
        if mark not in text:
            return mark
        number += 1
