"""Advice as data: suggestions, decompositions, books, checks, and what one sample gets under one arm."""

from astray.advice.book import Book, from_shelf
from astray.advice.checked import was_edited, with_checks
from astray.advice.rows import RULE, BookHeader, Check, Decomposition, Kind, Part, Stance, Suggestion
from astray.advice.treatment import Placement, Treatment, treat

__all__ = [
    "RULE",
    "Book",
    "BookHeader",
    "Check",
    "Decomposition",
    "Kind",
    "Part",
    "Placement",
    "Stance",
    "Suggestion",
    "Treatment",
    "from_shelf",
    "treat",
    "was_edited",
    "with_checks",
]
