"""A sheet as CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import re
import textwrap
import unicodedata
from collections.abc import Sequence
from typing import Final

from astray.measures import Estimate
from astray.report.papers.sheet import P, Sheet, Value
from astray.report.words import MINUS, NOTHING, p_text, signed

_LATEX: Final = str.maketrans(
    {
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        MINUS: "$-$",
        "–": "--",
        "✓": r"$\checkmark$",
        "✗": r"$\times$",
        "²": r"\textsuperscript{2}",
    }
)
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]#|~])")
_HEAD: Final = 9
"""Letters in a line of a table's head in LaTeX, but for longer words."""

_NO_WIDER: Final = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
"""A table that is wider than the text is made smaller, all others stay as they are."""

_TEXT: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def to_csv(sheet: Sheet) -> str:
    """Numbers as numbers: an estimate is four columns, its value, both ends of its interval, and n."""
    wide = {place for place in range(len(sheet.columns)) if any(isinstance(row[place], Estimate) for row in sheet.rows)}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [[name, f"{name} low", f"{name} high", f"{name} n"] if p in wide else [name] for p, name in _places(sheet)]
    writer.writerow([part for parts in names for part in parts])
    for row in sheet.rows:
        writer.writerow([part for place, value in enumerate(row) for part in _plain(value, wide=place in wide)])
    return out.getvalue()


def to_markdown(sheet: Sheet) -> str:
    """A table with its caption below."""
    sheet = sheet.narrow
    head = ["| " + " | ".join(_markdown(name) for name in sheet.columns) + " |"]
    head.append("|" + "|".join("---:" if numeric else ":---" for numeric in _numeric(sheet)) + "|")
    rows = ["| " + " | ".join(_markdown(said(value)) for value in row) + " |" for row in sheet.rows]
    return "\n".join([*head, *rows, "", _markdown(one_line(sheet.caption)), ""])


def to_latex(sheet: Sheet) -> str:
    """A table to be put in by ``input``, with the rules of booktabs; intervals stand small below their values."""
    sheet = sheet.narrow
    columns = "".join("r" if numeric else "l" for numeric in _numeric(sheet))
    rows = [line for row in sheet.rows for line in _latex_rows(row)]
    return "\n".join(
        [
            r"% Needs \usepackage{booktabs,amssymb,graphicx}; LuaLaTeX or XeLaTeX where names hold other scripts.",
            r"\begin{table}",
            r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
            rf"\caption{{{_latex(one_line(sheet.caption))}}}",
            rf"\label{{tab:{sheet.name}}}",
            _NO_WIDER,
            rf"\begin{{tabular}}{{{columns}}}",
            *(r"\toprule", *_latex_head(sheet.columns), r"\midrule", *rows, r"\bottomrule"),
            r"\end{tabular}}",
            r"\end{table}",
            "",
        ]
    )


def said(value: Value) -> str:
    """A value as a reader sees it: ``62.0 [48.1, 74.9]``, ``<0.001``; a dash where there is nothing to say."""
    return " ".join(part for part in _parts(value) if part)


def _parts(value: Value) -> tuple[str, str]:
    """(the value as a reader sees it, its interval or nothing)."""
    if isinstance(value, Estimate):
        if value.value is None or value.low is None or value.high is None:
            return NOTHING, ""
        low, high = (signed(end, 1).lstrip("+") for end in (value.low, value.high))
        return signed(value.value, 1).lstrip("+"), f"[{low}, {high}]"
    if isinstance(value, P):
        return p_text(value.value), ""
    if value is None:
        return NOTHING, ""
    return f"{value:.1f}".replace("-", MINUS) if isinstance(value, float) else one_line(str(value)), ""


def one_line(text: str) -> str:
    """Text in one line, without what can't be seen: control characters, marks that turn the direction of writing."""
    spaced = re.sub(r"\s+", " ", text)
    return "".join(mark for mark in spaced if unicodedata.category(mark) not in _TEXT or mark == "\u200d").strip()


def _places(sheet: Sheet) -> list[tuple[int, str]]:
    return list(enumerate(sheet.columns))


def _plain(value: Value, *, wide: bool) -> Sequence[object]:
    """Values of one place in CSV: empty where there is nothing."""
    if isinstance(value, Estimate):
        return [value.value, value.low, value.high, value.n]
    number = value.value if isinstance(value, P) else value
    return [number, None, None, None] if wide else [number]


def _numeric(sheet: Sheet) -> list[bool]:
    return [
        any(isinstance(row[place], (int, float, Estimate, P)) for row in sheet.rows)
        for place in range(len(sheet.columns))
    ]


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _latex_head(names: Sequence[str]) -> list[str]:
    """The names in lines of at most so many letters, standing on the rule."""
    broken = [textwrap.wrap(name, _HEAD, break_long_words=False) or [""] for name in names]
    most = max(map(len, broken))
    columns = [[""] * (most - len(lines)) + lines for lines in broken]
    return [_latex_line([_latex(text) for text in line]) for line in zip(*columns, strict=True)]


def _latex_rows(row: Sequence[Value]) -> list[str]:
    """A row of values, and where some have intervals one of those below it."""
    values, intervals = zip(*map(_parts, row), strict=True)
    lines = [_latex_line([_latex(text) for text in values])]
    if any(intervals):
        small = [rf"{{\tiny {_latex(text)}}}" if text else "" for text in intervals]
        lines += [_latex_line(small), r"\addlinespace[2pt]"]
    return lines


def _latex_line(entries: Sequence[str]) -> str:
    line = " & ".join(entries) + r" \\"
    return "{}" + line if line.startswith(("[", "*")) else line  # else an argument of the line end before it


def _latex(text: str) -> str:
    return text.translate(_LATEX)
