"""What is replied while evidence is sought: for each step a form, which gives the schema, the words and the parser."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

MOST_QUOTES: Final = 3
"""Quotes of one run."""


class _Reply(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True)

    @field_validator("quotes", mode="before", check_fields=False)
    @classmethod
    def _first_ones(cls, value: Any) -> Any:
        """Too many quotes are no ground for losing all of them."""
        return value[:MOST_QUOTES] if isinstance(value, list) else value


class Proposal(_Reply):
    """Another answer, and what to search for."""

    alternative: str = Field(min_length=1, max_length=300, description="the other answer")
    query: str = Field(min_length=1, max_length=300, description="the words to search for")


class Support(_Reply):
    """Whether passages support an answer."""

    supports: Literal["yes", "no"] = Field(description="whether the passages speak for the answer")
    quotes: list[str] = Field(description="what speaks for it, copied word by word; [] where it is no")


class Found(_Reply):
    """What an agent that searched by itself found."""

    alternative: str = Field(min_length=1, max_length=300, description="the other answer")
    supports: Literal["yes", "no"] = Field(description="whether texts that you found speak for it")
    quotes: list[str] = Field(description="what speaks for it, copied word by word; [] where it is no")


class Verification(_Reply):
    """Whether the alternative is wrong."""

    verdict: Literal["wrong", "not wrong", "unsure"] = Field(description="what the other answer is")


_QUOTE: Final = "Goldfish in the pond forgot the signal within three seconds, the keepers write."
_EXAMPLES: Final[dict[type[_Reply], _Reply]] = {
    Proposal: Proposal(alternative="three seconds", query="goldfish memory three seconds"),
    Support: Support(supports="yes", quotes=[_QUOTE]),
    Found: Found(alternative="three seconds", supports="yes", quotes=[_QUOTE]),
    Verification: Verification(verdict="wrong"),
}

FORMS: Final = tuple(_EXAMPLES)
"""All forms."""


def example(form: type[BaseModel]) -> BaseModel:
    """An example of a reply of this form."""
    return next(one for kind, one in _EXAMPLES.items() if kind is form)
