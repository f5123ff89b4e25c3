"""Field maps: which field of a data set is the question, which the answer; and one row made by such a map. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from astray.benchmarks.qa.rows import Kind


class FieldMap(BaseModel):
    """Where a data set on the hub has what a question row needs. A field within a field is written ``outer.inner``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dataset: str = Field(pattern=r"^[^/\s]+/[^/\s]+$", description="As the hub names it: owner/name.")
    config: str | None = Field(None, description="The data set's configuration, where it has several.")
    split: str = Field(min_length=1)
    revision: str | None = Field(None, description="A commit of the data set; the newest by default.")
    question: str = Field(min_length=1)
    answer: str = Field(min_length=1, description="What is right: a text, several, or which choice.")
    choices: str | tuple[str, ...] | None = Field(None, description="A field with a list, or fields with one each.")
    keys: str | tuple[str, ...] | None = Field(
        None,
        description="What ``answer`` calls the choices, in order: a field with a list, or the words themselves. "
        "By default it gives the choice's index from 0, or its very text.",
    )
    context: str | None = None
    subset: str | None = Field(None, description="A subject or source; by default the map's name.")
    id: str | None = Field(None, description="By default a hash of the row.")
    kind: Kind | None = None
    where: Mapping[str, tuple[str, ...]] = Field(
        default_factory=dict, description="Only rows in which these fields have one of these values."
    )
    per_subset: int | None = Field(None, ge=1, description="Only so many rows of each subset, drawn by ``seed``.")
    seed: int = 0

    @field_validator("where", mode="before")
    @classmethod
    def _lists(cls, value: Any) -> Any:
        """One value may stand alone."""
        if not isinstance(value, Mapping):
            return value
        return {name: some if isinstance(some, (list, tuple)) else [some] for name, some in value.items()}

    @property
    def fields(self) -> tuple[str, ...]:
        """Every outermost field that is looked at, each once."""
        named = [self.question, self.answer, self.context, self.subset, self.id, *self.where]
        named += [self.choices] if isinstance(self.choices, str) else list(self.choices or ())
        named += [self.keys] if isinstance(self.keys, str) else []
        return tuple(dict.fromkeys(name.split(".")[0] for name in named if name))


def question_row(found: Mapping[str, Any], map: FieldMap, source: str) -> dict[str, Any]:
    """One row of a data set in the form of a ``qa:`` row.

    Args:
        found: The row as the data set has it.
        map: Which of its fields is what.
        source: The subset, where the map names no field for it.

    Raises:
        ValueError: A field isn't there, or the answer is none of the choices.
    """
    answer = _field(found, map.answer)
    row: dict[str, Any] = {
        "question": _field(found, map.question),
        "context": _field(found, map.context) or None if map.context else None,
        "subset": str(_field(found, map.subset)) if map.subset else source,
        "id": _field(found, map.id) if map.id else None,
        "kind": map.kind,
    }
    if map.choices is None:
        return row | ({"answers": list(answer)} if isinstance(answer, (list, tuple)) else {"answer": answer})
    choices = _listed(found, map.choices)
    return row | {"choices": choices, "answer_index": _index(found, map, answer, choices)}


def _index(found: Mapping[str, Any], map: FieldMap, answer: Any, choices: Sequence[Any]) -> int:
    """Which choice is right: by its key, else by its index from 0, else by its text."""
    if map.keys is not None:
        keys = [str(key) for key in (_field(found, map.keys) if isinstance(map.keys, str) else map.keys)]
        if str(answer) not in keys:
            raise ValueError(f"'{map.answer}' is {answer!r}, which is none of {', '.join(keys)}")
        return keys.index(str(answer))
    if isinstance(answer, int):
        return answer
    if answer not in choices:
        raise ValueError(f"'{map.answer}' is {answer!r}, which is no index from 0 and none of the choices")
    return choices.index(answer)


def _listed(found: Mapping[str, Any], named: str | Sequence[str]) -> list[Any]:
    return list(_field(found, named)) if isinstance(named, str) else [_field(found, name) for name in named]


def _field(found: Mapping[str, Any], path: str) -> Any:
    """The value of a field, or of a field within it.

    Raises:
        ValueError: There is none; names those there are.
    """
    value: Any = found
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            there = f"; there are {', '.join(map(str, value))}" if isinstance(value, Mapping) else ""
            raise ValueError(f"no field '{path}'{there}")
        value = value[name]
    return value
