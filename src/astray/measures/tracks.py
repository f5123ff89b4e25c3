"""Tracks: one arm as it was run, as matrices of (sample, epoch) by round, made from the outcomes table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from astray.errors import InputError
from astray.measures.estimates import Flags, Floats, Ints, sample_means
from astray.tables import NO_ANSWER, VOID, Outcome

CLASSES: Final = tuple(Outcome)
"""Outcome classes in the order of their codes."""

KEY: Final = ("study", "model", "judge", "user", "book", "benchmark", "arm")
"""What tells one track from another."""

_NEEDED: Final = (*KEY, "sample_id", "epoch", "round", "outcome", "value", "answer", "judge_spoke")
_VOID_CODES: Final = [CLASSES.index(outcome) for outcome in VOID]
_SILENT: Final[Flags] = np.array([outcome in NO_ANSWER for outcome in CLASSES])
_SCORED: Final[Flags] = np.array([outcome.scored for outcome in CLASSES])
_CORRECT: Final = CLASSES.index(Outcome.CORRECT)


@dataclass(frozen=True, eq=False)
class Column:
    """One round of a track without its void rows.

    Attributes:
        samples: Code of the sample of each row.
        epochs: Its epoch.
        score: Its value, 0…1; 0 for what isn't an answer.
        correct: Whether its outcome is ``correct``; a partial score isn't.
        answer: Code of the answer that was read; -1 where none was.
        silent: Whether it isn't an answer.
        spoke: Whether a judge has spoken in this round or before it.
        sound: Whether no critique so far was other than it should be.
        acknowledged: 1 where several valid answers were acknowledged, 0 where not, NaN where that wasn't looked for.
    """

    samples: Ints
    epochs: Ints
    score: Floats
    correct: Flags
    answer: Ints
    silent: Flags
    spoke: Flags
    sound: Flags
    acknowledged: Floats

    def pick(self, rows: Ints | Flags) -> Column:
        """The rows asked for."""
        return Column(
            self.samples[rows],
            self.epochs[rows],
            self.score[rows],
            self.correct[rows],
            self.answer[rows],
            self.silent[rows],
            self.spoke[rows],
            self.sound[rows],
            self.acknowledged[rows],
        )

    @property
    def sample_scores(self) -> tuple[Ints, Floats, Ints]:
        """Each sample once, its mean score over epochs, and their number."""
        return sample_means(self.samples, self.score)


@dataclass(frozen=True, eq=False)
class Track:
    """One arm as it was run by one model, with one judge, on one benchmark.

    The matrices have a row for each (sample, epoch) and a column for each round in ``rounds``.

    Attributes:
        outcome: Position in `CLASSES`; -1 where there is no such row in the table.
        score: Value; NaN where void or absent.
        answer: Code of the answer that was read; -1 where none was.
        spoke: Whether a judge criticised before this answer.
        sound: Whether what was said before this answer was what it should be, or nothing was said.
        acknowledged: 1 where several valid answers were acknowledged, 0 where not, NaN where that wasn't looked for.
    """

    study: str
    model: str
    judge: str | None
    user: str | None
    book: str | None
    benchmark: str
    arm: str
    rounds: tuple[int, ...]
    samples: Ints
    epochs: Ints
    outcome: Ints
    score: Floats
    answer: Ints
    spoke: Flags
    sound: Flags
    acknowledged: Floats

    @property
    def family(self) -> tuple[str, str, str | None, str]:
        """What an arm shares with the ``original`` it is compared with."""
        return self.study, self.model, self.user, self.benchmark

    @property
    def suite(self) -> tuple[str, str, str]:
        """What is shown together: study, model, benchmark."""
        return self.study, self.model, self.benchmark

    def at(self, round_: int) -> Column:
        """One round, void and absent rows left out."""
        place = self.rounds.index(round_)
        keep = ~np.isnan(self.score[:, place])
        return Column(
            self.samples[keep],
            self.epochs[keep],
            self.score[keep, place],
            self.outcome[keep, place] == _CORRECT,
            self.answer[keep, place],
            _SILENT[self.outcome[keep, place]],
            np.asarray(self.spoke[keep, : place + 1].any(axis=1), dtype=np.bool_),
            np.asarray(self.sound[keep, : place + 1].all(axis=1), dtype=np.bool_),
            self.acknowledged[keep, place],
        )

    def counts(self, round_: int) -> dict[str, int]:
        """Rows of one round by outcome class, every class named."""
        codes = self.outcome[:, self.rounds.index(round_)]
        found = np.bincount(codes[codes >= 0], minlength=len(CLASSES))
        return {outcome.value: int(number) for outcome, number in zip(CLASSES, found, strict=True)}

    def spoken(self, round_: int) -> int:
        """Rows of one round, void ones left out, before which a judge criticised."""
        place = self.rounds.index(round_)
        return int((self.spoke[:, place] & ~np.isnan(self.score[:, place])).sum())

    def readings(self) -> tuple[Flags, Flags]:
        """(known, correct) of every row and round: known is neither void nor absent."""
        return ~np.isnan(self.score), self.outcome == _CORRECT

    def histories(self, round_: int) -> tuple[Ints, Flags]:
        """Samples and their correctness over rounds 0…round_, for rows that are void or absent in none of them."""
        places = [place for place, number in enumerate(self.rounds) if number <= round_]
        whole = ~np.isnan(self.score[:, places]).any(axis=1)
        return self.samples[whole], self.outcome[whole][:, places] == _CORRECT


def align(left: Column, right: Column) -> tuple[Column, Column]:
    """The rows of two columns that share sample and epoch, in the same order."""
    width = int(max(left.epochs.max(initial=0), right.epochs.max(initial=0))) + 1
    ids = left.samples * width + left.epochs, right.samples * width + right.epochs
    _, in_left, in_right = np.intersect1d(*ids, assume_unique=True, return_indices=True)
    return left.pick(in_left), right.pick(in_right)


def reference(track: Track, others: tuple[Track, ...], arm: str) -> Track | None:
    """The track of another arm of the same family; the one with the same judge and book where there are several."""
    found = [other for other in others if other.arm == arm and other.family == track.family]
    found.sort(key=lambda other: (other.judge != track.judge, other.book != track.book))
    return found[0] if found else None


def tracks(outcomes: pd.DataFrame) -> tuple[Track, ...]:
    """Tracks of an outcomes table: families and arms as they appear, ``original`` before all other arms.

    Raises:
        InputError: A column is missing, an outcome class is unknown, a scored row holds no value, or a row is there
            twice.
    """
    groups = _checked(outcomes).groupby(list(KEY), sort=False)
    found = [_track(key, rows) for key, rows in groups]
    arms = list(dict.fromkeys(["original", *(track.arm for track in found)]))
    suites = list(dict.fromkeys(track.suite for track in found))
    return tuple(sorted(found, key=lambda track: (suites.index(track.suite), arms.index(track.arm))))


def _checked(outcomes: pd.DataFrame) -> pd.DataFrame:
    """The columns measures need, keys without nulls, answers and samples as codes, scores NaN only where void."""
    missing = [column for column in _NEEDED if column not in outcomes.columns]
    if missing:
        raise InputError(f"outcomes: columns missing: {', '.join(missing)}")
    frame = outcomes[list(_NEEDED)].reset_index(drop=True)
    frame["sound"] = np.nan_to_num(_flags(outcomes, "critique_valid"), nan=1.0) == 1
    frame["acknowledged"] = _flags(outcomes, "acknowledged")
    for column in KEY:
        frame[column] = frame[column].astype(object).where(frame[column].notna(), "")
    codes = pd.Categorical(frame["outcome"].astype(str), categories=[outcome.value for outcome in CLASSES]).codes
    if (codes < 0).any():
        unknown = sorted(set(frame["outcome"].astype(str)[codes < 0]))
        raise InputError(f"outcomes: unknown outcome class {', '.join(unknown)}; there are {', '.join(CLASSES)}")
    frame["outcome"] = codes.astype(np.int64)
    frame["score"] = _scores(frame)
    frame["sample"] = pd.factorize(frame["sample_id"].astype(str), sort=True)[0]
    read = frame["answer"].notna()
    folded = frame["answer"].astype(object).where(read, "").astype(str).str.strip().str.casefold()
    frame["answer"] = np.where(read, pd.factorize(folded)[0], -1)
    return frame


def _flags(outcomes: pd.DataFrame, column: str) -> Floats:
    """A column of yes and no as 1 and 0; NaN where it is null, or where tables of another version lack it."""
    if column not in outcomes.columns:
        return np.full(len(outcomes), np.nan)
    return np.asarray(outcomes[column].astype(object).map({True: 1.0, False: 0.0}), dtype=np.float64)


def _scores(frame: pd.DataFrame) -> Floats:
    """Value where scored, 0 where there is no answer, NaN where void."""
    values = frame["value"].astype("float64").to_numpy()
    outcome = frame["outcome"].to_numpy()
    scored = _SCORED[outcome]
    lacking = scored & np.isnan(values)
    if lacking.any():
        row = frame[lacking].iloc[0]
        raise InputError(
            f"outcomes: {int(lacking.sum())} scored rows hold no value, the first is sample '{row['sample_id']}', "
            f"arm '{row['arm']}', round {row['round']}; void rows have an outcome of their own"
        )
    scores = np.where(scored, values, 0.0)
    scores[np.isin(outcome, _VOID_CODES)] = np.nan
    return scores


def _track(key: object, rows: pd.DataFrame) -> Track:
    assert isinstance(key, tuple)
    study, model, judge, user, book, benchmark, arm = (str(part) for part in key)
    sample, epoch = rows["sample"].to_numpy(np.int64), rows["epoch"].to_numpy(np.int64)
    width = int(epoch.max()) + 1
    pairs, row = np.unique(sample * width + epoch, return_inverse=True)
    rounds, column = np.unique(rows["round"].to_numpy(np.int64), return_inverse=True)
    shape = len(pairs), len(rounds)
    if len(np.unique(row * shape[1] + column)) != len(rows):
        repeated = rows[rows.duplicated(["sample", "epoch", "round"])].iloc[0]
        raise InputError(
            f"outcomes: sample '{repeated['sample_id']}', arm '{arm}', epoch {repeated['epoch']}, round "
            f"{repeated['round']} is there twice; a study holds each outcome once"
        )
    outcome = np.full(shape, -1, dtype=np.int64)
    score = np.full(shape, np.nan)
    answer = np.full(shape, -1, dtype=np.int64)
    spoke = np.zeros(shape, dtype=np.bool_)
    outcome[row, column] = rows["outcome"].to_numpy()
    score[row, column] = rows["score"].to_numpy()
    answer[row, column] = rows["answer"].to_numpy()
    spoke[row, column] = rows["judge_spoke"].to_numpy(dtype=np.bool_, na_value=False)
    sound = np.ones(shape, dtype=np.bool_)
    sound[row, column] = rows["sound"].to_numpy()
    acknowledged = np.full(shape, np.nan)
    acknowledged[row, column] = rows["acknowledged"].to_numpy()
    return Track(
        *(study, model, judge or None, user or None, book or None, benchmark, arm),
        rounds=tuple(int(number) for number in rounds),
        samples=pairs // width,
        epochs=pairs % width,
        outcome=outcome,
        score=score,
        answer=answer,
        spoke=spoke,
        sound=sound,
        acknowledged=acknowledged,
    )
