"""Question rows in JSON Lines as a benchmark: choices, short answers, numbers, yes or no, spans, dates, maths."""

from astray.benchmarks.qa.benchmark import QA
from astray.benchmarks.qa.rows import Row, load_rows

__all__ = ["QA", "Row", "load_rows"]
