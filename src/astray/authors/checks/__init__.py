"""Checks of a suggestion: by rules, by a model, by executing it. What can't be checked is unknown, never passed."""

from astray.authors.checks.again import recheck, reverify, updated
from astray.authors.checks.harm import Executes, check_harm
from astray.authors.checks.opinion import Opinion, check_by_model, model_checks, unchecked
from astray.authors.checks.rules import check_by_rules, failed

__all__ = [
    "Executes",
    "Opinion",
    "check_by_model",
    "check_by_rules",
    "check_harm",
    "failed",
    "model_checks",
    "recheck",
    "reverify",
    "unchecked",
    "updated",
]
