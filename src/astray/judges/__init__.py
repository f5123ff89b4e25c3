"""Judges and the rounds they speak in."""

from astray.judges.judge import Case, Critique, Judge, TemplateJudge, make_judge
from astray.judges.record import RoundRecord
from astray.judges.rounds import STORE_KEY, records, rounds_scorer, with_rounds

__all__ = [
    "STORE_KEY",
    "Case",
    "Critique",
    "Judge",
    "RoundRecord",
    "TemplateJudge",
    "make_judge",
    "records",
    "rounds_scorer",
    "with_rounds",
]
