"""Everything the measures say of one or more studies, as one typed object; ``results.json`` is its text."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from astray.measures import (
    Attacks,
    BadAdvice,
    Cell,
    CheckShare,
    Heterogeneity,
    Published,
    Ranking,
    Updating,
    attacks,
    bad_advice,
    check_shares,
    heterogeneity,
    published,
    rankings,
    summarize,
    tracks,
    updating,
)
from astray.measures.traces import TraceMeasures, trace_measures
from astray.report.load import Material


class StudyRecord(BaseModel):
    """One study and all its settings, versions and hashes."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(description="As the rows name it.")
    settings: Mapping[str, Any] = Field(description="As its study.yaml holds them.")


class Results(BaseModel):
    """All results of a report.

    Shares and accuracies are 0…1, ``points`` percentage points; an estimate has value, low and high (95% interval) and
    n, the samples in its denominator, and nulls where that is 0.
    """

    model_config = ConfigDict(frozen=True)

    format: Literal["astray-results-1"] = "astray-results-1"
    astray: str = Field(description="Version of astray that measured.")
    studies: tuple[StudyRecord, ...]
    cells: tuple[Cell, ...] = Field(description="One for each study, model, judge, benchmark, arm and round.")
    updating: tuple[Updating, ...] = Field(description="Benefit of good advice less harm of bad.")
    heterogeneity: tuple[Heterogeneity, ...] = Field(description="Whether an arm acts on all subsets alike.")
    rankings: tuple[Ranking, ...] = Field(description="Models and studies side by side.")
    attacks: tuple[Attacks, ...] = Field(description="What the critiques were.")
    checks: tuple[CheckShare, ...] = Field(description="Of the suggestions kept, the share that passed each check.")
    bad_advice: tuple[BadAdvice, ...] = Field(
        description="The drop over suggestions that failed no check, and over those shown to be harmful."
    )
    traces: tuple[TraceMeasures, ...] = Field(
        description="What agents did on the way, where transcripts were labelled; none where none was."
    )
    published: tuple[Published, ...] = Field(
        description="Numbers of the papers on the same benchmarks: other samples, other harnesses, no intervals."
    )


def gather(material: Material) -> Results:
    """Measure everything that the tables allow.

    Raises:
        InputError: The outcomes can't be used; the message names the row.
    """
    outcomes, found = material.outcomes, tracks(material.outcomes)
    benchmarks = dict.fromkeys(track.benchmark for track in found)
    return Results(
        astray=version("astray"),
        studies=tuple(StudyRecord(name=study.name, settings=study.settings) for study in material.studies),
        cells=summarize(outcomes).cells,
        updating=updating(found),
        heterogeneity=heterogeneity(outcomes),
        rankings=rankings(found),
        attacks=attacks(material.critiques),
        checks=check_shares(material.checks),
        bad_advice=bad_advice(outcomes, material.checks),
        traces=trace_measures(material.behaviours, material.labellings, outcomes, material.transcripts),
        published=tuple(dict.fromkeys(row for benchmark in benchmarks for row in published(benchmark))),
    )
