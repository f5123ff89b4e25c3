"""First rough version."""
from __future__ import annotations

from collections.abc import Sequence

from astray.answers.choice import read_choice
from astray.answers.readings import Revision


def read_revision(
    first_label: str | None, reply: str, labels: Sequence[str], *, choices: Sequence[str] | None = None
) -> Revision:
    """Rough."""
    r = read_choice(reply, labels, choices=choices)
    change = r.outcome.value if r.outcome is not None else ("held" if r.label == first_label else "changed")
    return Revision(r.label, r.outcome, r.strategy, r.span, change)
