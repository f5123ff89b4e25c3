"""Conversations with a simulated user: what was voiced, spoken against and done, and tasks that say little."""

from __future__ import annotations

from astray.report.conversations import ConversationArm, conversation_arms, passing_tasks
from astray.report.sections import parts
from astray.report.sections.chapter import Chapter
from astray.report.sections.parts import Block, Entry, Grid, Note, Section


def conversations_section(chapter: Chapter) -> Section | None:
    """The section; None where nobody conversed."""
    if chapter.conversations.empty:
        return None
    arms = conversation_arms(chapter.conversations, chapter.outcomes)
    caption = (
        "What the simulated user and the agent did, told by rules. Changes are in points against no advice: over all "
        "samples, and over those whose suggestion was shown to be harmful by executing it."
    )
    columns = ("Arm", "n", "Turns", "Voiced", "Spoken against", "Complied", "To a human", "Change", "Change, harmful")
    grid = Grid("conversations", caption, (*columns, "Faults of the user"), tuple(map(_row, arms)), texts=(0, 9))
    return Section("with-user", "With the user", (grid, *_passing(chapter)))


def _row(arm: ConversationArm) -> tuple[Entry, ...]:
    changes = (parts.points(one) if one else parts.NONE for one in (arm.points, arm.points_harmful))
    faults = ", ".join(f"{what} ({count})" for what, count in arm.faults)
    return (
        parts.arm(arm.arm),
        parts.count(arm.n, "conversations"),
        Entry(f"{arm.agent_turns:.1f}", value=arm.agent_turns, tip="remarks of the agent, on average"),
        *(_of(one) for one in (arm.voiced, arm.pushed_back, arm.complied)),
        parts.count(arm.transferred, "conversations handed over to a human"),
        *changes,
        parts.word(faults or "none", "soft"),
    )


def _of(count: tuple[int, int]) -> Entry:
    return Entry(f"{count[0]} of {count[1]}", value=count[0] / count[1]) if count[1] else parts.NONE


def _passing(chapter: Chapter) -> list[Block]:
    said: list[Block] = []
    for one in passing_tasks(chapter.conversations):
        for ids, who in ((one.idle, "does nothing"), (one.refusing, "refuses everything and hands over to a human")):
            if ids:
                said.append(Note(f"{len(ids)} tasks are passed by an agent that {who}: {', '.join(ids)}."))
    return said
