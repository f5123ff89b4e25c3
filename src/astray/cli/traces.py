"""``astray traces``: what the agent did on the way: import transcripts, have them labelled, judge the labeller."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from astray.cli.options import BUDGET, stopped
from astray.errors import UsageError

if TYPE_CHECKING:
    from astray.traces import Asked, Labelled, Plan

_FOLDER = click.Path(path_type=Path, file_okay=False)
_FILE = click.Path(path_type=Path)


@click.group()
def traces() -> None:
    """What the agent did on the way to giving in or holding out."""


@traces.command()
@click.argument("study", type=_FOLDER)
@click.option("--grader-model", required=True, help="The model that labels: provider/name.")
@click.option("--behaviours", help="What to look for, separated by commas; by default everything.")
@click.option("--limit", type=click.IntRange(1), help="Only the first N samples, under all arms; may grow later.")
@click.option("--window", type=click.IntRange(500), help="Characters shown at a time; default 24,000.")
@click.option("--max-connections", type=click.IntRange(1), help="Calls in flight at the same time.")
@click.option("--budget", type=click.IntRange(1), help=BUDGET)
@click.option("--timeout", type=click.FloatRange(1), default=600, help="Seconds for one try of one call; default 600.")
@click.option("--plan", "only_plan", is_flag=True, help="Say what it takes, and ask nothing.")
def label(study: Path, only_plan: bool, **given: Any) -> int:
    """Have the transcripts of STUDY labelled; the same command again asks only for what is missing."""
    from astray.traces import label_study, plan_labels

    asked = _asked(study, given)
    click.echo(_planned(asked, plan_labels(asked)))
    if only_plan:
        return 0
    done = label_study(asked)
    if done.gone:
        raise stopped(done.gone, f"{len(done.labellings)} labellings are there, {done.missing} missing")
    _show(done)
    return _code(done)


@traces.command(name="import")
@click.argument("path", metavar="FILE|FOLDER", type=_FILE)
@click.option("--format", "form", required=True, type=click.Choice(["atif", "tau2", "mcp-atlas", "chat"]))
@click.option("--out", required=True, type=_FOLDER, help="The folder whose tables they go into, beside what is there.")
@click.option("--arm", default="original", show_default=True, help="The arm they were run under.")
@click.option("--model", help="The model that acted; by default what the file says.")
@click.option("--benchmark", help="Name of the benchmark; by default the format's.")
@click.option("--advice", type=_FILE, help="The advice book, whose suggestions are looked for in what users say.")
def bring_in(path: Path, form: str, out: Path, **given: Any) -> None:
    """Import transcripts of another harness: atif (Harbor), tau2, mcp-atlas, or chat (JSON Lines)."""
    from astray.advice import Book
    from astray.arm import Arm
    from astray.traces.readers import READERS, From, bring

    where = From(
        study=out.name or "imported",
        benchmark=given["benchmark"] or form,
        arm=Arm.parse(given["arm"]),
        model=given["model"],
        book=Book.load(given["advice"]) if given["advice"] else None,
    )
    runs = READERS[form](path)
    done = bring(runs, where, out)
    empty = f", {done.empty} runs of which nothing is recorded" if done.empty else ""
    click.echo(
        f"{path}: {done.transcripts} transcripts, {done.scored} with a score, {done.advised} with known advice{empty}, "
        f"into {out / 'tables'}"
    )
    if where.arm.terms and not done.advised:
        click.echo(
            "astray: no advice is known in any of them, so claims can't be held against it; --advice names the book",
            err=True,
        )


@traces.command()
@click.argument("study", type=_FOLDER)
@click.argument("hand", metavar="HAND.jsonl", type=_FILE)
def calibrate(study: Path, hand: Path) -> None:
    """Hold the labels of STUDY against labels by hand: sensitivity, specificity, agreement, corrected rates."""
    from astray.cli.traces_views import show_calibration
    from astray.tables import read
    from astray.traces.hand import check_hand, read_hand

    known = read_hand(hand)
    check_hand(known, read(study, "transcripts"), hand)
    show_calibration(study, known)


def _asked(study: Path, given: dict[str, Any]) -> Asked:
    from astray.traces import EVERYTHING, Asked
    from astray.traces.kinds import check_behaviours
    from astray.traces.windows import MOST

    named = given["behaviours"]
    names = tuple(word.strip() for word in named.split(",") if word.strip()) if named is not None else EVERYTHING
    if not names:
        raise UsageError(f"--behaviours: name some of {', '.join(EVERYTHING)}")
    return Asked(
        study=study,
        labeller=given["grader_model"],
        behaviours=check_behaviours(names),
        limit=given["limit"],
        most=given["window"] or MOST,
        max_connections=given["max_connections"],
        budget=given["budget"],
        timeout=given["timeout"],
    )


def _planned(asked: Asked, plan: Plan) -> str:
    calls = str(plan.least) if plan.least == plan.most else f"{plan.least} to {plan.most}"
    there = f" ({plan.there} of {plan.asked} labellings are there)" if plan.there else ""
    size = f", about {plan.tokens:,} tokens of transcripts" if plan.tokens else ""
    what = f"{plan.traces} transcripts, {len(asked.behaviours)} behaviours"
    return f"{what}: {calls} calls of {asked.labeller}{size}{there}"


def _show(done: Labelled) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("behaviour")
    for name in ("labellings", "void", "labels", "void labels"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in dict.fromkeys(row.behaviour for row in done.labellings):
        rows = [row for row in done.labellings if row.behaviour == name]
        labels, invalid = sum(row.labels for row in rows), sum(row.invalid for row in rows)
        share = f"{invalid} ({100 * invalid / labels:.0f}%)" if labels else "0"
        table.add_row(name, str(len(rows)), str(sum(not row.done for row in rows)), str(labels), share)
    Console().print(table)


def _code(done: Labelled) -> int:
    """3 where too many labellings are void, or hold nowhere, or are missing; else 0."""
    void = sum(not row.done or 0 < row.labels == row.invalid for row in done.labellings) + done.missing
    total = len(done.labellings) + done.missing
    if total >= 20 and void > 0.05 * total:
        click.echo(
            f"astray: {void} of {total} labellings could not be had, or quote nothing that was said; they are in no "
            "rate. Another --grader-model, or a smaller --window, may do better",
            err=True,
        )
        return 3
    return 0
