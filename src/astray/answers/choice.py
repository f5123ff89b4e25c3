"""First rough version."""
from __future__ import annotations

import re
from collections.abc import Sequence

from astray.answers.readings import Reading, answered, unanswered
from astray.tables import Outcome


def read_choice(reply: str, labels: Sequence[str], *, choices: Sequence[str] | None = None) -> Reading:
    """Rough."""
    if not reply.strip():
        return unanswered(Outcome.EMPTY)
    alt = "|".join(re.escape(x) for x in labels)
    found = list(re.finditer(rf"(?i:answer\W{{0,12}}(?:is\W+)?)(?:boxed\{{|text\{{)?\W{{0,4}}({alt})(?!\w)", reply))
    if not found:
        found = list(re.finditer(rf"^\W*({alt})(?!\w)", reply))
    if found:
        return answered(found[-1][1], "final_line", found[-1].span(1))
    return unanswered(Outcome.UNPARSED)
