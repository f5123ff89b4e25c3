"""How answers were read and graded, in sentences: what a reader must know before trusting a rate."""

from __future__ import annotations

import pandas as pd

from astray.report.words import percent
from astray.tables import VOID


def reading_notes(outcomes: pd.DataFrame) -> tuple[str, ...]:
    """Sentences on what rules left undecided, what a grader settled, disagreement with a task's scorer, extra calls."""
    rows = outcomes[~outcomes["outcome"].isin([str(outcome) for outcome in VOID])]
    grading = rows["grading"].value_counts()
    found = []
    if undecided := int(grading.get("undecided", 0)):
        found.append(
            f"Exact matching only: rules could not decide {undecided} of {len(rows)} answers, which count as wrong. "
            "A grader model (--grader-model) would settle them."
        )
    if graded := int(grading.get("grader", 0)):
        found.append(f"A grader model settled {graded} of {len(rows)} answers that rules could not decide.")
    if twins := int(grading.get("twin", 0)):
        found.append(f"{twins} answers name another label with the right answer's very text; they count as correct.")
    if failed := int((outcomes["outcome"] == "grader_failed").sum()):
        found.append(f"{failed} answers could not be graded; they are void.")
    compared = rows["agrees"].dropna()
    if len(compared) and (apart := int((~compared.astype(bool)).sum())):
        share = percent(apart / len(compared), 1)
        found.append(
            f"astray reads {apart} of {len(compared)} answers ({share}) otherwise than the task's own scorer, "
            "which decides."
        )
    if extra := int(rows["elicited"].sum()):
        found.append(f"{extra} answers could be read only after an extra call that asked for the answer alone.")
    return tuple(found)
