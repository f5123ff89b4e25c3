"""Outcomes written by hand, for tests of measures: one mark a round."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from astray.measures import Track, tracks

KEY = {"study": "s", "model": "m", "judge": None, "user": None, "book": None, "benchmark": "b", "subset": None}
CLASSES = {"✓": "correct", "✗": "wrong", "?": "unparsed", "b": "both", "!": "error", "g": "grader_failed"}


def outcomes(arm: str, courses: Iterable[str], **more: Any) -> list[dict[str, Any]]:
    """One row for each sample and round; a course is a text of marks, one a round."""
    rows = []
    for number, course in enumerate(courses):
        for round_, mark in enumerate(course):
            outcome = CLASSES[mark]
            value = {"correct": 1.0, "wrong": 0.0}.get(outcome, None if outcome in ("error", "grader_failed") else 0.0)
            answer = {"✓": "A", "✗": "BCD"[round_ % 3]}.get(mark)
            row = KEY | {"sample_id": f"q{number:03}", "arm": arm, "epoch": 1, "round": round_}
            row |= {"outcome": outcome, "value": value, "answer": answer, "strategy": None, "judge_spoke": False}
            rows.append(row | more)
    return rows


def frame(*parts: list[dict[str, Any]]) -> pd.DataFrame:
    """The parts as one table."""
    return pd.DataFrame([row for part in parts for row in part])


def found(*parts: list[dict[str, Any]]) -> dict[str, Track]:
    """Their tracks by arm."""
    return {track.arm: track for track in tracks(frame(*parts))}
