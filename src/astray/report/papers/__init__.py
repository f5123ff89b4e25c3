"""For papers: what the measures found as tables, figures, a paragraph on methods, and machine-readable results."""

from astray.report.papers.results import Results, StudyRecord, gather
from astray.report.papers.sheet import Sheet
from astray.report.papers.sheets import sheets
from astray.report.papers.write import write_papers

__all__ = ["Results", "Sheet", "StudyRecord", "gather", "sheets", "write_papers"]
