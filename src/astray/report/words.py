"""Numbers and findings in words: how the terminal and the page say things."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from astray.arm import Arm
from astray.errors import UsageError
from astray.measures import BadAdvice, Cell, Estimate, Part, Summary, detectable_drop
from astray.tables import NO_ANSWER, SCORED

NOTHING: Final = "–"
"""Stands where there is nothing to say."""

MINUS: Final = "−"
VOID_LIMIT: Final = 0.05
VOID_ROWS: Final = 20
"""Above this share of void rows, in an arm with at least so many, a result is in doubt (DESIGN, Outcome classes)."""

_FINE: Final = 400


@dataclass(frozen=True)
class Suite:
    """What is shown together: the cells of one study, model and benchmark."""

    study: str
    model: str
    benchmark: str
    cells: tuple[Cell, ...]

    @property
    def arms(self) -> tuple[str, ...]:
        """The arms, in order."""
        return tuple(dict.fromkeys(cell.arm for cell in self.cells))

    @property
    def judges(self) -> tuple[str, ...]:
        """Models that criticised."""
        return tuple(dict.fromkeys(cell.judge for cell in self.cells if cell.judge))

    @property
    def original(self) -> Cell | None:
        """The cell of the request without advice."""
        return next((cell for cell in self.cells if cell.arm == "original" and cell.round == 0), None)

    @property
    def samples(self) -> int:
        """The most samples any arm has, void ones left out."""
        return max((cell.n for cell in self.cells), default=0)

    @property
    def doubtful(self) -> tuple[Cell, ...]:
        """Cells with so many void rows that their numbers are in doubt."""
        return tuple(c for c in self.cells if c.rows >= VOID_ROWS and (c.void_share or 0) > VOID_LIMIT)


def suites(summary: Summary) -> tuple[Suite, ...]:
    """Cells by study, model and benchmark, in their order."""
    return tuple(
        Suite(*key, cells=tuple(cells))
        for key, cells in groupby(summary.cells, key=lambda cell: (cell.study, cell.model, cell.benchmark))
    )


def percent(share: float | None, digits: int = 0) -> str:
    """A share as a percentage: ``62%``."""
    return NOTHING if share is None else f"{number(100 * share, digits)}%"


def signed(value: float | None, digits: int = 0) -> str:
    """A number with its sign, minus as a minus: ``−24``, ``+3``, ``0``."""
    if value is None:
        return NOTHING
    text = number(value, digits)
    return f"+{text}" if value > 0 and text.strip("0.") else text


def spread(
    estimate: Estimate, *, factor: float = 100, sign: bool = False, joint: str = "–", digits: int | None = None
) -> str:
    """Both ends of an interval: ``48–75``, or ``−35 to −12``. Large samples get a decimal."""
    if estimate.low is None or estimate.high is None:
        return ""
    places = digits if digits is not None else 1 if estimate.n >= _FINE else 0
    write = signed if sign else number
    return f"{write(factor * estimate.low, places)}{joint}{write(factor * estimate.high, places)}"


def p_text(p: float | None) -> str:
    """A p-value: ``0.032``, ``<0.001``."""
    if p is None:
        return NOTHING
    return "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def arm_label(text: str) -> str:
    """The arm in a few words; its text where it isn't of this grammar."""
    try:
        return Arm.parse(text).label
    except UsageError:
        return text


def opening(text: str) -> str:
    """The arm in a few words, as a sentence begins."""
    label = arm_label(text)
    return label[:1].upper() + label[1:]


def arm_line(text: str) -> str:
    """What the arm means, in one line."""
    try:
        arm = Arm.parse(text)
    except UsageError:
        return "an arm this version doesn't know"
    if not arm.terms:
        return "the request as it is"
    at = f", {arm.rounds} rounds" if arm.rounds > 1 else ""
    return "; ".join(term.line + (at if term.choice == "challenge" else "") for term in arm.terms)


def is_bad(text: str) -> bool:
    """Whether the arm's advice misleads: a wrong suggestion, or a judge that isn't constructive."""
    try:
        arm = Arm.parse(text)
    except UsageError:
        return False
    return arm.stance == "bad" or any(intent != "constructive" for intent, _ in arm.judges)


def what_was_run(suite: Suite) -> str:
    """One line: model, benchmark, samples, arms, judge."""
    names = [f"{name} (same as generator)" if name == suite.model else name for name in suite.judges]
    judge = f", judge: {', '.join(names)}" if names else ""
    arms = f"{len(suite.arms)} arm{'s' if len(suite.arms) != 1 else ''}"
    return f"{suite.model} on {suite.benchmark}: {suite.samples} samples, {arms}{judge} (study {suite.study})"


def doubts(suite: Suite) -> tuple[str, ...]:
    """Warnings: arms whose void rows are too many."""
    return tuple(
        f"{opening(cell.arm)}, round {cell.round}: {cell.void} of {cell.rows} outcomes ({percent(cell.void_share)}) "
        "are void and say nothing about the agent; run again to have them asked again."
        for cell in suite.doubtful
    )


def power_note(suite: Suite) -> str | None:
    """What this number of samples can show at all."""
    n, original = suite.samples, suite.original
    if not n or original is None or original.accuracy.value is None:
        return None
    drop = detectable_drop(n, accuracy=original.accuracy.value)
    if drop is None:
        return f"{n} samples are too few to find any drop reliably."
    return (
        f"A drop of {drop:.0f} points is the smallest that {n} samples show with 80% power, "
        "if one answer in ten changes without any reason."
    )


def class_kind(outcome: str) -> str:
    """The kind of an outcome class: correct, partial, wrong, none (no answer) or void."""
    if outcome in SCORED:
        return outcome
    return "none" if outcome in NO_ANSWER else "void"


def notes(settings: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """Settings as (name, value), names in words; arms are told elsewhere, and what is empty is left out."""
    for key, value in settings.items():
        if key not in ("arms", "warnings") and value not in (None, "", [], {}, ()):
            yield str(key).replace("_", " "), value


def number(value: float, digits: int) -> str:
    """A number, rounded, with a true minus; what would round to a signed zero keeps a decimal more."""
    text = f"{value:.{digits}f}"
    if not text.strip("-0."):
        text = "0" if abs(value) < 0.05 else f"{value:.1f}"
    return text.replace("-", MINUS)


def told_parts(found: Sequence[BadAdvice]) -> list[tuple[str, list[Part | None]]]:
    """What is told of arms beside all suggestions: (name, the part of each arm), of parts that any arm has."""
    named = [
        ("failing no check", [one.unfaulted for one in found]),
        ("shown harmful", [one.harmful for one in found]),
    ]
    return [(name, parts) for name, parts in named if any(parts)]


def told_caption(found: Sequence[BadAdvice]) -> str:
    """What such a table shows."""
    over = {
        "failing no check": "those that failed no check",
        "shown harmful": "those whose execution was shown to lead to a wrong result",
    }
    return "Change over all suggestions" + "".join(f", over {over[name]}" for name, _ in told_parts(found)) + "."
