"""The tables of what agents did on the way, where transcripts were labelled."""

from __future__ import annotations

from collections.abc import Sequence

from astray.measures.behaviour import BehaviourContrast, BehaviourRate
from astray.measures.traces import TraceMeasures
from astray.report.papers.sheet import P, Sheet, Value, percent
from astray.report.words import arm_label

_SUITE = ("study", "model", "benchmark", "arm", "meaning")


def trace_sheets(found: Sequence[TraceMeasures]) -> tuple[Sheet, ...]:
    """Behaviours, turns, and what was recognised and not said; without rows where nothing was labelled."""
    return _behaviours(found), _turns(found), _communication(found)


def _behaviours(found: Sequence[TraceMeasures]) -> Sheet:
    columns = (
        *(*_SUITE, "labeller", "behaviour", "kind", "transcripts", "void", "all (%)", "correct (%)", "incorrect (%)"),
        *("change (points)", "p (Holm)"),
    )
    caption = (
        "Share of transcripts in which a labeller found a behaviour, with a quote that stands there: in all, in those "
        "that end correct, and in those that don't. Change against no advice, paired by sample."
    )
    rows = tuple(row for one in found for row in _rates(one))
    return Sheet("behaviours", caption, columns, rows)


def _rates(one: TraceMeasures) -> list[tuple[Value, ...]]:
    groups: dict[tuple[str, str, str, str | None], dict[str, BehaviourRate]] = {}
    for rate in one.rates:
        groups.setdefault((rate.labeller, rate.arm, rate.behaviour, rate.kind), {})[rate.group] = rate
    changes = {(c.labeller, c.arm, c.behaviour, c.kind): c for c in one.contrasts}
    return [
        (
            *_who(one, arm),
            *(labeller, behaviour, kind, by_group["all"].transcripts, by_group["all"].void),
            *(percent(by_group[group].rate) for group in ("all", "correct", "incorrect")),
            *_change(changes.get((labeller, arm, behaviour, kind))),
        )
        for (labeller, arm, behaviour, kind), by_group in groups.items()
    ]


def _change(found: BehaviourContrast | None) -> tuple[Value, Value]:
    return (found.points, P(found.p_holm)) if found else (None, None)


def _turns(found: Sequence[TraceMeasures]) -> Sheet:
    columns = (*_SUITE, "n", "steps", "change (steps)", "p (Holm)")
    rows = tuple(
        (*_who(one, turns.arm), turns.mean.n, turns.mean, turns.against_original, P(turns.p_holm))
        for one in found
        for turns in one.turns
    )
    return Sheet("turns", "Steps of the agent in a transcript. Change against no advice, paired.", columns, rows)


def _communication(found: Sequence[TraceMeasures]) -> Sheet:
    columns = (
        *(*_SUITE, "labeller", "outcome", "transcripts", "with reasoning", "void", "said", "silent", "not recognised"),
        *("unexpressed (%)", "compared with", "change (points)", "p (Holm)"),
    )
    caption = (
        "Whether what is wrong with the advice was recognised, and said, where reasoning is recorded. Unexpressed: "
        "never said, among those in which it was recognised. Change: of the share recognised and kept silent, against "
        "the same arm without its defense, else against no advice; paired by sample."
    )
    rows = tuple(
        (
            *(*_who(one, row.arm), row.labeller, row.group, row.transcripts, row.with_reasoning, row.void),
            *(row.said, row.silent, row.unrecognised, percent(row.unexpressed)),
            *((row.change.reference, row.change.points, P(row.change.p_holm)) if row.change else (None, None, None)),
        )
        for one in found
        for row in one.communication
    )
    return Sheet("communication", caption, columns, rows)


def _who(one: TraceMeasures, arm: str) -> tuple[Value, ...]:
    return one.study, one.model, one.benchmark, arm, arm_label(arm)
