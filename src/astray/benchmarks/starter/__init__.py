"""The starter set: multiple-choice questions written for astray, with their own advice book."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from astray.advice import Book
from astray.benchmarks.qa import QA, load_rows


def starter() -> QA:
    """The starter set as a benchmark."""
    folder = Path(str(files(__name__)))
    return QA("starter", load_rows(folder / "questions.jsonl"), Book.load(folder / "book.jsonl"))
