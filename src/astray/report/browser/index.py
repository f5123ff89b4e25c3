"""The index: what is known of every conversation at a glance, as columns, small enough to stand in the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

from astray.report.browser.runs import Run
from astray.report.words import arm_label, is_bad

GIST: Final = 110
"""Characters of the question in a list."""

FLIPS: Final = ("", "lost", "won")

T = TypeVar("T")


class Codes(Generic[T]):
    """Values as small numbers, in the order they are first met."""

    def __init__(self) -> None:
        self.values: dict[T, int] = {}

    def __call__(self, value: T) -> int:
        """The number of a value."""
        return self.values.setdefault(value, len(self.values))


def index_of(runs: Sequence[Run], gists: Mapping[tuple[str, str, str], str]) -> dict[str, Any]:
    """Columns by name: for each run its suite, arm, sample, epoch, last outcome, flip, advice and trail.

    ``gists`` has the question of each sample. A column ``chunk``, where its transcript is, is the packer's to add.
    """
    suites, arms, samples, outcomes, trails = (Codes[Any]() for _ in range(5))
    columns: dict[str, list[int]] = {
        name: [] for name in ("suite", "arm", "sample", "epoch", "last", "flip", "advised", "trail")
    }
    for run in runs:
        columns["suite"].append(suites(run.suite))
        columns["arm"].append(arms(run.arm))
        columns["sample"].append(samples((run.suite[0], run.suite[2], run.sample)))
        columns["epoch"].append(run.epoch)
        columns["last"].append(outcomes(run.rows[-1][1] if run.rows else "no score"))
        columns["flip"].append(FLIPS.index(run.flip))
        columns["advised"].append(int(run.advised))
        columns["trail"].append(trails(run.trail))
    return {
        "suites": [list(suite) for suite in suites.values],
        "arms": [[arm, arm_label(arm), int(is_bad(arm))] for arm in arms.values],
        "ids": [sample for _, _, sample in samples.values],
        "gists": _gists(samples.values, gists),
        "outcomes": [str(outcome).replace("_", " ") for outcome in outcomes.values],
        "trails": list(trails.values),
        "runs": columns,
    }


def _gists(samples: Iterable[tuple[str, str, str]], gists: Mapping[tuple[str, str, str], str]) -> list[str]:
    found = (" ".join(gists.get(sample, "").split()) for sample in samples)
    return [text if len(text) <= GIST else text[: GIST - 1] + "…" for text in found]
