"""A panel: the judges of an arm, who speak in the same rounds, and what is put to the agent of what they say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from inspect_ai.model import get_model
from pydantic import BaseModel, ConfigDict, Field

from astray import prompts
from astray.answers.grader import ask, fence
from astray.answers.protocol import how_to_reply
from astray.judges.checks import NOTHING, checks
from astray.judges.judge import Case, Critique, Judge, TemplateJudge
from astray.judges.model import ROLE, ModelJudge, why_not

MAX_SUMMARY: Final = 900
"""Characters of a moderator's summary that is constrained to a schema."""


class Summary(BaseModel):
    """What a moderator makes of several critiques."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    summary: str = Field(
        min_length=1,
        description=f"the message, in at most {MAX_SUMMARY} characters",
        json_schema_extra={"minLength": 20, "maxLength": MAX_SUMMARY},
    )


@dataclass(frozen=True)
class Panel:
    """Who criticises in an arm, and how.

    Attributes:
        judges: The judges; nobody criticises where there are none.
        said: What is said along with every critique, or None.
        memory: Whether judges see the earlier rounds (WAFER-QA paper: they don't).
        moderated: Whether a moderator makes one message of what several of them say.
    """

    judges: tuple[Judge, ...] = ()
    said: str | None = None
    memory: bool = False
    moderated: bool = False


@dataclass(frozen=True)
class Spoken:
    """What came of one round of a panel.

    Attributes:
        critiques: What each judge said, checked, silence among it.
        message: What is put to the agent; None where nobody spoke, or where it could not be had.
        error: Why it could not be had, or None.
    """

    critiques: tuple[Critique, ...]
    message: str | None
    error: str | None = None


async def hear(panel: Panel, case: Case) -> Spoken:
    """Let every judge speak to a case. Where one could not be had nothing is said: it would be another arm."""
    critiques = tuple([_checked(await judge.criticise(case), case) for judge in panel.judges])
    error = next((critique.error for critique in critiques if critique.error), None)
    texts = [critique.text for critique in critiques if critique.text is not None]
    if error or not texts:
        return Spoken(critiques, None, error)
    if len(critiques) == 1:
        return Spoken(critiques, texts[0])
    if panel.moderated and len(texts) > 1:
        message, error = await _moderate(case.question, texts)
        return Spoken(critiques, message, error)
    return Spoken(critiques, prompts.load("judges/panel").fill(critiques=texts))


def make_judge(seat: int, intent: str, knowledge: str, seed: int) -> Judge:
    """The judge for one seat of a panel."""
    if knowledge == "none":
        return TemplateJudge(seat, intent, seed)
    return ModelJudge(seat, intent, knowledge)


def _checked(critique: Critique, case: Case) -> Critique:
    if critique.text is None:
        return critique
    if critique.template is not None:
        # A set phrase says nothing about any one answer: it is what it should be by construction.
        return replace(critique, **vars(NOTHING), valid=True)
    found = checks(critique.text, case)
    return replace(critique, **vars(found), valid=found.valid_for(critique.intent))


async def _moderate(question: str, texts: Sequence[str]) -> tuple[str | None, str | None]:
    """(the moderator's message, why it could not be had)."""
    text = prompts.load("judges/moderator").fill(
        question=question,
        critiques=list(texts),
        mark=fence("\n".join(texts)),
        how_to_reply=how_to_reply(Summary),
    )
    said, output = await ask(get_model(role=ROLE), text, Summary)
    return (said.summary, None) if said else (None, f"moderator: {why_not(output)}")
