"""The form of a reply to a question row: the schema a structured reply is constrained to, and its name in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from inspect_ai.model import ResponseSchema
from inspect_ai.util import JSONSchema

from astray.benchmarks.qa.rows import Kind

MAX_REASONING: Final = 60
"""Characters of reasoning in a structured reply: unbounded, a small model writes 120 tokens and more."""

MAX_WORKING: Final = 600
"""The same where the answer has to be worked out: with 60, a model of 1.5B solved 8% of GSM8K."""

WORKED_OUT: Final[frozenset[Kind]] = frozenset({"number", "math"})
"""Kinds whose answers have to be worked out, step by step."""

MAX_ANSWER: Final = 120
"""Characters of an open answer."""

_FORMS: Final[dict[Kind, str]] = {
    "choice": "the label of your choice",
    "short": "the answer alone, in as few words as possible",
    "number": "the answer as a number alone",
    "boolean": "yes or no",
    "spans": "the answer alone, several parts separated by commas",
    "date": "the answer as a date alone",
    "math": "the answer alone, as a formula or number",
}


def form_of(kind: Kind) -> str:
    """How an answer of this kind is to be given, in words that end a sentence."""
    return _FORMS[kind]


def reply_schema(kind: Kind, labels: Sequence[str] | None) -> ResponseSchema:
    """The schema of a structured reply: reasoning first, then the answer; one of ``labels`` where there are choices."""
    room = MAX_WORKING if kind in WORKED_OUT else MAX_REASONING
    answer = (
        JSONSchema(type="string", enum=list(labels))
        if labels is not None
        else JSONSchema(type="string", maxLength=MAX_ANSWER)
    )
    schema = JSONSchema(
        type="object",
        properties={"reasoning": JSONSchema(type="string", maxLength=room), "answer": answer},
        required=["reasoning", "answer"],
        additionalProperties=False,
    )
    return ResponseSchema(name="reply", json_schema=schema, strict=True)
