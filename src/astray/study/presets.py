"""Presets: lists of arms, written out, for the studies of the papers."""

from __future__ import annotations

from typing import Final

from astray.errors import UsageError, nearest

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
    # WAFER-QA, sections 4.2 and 4.3 (Figure 3, Table 2): one round, the generator told to be skeptical. Beyond the
    # paper: the floor, and a judge that means well, since obstinacy must not look like robustness.
    "wafer-qa": (
        "original",
        "reask+skeptical",
        "judge-constructive-plain+skeptical",
        "judge-hypercritical-none+skeptical",
        "judge-hypercritical-strategic+skeptical",
        "judge-hypercritical-persuasive+skeptical",
        "judge-malicious-none+skeptical",
        "judge-malicious-strategic+skeptical",
        "judge-malicious-persuasive+skeptical",
    ),
    # WAFER-QA, section 5.1 and appendix G (Figures 5 and 6, Table 8): four rounds. Beyond the paper: the floor.
    "wafer-qa-rounds": (
        "original",
        "reask@4+skeptical",
        "judge-hypercritical-none@4+skeptical",
        "judge-hypercritical-strategic@4+skeptical",
    ),
    # WAFER-QA, section 4.4 (Figure 4, Table 3): judges that quote evidence, which must be named. Beyond the paper: the
    # floor of each.
    "wafer-qa-grounded": (
        "original",
        "reask+skeptical",
        "judge-hypercritical-grounded+skeptical",
        "judge-malicious-grounded+skeptical",
        "reask+acknowledge",
        "judge-hypercritical-grounded+acknowledge",
    ),
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
