"""Report: what the measures found, drawn for a terminal, as a self-contained page, and as files for papers.

Made from tables alone.
"""

from astray.report.comparing import compare
from astray.report.conversations import ConversationArm, Passing, conversation_arms, passing_tasks, show_conversations
from astray.report.load import Material, Study, load
from astray.report.page import render, write_page, write_report
from astray.report.papers import Results, gather, write_papers
from astray.report.reading import reading_notes
from astray.report.terminal import show

__all__ = [
    "ConversationArm",
    "Material",
    "Passing",
    "Results",
    "Study",
    "compare",
    "conversation_arms",
    "gather",
    "load",
    "passing_tasks",
    "reading_notes",
    "render",
    "show",
    "show_conversations",
    "write_page",
    "write_papers",
    "write_report",
]
