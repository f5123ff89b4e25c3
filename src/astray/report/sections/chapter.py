"""A chapter: all that is known of one study, model and benchmark, and the sections it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from astray.measures import Attacks, BadAdvice, CheckShare, Heterogeneity, Summary, Track, Updating, tracks
from astray.measures.traces import TraceMeasures
from astray.report import words
from astray.report.findings import findings
from astray.report.load import Material, Study
from astray.report.papers.results import Results
from astray.report.words import Suite
from astray.terms import ORIGINAL_TEXT


@dataclass(frozen=True, eq=False)
class Chapter:
    """One study, model and benchmark: its rows, its cells, and what else was measured of it."""

    suite: Suite
    study: Study | None
    outcomes: pd.DataFrame
    critiques: pd.DataFrame
    conversations: pd.DataFrame
    transcripts: pd.DataFrame
    tracks: tuple[Track, ...]
    attacks: tuple[Attacks, ...] = ()
    checks: tuple[CheckShare, ...] = ()
    bad_advice: tuple[BadAdvice, ...] = ()
    updating: tuple[Updating, ...] = ()
    heterogeneity: tuple[Heterogeneity, ...] = ()
    traces: TraceMeasures | None = None
    findings: tuple[str, ...] = field(default=())

    @property
    def arms(self) -> tuple[str, ...]:
        """The arms, in order: those with outcomes, then those of transcripts without a score."""
        more = self.transcripts["arm"].unique().tolist() if "arm" in self.transcripts.columns else []
        return tuple(dict.fromkeys([*self.suite.arms, *sorted(more, key=lambda arm: arm != ORIGINAL_TEXT)]))


def chapters(material: Material, results: Results) -> tuple[Chapter, ...]:
    """The chapters of a report, in the order of its rows; last those of transcripts without any score."""
    found = tracks(material.outcomes)
    studies = {study.name: study for study in material.studies}
    scored = words.suites(Summary(results.cells))
    return tuple(
        _chapter(suite, material, results, found, studies.get(suite.study))
        for suite in (*scored, *unscored(material, scored))
    )


def unscored(material: Material, scored: Sequence[Suite] = ()) -> tuple[Suite, ...]:
    """Suites whose transcripts were brought in without any score, as far as they aren't among these."""
    if material.transcripts.empty:
        return ()
    known = {(suite.study, suite.model, suite.benchmark) for suite in scored}
    keys = material.transcripts[["study", "model", "benchmark"]].drop_duplicates().itertuples(index=False, name=None)
    return tuple(Suite(str(key[0]), str(key[1]), str(key[2]), ()) for key in keys if key not in known)


def _chapter(
    suite: Suite, material: Material, results: Results, found: tuple[Track, ...], study: Study | None
) -> Chapter:
    key = (suite.study, suite.model, suite.benchmark)
    return Chapter(
        suite=suite,
        study=study,
        outcomes=rows_of(material.outcomes, suite),
        critiques=rows_of(material.critiques, suite),
        conversations=rows_of(material.conversations, suite),
        transcripts=rows_of(material.transcripts, suite),
        tracks=tuple(track for track in found if track.suite == key),
        attacks=tuple(
            sorted(
                (a for a in results.attacks if (a.study, a.model, a.benchmark) == key and a.judge is not None),
                key=lambda a: suite.arms.index(a.arm) if a.arm in suite.arms else len(suite.arms),
            )
        ),
        checks=tuple(c for c in results.checks if (c.study, c.benchmark) == (suite.study, suite.benchmark)),
        bad_advice=tuple(b for b in results.bad_advice if (b.all.study, b.all.model, b.all.benchmark) == key),
        updating=tuple(u for u in results.updating if (u.study, u.model, u.benchmark) == key),
        heterogeneity=tuple(h for h in results.heterogeneity if (h.study, h.model, h.benchmark) == key),
        traces=next((t for t in results.traces if (t.study, t.model, t.benchmark) == key), None),
        findings=findings(suite),
    )


def rows_of(frame: pd.DataFrame, suite: Suite) -> pd.DataFrame:
    """The rows of a table that belong to a suite."""
    if frame.empty or "study" not in frame.columns:
        return frame
    keep = (frame["study"] == suite.study) & (frame["benchmark"] == suite.benchmark)
    return frame[keep & (frame["model"] == suite.model)] if "model" in frame.columns else frame[keep]
