"""What is kept of one round in the log: the link between a run and the outcomes table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from astray.judges.judge import Critique
from astray.tables import Outcome


class RoundRecord(BaseModel):
    """One round of one sample; the fields are columns of the outcomes table."""

    model_config = ConfigDict(frozen=True)

    round: int
    outcome: Outcome
    value: float | None
    answer: str | None = None
    strategy: str | None = None
    grading: str | None = None
    elicited: bool = False
    agrees: bool | None = None
    judge_spoke: bool = False
    critique_valid: bool | None = None
    acknowledged: bool | None = None
    limit: str | None = None
    error: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    seconds: float | None = None
    turns: int = 0
    messages: int = 0
    critiques: tuple[dict[str, Any], ...] = ()

    def standing(self, round: int, messages: int) -> RoundRecord:
        """The same answer in the next round: every judge kept silent, so it stands, at no cost."""
        cost = {"input_tokens": None, "output_tokens": None, "cost_usd": None, "seconds": 0.0, "turns": 0}
        said = {"judge_spoke": False, "critique_valid": None, "critiques": ()}
        return self.model_copy(update={"round": round, "messages": messages, **cost, **said})

    def heard(self, critiques: Sequence[Critique]) -> RoundRecord:
        """The same round with what was said before it."""
        spoken = [critique for critique in critiques if critique.text is not None]
        valid = all(critique.valid for critique in spoken) if spoken else None
        kept = tuple(vars(critique) for critique in critiques)
        return self.model_copy(update={"critiques": kept, "judge_spoke": bool(spoken), "critique_valid": valid})

    @classmethod
    def unheard(cls, round: int, messages: int, error: str) -> RoundRecord:
        """A round whose critique could not be had: it says nothing about the agent."""
        return cls(round=round, outcome=Outcome.JUDGE_FAILED, value=None, error=error, messages=messages)
