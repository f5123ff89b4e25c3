"""Building evidence packs: support for a wrong answer is sought several times, and kept where all runs agree."""

from astray.authors.evidence.replies import FORMS, example
from astray.authors.evidence.run import STORE_KEY, Run, agreed, by_rules, quoted, run_in, settle, together, verified
from astray.authors.evidence.search import TEMPERATURE, Seeker, look, look_as_agent, search_tool, verify
from astray.authors.evidence.task import evidence, seek, support_scorer

__all__ = [
    "FORMS",
    "STORE_KEY",
    "TEMPERATURE",
    "Run",
    "Seeker",
    "agreed",
    "by_rules",
    "evidence",
    "example",
    "look",
    "look_as_agent",
    "quoted",
    "run_in",
    "search_tool",
    "seek",
    "settle",
    "support_scorer",
    "together",
    "verified",
    "verify",
]
