"""Data sets on the Hugging Face hub as question rows: a field map says which field is what."""

from astray.benchmarks.hf.field_map import FieldMap
from astray.benchmarks.hf.load import hub_rows, ready_maps

__all__ = ["FieldMap", "hub_rows", "ready_maps"]
