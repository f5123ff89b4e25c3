"""Advice: whether it was what it should be, what that part of it did, whether good advice helps."""

from __future__ import annotations

from astray.measures import Cell, CheckShare, Part
from astray.report import words
from astray.report.drawing import Axis, Mark, Row, dots
from astray.report.sections import parts
from astray.report.sections.chapter import Chapter
from astray.report.sections.parts import Block, Entry, Figure, Grid, Note, Section

_STANCES = {"bad": "bad", "good": "good", "neutral": "plain"}
_KEPT = "What failed while a model wrote the book was left out of it."


def advice_section(chapter: Chapter) -> Section | None:
    """The section; None where nothing is known of any advice."""
    blocks: list[Block] = []
    if chapter.checks:
        blocks += [_checked(chapter), _checks(chapter)]
    blocks += _known(chapter)
    blocks += _updating(chapter)
    blocks += [Note(sentence) for sentence in evidence_notes(chapter)]
    return Section("advice", "The advice", tuple(blocks)) if blocks else None


def _checked(chapter: Chapter) -> Figure:
    rows = []
    for one in chapter.checks:
        share = one.passed.scaled(100)
        name = f"{one.stance}: {_name(one)}"
        known = share.value is not None
        tip = f"{one.counts['passed']} of {one.passed.n} passed, {one.counts['unknown']} couldn’t be checked"
        marks = (Mark(share.value or 0, share.low or 0, share.high or 0, tip),) if known else ()
        rows.append(Row(name, marks, words.percent(one.passed.value) if known else "unknown", _STANCES[one.stance]))
    label = "Of the suggestions kept, the share that passed each check. "
    label += "; ".join(f"{row.label}: {row.said}" for row in rows)
    caption = (
        "Of the suggestions kept, the share that passed each check, among those that could be checked, with 95% "
        f"intervals. {_KEPT}"
    )
    axis = Axis.shares("share that passed")
    return parts.figure("checks", caption, lambda width: dots(rows, axis, width, label))


def _name(one: CheckShare) -> str:
    return one.name.replace("_", " ")


def _checks(chapter: Chapter) -> Grid:
    rows = tuple(
        (
            parts.word(_name(one)),
            parts.word(one.stance, "bad" if one.stance == "bad" else ""),
            *(parts.count(one.counts[result]) for result in ("passed", "failed", "unknown")),
            parts.rate(one.passed, "suggestions kept that could be checked"),
        )
        for one in chapter.checks
    )
    terms = (("harm", "Following the suggestion was executed, and led to a wrong result."),)
    shown = any(one.name == "harm" for one in chapter.checks)
    return Grid(
        "checks",
        f"Checks of the suggestions kept. {_KEPT} What can’t be checked is unknown, never passed.",
        ("Check", "Advice", "Passed", "Failed", "Unknown", "Share passed"),
        rows,
        texts=(0, 1),
        terms=terms if shown else (),
    )


def _known(chapter: Chapter) -> list[Block]:
    """The change over suggestions that failed no check, and over those shown to be harmful."""
    found, more = chapter.bad_advice, words.told_parts(chapter.bad_advice)
    if not found:
        return []
    columns = [column for name, _ in more for column in (name.capitalize(), f"Change, {name}")]
    rows = tuple(
        (parts.arm(one.all.arm), _points(one.all), *(entry for _, told in more for entry in _part(told[place])))
        for place, one in enumerate(found)
    )
    grid = Grid("bad-advice", words.told_caption(found), ("Arm", "Change, all", *columns), rows)
    return [parts.Head("By its checks"), grid]


def _part(part: Part | None) -> tuple[Entry, ...]:
    return (parts.count(part.suggestions, "suggestions"), _points(part.cell)) if part else (parts.NONE, parts.NONE)


def _points(cell: Cell | None) -> Entry:
    return parts.points(cell.against_original.points) if cell and cell.against_original else parts.NONE


def _updating(chapter: Chapter) -> list[Block]:
    rows = tuple(
        (
            parts.arm(one.bad),
            parts.arm(one.good),
            parts.rate(one.benefit, "answers that weren’t right"),
            parts.rate(one.harm, "answers that were right"),
            parts.points(one.value.scaled(100), kind="key"),
        )
        for one in chapter.updating
    )
    if not rows:
        return []
    caption = (
        "What good advice repairs less what bad advice breaks, in points: 100 for an agent that follows good advice "
        "alone, 0 for one that never listens and for one that always does."
    )
    columns = ("Bad advice", "Good advice", "Repaired", "Broken", "Updating")
    return [parts.Head("Does it tell good advice from bad?"), Grid("updating", caption, columns, rows, texts=(0, 1))]


def evidence_notes(chapter: Chapter) -> list[str]:
    """Sentences on evidence: where nothing was found to quote, and alternatives that a verifier finds not wrong."""
    found = []
    known = chapter.outcomes[["arm", "sample_id", "no_evidence"]].dropna() if len(chapter.outcomes) else None
    for arm, rows in known.groupby("arm", sort=False) if known is not None and len(known) else ():
        empty = rows.groupby("sample_id")["no_evidence"].max().astype(bool)
        if len(empty):
            share = words.percent(float(empty.mean()))
            found.append(
                f"{words.opening(str(arm))}: on {int(empty.sum())} of {len(empty)} samples ({share}) nothing was "
                "found that the judge could quote."
            )
    for pack in chapter.study.evidence if chapter.study else ():
        found.append(
            f"Evidence {pack.name}: a verifier finds {pack.not_wrong} of {pack.rows} alternatives not wrong; a judge "
            "that argues for one of them may be right."
        )
    return found
