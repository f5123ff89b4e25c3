"""Answers: reading an answer out of a reply, comparing it with gold, and saying so where that can't be done."""

from astray.answers.choice import read_choice
from astray.answers.equality import same
from astray.answers.final import read_answer
from astray.answers.readings import Reading, Revision, Verdict
from astray.answers.revision import read_revision

__all__ = ["Reading", "Revision", "Verdict", "read_answer", "read_choice", "read_revision", "same"]
