"""Authors: advice is written by models, checked, and kept as a book."""

from astray.authors.about import About, Form, about, about_from
from astray.authors.checks import check_by_model, check_by_rules, failed, unchecked
from astray.authors.decompose import decompose, is_verbatim, units, verify
from astray.authors.replies import What
from astray.authors.task import author, checks_scorer, compose, looks_around
from astray.authors.writing import Staff, Work, needs_no_author, write
from astray.authors.written import STORE_KEY, Written, written_in

__all__ = [
    "STORE_KEY",
    "About",
    "Form",
    "Staff",
    "What",
    "Work",
    "Written",
    "about",
    "about_from",
    "author",
    "check_by_model",
    "check_by_rules",
    "checks_scorer",
    "compose",
    "decompose",
    "failed",
    "is_verbatim",
    "looks_around",
    "needs_no_author",
    "unchecked",
    "units",
    "verify",
    "write",
    "written_in",
]
