"""Formulas in one spelling: LaTeX and plain notation as the same tokens."""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from astray.answers.text import words

CALLS: Final = frozenset(words("sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh ln log exp sqrt"))
"""The functions that are known."""

_SUPER: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789-+n")
_SUB: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_TOKEN: Final = re.compile(r"\\[A-Za-z]+|\d+\.\d+|\.\d+|\d+|[A-Za-z]+|[-+*/^_(){}\[\]=,]|\S")
_SAME: Final = {
    "\\dfrac": "\\frac",
    "\\tfrac": "\\frac",
    "\\cfrac": "\\frac",
    "\\cdot": "*",
    "\\times": "*",
    "\\div": "/",
    "·": "*",
    "×": "*",
    "∙": "*",
    "⋅": "*",
    "÷": "/",
    "−": "-",
    "–": "-",
    "⁄": "/",
    "π": "\\pi",
    "∞": "\\infty",
    "√": "\\sqrt",
    "\\arcsin": "arcsin",
    "\\operatorname": "",
    "\\displaystyle": "",
    "\\left": "",
    "\\right": "",
    "\\limits": "",
    "\\quad": "",
    "\\qquad": "",
    "\\,": "",
    "\\!": "",
    "\\;": "",
    "\\:": "",
    "\\ ": "",
    "~": "",
    "$": "",
    "\\$": "",
    "α": "\\alpha",
    "β": "\\beta",
    "γ": "\\gamma",
    "δ": "\\delta",
    "ε": "\\epsilon",
    "θ": "\\theta",
    "λ": "\\lambda",
    "μ": "\\mu",
    "ρ": "\\rho",
    "σ": "\\sigma",
    "τ": "\\tau",
    "φ": "\\phi",
    "ω": "\\omega",
    "Ω": "\\Omega",
    "Δ": "\\Delta",
}


def _raised(match: re.Match[str]) -> str:
    return "^{" + match[0].translate(_SUPER) + "}"


def _lowered(match: re.Match[str]) -> str:
    return "_{" + match[0].translate(_SUB) + "}"


def _spaced(word: str, _: re.Match[str]) -> str:
    return f" {word} "


def spelling(text: str) -> tuple[str, ...]:
    """A formula as tokens in one spelling; two formulas with the same tokens are the same by their writing."""
    text = re.sub(r"[⁰¹²³⁴-⁹⁻⁺ⁿ]+", _raised, text)
    text = re.sub(r"[₀-₉]+", _lowered, text)
    text = re.sub(r"\\(?:text|mathrm|textrm|operatorname|mathit|mathbf|textbf)\s*\{([^{}]*)\}", r" \1 ", text)
    text = text.replace("**", "^").replace("{,}", "").replace("\\\\", "\\")
    for old, new in _SAME.items():
        if old in text:
            ends = r"(?![A-Za-z])" if old[-1].isalpha() and old.startswith("\\") else ""
            text = re.sub(re.escape(old) + ends, partial(_spaced, new), text)
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if token[0] == "\\" and token[1:] in CALLS | {"infty", "pi"}:
            token = token[1:]
        found.append("infty" if token in ("inf", "infinity", "oo") else token)
    return tuple(found)
