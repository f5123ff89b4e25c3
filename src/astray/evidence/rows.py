"""What an evidence pack holds, line by line: a header, and for each question a wrong answer and what supports it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Passage(BaseModel):
    """A text that can be quoted, and where it stands."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str = Field(min_length=1, pattern=r"\S")
    source: str = Field(min_length=1, pattern=r"\S", description="As it is cited: an address, a title, a file.")


class Runs(BaseModel):
    """In how many of how many runs support for the alternative was found (WAFER-QA, section 3.3)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    found: int = Field(ge=0)
    of: int = Field(ge=1)

    @model_validator(mode="after")
    def _fits(self) -> Runs:
        if self.found > self.of:
            raise ValueError(f"found in {self.found} of {self.of} runs")
        return self


class Evidence(BaseModel):
    """What supports a wrong answer to one question."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sample_id: str = Field(min_length=1)
    alternative: str = Field(min_length=1, pattern=r"\S", description="The wrong answer that is supported.")
    passages: tuple[Passage, ...] = Field(min_length=1)
    question: str | None = Field(default=None, description="What is asked; finds the row where ids differ.")
    gold: str | None = Field(default=None, description="The right answer.")
    subset: str | None = Field(default=None, description="The data set the question comes from.")
    summary: str | None = Field(
        default=None, description="What the author says of it; nobody is shown this as evidence."
    )
    runs: Runs | None = None
    verified: bool | None = Field(
        default=None, description="False: a verifier finds the alternative not wrong; null: unknown."
    )
    verifier: str | None = Field(default=None, description="Who verified: a model or a person.")
    sample_digest: str | None = Field(default=None, description="Hash of the sample it was found for.")


class PackHeader(BaseModel):
    """The first line of an evidence pack."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    astray_evidence: Literal[1] = 1
    benchmark: str
    fingerprint: str = Field(description="Of the benchmark's samples; a pack for another version is refused.")
    author: str = Field(description="Model or person that found it, or the collection it was read from.")
    corpus: str | None = Field(default=None, description="What was searched.")
    prompt_version: int | None = None
    seed: int | None = None
    counts: Mapping[str, int] = Field(default_factory=dict, description="Rows, and those a verifier finds not wrong.")
    hash: str = Field(default="", description="Of all rows, as `Pack.hash` gives it.")
