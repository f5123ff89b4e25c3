"""A process of its own that proves or refutes that two formulas are equal; killed from outside when it takes too long.

Reads one JSON line ``[tree, tree]`` (trees of :mod:`astray.answers.formula`), writes one line: ``equal``, ``different``
or ``undecided``. Run as a script, so it imports nothing of astray.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

MEMORY = 2 << 30
POINTS = ((3, 7, 1, 9), (11, 5, 2, 3), (5, 13, -1, 4))
"""Real and imaginary parts of the first variable at each test point, as fractions; the others follow from them."""


def build(sympy: Any, tree: list[Any]) -> Any:
    """A tree as an exact symbolic expression."""
    kind, *rest = tree
    if kind == "num":
        return sympy.Rational(rest[0], rest[1])
    if kind == "sym":
        return sympy.Symbol(rest[0])
    if kind == "const":
        return {"pi": sympy.pi, "e": sympy.E, "oo": sympy.oo}[rest[0]]
    if kind == "call":
        names = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "ln": "log"}
        return getattr(sympy, names.get(rest[0], rest[0]))(build(sympy, rest[1]))
    parts = [build(sympy, part) for part in rest]
    if kind == "neg":
        return -parts[0]
    if kind == "add":
        return parts[0] + parts[1]
    if kind == "mul":
        return parts[0] * parts[1]
    if kind == "div":
        return parts[0] / parts[1]
    return parts[0] ** parts[1]


def decide(sympy: Any, first: Any, second: Any) -> str:
    """Equal where the difference is zero by exact simplification, different where it is plainly not zero."""
    if sympy.nan in (first, second) or sympy.zoo in (first, second):
        return "undecided"
    if first == second:
        return "equal"
    if first.is_infinite or second.is_infinite:
        return "different" if first.is_number and second.is_number else "undecided"
    difference = first - second
    if difference.is_Rational:
        return "different"
    gaps = [gap for n in range(len(POINTS)) if (gap := measure(sympy, first, second, n)) is not None]
    if not gaps:
        return "undecided"
    if max(gaps) > 1e-12:
        return "different" if min(gaps) > 1e-12 else "undecided"
    exact = sympy.expand(difference) == 0 or sympy.simplify(difference) == 0
    return "equal" if exact else "undecided"


def measure(sympy: Any, first: Any, second: Any, point: int) -> float | None:
    """How far apart two expressions are at a point, as a share of their size; None where that can't be said."""
    a, b, c, d = POINTS[point]
    names = sorted(first.free_symbols | second.free_symbols, key=str)
    at = {name: sympy.Rational(a + 2 * n, b + n) + sympy.I * sympy.Rational(c, d + n) for n, name in enumerate(names)}
    one, other = (sympy.N(side.subs(at), 40) for side in (first, second))
    if not (one.is_number and other.is_number and one.is_finite and other.is_finite):
        return None
    size = max(abs(one), abs(other))
    return float(abs(one - other) / size) if size > 0 else 0.0


def main() -> None:
    """Answer lines until there are no more."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        pass
    sympy = importlib.import_module("sympy")
    print("ready", flush=True)
    for line in sys.stdin:
        try:
            first, second = (build(sympy, tree) for tree in json.loads(line))
            verdict = decide(sympy, first, second)
        except Exception:
            verdict = "undecided"
        print(verdict, flush=True)


if __name__ == "__main__":
    main()
