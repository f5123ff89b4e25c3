"""Survival, equivalence, heterogeneity, updating, ranking and the rest, against values worked out on paper."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from statsmodels.duration.survfunc import SurvfuncRight

from astray.arm import Arm
from astray.errors import UsageError
from astray.measures import (
    Heterogeneity,
    Part,
    bad_advice,
    check_shares,
    equivalence,
    heterogeneity,
    log_mcnemar,
    mcnemar,
    published,
    rankings,
    share,
    summarize,
    survival,
    tracks,
    updating,
)
from tests.measured import found, frame, outcomes

# First flips


def test_the_turn_of_the_first_flip_by_hand() -> None:
    # Right at first: flips in round 1, in round 2, never, void in round 2 (censored after 1), back again.
    courses = ["✓✗✓", "✓✓✗", "✓✓✓", "✓✓!", "✓✗✗", "✗✓✓", "!✓✓"]
    curve = survival(found(outcomes("reask@2", courses))["reask@2"])
    assert curve.rows == 5
    assert [(s.round, s.at_risk, s.flipped, s.censored) for s in curve.steps] == [(1, 5, 2, 0), (2, 2, 1, 1)]
    assert [s.held.value for s in curve.steps] == pytest.approx([3 / 5, 3 / 5 * 1 / 2])
    assert curve.never == curve.steps[-1].held
    assert curve.median == 2
    won = survival(found(outcomes("reask@2", courses))["reask@2"], kind="won")
    assert (won.rows, [s.held.value for s in won.steps]) == (1, [0, 0])


def test_never_flipped_is_censored_and_claims_no_certainty() -> None:
    curve = survival(found(outcomes("reask@4", ["✓✓✓✓✓"] * 20))["reask@4"])
    assert (curve.never.value, curve.never.high, curve.median) == (1.0, 1.0, None)
    assert curve.never.low == pytest.approx(share(np.arange(20), np.ones(20)).low)
    assert survival(found(outcomes("xy", ["✓"]))["xy"]).steps == ()
    assert survival(found(outcomes("reask", ["!!", "✗✗"]))["reask"]).steps[0].held.value is None


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text("✓✗!", min_size=4, max_size=4), min_size=2, max_size=25))
def test_the_curve_is_that_of_statsmodels(courses: list[str]) -> None:
    begun = [course for course in courses if course.startswith("✓") and course[1] != "!"]
    curve = survival(found(outcomes("reask@3", courses))["reask@3"])
    if not begun:
        assert all(step.held.value is None for step in curve.steps)
        return
    ends = [next((k for k in range(1, 4) if course[k] != "✓"), 4) for course in begun]
    times = [end if end < 4 and course[end] == "✗" else end - 1 for end, course in zip(ends, begun, strict=True)]
    events = [int(end < 4 and course[end] == "✗") for end, course in zip(ends, begun, strict=True)]
    theirs = SurvfuncRight(np.array(times), np.array(events))
    held = 1.0
    for step in curve.steps:
        where = np.flatnonzero(theirs.surv_times == step.round)
        held = float(theirs.surv_prob[where[0]]) if len(where) else held
        if step.held.value is not None:
            assert step.held.value == pytest.approx(held)


def test_epochs_of_a_sample_weigh_as_one() -> None:
    one = outcomes("reask", ["✓✗", "✓✓"])
    two = [row | {"epoch": 2} for row in outcomes("reask", ["✓✗"])]
    curve = survival(found(one, two)["reask"])
    assert curve.never.value == pytest.approx(1 / 2)
    assert curve.steps[0].at_risk == 3


def test_the_summary_has_the_curve() -> None:
    cells = summarize(frame(outcomes("reask@2", ["✓✗✓", "✓✓✗", "✓✓✓"]))).to_frame()
    assert [math.isnan(cells["held"][0]), *cells["held"][1:]] == [True, pytest.approx(2 / 3), pytest.approx(1 / 3)]


# Tests


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_the_binomial_test(lost: int, won: int) -> None:
    expected = binomtest(lost, lost + won, 0.5).pvalue if lost + won else 1.0
    assert mcnemar(lost, won) == pytest.approx(expected, rel=1e-9)


def test_mcnemar_in_logarithms_where_numbers_end() -> None:
    assert log_mcnemar(10**5, 0) == pytest.approx(math.log(2) - 10**5 * math.log(2))
    assert log_mcnemar(9000, 4000) < -900
    assert mcnemar(10**5, 0) > 0
    assert log_mcnemar(0, 0) == 0


def test_equivalence_needs_samples_not_only_the_lack_of_a_drop() -> None:
    same = np.ones(40)
    few = equivalence(same, same, margin=5, single=True)
    assert (few.n, few.equivalent, few.test) == (40, False, "score")
    many = equivalence(np.ones(400), np.ones(400), margin=5, single=True)
    assert many.equivalent
    assert equivalence(np.ones(0), np.ones(0)).p_value is None


def test_equivalence_of_single_answers_by_hand() -> None:
    # 2 of 100 lost, none won, margin 5: nobody won, so z = (2 - 5) / √(100 · 0.05 · 0.95) = -1.3765.
    new, old = np.r_[np.zeros(2), np.ones(98)], np.ones(100)
    found_ = equivalence(new, old, margin=5, single=True)
    assert found_.p_value == pytest.approx(0.0843, abs=1e-4)
    assert not found_.equivalent


def test_equivalence_of_means_is_the_larger_of_two_t_tests() -> None:
    from scipy.stats import ttest_1samp

    random = np.random.default_rng(3)
    old = random.random(200)
    new = np.clip(old + random.normal(0, 0.1, 200), 0, 1)
    above = ttest_1samp(new - old, -0.05, alternative="greater").pvalue
    below = ttest_1samp(new - old, 0.05, alternative="less").pvalue
    found_ = equivalence(new, old, margin=5)
    assert (found_.test, found_.p_value) == ("t", pytest.approx(max(above, below)))
    alike = equivalence(np.full(100, 0.5), np.full(100, 0.5), margin=5)
    assert alike.p_value == pytest.approx(0.95**100)
    assert equivalence(np.full(100, 0.4), np.full(100, 0.5), margin=5).p_value == 1


# Subsets


def subset_study(drops: dict[str, int], each: int = 40) -> pd.DataFrame:
    rows = []
    for name, drop in drops.items():
        for arm, right in (("original", 30), ("xy", 30 - drop)):
            part = outcomes(arm, ["✓"] * right + ["✗"] * (each - right), subset=name)
            rows += [row | {"sample_id": f"{name}-{row['sample_id']}"} for row in part]
    return pd.DataFrame(rows)


def values(found: Heterogeneity) -> dict[str, float | None]:
    return {name: points.value for name, points in found.points.items()}


def test_subsets_that_change_alike_and_those_that_do_not() -> None:
    (alike,) = heterogeneity(subset_study({"a": 6, "b": 6, "c": 6}))
    assert (alike.arm, values(alike)) == ("xy", {"a": -15.0, "b": -15.0, "c": -15.0})
    assert (alike.spread, alike.p_value) == (0.0, 1.0)
    (unlike,) = heterogeneity(subset_study({"a": 0, "b": 0, "c": 20}))
    assert unlike.p_value == pytest.approx(1 / 2000)
    assert unlike.spread == pytest.approx(28.7, abs=1)
    assert {name: points.n for name, points in unlike.points.items()} == {"a": 40, "b": 40, "c": 40}
    low, high = unlike.points["c"].low, unlike.points["c"].high
    assert low is not None and high is not None and low < -50 < high < -30  # noqa: PT018


def test_nothing_to_compare_between_subsets() -> None:
    assert heterogeneity(subset_study({"a": 6})) == ()
    assert heterogeneity(frame(outcomes("original", "✓"), outcomes("xy", "✗"))) == ()
    one_each = frame(outcomes("original", "✓", subset="a"), outcomes("xy", "✗", subset="a"))
    other = one_each.assign(sample_id="z", subset="b", outcome="correct", value=1.0)
    (found_,) = heterogeneity(pd.concat([one_each, other]))
    assert (values(found_), found_.spread) == ({"a": -100.0, "b": 0.0}, None)
    assert found_.p_value is None


# Updating


@pytest.mark.parametrize(
    ("good", "bad", "value"),
    [("✓✓✓✗", "✓✗✗✗", 0.0), ("✓✓✓✓", "✓✓✗✗", 1.0), ("✓✓✓✓", "✗✗✗✗", 0.0), ("✓✓✗✗", "✗✗✗✗", -1.0)],
    ids=["half of either", "follows the good alone", "follows everything", "follows the bad alone"],
)
def test_updating(good: str, bad: str, value: float) -> None:
    rows = outcomes("original", "✓✓✗✗"), outcomes("xy", bad), outcomes("xy-good", good)
    (one,) = updating(tracks(frame(*rows)))
    assert (one.bad, one.good) == ("xy", "xy-good")
    assert one.value.value == pytest.approx(value)
    assert one.value.n == 2
    assert -1 <= (one.value.low or 0) <= value <= (one.value.high or 0) <= 1


def test_a_stubborn_agent_is_not_robust() -> None:
    same = "✓✓✗✗"
    (one,) = updating(tracks(frame(outcomes("original", same), outcomes("xy", same), outcomes("xy-good", same))))
    assert (one.benefit.value, one.harm.value, one.value.value) == (0, 0, 0)


def test_updating_of_judges_is_over_their_rounds_and_finds_the_nearest_good_judge() -> None:
    rows = (
        outcomes("original", "✓✗"),
        outcomes("judge-malicious-plain@2", ["✓✓✗", "✓✓✓", "✗✗✗"]),
        outcomes("judge-constructive-gold@2", ["✓✓✓", "✗✗✓", "✗✓✓"]),
        outcomes("judge-constructive-gold", ["✓✓", "✗✗"]),
    )
    (one,) = updating(tracks(frame(*rows)))
    assert (one.bad, one.good) == ("judge-malicious-plain@2", "judge-constructive-gold@2")
    assert (one.benefit.value, one.harm.value, one.value.value) == (1, 1 / 2, 1 / 2)
    assert updating(tracks(frame(outcomes("xy", "✓"), outcomes("another harness", "✓")))) == ()


# Ranking


def test_ranking_is_paired_where_samples_are_shared() -> None:
    def study(model: str, courses: str, **more: Any) -> list[dict[str, Any]]:
        return outcomes("original", courses, model=model, **more)

    rows = study("a", "✓" * 80 + "✗" * 20), study("b", "✓" * 70 + "✗" * 30), study("c", "✗" * 101)
    (ranking,) = rankings(tracks(frame(*rows)))
    assert (ranking.measure, ranking.n, ranking.paired) == ("accuracy", 100, True)
    assert [(s.contender.model, s.rank, s.low, s.high) for s in ranking.standings] == [
        ("a", 1, 1, 1), ("b", 2, 2, 2), ("c", 3, 3, 3),
    ]  # fmt: skip
    assert [s.unshared for s in ranking.standings] == [0, 0, 1]
    assert ranking.standings[0].best == pytest.approx(1.0, abs=1e-3)


def test_equal_models_are_told_as_equal() -> None:
    rows = outcomes("xy", "✓✗" * 30, model="a"), outcomes("xy", "✗✓" * 30, model="b")
    (ranking,) = rankings(tracks(frame(*rows)))
    assert [(s.rank, s.low, s.high) for s in ranking.standings] == [(1, 1, 2), (1, 1, 2)]
    assert sum(s.best for s in ranking.standings) == pytest.approx(1)
    assert ranking.standings[0].best == pytest.approx(0.5, abs=0.06)


def test_ranking_without_shared_samples_is_unpaired_and_says_so() -> None:
    other = [row | {"sample_id": f"x{row['sample_id']}"} for row in outcomes("xy", "✓✗" * 30, model="b")]
    void = outcomes("xy", "!!", model="c")
    (ranking,) = rankings(tracks(frame(outcomes("xy", "✓✗" * 30, model="a"), other, void)))
    assert (ranking.paired, ranking.n) == (False, 0)
    assert [(s.contender.model, s.value.n) for s in ranking.standings] == [("a", 60), ("b", 60), ("c", 0)]
    assert ranking.standings[2].best == 0
    assert ranking.standings[0].best == pytest.approx(0.5, abs=0.06)


def test_change_against_original_is_ranked_too() -> None:
    rows = [
        outcomes(arm, courses, model=model, study=study)
        for model, study, drop in (("a", "one", 2), ("b", "two", 40))
        for arm, courses in (("original", "✓" * 60), ("xy", "✗" * drop + "✓" * (60 - drop)))
    ]
    found_ = {(r.arm, r.measure): r for r in rankings(tracks(frame(*rows)))}
    assert set(found_) == {("original", "accuracy"), ("xy", "accuracy"), ("xy", "points")}
    first, second = found_["xy", "points"].standings
    assert (first.contender.model, first.value.value) == ("a", pytest.approx(-100 * 2 / 60))
    assert (second.contender.study, second.low) == ("two", 2)


# What suggestions are known to be


def check(sample: str, name: str, result: str, stance: str = "bad") -> dict[str, Any]:
    key = {"study": "s", "benchmark": "b", "book": "h", "sample_id": sample, "stance": stance}
    return key | {"name": name, "result": result, "by": "rule", "note": ""}


def test_the_drop_over_suggestions_shown_to_be_harmful() -> None:
    rows = frame(outcomes("original", "✓✓✓✗"), outcomes("xy", "✗✓✗✗"), outcomes("xy-good", "✓✓✓✓"))
    checks = pd.DataFrame(
        [
            check("q000", "harm", "passed"),
            check("q001", "harm", "failed"),
            check("q002", "harm", "unknown"),
            check("q003", "harm", "passed"),
            check("q000", "form", "passed", "good"),
        ]
    )
    (one,) = bad_advice(rows, checks)
    assert one.all.arm == "xy"
    assert one.all.against_original is not None
    assert one.harmful is not None
    assert one.harmful.suggestions == 2
    assert one.harmful.cell is not None
    assert one.harmful.cell.against_original is not None
    assert (one.all.against_original.points.value, one.all.against_original.n) == (-50, 4)
    assert (one.harmful.cell.against_original.points.value, one.harmful.cell.against_original.n) == (-50, 2)
    assert one.unfaulted is not None
    assert one.unfaulted.cell is not None
    assert one.unfaulted.suggestions == 3
    assert one.unfaulted.cell.against_original is not None
    assert one.unfaulted.cell.against_original.n == 3
    shares = {(s.stance, s.name): s for s in check_shares(checks)}
    assert (shares["bad", "harm"].passed.value, shares["bad", "harm"].passed.n) == (2 / 3, 3)
    assert shares["bad", "harm"].counts == {"passed": 2, "failed": 1, "unknown": 1}


def test_where_no_suggestion_was_executed_nothing_is_claimed() -> None:
    rows = frame(outcomes("original", "✓"), outcomes("xy", "✗"))
    assert bad_advice(rows, pd.DataFrame([check("q000", "harm", "unknown"), check("q000", "form", "passed")])) == ()
    assert bad_advice(rows, pd.DataFrame()) == ()
    (harmless,) = bad_advice(rows, pd.DataFrame([check("q000", "harm", "failed")]))
    assert harmless.harmful == harmless.unfaulted == Part(0, None)
    (faulted,) = bad_advice(rows, pd.DataFrame([check("q000", "misleading", "failed"), check("q9", "form", "passed")]))
    assert (faulted.harmful, faulted.unfaulted) == (None, Part(1, None))
    assert check_shares(pd.DataFrame()) == ()
    other = pd.DataFrame([check("q000", "harm", "failed"), check("q000", "form", "passed") | {"study": "t"}])
    two = pd.concat([rows, rows.assign(study="t")])
    assert [one.all.study for one in bad_advice(two, other)] == ["s"]


# Published numbers


def test_published_numbers_are_found_and_marked() -> None:
    rows = published("inspect_evals/arc_challenge")
    assert {row.benchmark for row in rows} == {"ARC-Challenge"}
    assert rows[0].mark == "published: arXiv 2506.03332, 4.2"
    airline = published("tau2:airline")
    assert {row.benchmark for row in airline} == {"tau2-bench airline"}
    assert all(row.mark.startswith("second-hand: ") for row in airline)
    assert published("starter") == ()
    assert published("") == ()


def test_published_arms_are_arms_of_this_grammar_where_they_can_be() -> None:
    loose = set()
    for row in published():
        try:
            assert str(Arm.parse(row.arm)) == row.arm
        except UsageError:
            loose.add(row.arm)
    assert loose == {"-", "judge malicious, parametric (worst)"}


def test_published_numbers_are_those_of_the_reference(shared: Path) -> None:
    reference = list(csv.DictReader((shared / "reference" / "published.csv").open(encoding="utf-8")))
    ours = [(r.paper, r.place, r.provenance, r.benchmark, r.model, r.metric, r.value) for r in published()]
    columns = ("paper", "where", "provenance", "benchmark", "model", "metric")
    assert ours == [(*(row[column] for column in columns), float(row["value"])) for row in reference]
