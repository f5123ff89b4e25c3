"""What can go wrong, as few flat types.

::

    AstrayError                 the request can't work; the message says why and what to do (exit code 1)
    ├── UsageError              the words of a command are off: unknown arm, benchmark, option (exit code 2)
    ├── InputError              a file or a row can't be used; names file, line or id
    ├── ModelUnavailable        a model can't be had, or stopped answering
    ├── BudgetReached           as many tokens are used as were allowed (exit code 4)
    └── StudyMismatch           a study folder holds something else than what is asked for now
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class AstrayError(Exception):
    """Base of all errors a person is told about: one message that says what was given, what exists, what to do."""

    exit_code: int = 1


class UsageError(AstrayError):
    """An unknown or senseless arm, benchmark, model or option."""

    exit_code = 2


class InputError(AstrayError):
    """A file, or a row of one, that can't be used; the message names file and line or id."""


class ModelUnavailable(AstrayError):
    """A model file can't be had, or a model doesn't answer."""


class BudgetReached(AstrayError):
    """As many tokens are used as were allowed: nothing more is asked."""

    exit_code = 4


class StudyMismatch(AstrayError):
    """A study folder was made with other settings than those asked for now."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like ``word``, or None when none is near."""
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return found[0] if found else None
