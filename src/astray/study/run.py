"""Running a study: one task for each arm, resumable, and honest about what was not had."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from astray.errors import AstrayError
from astray.study.engine import Settings, answers_kept_in, connections_for, plain_errors, run_tasks, shared
from astray.study.folder import Folder, open_folder
from astray.study.plan import answers_per_sample
from astray.study.prepare import Prepared
from astray.study.shared_model import Budget
from astray.study.task import arm as arm_of


@dataclass(frozen=True)
class Ran:
    """What a run came to."""

    folder: Folder
    gone: AstrayError | None
    """Why nothing more was asked, or None."""


def run_study(prepared: Prepared, out: Path, console: Console) -> Ran:
    """Run what is missing of a study. Tables are made from the logs afterwards, by `collect`.

    Raises:
        UsageError: Unknown model.
        ModelUnavailable: The model can't be had at the start.
        StudyMismatch: The folder holds another study.
        OSError: The disk is full.
        AstrayError: Inspect refuses; its message is shown.
        KeyboardInterrupt: Interrupted; what was finished is kept.
    """
    study = prepared.study
    with answers_kept_in(Folder(out).cache), plain_errors():
        model = shared(study.model)
        roles = {role: shared(name) for role, name in role_names(prepared).items()}
        folder = open_folder(prepared, out)
        tasks = [arm_of(**prepared.task_arguments(arm)) for arm in prepared.arms]
        with _progress(prepared, console):
            gone = run_tasks(tasks, folder.logs, model, roles, _settings(prepared))
    return Ran(folder, gone)


def role_names(prepared: Prepared) -> dict[str, str]:
    """The models of the roles that are named; a judge that isn't is the evaluated model itself.

    Also a judge that no arm needs yet: roles belong to a task's identity, and arms may be added. Where a benchmark's
    own scorer asks several graders (HLE: ``grader``, ``grader_2``), each is the grader of the study.
    """
    study = prepared.study
    graders = {"grader", *(role for role in prepared.own_roles if role.startswith("grader"))}
    names = dict.fromkeys(sorted(graders), study.grader_model) | {"judge": study.judge_model, "user": study.user_model}
    return {role: name for role, name in names.items() if name}


def _settings(prepared: Prepared) -> Settings:
    study = prepared.study
    return Settings(
        limit=len(prepared.samples),
        epochs=study.epochs,
        temperature=study.temperature,
        max_tokens=study.max_tokens,
        timeout=study.timeout,
        connections=connections_for(study.model, study.max_connections),
        budget=Budget.of(study.budget),
    )


def _progress(prepared: Prepared, console: Console) -> AbstractContextManager[None]:
    if not console.is_terminal:
        return nullcontext()
    from astray.study.progress import progress_line

    samples = len(prepared.samples) * prepared.study.epochs
    return progress_line(answers_per_sample(prepared.arms), samples, console)
