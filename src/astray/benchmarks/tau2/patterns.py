"""Which tool call it is that a belief leads to, written as a call: ``update_reservation_flights(cabin="business")``."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from astray.benchmarks.tau2.environment import Call


@dataclass(frozen=True)
class Pattern:
    """A tool, and the arguments that make its call the one that is meant; others don't matter."""

    name: str
    arguments: Mapping[str, Any]

    def fits(self, call: Call) -> bool:
        """Whether a call is of this kind."""
        return call.name == self.name and all(call.arguments.get(key) == value for key, value in self.arguments.items())

    def among(self, calls: Iterable[Call]) -> bool:
        """Whether one of the calls is."""
        return any(map(self.fits, calls))

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in self.arguments.items())})"


def read_pattern(text: str | None) -> Pattern | None:
    """The pattern that a text is; None where it is anything else, such as a model's own words."""
    try:
        found = ast.parse((text or "").strip(), mode="eval").body
        if not isinstance(found, ast.Call) or not isinstance(found.func, ast.Name) or found.args:
            return None
        arguments = {str(word.arg): ast.literal_eval(word.value) for word in found.keywords if word.arg}
    except (SyntaxError, ValueError):
        return None
    return Pattern(found.func.id, arguments)
