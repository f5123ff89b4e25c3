"""``astray evidence``: have an evidence pack built, look at one, count it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from astray.cli.options import BUDGET, key_value, stopped
from astray.errors import AstrayError, UsageError

if TYPE_CHECKING:
    from astray.writing import Search

_PACK = click.argument("pack", metavar="PACK", type=click.Path(path_type=Path))


@click.group()
def evidence() -> None:
    """Evidence packs: build one, read one, count it."""


@evidence.command()
@click.argument("benchmark")
@click.option("--author-model", required=True, help="The model that looks for evidence: provider/name.")
@click.option("--corpus", help="Search these texts: a folder of .txt, .md and .jsonl files, or one such file.")
@click.option("--web", is_flag=True, help="Search the web.")
@click.option("--agent/--no-agent", default=None, help="Search with a tool at will; default with --web only.")
@click.option("--verifier-model", help="Another model, which says whether an alternative is wrong.")
@click.option("--grader-model", help="A model that says whether open-ended answers are the same where rules can't.")
@click.option("--runs", type=click.IntRange(1), default=3, show_default=True, help="Runs that all have to agree.")
@click.option("--limit", type=click.IntRange(1), help="Only the first N samples; may grow later.")
@click.option("--seed", type=int, default=0, show_default=True, help="For the author's draws.")
@click.option("--max-connections", type=click.IntRange(1), help="Calls in flight at the same time.")
@click.option("--budget", type=click.IntRange(1), help=BUDGET)
@click.option("--timeout", type=click.FloatRange(1), default=600, help="Seconds for one try of one call; default 600.")
@click.option(
    "-T",
    "task_args",
    multiple=True,
    metavar="KEY=VALUE",
    help="An argument of an Inspect task, or of an hf: field map.",
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The pack, a .jsonl file.")
def build(out: Path, **given: Any) -> int:
    """Look for support for a wrong answer to every question of BENCHMARK, and keep those where all runs agree.

    The same command again does only what is missing.
    """
    from rich.console import Console

    from astray.cli.evidence_views import exit_code, show_built, show_search, state
    from astray.writing import build_pack, prepare_search, save_pack

    notice = Console(stderr=True)
    prepared = prepare_search(_search(given))
    show_search(Console(), prepared)
    try:
        built = build_pack(prepared, out, notice)
    except KeyboardInterrupt:
        click.echo(f"astray: {state(out, save_pack(prepared, out).kept)}", err=True)
        raise
    if built.gone:
        raise stopped(built.gone, state(out, built.kept))
    show_built(Console(), built, out)
    if not built.pack.rows:
        raise AstrayError(
            f"{out}: not written, for no question was kept; try another --author-model, other texts, or fewer --runs"
        )
    return exit_code(built.kept)


@evidence.command()
@_PACK
@click.argument("samples", metavar="[SAMPLE]...", nargs=-1)
def show(pack: Path, samples: tuple[str, ...]) -> None:
    """Show the alternatives and passages of PACK, of all samples or of those named."""
    from astray.cli.advice import console, require_sample
    from astray.cli.evidence_views import show_row
    from astray.evidence import Pack

    read = Pack.load(pack)
    ids = [row.sample_id for row in read.rows]
    for sample in samples:
        require_sample(pack, ids, sample)
    out = console()
    for row in read.rows:
        if not samples or row.sample_id in samples:
            show_row(out, row)


@evidence.command()
@_PACK
def stats(pack: Path) -> None:
    """Count PACK: rows by data set, passages, sources, runs, verdicts, entries left out."""
    from astray.cli.advice import console
    from astray.cli.evidence_views import show_stats
    from astray.evidence import Pack

    show_stats(console(), Pack.load(pack))


def _search(given: dict[str, Any]) -> Search:
    from astray.writing import Search

    if bool(given["corpus"]) == given["web"]:
        raise UsageError("name what is to be searched: --corpus DIR, or --web")
    return Search(
        benchmark=given["benchmark"],
        author=given["author_model"],
        corpus=given["corpus"],
        verifier=given["verifier_model"],
        grader=given["grader_model"],
        runs=given["runs"],
        limit=given["limit"],
        agent=given["agent"],
        seed=given["seed"],
        task_args=dict(map(key_value, given["task_args"])),
        max_connections=given["max_connections"],
        budget=given["budget"],
        timeout=given["timeout"],
    )
