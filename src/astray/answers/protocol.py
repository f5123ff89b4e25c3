"""The one protocol for every reply that judges something: a verdict, a yes or no, a score.

One pydantic model gives the schema the reply is constrained to, the words that ask for it, and the parser. The
vocabulary is closed, the last verdict counts, fences and prose around it are tolerated, and what can't be read is
None, never a value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from astray import prompts

T = TypeVar("T", bound=BaseModel)

_STRING_OR_COMMA: Final = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_DECODER: Final = json.JSONDecoder()


def how_to_reply(model: type[BaseModel], example: BaseModel | None = None) -> str:
    """The words that ask for a reply of this form, those of a list of objects included.

    Args:
        model: The form.
        example: A reply of this form, which parses. Without one where the reply quotes: small models copy it.
    """
    shown = example.model_dump_json() if example is not None else None
    return prompts.load("grading/how-to-reply").fill(fields=_fields(model), example=shown)


def read_judgement(reply: str, model: type[T]) -> T | None:
    """Read a reply of this form; None where there is none to be had.

    The last JSON object that has one of the model's fields counts, valid or not: where it is off the menu, cut off or
    lacks a field, nothing earlier takes its place. Without any object, a line such as ``VERDICT: correct`` will do
    for a model that needs one closed-vocabulary field alone.
    """
    last, cut = _last_object(reply, set(model.model_fields))
    if cut:
        return None
    if last is not None:
        return _validated(last, model)
    return _labelled(reply, model)


def _last_object(reply: str, names: set[str]) -> tuple[dict[str, Any] | None, bool]:
    """(the last object with one of these fields, whether one that was cut off comes after it)."""
    last: dict[str, Any] | None = None
    cut = False
    for found in _objects(reply):
        if found is None:
            cut = True
        elif names & found.keys():
            last, cut = found, False
    return last, cut


def _objects(reply: str) -> Iterator[dict[str, Any] | None]:
    """Every outermost JSON object in order; None for one that begins and can't be read to its end."""
    text = _STRING_OR_COMMA.sub(lambda match: match[1] or "", reply)
    at = 0
    while (begin := re.compile(r"\{\s*[\"}]").search(text, at)) is not None:
        try:
            found, at = _DECODER.raw_decode(text, begin.start())
            yield found
        except json.JSONDecodeError:
            at = begin.start() + 1
            yield None


def _validated(found: dict[str, Any], model: type[T]) -> T | None:
    folded = {
        name: _folded(value, model.model_fields[name].annotation)
        for name, value in found.items()
        if name in model.model_fields
    }
    try:
        return model.model_validate(folded, strict=True)
    except ValidationError:
        return None


def _folded(value: Any, annotation: Any) -> Any:
    """A word of a closed vocabulary in whatever case it was written."""
    if isinstance(value, str) and get_origin(annotation) is Literal:
        for word in get_args(annotation):
            if isinstance(word, str) and word.casefold() == value.strip().casefold():
                return word
    return value


def _labelled(reply: str, model: type[T]) -> T | None:
    """``NAME: word`` for the one required closed-vocabulary field; the last such line counts."""
    required = [(name, info.annotation) for name, info in model.model_fields.items() if info.is_required()]
    if len(required) != 1 or get_origin(required[0][1]) is not Literal:
        return None
    name, _ = required[0]
    found = re.findall(rf"(?i)\b{re.escape(name)}\b\W{{0,4}}:\W{{0,4}}(\w+)", reply)
    if found:
        return _validated({name: found[-1]}, model)
    alone = reply.strip().strip(".*_`\"'")
    return _validated({name: alone}, model) if re.fullmatch(r"\w+", alone) else None


def _fields(model: type[BaseModel], indent: str = "") -> list[tuple[str, str, str]]:
    """(indent, name, meaning) of every field, and below a list of objects of theirs."""
    fields: list[tuple[str, str, str]] = []
    for name, info in model.model_fields.items():
        fields.append((indent, name, _meaning(info)))
        of = get_args(info.annotation)[0] if get_origin(info.annotation) is list else None
        if isinstance(of, type) and issubclass(of, BaseModel):
            fields += _fields(of, indent + "  ")
    return fields


def _meaning(info: Any) -> str:
    words = ""
    if get_origin(info.annotation) is Literal:
        words = "one of " + ", ".join(f'"{word}"' for word in get_args(info.annotation))
    return "; ".join(part for part in (info.description or "", words) if part)
