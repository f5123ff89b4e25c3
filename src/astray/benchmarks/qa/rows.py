"""Question rows in JSON Lines: reading them, with the line number in every complaint."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from astray.benchmarks.base import digest, letters, number_repeats
from astray.errors import InputError
from astray.jsonl import numbered, parsed, text_in, validated

Kind = Literal["choice", "short", "number", "boolean", "spans", "date", "math"]


class Row(BaseModel):
    """One question, as INTERFACE gives it; fields it doesn't name are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    question: str = Field(min_length=1)
    choices: tuple[str, ...] | None = None
    answer_index: int | None = None
    labels: tuple[str, ...] | None = None
    answer: str | None = None
    answers: tuple[str | tuple[str, ...], ...] | None = None
    id: str | None = None
    kind: Kind | None = None
    context: str | None = None
    subset: str | None = None
    alternative: str | None = None
    evidence: Any = None

    @field_validator("id", "answer", "subset", "alternative", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        return _text(value)

    @field_validator("choices", "answers", "labels", mode="before")
    @classmethod
    def _as_texts(cls, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return tuple(tuple(map(_text, item)) if isinstance(item, list) else _text(item) for item in value)

    @model_validator(mode="after")
    def _whole(self) -> Row:
        """Gold is there and is one of the choices; labels fit."""
        if self.choices is not None:
            _check_choices(self)
        elif self.answer is None and not self.answers:
            raise ValueError("neither 'choices' with 'answer_index' nor 'answer' or 'answers'")
        elif self.kind == "choice":
            raise ValueError("kind 'choice' needs 'choices'")
        elif self.kind == "boolean" and not all(is_boolean(text) for text in self.golds if isinstance(text, str)):
            raise ValueError(f"kind 'boolean' needs yes or no (true or false) as the answer, not {self.golds[0]!r}")
        return self

    @property
    def the_kind(self) -> Kind:
        """The kind, given or by what the row has."""
        return self.kind or ("choice" if self.choices is not None else "short")

    @property
    def golds(self) -> tuple[str | tuple[str, ...], ...]:
        """Every answer that counts as right; of a choice, its label."""
        if self.choices is not None:
            assert self.answer_index is not None
            return (self.the_labels[self.answer_index],)
        if self.answers:
            return self.answers
        assert self.answer is not None
        return (self.answer,)

    @cached_property
    def the_labels(self) -> tuple[str, ...]:
        """The labels of the choices: those given, else A, B and so on."""
        if self.labels is not None:
            return self.labels
        return tuple(letters(len(self.choices or ())))


def load_rows(path: Path) -> list[Row]:
    """Read all rows of a file; each gets an id: its own, else a hash of its content; repeats are numbered.

    Raises:
        InputError: No such file, an empty one, not UTF-8 (names the byte), or a line that isn't such a row (named).
    """
    places = ((f"{path}: line {number}", line) for number, line in numbered(text_in(path)))
    rows = [make_row(parsed(line, where), where) for where, line in places]
    if not rows:
        raise InputError(f"{path}: empty; it should have one question a line, as JSON")
    return with_ids(rows)


def with_ids(rows: Sequence[Row]) -> list[Row]:
    """The same rows, each with an id: its own, else a hash of its content; repeats are numbered."""
    ids = number_repeats([row.id or digest(row.model_dump()) for row in rows])
    return [row.model_copy(update={"id": id}) for row, id in zip(rows, ids, strict=True)]


def make_row(data: Any, where: str) -> Row:
    """A row of JSON-able data.

    Raises:
        InputError: It is none; ``where`` says which.
    """
    return validated(data, Row, where)


def is_boolean(text: str) -> bool:
    """Whether a text says yes or no."""
    return text.strip().lower() in ("yes", "no", "true", "false")


def _check_choices(row: Row) -> None:
    choices = row.choices or ()
    if len(choices) < 2:
        raise ValueError(f"'choices' has {len(choices)} entries; at least 2 are needed")
    if any(text.strip() in ("", ".") for text in choices):
        raise ValueError("a choice is empty or a lone full stop")
    if row.labels is not None and len(row.labels) != len(choices):
        raise ValueError(f"{len(row.labels)} labels for {len(choices)} choices")
    if row.labels is not None and len(set(row.labels)) != len(row.labels):
        raise ValueError("a label stands twice")
    if row.answer_index is None:
        raise ValueError("'choices' without 'answer_index' (from 0)")
    if not 0 <= row.answer_index < len(choices):
        raise ValueError(f"answer_index {row.answer_index}: gold is not among the {len(choices)} choices (from 0)")
    if row.alternative is not None and row.alternative.strip() == choices[row.answer_index].strip():
        raise ValueError("'alternative' is the right answer")


def _text(value: Any) -> Any:
    """Numbers and booleans as text; missing stays missing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value != value:
        return None
    return str(value) if isinstance(value, (int, float)) else value
