"""Formulas as trees: a strict reading of LaTeX and plain notation; what could be read in two ways is not read.

A tree is nested lists of plain JSON: ``["num", above, below, decimals]``, ``["sym", name]``, ``["const", name]``,
``["call", function, tree]`` and ``["add" | "mul" | "div" | "pow" | "neg", tree, …]``.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from astray.answers.notation import CALLS, spelling
from astray.answers.text import words

Tree = list["str | int | Tree"]

MAX_LENGTH: Final = 400
MAX_POWER: Final = 1000
MAX_BITS: Final = 20_000
MAX_DEPTH: Final = 25

_GREEK: Final = frozenset(
    words(
        "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho sigma"
        " tau phi varphi chi psi omega Gamma Delta Theta Lambda Xi Sigma Phi Psi Omega hbar ell"
    )
)
_CONSTANTS: Final = frozenset(("pi", "infty", "inf", "infinity"))
# Words that look like products of letters but are units or words.
_WORDS: Final = frozenset(
    words(
        "cm mm km kg mg ml ft in lb oz hr min sec mph no yes or and is of to as an the at by it on if so we be"
        " dx dy dt dz"
    )
)


class Unreadable(Exception):
    """A formula that can't be read, or can be read in two ways."""


def parse(text: str) -> Tree:
    """Read a formula.

    Raises:
        Unreadable: It can't be read with certainty, or would be too large to work out.
    """
    if len(text) > MAX_LENGTH or re.search(r"\d[eE][-+]?\d", text):
        raise Unreadable("too long, or a number with an exponent")
    reader = _Reader(_pieces(spelling(text)))
    tree = reader.sum(0)
    if reader.at != len(reader.tokens):
        raise Unreadable("something is left over")
    _check_size(tree)
    return tree


def _pieces(tokens: tuple[str, ...]) -> list[str]:
    """Words taken apart: functions and constants are one token, other short words products of letters."""
    found: list[str] = []
    busy = any(re.match(r"[\d+*/^=(-]", token) for token in tokens)
    for n, token in enumerate(tokens):
        if not token.isalpha() or len(token) == 1 or token in CALLS or token in _CONSTANTS:
            found.append(token)
        elif (busy and len(token) <= 3 and token.lower() not in _WORDS and n and tokens[n - 1] != "_") or (
            busy and len(token) <= 3 and token.lower() not in _WORDS and n == 0
        ):
            found.extend(token)
        else:
            raise Unreadable(f"a word: {token}")
    return found


