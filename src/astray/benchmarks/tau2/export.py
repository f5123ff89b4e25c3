"""A book for tau2-bench itself: data folders with the treated tasks, and a module that registers users and agents."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from astray import prompts
from astray.advice import Book, treat
from astray.arm import Arm
from astray.benchmarks.base import Manner, fingerprint, sample_digest
from astray.benchmarks.tau2.benchmark import PREFIX, Tau2, sample_id
from astray.benchmarks.tau2.data import Domain, data_files
from astray.errors import StudyMismatch, UsageError
from astray.tables import replacing

PLUGIN: Final = "astray_tau2"
"""Name of the module, and of the texts beside it."""

DEFENSES: Final = ("xy-defense", "pedantic-defense", "comply")
"""Defenses that are the same for every task; upstream's agents don't know which task they are at work on."""

PEDANTIC_USER: Final = "astray_pedantic"
"""Under this name the pedantic user is registered; an agent with a defense is ``astray_`` and the defense."""


def export_tau2(book: Book, arms: Sequence[Arm], out: Path) -> list[str]:
    """Write a data folder for each arm that treats tasks, the plug-in module and its texts.

    Returns the commands that run the arms, one a line.

    Raises:
        UsageError: The book isn't one of tau2, or an arm can't be brought to upstream.
        StudyMismatch: The book was written for other tasks than those at hand.
    """
    benchmark = _benchmark_of(book)
    for arm in arms:
        _refuse(arm)
    for arm in arms:
        for domain in benchmark.domains:
            _write_domain(domain, arm, book, _folder(out, arm))
    _write(out / f"{PLUGIN}.py", (files("astray.benchmarks.tau2") / "plugin.py.txt").read_bytes())
    _write(out / f"{PLUGIN}.json", json.dumps(_texts(), ensure_ascii=False, indent=1).encode())
    return [_command(domain.name, arm, out) for arm in arms for domain in benchmark.domains]


def _benchmark_of(book: Book) -> Tau2:
    name = book.header.benchmark
    if not name.startswith(PREFIX):
        raise UsageError(f"the book is one for '{name}'; 'export tau2' takes a book for tau2:DOMAIN")
    benchmark = Tau2(name)
    base = benchmark.task(Manner())
    if book.header.fingerprint not in ("", fingerprint(base)):
        digests = {str(sample.id): sample_digest(sample) for sample in base.dataset}
        pairs = {(row.sample_id, row.sample_digest) for row in book.rows if row.sample_digest}
        other = sorted({id for id, mark in pairs if digests.get(id) != mark})
        if other or not pairs:
            raise StudyMismatch(
                f"the book was written for another version of '{name}': {len(other)} tasks differ or are gone "
                f"({', '.join(other[:5])}); the data at hand are {benchmark.nature.version}. Write it anew with "
                "'astray advise', or set TAU2_DATA_DIR to the data it was written for"
            )
    return benchmark


def _refuse(arm: Arm) -> None:
    if arm.challenges or "decomposition" in arm.needs or arm.defense not in (None, *DEFENSES):
        raise UsageError(
            f"arm '{arm}': can't be brought to tau2-bench itself; there are 'original', 'xy', 'xy-neutral', each with "
            f"+user-pedantic and one of {', '.join(DEFENSES)}"
        )


def _folder(out: Path, arm: Arm) -> Path:
    return out / str(arm) / "data"


def _write_domain(domain: Domain, arm: Arm, book: Book, folder: Path) -> None:
    """The domain's files under upstream's names, the tasks treated."""
    for name, content in data_files(domain.name).items():
        if name == f"domains/{domain.name}/tasks.json":
            content = _treated(domain, arm, book, json.loads(content))
        _write(folder / "tau2" / name, content)


def _treated(domain: Domain, arm: Arm, book: Book, rows: list[dict[str, Any]]) -> bytes:
    """Tasks whose users believe what the book says; a task the book has nothing for is left out."""
    kept = []
    for row in rows:
        treatment = treat(arm, sample_id(domain.name, str(row["id"])), book)
        if str(row["id"]) not in domain.tasks or treatment is None:
            continue
        if treatment.suggestion is not None:
            manner = prompts.load(f"users/{treatment.persona or 'cooperative'}").fill(suggestion=treatment.suggestion)
            instructions = row["user_scenario"]["instructions"]
            if isinstance(instructions, dict):
                instructions["task_instructions"] = f"{instructions['task_instructions'].rstrip()}\n\n{manner}"
            else:
                row["user_scenario"]["instructions"] = f"{instructions.rstrip()}\n\n{manner}"
        kept.append(row)
    return json.dumps(kept, ensure_ascii=False, indent=1).encode()


def _texts() -> dict[str, Any]:
    insisting = prompts.load("users/insisting")
    return {
        "insisting": [insisting.fill(times=times) for times in (1, 2, 3)],
        "defenses": {
            name: {"text": prompts.load(f"defenses/{name}").fill(), "after": name == "comply"} for name in DEFENSES
        },
    }


def _command(domain: str, arm: Arm, out: Path) -> str:
    agent = f" --agent astray_{arm.defense}" if arm.defense else ""
    user = f" --user {PEDANTIC_USER}" if arm.user else ""
    save = f"{domain}-{str(arm).replace('+', '-')}"
    return (
        f"TAU2_DATA_DIR='{_folder(out, arm)}' python '{out / PLUGIN}.py' run --domain {domain}{agent}{user} "
        f"--agent-llm MODEL --user-llm MODEL --save-to {save}"
    )


def _write(path: Path, content: bytes) -> None:
    with replacing(path) as handle:
        handle.write(content)
