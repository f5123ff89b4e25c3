"""First rough version."""
from __future__ import annotations

from astray.answers.readings import Reading, answered, unanswered
from astray.tables import Outcome


def read_answer(reply: str, kind: str) -> Reading:
    """Rough."""
    text = reply.strip()
    return answered(text, "short_reply", None) if text else unanswered(Outcome.EMPTY)
