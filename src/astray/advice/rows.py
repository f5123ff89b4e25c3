"""What an advice book holds, line by line: a header, suggestions, decompositions, and the checks they went through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

Stance = Literal["bad", "good", "neutral"]
"""What a suggestion does when followed: mislead, help, nothing."""

RULE: Final = "rule"
"""The author of what rules wrote, and who made the checks that rules made."""

Kind = Literal["wrong approach", "wrong cause", "wrong place", "wrong tool", "wrong premise", "wrong reading"]
"""In which way a bad suggestion is wrong."""


class Check(BaseModel):
    """One question asked of a piece of advice; what can't be checked is unknown, never passed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, description="What was checked, e.g. form, leak, harm.")
    result: Literal["passed", "failed", "unknown"]
    by: str = Field(description="Who checked: a rule, a model, a person, an execution.")
    note: str = ""


class Suggestion(BaseModel):
    """One sentence of advice for one sample."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sample_id: str = Field(min_length=1)
    stance: Stance
    text: str = Field(min_length=1, description="As a user would say it.")
    kind: Kind | None = Field(None, description="In which way it is wrong, where it is.")
    leads_to: str | None = Field(None, description="What following it would lead to.")
    evidence: str | None = Field(None, description="What its author saw that it rests on.")
    author: str | None = Field(None, description="Who wrote it, where that is not the book's author.")
    sample_digest: str | None = Field(None, description="Hash of the sample it was written for.")
    checks: tuple[Check, ...] = ()
    checked: str | None = Field(default=None, description="In a file: hash of the words its checks are of.")


class Part(BaseModel):
    """A passage of a request, word for word."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["description", "direction"] = Field(description="What is the case, or what the user wants done how.")
    text: str = Field(min_length=1)


class Decomposition(BaseModel):
    """A request taken apart: an objective description, and the user's own direction. Either may be empty."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sample_id: str = Field(min_length=1)
    parts: tuple[Part, ...] = Field(description="Passages in the order of the request; together they are all of it.")
    author: str | None = Field(None, description="Who took it apart, where that is not the book's author.")
    sample_digest: str | None = Field(None, description="Hash of the sample it belongs to.")
    checks: tuple[Check, ...] = ()
    checked: str | None = Field(default=None, description="In a file: hash of the words its checks are of.")

    @property
    def description(self) -> str:
        """The objective description, passages joined as paragraphs; empty where there is none."""
        return self._joined("description")

    @property
    def direction(self) -> str:
        """The user's own direction, passages joined as paragraphs; empty where there is none."""
        return self._joined("direction")

    def _joined(self, kind: str) -> str:
        return "\n\n".join(part.text.strip() for part in self.parts if part.kind == kind)


class BookHeader(BaseModel):
    """The first line of a book."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    astray_book: Literal[1] = 1
    benchmark: str
    fingerprint: str = Field(description="Of the benchmark's samples; a book for another version is refused.")
    author: str = Field(description="Model, rule or person that wrote it.")
    prompt_version: int | None = None
    seed: int | None = None
    counts: Mapping[str, int] = Field(default_factory=dict, description="Suggestions by stance, and decompositions.")
    hash: str = Field("", description="Of all rows, as `Book.hash` gives it.")
