"""Building an evidence pack: one task, an epoch a run, resumable; the pack is made from its logs."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from astray.authors.evidence import TEMPERATURE, evidence
from astray.errors import AstrayError, ModelUnavailable
from astray.evidence import Pack
from astray.study.engine import (
    Settings,
    answers_kept_in,
    connections_for,
    finished_logs,
    plain_errors,
    run_tasks,
    shared,
)
from astray.study.shared_model import Budget, first_line
from astray.writing.agree import Agreement, settle_all
from astray.writing.pack import Kept, all_found, collect_pack, gather, pack_before
from astray.writing.seek import PreparedSearch
from astray.writing.write import list_left_out, logs_beside, make_folder


@dataclass(frozen=True)
class Built:
    """What came of a search.

    Attributes:
        pack: The pack as it was saved.
        kept: What became of the questions, by data set.
        gone: Why a model counts as gone, or None.
    """

    pack: Pack
    kept: tuple[Kept, ...]
    gone: AstrayError | None = None


def build_pack(prepared: PreparedSearch, path: Path, console: Console) -> Built:
    """Do the runs that are missing, and save the pack from all that is finished.

    Raises:
        UsageError: Unknown model.
        ModelUnavailable: A model can't be had at the start.
        StudyMismatch: There is a pack of another benchmark, author, corpus or seed at this path.
        AstrayError: Inspect refuses, or the folder can't be written; the message says so.
        KeyboardInterrupt: Interrupted; the pack was saved from what is finished.
    """
    pack_before(prepared, path)
    logs = logs_beside(path)
    make_folder(logs, "PACK")
    asked = prepared.asked
    settings = Settings(
        limit=len(prepared.abouts),
        epochs=asked.runs,
        temperature=TEMPERATURE,
        timeout=asked.timeout,
        connections=connections_for(asked.author, asked.max_connections),
        budget=Budget.of(asked.budget),
    )
    with answers_kept_in(logs / "cache"), plain_errors():
        author = shared(asked.author)
        roles = {"verifier": shared(asked.verifier)} if asked.verifier else {}
        try:
            with _progress(prepared, console):
                gone = run_tasks([evidence(**prepared.task_arguments)], logs, author, roles, settings)
            agreement = _graded(prepared, logs) if asked.grader and not gone else Agreement()
        except (KeyboardInterrupt, AstrayError):
            save_pack(prepared, path)
            raise
    built = save_pack(prepared, path, agreement)
    return Built(built.pack, built.kept, gone)


def save_pack(prepared: PreparedSearch, path: Path, agreement: Agreement | None = None) -> Built:
    """Save the pack from all that is finished, whole or not at all, and list beside its logs what is not in it.

    Args:
        prepared: What is asked for.
        path: Where the pack is.
        agreement: What a grader said of answers that rules can't compare.
    """
    logs = logs_beside(path)
    gathered = gather(prepared, finished_logs(logs))
    pack, kept = collect_pack(prepared, gathered, pack_before(prepared, path), agreement or Agreement())
    if pack.rows:
        pack.save(path)
    list_left_out(
        logs,
        (
            {"sample_id": id, "subset": tally.subset, "reason": reason}
            for tally in kept
            for id, reason in (*tally.left_out, *tally.missing)
        ),
    )
    return Built(pack, kept)


def _graded(prepared: PreparedSearch, logs: Path) -> Agreement:
    grader = shared(str(prepared.asked.grader))
    found = all_found(prepared, gather(prepared, finished_logs(logs)))
    try:
        return settle_all(grader, found, prepared.abouts)
    except AstrayError:
        raise
    except Exception as error:
        raise ModelUnavailable(f"grader '{grader}': {first_line(error)}; all runs are kept") from error


def _progress(prepared: PreparedSearch, console: Console) -> AbstractContextManager[None]:
    if not console.is_terminal:
        return nullcontext()
    from astray.study.progress import progress_line

    samples = len(prepared.abouts) * prepared.asked.runs
    return progress_line({"": 1}, samples, console, more="", last="making the pack")
