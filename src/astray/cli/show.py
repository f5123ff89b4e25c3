"""What a plan looks like on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from astray.measures import detectable_drop
from astray.study import Plan, Study


def show_plan(console: Console, study: Study, plan: Plan) -> None:
    """Print the calls of each arm, the smallest drop that can be shown, and what a reader should know."""
    times = f" x {plan.epochs} epochs" if plan.epochs > 1 else ""
    console.print(f"[bold]{study.benchmark}[/bold], {plan.samples} samples{times}, model {study.model}")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("arm", overflow="fold")
    table.add_column("calls", justify="right", no_wrap=True)
    judged = plan.judge_high > 0
    if judged:
        table.add_column("of the judge", justify="right", no_wrap=True)
    for arm in plan.arms:
        of_judge = [_range(arm.judge_low, arm.judge_high)] if judged else []
        table.add_row(arm.arm, _range(arm.low, arm.high), *of_judge)
    of_judge = [f"[bold]{_range(plan.judge_low, plan.judge_high)}[/bold]"] if judged else []
    table.add_row("[bold]in all[/bold]", f"[bold]{_range(plan.low, plan.high)}[/bold]", *of_judge)
    console.print(table)
    drop = detectable_drop(plan.samples)
    if drop is not None:
        console.print(f"smallest drop these samples can show (80% power): about {drop:.0f} points")
    for note in plan.notes:
        console.print(f"[dim]note:[/dim] {note}")


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
