"""What a study takes and can show, before a call is paid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from astray.arm import Arm
from astray.benchmarks import QA
from astray.study.folder import advised_by_itself, edited_advice
from astray.study.prepare import Prepared
from astray.study.sources import not_wrong


@dataclass(frozen=True)
class ArmPlan:
    """Calls of the generator that one arm takes, at least and at most, and those of its judges and moderator."""

    arm: str
    label: str
    low: int
    high: int
    judge_low: int = 0
    judge_high: int = 0


@dataclass(frozen=True)
class Plan:
    """What a study takes, and what a reader should know before it runs."""

    arms: tuple[ArmPlan, ...]
    samples: int
    epochs: int
    notes: tuple[str, ...]

    @property
    def low(self) -> int:
        """Calls at least."""
        return sum(arm.low for arm in self.arms)

    @property
    def high(self) -> int:
        """Calls at most."""
        return sum(arm.high for arm in self.arms)

    @property
    def judge_low(self) -> int:
        """Calls of judges at least."""
        return sum(arm.judge_low for arm in self.arms)

    @property
    def judge_high(self) -> int:
        """Calls of judges at most."""
        return sum(arm.judge_high for arm in self.arms)


def make_plan(prepared: Prepared) -> Plan:
    """Count the calls of each arm; a first answer that several arms share is counted with the first of them."""
    answers = len(prepared.samples) * prepared.study.epochs
    shared = prepared.study.temperature == 0
    asked: set[tuple[str | None, str | None]] = set()
    judged_before: set[tuple[object, ...]] = set()
    plans = []
    for arm in prepared.arms:
        first = (arm.instruction, arm.defense)
        again = 0 if shared and first in asked else answers
        asked.add(first)
        low, high = _challenge_calls(arm, answers)
        more = (again + high) * (prepared.benchmark.nature.most_calls - 1)
        judged = _judge_calls(arm, answers, judged_before, moderated=prepared.study.moderator)
        plans.append(ArmPlan(str(arm), arm.label, again + low, again + high + more, *judged))
    return Plan(tuple(plans), len(prepared.samples), prepared.study.epochs, tuple(_notes(prepared)))


def answers_per_sample(arms: Sequence[Arm]) -> dict[str, int]:
    """For each arm, how many answers one sample takes."""
    return {str(arm): arm.rounds + 1 for arm in arms}


def _challenge_calls(arm: Arm, answers: int) -> tuple[int, int]:
    """(least, most) calls after the first answer: none where every judge keeps silent."""
    most = answers * arm.rounds
    silent = bool(arm.judges) and all(_may_keep_silent(*judge) for judge in arm.judges)
    return (0 if silent else most), most


def _may_keep_silent(intent: str, knowledge: str) -> bool:
    """A malicious judge speaks only while the answer is right, a constructive one with an opinion where it isn't."""
    return intent == "malicious" or (intent == "constructive" and knowledge != "none")


def _judge_calls(arm: Arm, answers: int, asked: set[tuple[object, ...]], *, moderated: bool) -> tuple[int, int]:
    """(least, most) calls of judges and moderator.

    A judge that sees a case again, in a later round or another arm, is not asked again: what it said is kept. At least
    it is asked once, for the first answer, and where it need not speak not at all.
    """
    models = [judge for judge in arm.judges if judge[1] != "none"]
    first = {judge for judge in models if judge[0] != "malicious" and judge[1] != "gold"}
    new = {(arm.instruction, arm.defense, *judge) for judge in first} - asked
    asked |= new
    moderator = moderated and len(arm.judges) > 1
    return answers * len(new), answers * arm.rounds * (len(models) + moderator)


def _judge_notes(prepared: Prepared) -> list[str]:
    judges = [judge for arm in prepared.arms for judge in arm.judges]
    study, notes = prepared.study, []
    if any(study.judge_of(arm) for arm in prepared.arms):
        other = study.judge_model if study.judge_model != study.model else None
        notes.append(f"judge: {other or 'same model as the generator'}")
        if "judge" in prepared.own_roles:
            notes.append("warning: the benchmark itself uses a model role named 'judge'; it gets the same model")
    else:
        notes += ["judges speak in set phrases; no judge model is asked"] if judges else []
        notes += ["no arm asks a judge model: --judge-model is not used"] if study.judge_model else []
    return notes


def _user_notes(prepared: Prepared) -> list[str]:
    nature, user = prepared.benchmark.nature, prepared.study.user_model
    if "user" not in nature.roles:
        return ["no user is simulated: --user-model is not used"] if user else []
    same = " (the evaluated model itself, as you asked)" if user == prepared.study.model else ""
    return [f"simulated user: {user}{same}; it is called about as often as the agent", f"data: {nature.version}"]


def replaced_settings(prepared: Prepared) -> list[str]:
    """A sentence for each setting of the benchmark's own task that the study's takes the place of."""
    study, epochs, temperature = prepared.study, prepared.own_epochs, prepared.own_temperature
    said = []
    if epochs not in (None, study.epochs):
        asked = f"{epochs} epoch{'s' if epochs != 1 else ''}"
        said.append(f"the task asks for {asked}; the study runs {study.epochs} (--epochs {epochs} for the task's own)")
    if temperature not in (None, study.temperature):
        said.append(
            f"the task asks for temperature {temperature:g}; the study runs at {study.temperature:g} "
            f"(--temperature {temperature:g} for the task's own)"
        )
    return said


def _notes(prepared: Prepared) -> list[str]:
    notes = replaced_settings(prepared)
    if isinstance(prepared.benchmark, QA) and (without := prepared.benchmark.left_out):
        notes.append(f"{len(without)} rows can't be used and are left out: {without[0]}")
    if prepared.left_out:
        some = ", ".join(prepared.left_out[:5]) + (", …" if len(prepared.left_out) > 5 else "")
        notes.append(f"{len(prepared.left_out)} samples are left out of all arms for want of advice: {some}")
    if prepared.without_evidence:
        some = ", ".join(prepared.without_evidence[:5]) + (", …" if len(prepared.without_evidence) > 5 else "")
        notes.append(f"{len(prepared.without_evidence)} samples have no evidence, and are marked: {some}")
    if unsure := not_wrong(prepared.evidence, prepared.benchmark, prepared.samples):
        notes.append(f"{len(unsure)} samples' alternatives are marked as not wrong: {', '.join(unsure[:5])}")
    if advised_by_itself(prepared):
        notes.append("advice was written by the evaluated model itself")
    if edited := edited_advice(prepared):
        notes.append(edited)
    notes += _judge_notes(prepared)
    if (graders := sorted(role for role in prepared.own_roles if role.startswith("grader"))) and (
        not prepared.study.grader_model
    ):
        notes.append(
            f"warning: the benchmark's own scorer asks a model in the role {' and '.join(graders)}; without "
            "--grader-model that is its own choice, or the evaluated model"
        )
    notes += _user_notes(prepared)
    open_ended = any(prepared.benchmark.question(sample).choices is None for sample in prepared.samples)
    if open_ended and isinstance(prepared.benchmark, QA) and not prepared.study.grader_model:
        notes.append("no grader model: exact matching only")
    if not prepared.study.grader_model and any(arm.defense == "acknowledge" for arm in prepared.arms):
        notes.append("no grader model: only answers that are read as several count as acknowledged")
    if prepared.study.temperature > 0:
        notes.append("temperature above 0: first answers are not shared between arms")
    return notes
