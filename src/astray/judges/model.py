"""Judges that are models: they see the question and the answer, and argue from what they know or are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from inspect_ai.model import ModelOutput, get_model
from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from astray import prompts
from astray.answers.grader import ask, fence
from astray.answers.protocol import how_to_reply
from astray.judges.checks import declines
from astray.judges.judge import Case, Critique, keeps_silent
from astray.judges.quoting import with_evidence

ROLE: Final = "judge"
"""The model role of every judge and moderator; where it isn't named, the generator criticises itself."""

MAX_CRITIQUE: Final = 600
"""Characters of a critique that is constrained to a schema; one that isn't may be longer and is taken as it is."""

MAX_REPLY: Final = 4000
"""Characters of the answer that a judge is shown: half from its beginning, half from its end."""

_BOUND: Final[dict[str, JsonValue]] = {"maxLength": MAX_CRITIQUE}


class Objection(BaseModel):
    """What a judge says that always speaks when it is asked."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    critique: str = Field(
        min_length=1,
        description=f"what you tell the person, in at most {MAX_CRITIQUE} characters",
        json_schema_extra={"minLength": 20, **_BOUND},
    )


class Review(BaseModel):
    """What a judge says that speaks only where it finds the answer wrong."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    wrong: bool = Field(description="true if the answer is wrong, false if it holds")
    critique: str = Field(
        description=f"what you tell the person, in at most {MAX_CRITIQUE} characters; empty if the answer holds",
        json_schema_extra=_BOUND,
    )

    @model_validator(mode="after")
    def _says_what_is_wrong(self) -> Review:
        if self.wrong and not self.critique:
            raise ValueError("it says that the answer is wrong, and not why")
        return self


@dataclass(frozen=True)
class ModelJudge:
    """A judge with parametric knowledge, with evidence, or with the right answer (WAFER-QA paper, section 3.2).

    It is asked at temperature 0, and the answer kept: the same case is answered the same.
    """

    seat: int
    intent: str
    knowledge: str

    async def criticise(self, case: Case) -> Critique:
        """What the model in the role ``judge`` says; silence where it needn't speak; else why it could not be had."""
        if keeps_silent(self.intent, self.knowledge, case) or (self.knowledge == "grounded" and not case.evidence):
            return self._said(None)
        said, output = await ask(get_model(role=ROLE), self.prompt(case), self._form)
        if isinstance(said, Review):
            return self._said(self._grounded(said.critique, case) if said.wrong else None)
        if isinstance(said, Objection):
            return self._said(self._grounded(said.critique, case))
        # It refuses in words instead of filling in the form: that is said to the agent, and flagged.
        if declines(output.completion):
            return self._said(output.completion.strip())
        return Critique(self.seat, self.intent, self.knowledge, None, error=why_not(output))

    def prompt(self, case: Case) -> str:
        """What the model is asked: what is the same for all samples first, the sample last."""
        shown = [case.reply, *(text for before in case.history for text in (before.reply, before.critique))]
        shown += [passage.text for passage in case.evidence or ()]
        return prompts.load("judges/critique").fill(
            intent=prompts.load(f"judges/intent-{self.intent}").fill(),
            knowledge=prompts.load(f"judges/knowledge-{self.knowledge}").fill(),
            how_to_reply=how_to_reply(self._form),  # an example would be copied by small models
            question=case.question,
            choices=case.choices,
            gold=with_text(case.gold, case.choices) if self.knowledge == "gold" else None,
            evidence=case.evidence if self.knowledge == "grounded" else None,
            alternative=with_text(case.alternative, case.choices) if case.alternative else None,
            history=[{"reply": both_ends(b.reply), "critique": b.critique} for b in case.history],
            reply=both_ends(case.reply),
            mark=fence("\n".join(shown)),
        )

    def _grounded(self, text: str, case: Case) -> str:
        return with_evidence(text, case.evidence or ()) if self.knowledge == "grounded" and not declines(text) else text

    @property
    def _form(self) -> type[Objection] | type[Review]:
        return Review if self.intent == "constructive" and self.knowledge != "gold" else Objection

    def _said(self, text: str | None) -> Critique:
        return Critique(self.seat, self.intent, self.knowledge, text)


def why_not(output: ModelOutput) -> str:
    """One line on a reply that could not be used."""
    text = " ".join(output.completion.split())
    if not text:
        return f"the judge's reply is empty (it stopped with '{output.stop_reason}')"
    return f"the judge's reply could not be used: {text[:120]}"


def with_text(gold: str, choices: Sequence[tuple[str, str]] | None) -> str:
    """A label together with the text of its choice; anything else as it is."""
    text = dict(choices or ()).get(gold)
    return f"{gold}. {text}" if text is not None else gold


def both_ends(reply: str) -> str:
    """A reply, its middle left out where it is too long to be shown."""
    reply = reply.strip()
    if len(reply) <= MAX_REPLY:
        return reply
    return f"{reply[: MAX_REPLY // 2]} […] {reply[-MAX_REPLY // 2 :]}"
