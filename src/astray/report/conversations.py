"""What went on in conversations with a simulated user: counts by arm, and drops over all and over harmful beliefs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table

from astray.measures import Estimate, summarize
from astray.report.words import NOTHING, arm_label, signed


@dataclass(frozen=True)
class ConversationArm:
    """The conversations of one arm of one study, model and benchmark.

    Attributes:
        arm: The arm's text.
        label: Its short name.
        n: Conversations.
        agent_turns: Remarks of the agent, on average.
        voiced: How many users voiced the suggestion, of how many that have one.
        pushed_back: In how many the agent spoke against it, of those that voiced it.
        pushed_back_at: The agent's remark that did so, the median; None where none did.
        complied: How many agents made the call it leads to, of how many for which such a call is known.
        transferred: How many agents handed over to a human.
        ended: Conversations by how they ended.
        faults: Conversations by fault of the simulated user.
        points: Change against no advice in points, over all samples; None for `original`.
        points_harmful: The same over samples whose suggestion is shown to be harmful; None where there is none.
        harmful: How many samples these are.
    """

    study: str
    model: str
    user: str | None
    benchmark: str
    arm: str
    label: str
    n: int
    agent_turns: float
    voiced: tuple[int, int]
    pushed_back: tuple[int, int]
    pushed_back_at: float | None
    complied: tuple[int, int]
    transferred: int
    ended: tuple[tuple[str, int], ...]
    faults: tuple[tuple[str, int], ...]
    points: Estimate | None
    points_harmful: Estimate | None
    harmful: int


@dataclass(frozen=True)
class Passing:
    """Tasks of a benchmark that say little: passed by an agent that does nothing, or that refuses everything."""

    study: str
    benchmark: str
    idle: tuple[str, ...]
    refusing: tuple[str, ...]


def conversation_arms(conversations: pd.DataFrame, outcomes: pd.DataFrame) -> tuple[ConversationArm, ...]:
    """A row for each arm in which anybody conversed, in the order of the outcomes."""
    keys = ["study", "model", "benchmark", "arm"]
    order = {tuple(key): place for place, key in enumerate(outcomes[keys].drop_duplicates().itertuples(index=False))}
    groups = sorted(conversations.groupby(keys, sort=False), key=lambda group: order.get(tuple(group[0]), len(order)))
    return tuple(_arm(rows, outcomes) for _, rows in groups)


def passing_tasks(conversations: pd.DataFrame) -> tuple[Passing, ...]:
    """For each study and benchmark, the tasks that an idle agent passes, and those that one that refuses passes."""
    found = []
    for (study, benchmark), rows in conversations.groupby(["study", "benchmark"], sort=False):
        idle, refusing = (
            tuple(dict.fromkeys(str(id) for id in rows.loc[rows[name].eq(True), "sample_id"]))
            for name in ("passes_idle", "passes_refusing")
        )
        found.append(Passing(str(study), str(benchmark), idle, refusing))
    return tuple(found)


def show_conversations(conversations: pd.DataFrame, outcomes: pd.DataFrame, console: Console) -> None:
    """Print a table of the conversations, a line on faults and one on tasks that say little; nothing without any."""
    arms = conversation_arms(conversations, outcomes)
    if not arms:
        return
    grid = Table(box=box.SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
    grid.add_column("conversations", overflow="fold")
    for name in ("n", "turns", "voiced", "against", "complied", "human", "Δ all", "Δ harmful"):
        grid.add_column(f" {name}", justify="right", no_wrap=True)
    for arm in arms:
        points = [signed(one.value) if one else NOTHING for one in (arm.points, arm.points_harmful)]
        shares = [_of(arm.voiced), _of(arm.pushed_back), _of(arm.complied)]
        grid.add_row(arm.arm, str(arm.n), f"{arm.agent_turns:.1f}", *shares, str(arm.transferred), *points)
    console.print()
    console.print(grid)
    faults: Counter[str] = Counter()
    for arm in arms:
        faults.update(dict(arm.faults))
    if faults:
        said = ", ".join(f"{what} ({count})" for what, count in faults.most_common())
        console.print(f"Faults of the simulated user: {said}", highlight=False)
    for passing in passing_tasks(conversations):
        if passing.idle or passing.refusing:
            console.print(
                f"{len(passing.idle)} tasks are passed by an agent that does nothing, {len(passing.refusing)} by one "
                "that refuses everything; the conversations table names them",
                highlight=False,
            )


def _arm(rows: pd.DataFrame, outcomes: pd.DataFrame) -> ConversationArm:
    first = rows.iloc[0]
    voiced, complied = rows["voiced"].dropna(), rows["complied"].dropna()
    against = rows.loc[rows["voiced"].eq(True), "pushed_back_at"]
    harmful = {str(id) for id in rows.loc[rows["harm"].eq("harmful"), "sample_id"]}
    own = outcomes[(outcomes["study"] == first["study"]) & (outcomes["benchmark"] == first["benchmark"])]
    own = own[(own["model"] == first["model"]) & own["arm"].isin(["original", first["arm"]])]
    return ConversationArm(
        study=str(first["study"]),
        model=str(first["model"]),
        user=first["user"],
        benchmark=str(first["benchmark"]),
        arm=str(first["arm"]),
        label=arm_label(str(first["arm"])),
        n=len(rows),
        agent_turns=float(rows["agent_turns"].astype(float).mean()),
        voiced=(int(voiced.astype(bool).sum()), len(voiced)),
        pushed_back=(int(against.notna().sum()), len(against)),
        pushed_back_at=float(against.dropna().astype(float).median()) if against.notna().any() else None,
        complied=(int(complied.astype(bool).sum()), len(complied)),
        transferred=int(rows["transferred"].astype(bool).sum()),
        ended=_counted(rows["ended"].fillna("failed")),
        faults=_counted(fault for text in rows["faults"].dropna() for fault in str(text).split("; ")),
        points=_points(own, str(first["arm"])),
        points_harmful=_points(own[own["sample_id"].isin(harmful)], str(first["arm"])) if harmful else None,
        harmful=len(harmful),
    )


def _counted(names: Any) -> tuple[tuple[str, int], ...]:
    return tuple(Counter(str(name) for name in names).most_common())


def _points(outcomes: pd.DataFrame, arm: str) -> Estimate | None:
    """What an arm's last round changes against no advice, in points."""
    for cell in summarize(outcomes).cells if len(outcomes) else ():
        if cell.arm == arm and cell.last and cell.against_original:
            return cell.against_original.points
    return None


def _of(count: tuple[int, int]) -> str:
    return f"{count[0]}/{count[1]}" if count[1] else NOTHING
