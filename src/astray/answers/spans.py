"""Sets of spans by DROP's official rules: a bag of words for each span, the best assignment, numbers as numbers."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from typing import Final

from scipy.optimize import linear_sum_assignment

_ARTICLE: Final = re.compile(r"\b(?:a|an|the)\b")
_MARKS: Final = frozenset(string.punctuation)


def _number(token: str) -> str | None:
    plain = token.replace(",", "") if re.fullmatch(r"[-+$]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", token) else token
    plain = plain.lstrip("$").rstrip(".")
    return str(float(plain)) if re.fullmatch(r"[-+]?(?:\d{1,300}(?:\.\d*)?|\.\d+)", plain) else None


def _word(token: str) -> str:
    token = token.strip("()[]{}\"'“”‘’,;:!?*_`")
    number = _number(token)
    if number is not None:
        return number
    bare = "".join(c for c in token.lower() if c not in _MARKS)
    return _number(bare) or " ".join(_ARTICLE.sub(" ", bare).split())


def bag(span: str) -> tuple[str, frozenset[str]]:
    """A span in its normal form, and the set of its words."""
    words = [w for w in (_word(token) for token in re.split(r"[\s-]+", span)) if w]
    words = words or [w for w in span.lower().split() if w]
    return " ".join(words), frozenset(words)


def _overlap(gold: frozenset[str], reply: frozenset[str]) -> float:
    numbers = {w for w in gold if _number(w) is not None}
    if numbers and not numbers & {w for w in reply if _number(w) is not None}:
        return 0.0
    common = len(gold & reply)
    if not common:
        return 0.0
    precision, recall = common / len(reply), common / len(gold)
    return 2 * precision * recall / (precision + recall)


def drop_scores(gold: Sequence[str], reply: Sequence[str]) -> tuple[float, float]:
    """Exact match and F1 of a set of spans against another: F1 is the mean over the best assignment of the two."""
    golds, replies = [bag(s) for s in gold], [bag(s) for s in reply]
    if not golds or not replies:
        return 0.0, 0.0
    exact = float(sorted(g[0] for g in golds) == sorted(r[0] for r in replies))
    scores = [[_overlap(g[1], r[1]) for r in replies] for g in golds]
    rows, columns = linear_sum_assignment(scores, maximize=True)
    total = sum(scores[i][j] for i, j in zip(rows, columns, strict=True))
    return exact, round(total / max(len(golds), len(replies)), 2)


def splits(reply: str, wanted: int) -> list[list[str]]:
    """The ways in which a reply may be a list of spans; as one span too."""
    text = re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "\n", reply.strip(), flags=re.MULTILINE)
    text = text.strip().strip("[]{}")
    found = [[text]]
    for pattern in (r"\s*[\n;|]\s*", r"\s*,\s*(?:and\s+)?|\s*\n\s*", r"\s*(?:,\s*(?:and|&)?|;|\n|\||\band\b|&)\s*"):
        parts = [p.strip(" \"'.") for p in re.split(pattern, text) if p.strip(" \"'.")]
        if len(parts) > 1:
            found.append(parts)
    return [parts for parts in found if len(parts) == wanted] or found[-1:]
