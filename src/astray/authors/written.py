"""What came of writing one thing, as it stands in the log of its sample."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from astray.advice import Check, Decomposition, Suggestion
from astray.authors.replies import What

STORE_KEY: Final = "astray:written"
"""Where it stands in a sample's store, as JSON-able data."""


class Written(BaseModel):
    """One thing written for one sample, or why there is none."""

    model_config = ConfigDict(frozen=True)

    sample_id: str
    what: What
    suggestion: Suggestion | None = None
    decomposition: Decomposition | None = None
    attempts: int = 0
    checks: tuple[Check, ...] = ()
    reason: str | None = None
    unusable: bool = False

    @property
    def row(self) -> Suggestion | Decomposition | None:
        """What goes into a book; None where nothing passed."""
        return self.suggestion or self.decomposition


def written_in(store: dict[str, Any]) -> Written | None:
    """What a sample's store says was written; None where the sample didn't come to its end."""
    found = store.get(STORE_KEY)
    return Written.model_validate(found) if found else None
