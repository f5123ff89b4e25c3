"""Sections of the page: what is said of a study, as sentences, tables and figures."""

from astray.report.sections.advice import advice_section
from astray.report.sections.arms import arms_section
from astray.report.sections.chapter import Chapter, chapters
from astray.report.sections.conversations import conversations_section
from astray.report.sections.models import models_section, name
from astray.report.sections.parts import Figure, Grid, Head, Listing, Note, Patterns, Section
from astray.report.sections.rounds import rounds_section
from astray.report.sections.subsets import subsets_section
from astray.report.sections.traces import traces_section
from astray.report.sections.validity import validity_section

__all__ = [
    "Chapter",
    "Figure",
    "Grid",
    "Head",
    "Listing",
    "Note",
    "Patterns",
    "Section",
    "advice_section",
    "arms_section",
    "chapters",
    "conversations_section",
    "models_section",
    "name",
    "rounds_section",
    "subsets_section",
    "traces_section",
    "validity_section",
]
