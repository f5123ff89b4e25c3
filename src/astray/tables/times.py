"""The time of a step: seconds since the first, from whatever stamps a harness writes."""

from __future__ import annotations

from datetime import datetime
from typing import Any


def moment(stamp: Any) -> float | None:
    """Seconds of a time stamp: ISO 8601, or a number of seconds; None for anything else."""
    if isinstance(stamp, int | float) and not isinstance(stamp, bool):
        return float(stamp)
    try:
        return datetime.fromisoformat(stamp).timestamp() if isinstance(stamp, str) else None
    except ValueError:
        return None


def since(start: float | None, now: float | None) -> float | None:
    """Seconds from one moment to another; None where one isn't known, or the clock ran backwards."""
    return round(now - start, 3) if start is not None and now is not None and now >= start else None
