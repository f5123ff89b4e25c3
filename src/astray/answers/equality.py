"""First rough version."""
from __future__ import annotations

from collections.abc import Sequence

from astray.answers.readings import Verdict


def same(kind: str, gold: str | Sequence[str] | Sequence[Sequence[str]], reply: str) -> Verdict:
    """Rough."""
    golds = [gold] if isinstance(gold, str) else [g for g in gold if isinstance(g, str)]
    if any(g.casefold().strip() == reply.casefold().strip() for g in golds):
        return Verdict.EQUAL
    return Verdict.UNDECIDED
