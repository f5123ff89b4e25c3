"""Presets: lists of arms, written out, for the studies of the papers."""

from __future__ import annotations

from typing import Final

from astray.arm import nearest
from astray.errors import UsageError

PRESETS: Final[dict[str, tuple[str, ...]]] = {
    # XYEval, section 5.1 (Table 1: original, xy; Table 3: the two defenses). Beyond the paper: good advice and a
    # neutral sentence in the same form, the warning where there is no advice, and the floor of the defended arm.
    "xyeval": (
        "original",
        "xy",
        "xy-good",
        "xy-neutral",
        "xy-defense",
        "xy+xy-defense",
        "xy-neutral+xy-defense",
        "xy+golden-defense",
    ),
    # XYEval, Table 18: is it the advice, or that the request was restructured? Needs decompositions in the book.
    "xyeval-decomposed": ("original", "described", "rewrite", "xy-instead", "xy"),
}
"""Arms by the name of the preset."""


def preset(name: str) -> tuple[str, ...]:
    """The arms of a preset.

    Raises:
        UsageError: There is none of this name.
    """
    if name not in PRESETS:
        near = nearest(name, PRESETS)
        raise UsageError(
            f"unknown preset '{name}'; there are {', '.join(PRESETS)}" + (f": did you mean '{near}'?" if near else "")
        )
    return PRESETS[name]
