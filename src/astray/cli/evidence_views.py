"""What ``astray evidence`` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.table import Table

from astray.evidence import Evidence, Pack
from astray.writing import Built, Kept, PreparedSearch

NOT_HAD_SHARE: Final = 0.05
"""A larger share of questions that could not be gone over, of `NOT_HAD_SAMPLES` or more, ends with exit code 3."""

NOT_HAD_SAMPLES: Final = 20

SHOWN: Final = 10
"""Samples left out that are named on the terminal; all are in the logs' folder."""

_VERDICTS: Final = {True: "wrong", False: "not wrong", None: "unknown"}


def show_search(console: Console, prepared: PreparedSearch) -> None:
    """Say in a line what is going to be asked of whom."""
    asked, samples = prepared.asked, len(prepared.abouts)
    runs = samples * asked.runs
    calls = f"at least {runs}" if prepared.agent else f"{runs} to {2 * runs}"
    more = f", and at most {runs} of verifier {asked.verifier}" if asked.verifier else ""
    line = f"{asked.benchmark}, {samples} samples, {asked.runs} runs: {calls} calls of author {asked.author}{more}"
    console.print(line, markup=False, highlight=False, soft_wrap=True)


def show_built(console: Console, built: Built, out: Path) -> None:
    """Print the keep rate by data set, and which samples are left out and why."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("data set")
    for name in ("asked", "kept", "rate", "not wrong", "left out", "missing"):
        table.add_column(name, justify="right", no_wrap=True)
    for tally in built.kept:
        rate = "-" if tally.rate is None else f"{100 * tally.rate:.0f}%"
        numbers = (tally.asked, tally.kept, rate, tally.not_wrong, len(tally.left_out), len(tally.missing))
        table.add_row(tally.subset or "all", *map(str, numbers))
    console.print(table)
    absent = [one for tally in built.kept for one in (*tally.left_out, *tally.missing)]
    for id, reason in absent[:SHOWN]:
        console.print(f"{id}: {reason}", markup=False, highlight=False, soft_wrap=True)
    if len(absent) > SHOWN:
        console.print(f"and {len(absent) - SHOWN} more; left-out.jsonl beside the logs has them all")
    if built.pack.rows:
        console.print(f"pack: {out} ({len(built.pack.rows)} rows)", markup=False, highlight=False, soft_wrap=True)


def show_row(console: Console, row: Evidence) -> None:
    """One question: its alternative, what is known of it, its passages."""
    console.print(f"[bold]{_plain(row.sample_id)}[/bold]" + (f" [dim]{_plain(row.subset)}[/dim]" if row.subset else ""))
    runs = f"{row.runs.found} of {row.runs.of}" if row.runs else None
    known = None if row.verified is None else f"{_VERDICTS[row.verified]} (by {row.verifier or 'somebody'})"
    facts = {"question": row.question, "right": row.gold, "alternative": row.alternative, "runs": runs, "it is": known}
    for name, said in facts.items():
        if said:
            console.print(f"  {name}: {said}", markup=False)
    for passage in row.passages:
        console.print(f"  - {passage.text}", markup=False)
        console.print(f"    [{passage.source}]", markup=False)


def show_stats(console: Console, pack: Pack) -> None:
    """The counts of a pack."""
    header = pack.header
    console.print(f"{len(pack.rows)} rows, hash {pack.hash}", highlight=False)
    for name, said in (("benchmark", header.benchmark), ("author", header.author), ("searched", header.corpus)):
        if said:
            console.print(f"{name}: {said}", markup=False)
    _counts(console, "data sets", Counter(row.subset or "not named" for row in pack.rows))
    _counts(console, "passages of a row", Counter(str(len(row.passages)) for row in pack.rows))
    _counts(console, "runs", Counter(f"{row.runs.found} of {row.runs.of}" for row in pack.rows if row.runs))
    _counts(console, "alternatives", Counter(_VERDICTS[row.verified] for row in pack.rows))
    sources = {passage.source for row in pack.rows for passage in row.passages}
    console.print(f"sources: {len(sources)}", highlight=False)
    if pack.left_out:
        _counts(console, "entries left out", Counter(reason for _, reason in pack.left_out))


def state(out: Path, kept: Sequence[Kept]) -> str:
    """How far a search is."""
    missing = sum(len(tally.missing) for tally in kept)
    return f"{out}: {sum(tally.kept for tally in kept)} kept, {missing} still missing"


def exit_code(kept: Sequence[Kept]) -> int:
    """3 where too many questions could not be gone over, told in a line; else 0."""
    asked, missing = sum(tally.asked for tally in kept), sum(len(tally.missing) for tally in kept)
    if asked < NOT_HAD_SAMPLES or missing <= NOT_HAD_SHARE * asked:
        return 0
    said = f"astray: {missing} of {asked} could not be had; the same command again asks once more for those that failed"
    click.echo(said, err=True)
    return 3


def _counts(console: Console, name: str, counts: Counter[str]) -> None:
    if counts:
        said = ", ".join(f"{what} {count}" for what, count in counts.most_common())
        console.print(f"{name}: {said}", markup=False, highlight=False)


def _plain(text: str) -> str:
    return text.replace("[", "\\[")
