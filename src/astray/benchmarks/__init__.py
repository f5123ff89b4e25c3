"""Benchmarks: which samples, where the request lives, how the agent is told and asked again, how an answer is read."""

from astray.benchmarks.base import (
    METADATA_KEY,
    Answered,
    Benchmark,
    Manner,
    Question,
    check_fingerprint,
    fingerprint,
    sample_digest,
)
from astray.benchmarks.find import find_benchmark
from astray.benchmarks.inspect_task import InspectTask
from astray.benchmarks.qa import QA

__all__ = [
    "METADATA_KEY",
    "QA",
    "Answered",
    "Benchmark",
    "InspectTask",
    "Manner",
    "Question",
    "check_fingerprint",
    "find_benchmark",
    "fingerprint",
    "sample_digest",
]
