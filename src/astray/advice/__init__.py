"""Advice as data: suggestions, books, checks, and what one sample gets under one arm."""

from astray.advice.book import Book, BookHeader, Check, Stance, Suggestion, from_shelf
from astray.advice.treatment import Treatment, treat

__all__ = ["Book", "BookHeader", "Check", "Stance", "Suggestion", "Treatment", "from_shelf", "treat"]
