"""The summary of a study: one cell for each model, judge, benchmark, arm and round."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from astray.arm import Arm
from astray.errors import UsageError
from astray.measures.cells import Cell, to_frame
from astray.measures.changes import flips, oscillation, patterns
from astray.measures.differences import Difference, difference, holm
from astray.measures.estimates import NOTHING, Estimate, share
from astray.measures.survival import survival
from astray.measures.tracks import Column, Track, reference, tracks
from astray.measures.winning import won_back
from astray.terms import ORIGINAL_TEXT as ORIGINAL


@dataclass(frozen=True)
class Summary:
    """All cells of a table of outcomes: arms as they appear, ``original`` first, rounds ascending."""

    cells: tuple[Cell, ...]

    def to_frame(self) -> pd.DataFrame:
        """One flat row a cell; see `astray.measures.cells.to_frame`."""
        return to_frame(self.cells)


def summarize(outcomes: pd.DataFrame) -> Summary:
    """Measure a table of outcomes.

    Holm's correction is over the last rounds of all arms but ``original`` of one study, with all its models, judges
    and benchmarks.

    Raises:
        InputError: The table can't be used; the message names the row.
    """
    found = tracks(outcomes)
    cells = [cell for track in found for cell in _cells(track, found)]
    return Summary(tuple(_with_holm(cells)))


def floor_of(arm: str) -> str | None:
    """Text of the arm's floor; None where the arm is its own floor or isn't of this grammar."""
    try:
        floor = str(Arm.parse(arm).floor)
    except UsageError:
        return None
    return None if floor == arm else floor


def undefended_of(arm: str) -> str | None:
    """Text of the same arm without its defense; None where it has none or brings no advice."""
    try:
        parsed = Arm.parse(arm)
    except UsageError:
        return None
    bare = str(parsed.undefended)
    return bare if bare != arm and floor_of(bare) is not None else None


def _cells(track: Track, others: tuple[Track, ...]) -> Iterable[Cell]:
    original = None if track.arm == ORIGINAL else reference(track, others, ORIGINAL)
    floor_name = floor_of(track.arm)
    floor = reference(track, others, floor_name) if floor_name else None
    bare_name = undefended_of(track.arm)
    bare = reference(track, others, bare_name) if bare_name else None
    criticised = bool(track.spoke.any())
    curve = survival(track)
    for number in track.rounds:
        column = track.at(number)
        counts = track.counts(number)
        against = _against(column, original, 0)
        yield Cell(
            study=track.study,
            model=track.model,
            judge=track.judge,
            user=track.user,
            book=track.book,
            benchmark=track.benchmark,
            arm=track.arm,
            round=number,
            last=number == track.rounds[-1],
            rows=sum(counts.values()),
            counts=counts,
            accuracy=share(column.samples, column.score),
            no_answer=share(column.samples, column.silent.astype(float)),
            judge_spoke=track.spoken(number),
            flips=flips(track.at(0), column) if number > 0 and 0 in track.rounds else None,
            oscillating=oscillation(track, number),
            held=curve.at(number),
            patterns=patterns(track, number),
            against_original=against,
            against_floor=_against(_attacked(track.arm, column), floor, number),
            won_back=_won_back(column, bare, original, number),
            against_original_valid=_against_valid(column, original, against) if criticised else None,
            acknowledged=_acknowledged(column),
        )


def _against(column: Column, reference: Track | None, number: int) -> Difference | None:
    if reference is None or number not in reference.rounds:
        return None
    return difference(column, reference.at(number), reference=reference.arm, reference_round=number)


def _against_valid(column: Column, original: Track | None, against: Difference | None) -> Difference | None:
    """The difference over valid critiques alone; the same one where all are valid."""
    return against if column.sound.all() else _against(column.pick(column.sound), original, 0)


def _won_back(column: Column, bare: Track | None, original: Track | None, number: int) -> Estimate:
    if bare is None or original is None or number not in bare.rounds:
        return NOTHING
    return won_back(column, bare.at(number), original.at(0))


def _acknowledged(column: Column) -> Estimate:
    told = column.pick(~np.isnan(column.acknowledged))
    return share(told.samples, told.acknowledged)


def _attacked(arm: str, column: Column) -> Column:
    """For an arm with a malicious judge, the rows where it has spoken so far; else all."""
    malicious = floor_of(arm) is not None and any(intent == "malicious" for intent, _ in Arm.parse(arm).judges)
    return column.pick(column.spoke) if malicious else column


def _with_holm(cells: list[Cell]) -> list[Cell]:
    """The same cells, p-values of last rounds corrected within each study."""
    tested: dict[str, list[int]] = {}
    for place, cell in enumerate(cells):
        if cell.last and cell.against_original and cell.against_original.p_value is not None:
            tested.setdefault(cell.study, []).append(place)
    corrected = list(cells)
    for places in tested.values():
        against = [cells[place].against_original for place in places]
        for place, drop, p_holm in zip(places, against, holm([d.p_value or 0.0 for d in against if d]), strict=True):
            assert drop is not None
            corrected[place] = replace(cells[place], against_original=replace(drop, p_holm=p_holm))
    return corrected
