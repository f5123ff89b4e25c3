"""Judges and the rounds they speak in."""

from astray.judges.checks import Checks, checks
from astray.judges.evidence import EVIDENCE_KEY, FoundEvidence, evidence_in, find_evidence
from astray.judges.judge import Case, Critique, Exchange, Judge, TemplateJudge
from astray.judges.model import ModelJudge
from astray.judges.panel import Panel, make_judge
from astray.judges.record import RoundRecord
from astray.judges.rounds import STORE_KEY, records, rounds_scorer, with_rounds

__all__ = [
    "EVIDENCE_KEY",
    "STORE_KEY",
    "Case",
    "Checks",
    "Critique",
    "Exchange",
    "FoundEvidence",
    "Judge",
    "ModelJudge",
    "Panel",
    "RoundRecord",
    "TemplateJudge",
    "checks",
    "evidence_in",
    "find_evidence",
    "make_judge",
    "records",
    "rounds_scorer",
    "with_rounds",
]