class _Reader:
    """A reader by recursive descent, one method for each level of binding."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    @property
    def token(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str | None = None) -> str:
        token = self.token
        if not token or (wanted is not None and token != wanted):
            raise Unreadable(f"expected {wanted}, found {token!r}")
        self.at += 1
        return token

    def sum(self, depth: int) -> Tree:
        if depth > MAX_DEPTH:
            raise Unreadable("too deep")
        tree = self.product(depth)
        while self.token in ("+", "-"):
            sign = self.take()
            term = self.product(depth)
            tree = ["add", tree, term if sign == "+" else ["neg", term]]
        return tree

    def product(self, depth: int) -> Tree:
        if self.token in ("+", "-"):
            sign = self.take()
            inner = self.product(depth)
            return ["neg", inner] if sign == "-" else inner
        tree = self.power(depth)
        divided = False
        while self.token and self.token not in "+-),]}=":
            if self.token == "*":
                self.take()
                tree, divided = ["mul", tree, self.signed(depth)], False
            elif self.token == "/":
                self.take()
                tree, divided = ["div", tree, self.signed(depth)], True
            else:
                if divided or (tree[0] == "num" and self.number_follows()):
                    raise Unreadable("a product that may be read in two ways")
                tree = ["mul", tree, self.power(depth)]
        return tree

    def number_follows(self) -> bool:
        return self.token == "\\frac" or self.token[0].isdigit() or self.token[0] == "."

    def signed(self, depth: int) -> Tree:
        if self.token == "-":
            self.take()
            return ["neg", self.power(depth)]
        return self.power(depth)

    def power(self, depth: int) -> Tree:
        if self.token in CALLS:
            return self.call(depth)
        tree = self.atom(depth)
        if self.token == "^":
            self.take()
            tree = ["pow", tree, self.exponent(depth)]
            if self.token == "^":
                raise Unreadable("a tower of powers")
        return tree

    def exponent(self, depth: int) -> Tree:
        if self.token == "-":
            self.take()
            return ["neg", self.atom(depth + 1)]
        return self.atom(depth + 1)

    def call(self, depth: int) -> Tree:
        name = self.take()
        root: Tree | None = None
        raised: Tree | None = None
        if name == "sqrt" and self.token == "[":
            self.take()
            root = self.sum(depth + 1)
            self.take("]")
        if name == "log" and self.token == "_":
            self.take()
            root = self.atom(depth + 1)
        elif self.token == "^":
            self.take()
            raised = self.exponent(depth)
            if raised[0] == "neg":
                raise Unreadable("an inverse or a reciprocal")
        grouped = self.token in ("(", "{")
        inside = self.atom(depth + 1)
        if not grouped and self.token and self.token not in "+-),]}=":
            raise Unreadable(f"where the argument of {name} ends")
        return self.applied(name, inside, root, raised, depth)

    def applied(self, name: str, inside: Tree, root: Tree | None, raised: Tree | None, depth: int) -> Tree:
        if name == "log" and root is None:
            raise Unreadable("a logarithm without its base")
        if name == "log" and root is not None:
            tree: Tree = ["div", ["call", "ln", inside], ["call", "ln", root]]
        elif root is not None:
            tree = ["pow", inside, ["div", ["num", 1, 1, 0], root]]
        else:
            tree = ["call", name, inside]
        if self.token == "^":
            self.take()
            tree = ["pow", tree, self.exponent(depth)]
        return tree if raised is None else ["pow", tree, raised]

    def atom(self, depth: int) -> Tree:
        if depth > MAX_DEPTH:
            raise Unreadable("too deep")
        token = self.take()
        if token in ("(", "{", "["):
            tree = self.sum(depth + 1)
            self.take({"(": ")", "{": "}", "[": "]"}[token])
            return tree
        if token == "\\frac":
            return ["div", self.argument(depth), self.argument(depth)]
        if token[0].isdigit() or (token[0] == "." and len(token) > 1):
            return _number(token)
        if token in _CONSTANTS:
            return ["const", "pi" if token == "pi" else "oo"]
        return self.symbol(token)

    def argument(self, depth: int) -> Tree:
        r"""An argument of ``\frac``: a group, or one digit or letter."""
        if self.token.isdigit() and len(self.token) > 1:
            digits = self.token
            self.tokens[self.at : self.at + 1] = [digits[0], digits[1:]]
        return self.atom(depth + 1)

    def symbol(self, token: str) -> Tree:
        name = token.removeprefix("\\")
        if not (token.isascii() and token.isalpha()) and name not in _GREEK:
            raise Unreadable(f"unknown: {token}")
        if token in "fghFGHPQ" and self.token == "(":
            raise Unreadable("a function or a product")
        if self.token == "_":
            self.take()
            if self.token == "{":
                self.take()
                parts = []
                while self.token and self.token != "}":
                    parts.append(self.take())
                self.take("}")
                return ["sym", f"{name}_{'.'.join(parts)}"]
            return ["sym", f"{name}_{self.take()}"]
        return ["const", "e"] if token == "e" else ["sym", name]


def _number(token: str) -> Tree:
    if len(token) > 60:
        raise Unreadable("a number that is too long")
    value = Fraction(token if token[0] != "." else "0" + token)
    return ["num", value.numerator, value.denominator, len(token.partition(".")[2])]


def value_of(tree: Tree) -> Fraction | None:
    """The value of a tree of numbers without powers; None for any other."""
    kind, *rest = tree
    if kind == "num":
        return Fraction(int(str(rest[0])), int(str(rest[1])))
    parts = [value_of(part) for part in rest if isinstance(part, list)]
    if kind not in ("add", "mul", "div", "neg") or any(part is None for part in parts):
        return None
    values = [part for part in parts if part is not None]
    if kind == "neg":
        return -values[0]
    if kind == "add":
        return values[0] + values[1]
    if kind == "mul":
        return values[0] * values[1]
    return values[0] / values[1] if values[1] else None


def _check_size(tree: Tree) -> float:
    """About how many bits the numbers of a tree take when worked out; raises where that is too much."""
    kind, *rest = tree
    if kind == "num":
        return len(str(rest[0])) * 3.4 + len(str(rest[1])) * 3.4
    parts = [part for part in rest if isinstance(part, list)]
    bits = sum(_check_size(part) for part in parts)
    if kind == "pow":
        power = value_of(parts[1])
        if power is None and not _has_letter(parts[1]):
            raise Unreadable("a power of a power")
        if power is not None and (abs(power) > MAX_POWER or power.denominator > 100):
            raise Unreadable("a power that is too large")
        bits = _check_size(parts[0]) * max(1.0, float(abs(power or 1))) + _check_size(parts[1])
    if bits > MAX_BITS:
        raise Unreadable("numbers that are too large")
    return bits + 1


def _has_letter(tree: Tree) -> bool:
    return tree[0] in ("sym", "const") or any(_has_letter(part) for part in tree[1:] if isinstance(part, list))


def symbols(tree: Tree) -> frozenset[str]:
    """The variables of a formula."""
    if tree[0] == "sym":
        return frozenset((str(tree[1]),))
    return frozenset(name for part in tree[1:] if isinstance(part, list) for name in symbols(part))


def rounded(tree: Tree) -> bool:
    """Whether a formula has a decimal, which may be a rounded number."""
    if tree[0] == "num":
        return tree[3] != 0
    return any(rounded(part) for part in tree[1:] if isinstance(part, list))
