"""Transcripts of other harnesses, read into astray's tables: a module for each format."""

from astray.traces.readers.base import Imported
from astray.traces.readers.bring import READERS, From, bring

__all__ = ["READERS", "From", "Imported", "bring"]
