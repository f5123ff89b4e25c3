"""``astray arms``: every term an arm can be made of, with what it needs and what it takes."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from astray.arm import Arm
from astray.terms import ORIGINAL_TEXT, TERMS, Term

_TITLES = {
    "instruction": "What the request says",
    "challenge": "What happens after an answer (add @K for K rounds; several judges make a panel)",
    "critique-defense": "What the agent is told along with a critique",
    "defense": "What the agent is told before",
    "user": "How a simulated user behaves",
}


@click.command()
@click.argument("term", required=False)
def arms(term: str | None) -> None:
    """List every term an arm can be made of, or explain one TERM or a whole arm."""
    console = Console()
    if term is not None:
        _explain(console, Arm.parse(term))
        return
    console.print(f"An arm is terms joined by '+'; '{ORIGINAL_TEXT}' is the arm without any, and is always run.\n")
    for choice, title in _TITLES.items():
        console.print(f"[bold]{title}[/bold]")
        table = Table(box=None, padding=(0, 2, 0, 2), show_header=False)
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for found in TERMS.values():
            if found.choice == choice:
                table.add_row(found.text, f"{found.line} [dim]{_takes(found)}[/dim]")
        console.print(table)
        console.print()


def _takes(term: Term) -> str:
    """What a term needs, and the calls one sample takes for it."""
    parts = [f"needs {', '.join(sorted(term.needs))}"] if term.needs else []
    if term.choice == "instruction":
        parts.append("1 call")
    elif term.choice == "challenge":
        few = "malicious" in term.text or term.text.endswith("-gold")
        silent = few or (term.text.startswith("judge-constructive") and "judge" in term.needs)
        of_judge = f", and {'0 to K' if few else 'up to K'} of the judge" if "judge" in term.needs else ""
        parts.append(f"{'0 to K' if silent else 'K'} calls{of_judge}")
    return "".join(f"· {part} " for part in parts).rstrip()


def _explain(console: Console, arm: Arm) -> None:
    console.print(f"[bold]{arm}[/bold]: {arm.label}")
    for term in arm.terms:
        console.print(f"  {term.text}: {term.line}")
    console.print(f"  needs: {', '.join(sorted(arm.needs)) or 'nothing'}")
    console.print(f"  control: {arm.control}")
    console.print(f"  floor: {arm.floor}")
