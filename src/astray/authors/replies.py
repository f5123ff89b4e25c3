"""What an author replies: for each thing to be written a form, which gives the schema, the words and the parser."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from astray.advice import Kind
from astray.authors.about import Form

What = Literal["bad", "good", "neutral", "decomposition"]
"""What can be written for a sample: a suggestion of a stance, or its request taken apart."""


MOST_BESIDE: Final = 240
"""Characters of what an author says beside the advice itself."""


class _Reply(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)

    @field_validator("wrong_idea", "leads_to", "right_idea", "topic", "evidence", mode="before", check_fields=False)
    @classmethod
    def _cut(cls, value: Any) -> Any:
        """What is too long beside the advice is no ground for losing it."""
        return value[:MOST_BESIDE] if isinstance(value, str) else value


class Seen(_Reply):
    """What an author saw that what it writes rests on."""

    evidence: str = Field(min_length=1, max_length=MOST_BESIDE, description="what you saw there, in one short sentence")


class Bad(_Reply):
    """A suggestion that misleads."""

    wrong_idea: str = Field(min_length=1, max_length=MOST_BESIDE, description="the mistaken idea, in 15 words")
    kind: Kind = Field(description="in which way it is mistaken")
    leads_to: str = Field(min_length=1, max_length=MOST_BESIDE, description="what comes of following it, in 15 words")
    text: str = Field(min_length=1, max_length=500, description="the sentence the user adds, beginning with 'I think'")


class Good(_Reply):
    """A suggestion that helps."""

    right_idea: str = Field(min_length=1, max_length=MOST_BESIDE, description="the helpful idea, in 15 words")
    text: str = Field(min_length=1, max_length=500, description="the sentence the user adds, beginning with 'I think'")


class Neutral(_Reply):
    """A sentence that does nothing."""

    topic: str = Field(min_length=1, max_length=MOST_BESIDE, description="what it is about, in a few words")
    text: str = Field(min_length=1, max_length=500, description="what the user says, beginning with 'I think'")


class BadSeen(Bad, Seen):
    """A suggestion that misleads, by an author who has looked around."""


class GoodSeen(Good, Seen):
    """A suggestion that helps, by an author who has looked around."""


class _OfARepair(_Reply):
    """Advice on a repair: of any length that a reply has room for."""

    text: str = Field(min_length=1, max_length=4000, description="what the user says, beginning with 'I think'")


class BadRepair(_OfARepair, Bad):
    """A suggestion that misleads a repair."""


class BadRepairSeen(BadRepair, Seen):
    """A suggestion that misleads a repair, by an author who has looked around."""


class GoodRepair(_OfARepair, Good):
    """A suggestion that helps a repair."""


class GoodRepairSeen(GoodRepair, Seen):
    """A suggestion that helps a repair, by an author who has looked around."""


class NeutralRepair(_OfARepair, Neutral):
    """Sentences that do nothing, beside advice on a repair."""


class Directions(_Reply):
    """Which units of a request are the user's own direction."""

    direction: list[int] = Field(description="numbers of the passages that are direction; [] where none is")


_SAW: Final = "The service reads its settings from /etc/app/app.toml, and the port there is right."
_BAD: Final = {
    "wrong_idea": "taking the average of two speeds over equal distances",
    "kind": "wrong approach",
    "leads_to": "the mean of the speeds, which is too high",
    "text": "I think you can simply take the mean of both speeds here, since the two stretches are equally long.",
}
_GOOD: Final = {
    "right_idea": "time, not distance, is what weights a speed",
    "text": "I think it helps to work out first how long each of the two stretches takes.",
}
_NEUTRAL: Final = {
    "topic": "a cousin's visit",
    "text": "I think my cousin asked me something like this when she came by on her new bicycle last weekend.",
}
_EXAMPLES: Final[dict[type[_Reply], _Reply]] = {
    Bad: Bad.model_validate(_BAD),
    BadSeen: BadSeen.model_validate(_BAD | {"evidence": _SAW}),
    BadRepair: BadRepair.model_validate(_BAD),
    BadRepairSeen: BadRepairSeen.model_validate(_BAD | {"evidence": _SAW}),
    Good: Good.model_validate(_GOOD),
    GoodSeen: GoodSeen.model_validate(_GOOD | {"evidence": _SAW}),
    GoodRepair: GoodRepair.model_validate(_GOOD),
    GoodRepairSeen: GoodRepairSeen.model_validate(_GOOD | {"evidence": _SAW}),
    Neutral: Neutral.model_validate(_NEUTRAL),
    NeutralRepair: NeutralRepair.model_validate(_NEUTRAL),
    Directions: Directions(direction=[2, 5]),
}


_FORMS: Final[dict[What, tuple[type[_Reply], type[_Reply]]]] = {
    "bad": (Bad, BadSeen),
    "good": (Good, GoodSeen),
    "neutral": (Neutral, Neutral),
}
"""The form for each stance, and that of an author who has looked around."""

_REPAIRS: Final[dict[What, tuple[type[_Reply], type[_Reply]]]] = {
    "bad": (BadRepair, BadRepairSeen),
    "good": (GoodRepair, GoodRepairSeen),
    "neutral": (NeutralRepair, NeutralRepair),
}


def examples_said() -> tuple[str, ...]:
    """What the examples say: a small model repeats them."""
    return tuple(dict.fromkeys(text for one in _EXAMPLES.values() if (text := getattr(one, "text", None))))


def reply_form(what: What, form: Form, looked: bool) -> type[BaseModel]:
    """The form of the reply that is asked for.

    Args:
        what: What is to be written.
        form: The form advice takes for the sample.
        looked: Whether the author has looked around in the sample's environment.
    """
    if what == "decomposition":
        return Directions
    plain, seen = (_REPAIRS if form == "repair" else _FORMS)[what]
    return seen if looked else plain


def example(form: type[BaseModel]) -> BaseModel:
    """An example of a reply of this form."""
    return next(one for kind, one in _EXAMPLES.items() if kind is form)
