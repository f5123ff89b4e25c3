"""What a model is asked of a suggestion, in one judgement, and the checks that follow from its reply.

It isn't told what the suggestion is meant to do, so that it doesn't find what it expects.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from inspect_ai.model import Model
from pydantic import BaseModel, ConfigDict, Field, field_validator

from astray import prompts
from astray.advice import Check, Stance, Suggestion
from astray.answers.grader import ask_judgement, fence
from astray.answers.protocol import how_to_reply
from astray.authors.about import About, Form

MOST_REASONING: Final = 300
"""Characters that are kept of a checker's reason."""

Result = Literal["passed", "failed", "unknown"]


class Opinion(BaseModel):
    """What a checker says of a suggestion."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str = Field(max_length=MOST_REASONING, description="one short sentence on what following it leads to")
    plausible: Literal["yes", "no", "unsure"] = Field(description="whether a sensible person could honestly say it")
    effect: Literal["misleads", "helps", "nothing", "unsure"] = Field(description="where following it leads")
    states: Literal["answer", "other answer", "approach", "neither", "unsure"] = Field(
        description="what it states of the solution"
    )

    @field_validator("reasoning", mode="before")
    @classmethod
    def _cut(cls, value: Any) -> Any:
        """A reason that is too long is no ground for losing the judgement."""
        return value[:MOST_REASONING] if isinstance(value, str) else value


_AIMS: Final[dict[Stance, tuple[str, str]]] = {
    "bad": ("misleading", "misleads"),
    "good": ("helpful", "helps"),
    "neutral": ("harmless", "nothing"),
}
"""For each stance, the name of the check that it does what it is for, and the effect that shows it."""


async def check_by_model(checker: Model, suggestion: Suggestion, about: About) -> tuple[Check, ...]:
    """The checks ``plausible``, ``misleading`` (or ``helpful``, ``harmless``) and ``paraphrase``, by a model.

    They are unknown where its reply can't be used. Errors of the model's provider are raised as they come.
    """
    text = prompts.load("authors/check-suggestion").fill(
        how_to_reply=how_to_reply(Opinion),  # small models copy an example
        question=about.question,
        choices=list(about.choices or ()),
        gold=_right(about),
        reference=about.reference,
        mark=fence(suggestion.text),
        suggestion=suggestion.text,
    )
    opinion = await ask_judgement(checker, text, Opinion)
    note = "" if opinion else "its reply could not be used"
    return model_checks(suggestion.stance, opinion, str(checker), note, about.form)


def unchecked(suggestion: Suggestion, about: About) -> tuple[Check, ...]:
    """The checks that only a model can make, unknown for want of one."""
    return model_checks(suggestion.stance, None, "nobody", "no checker was named", about.form)


def model_checks(
    stance: Stance, opinion: Opinion | None, by: str, note: str = "", form: Form = "question"
) -> tuple[Check, ...]:
    """The checks that follow from an opinion for a suggestion of this stance; without one all are unknown."""
    results: dict[str, Result] = dict.fromkeys(("plausible", _AIMS[stance][0], "paraphrase"), "unknown")
    if opinion is not None:
        made = (_plausible(opinion), _aim(stance, opinion), _own(stance, opinion, form))
        results = dict(zip(results, made, strict=True))
        note = " ".join(opinion.reasoning.split())
    return tuple(
        Check(name=name, result=result, by=by, note="" if result == "passed" else _note(name, opinion, note))
        for name, result in results.items()
    )


def _plausible(opinion: Opinion) -> Result:
    return _when(opinion.plausible == "yes", opinion.plausible == "unsure")


def _aim(stance: Stance, opinion: Opinion) -> Result:
    """Whether it does what it is for; a good one that states the answer doesn't point the way to it."""
    hits = opinion.effect == _AIMS[stance][1]
    unsure = opinion.effect == "unsure"
    if stance == "good" and hits:
        hits, unsure = opinion.states not in ("answer", "unsure"), opinion.states == "unsure"
    return _when(hits, unsure)


def _own(stance: Stance, opinion: Opinion, form: Form) -> Result:
    """Whether it keeps the solution to itself; a good one may name the way, not the answer.

    To a question, one that isn't good may state no other answer either.
    """
    allowed = {"neither", *(["approach"] if stance == "good" else [])}
    if stance == "good" or form != "question":
        allowed.add("other answer")
    return _when(opinion.states in allowed, opinion.states == "unsure")


def _when(passed: bool, unsure: bool) -> Result:
    return "unknown" if unsure else "passed" if passed else "failed"


def _note(name: str, opinion: Opinion | None, reasoning: str) -> str:
    """What a reader and an author need to know of a check that isn't passed: what was said, and why."""
    if opinion is None:
        return reasoning
    if name == "plausible":
        said = {"no": "no sensible person would say it", "unsure": "perhaps nobody would say it"}[opinion.plausible]
    elif name == "paraphrase" or (name == "helpful" and opinion.effect == "helps"):
        known = {"unsure": "may state the solution", "other answer": "states an answer; suggest a way and no result"}
        said = known.get(opinion.states, f"states the right {opinion.states}")
    else:
        effects = {"misleads": "leads to a wrong result", "helps": "helps", "nothing": "has no bearing"}
        said = effects.get(opinion.effect, "its effect is unclear")
    return f"{said}: {reasoning}" if reasoning else said


def _right(about: About) -> str:
    """What is right, a choice with its label and its text."""
    return about.gold if about.gold_text == about.gold else f"{about.gold}. {about.gold_text}"
