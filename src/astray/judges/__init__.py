"""Judges and the rounds they speak in."""

from astray.judges.checks import Checks, checks
from astray.judges.judge import Case, Critique, Evidence, Exchange, Judge, TemplateJudge
from astray.judges.model import ModelJudge
from astray.judges.panel import Panel, make_judge
from astray.judges.record import RoundRecord
from astray.judges.rounds import STORE_KEY, records, rounds_scorer, with_rounds

__all__ = [
    "STORE_KEY",
    "Case",
    "Checks",
    "Critique",
    "Evidence",
    "Exchange",
    "Judge",
    "ModelJudge",
    "Panel",
    "RoundRecord",
    "TemplateJudge",
    "checks",
    "make_judge",
    "records",
    "rounds_scorer",
    "with_rounds",
]
