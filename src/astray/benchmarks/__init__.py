"""Benchmarks: which samples, where the request lives, how the agent is told and asked again, how an answer is read."""

from astray.benchmarks.base import (
    BEFORE_KEY,
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
from astray.benchmarks.sandbox import sandbox_left_alone
from astray.benchmarks.telling import OTHER_ROLES, telling, told_in, told_now

__all__ = [
    "BEFORE_KEY",
    "METADATA_KEY",
    "OTHER_ROLES",
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
    "sandbox_left_alone",
    "telling",
    "told_in",
    "told_now",
]
