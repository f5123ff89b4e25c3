"""From the logs of runs to an evidence pack: what all runs agree on goes in, everything else is listed with why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from inspect_ai.log import EvalLog

from astray.authors import About
from astray.authors.evidence import Run, agreed, run_in, together, verified
from astray.errors import StudyMismatch
from astray.evidence import Evidence, Pack, Runs
from astray.study.engine import finished_samples
from astray.writing.agree import Agreement, golds_of
from astray.writing.seek import PreparedSearch


@dataclass(frozen=True)
class Kept:
    """How many questions of one data set were kept: the keep rate of WAFER-QA, section 3.3.

    Attributes:
        subset: The data set; None where samples name none.
        asked: Questions asked about.
        kept: Questions in the pack.
        not_wrong: Of those, how many alternatives a verifier finds not wrong.
        left_out: (sample id, reason) of each that was gone over and isn't kept.
        missing: (sample id, reason) of each of which a run was not had.
    """

    subset: str | None
    asked: int
    kept: int
    not_wrong: int
    left_out: tuple[tuple[str, str], ...]
    missing: tuple[tuple[str, str], ...]

    @property
    def rate(self) -> float | None:
        """Kept, of those that were gone over; None where none was."""
        known = self.asked - len(self.missing)
        return self.kept / known if known else None


@dataclass(frozen=True)
class Gathered:
    """What the logs come to: the runs over each sample by their number, and why others failed."""

    runs: Mapping[str, Mapping[int, Run]]
    errors: Mapping[str, str]


def pack_before(prepared: PreparedSearch, path: Path) -> Pack | None:
    """The pack that is at this path already; None where there is none.

    Raises:
        StudyMismatch: It is of another benchmark, author, corpus or seed.
        InputError: It can't be read.
    """
    if not path.exists():
        return None
    pack, header = Pack.load(path), prepared.header
    for name in ("benchmark", "author", "corpus", "seed", "fingerprint"):
        there, now = getattr(pack.header, name), getattr(header, name)
        if there != now:
            raise StudyMismatch(
                f"{path}: holds a pack of another {name} ({there!r} there, {now!r} now); name another --out PACK, "
                "or ask for the same to go on with this one"
            )
    return pack


def gather(prepared: PreparedSearch, logs: Iterable[EvalLog]) -> Gathered:
    """The runs of this search, or of one with another limit, number of runs or verifier; the newest of each counts."""
    runs: dict[str, dict[int, Run]] = {}
    errors: dict[str, str] = {}
    for log in sorted((log for log in logs if _belongs(prepared, log)), key=lambda log: log.eval.created):
        for sample in finished_samples(log):
            done = run_in(sample.store)
            if done is not None:
                runs.setdefault(str(sample.id), {})[sample.epoch] = done
            elif sample.error is not None:
                errors[str(sample.id)] = sample.error.message.strip().splitlines()[0][:200]
            else:
                errors[str(sample.id)] = "ended before it was finished"
    return Gathered(runs, errors)


def runs_of(prepared: PreparedSearch, gathered: Gathered) -> dict[str, list[Run]]:
    """The runs over each sample, in order, as many as are asked for; of a sample that lacks some, those there are."""
    return {
        id: [run for number, run in sorted(runs.items()) if number <= prepared.asked.runs]
        for id, runs in gathered.runs.items()
    }


def all_found(prepared: PreparedSearch, gathered: Gathered) -> dict[str, list[Run]]:
    """The same of samples for which every run is there and has found something."""
    some = runs_of(prepared, gathered)
    return {id: runs for id, runs in some.items() if len(runs) == prepared.asked.runs and all(r.found for r in runs)}


def collect_pack(
    prepared: PreparedSearch, gathered: Gathered, before: Pack | None, agreement: Agreement
) -> tuple[Pack, tuple[Kept, ...]]:
    """The pack of all questions that all runs agree on, and what became of the others, by data set.

    What a person said of an alternative in an earlier version of the pack is kept.
    """
    of_sample = runs_of(prepared, gathered)
    rows = {row.sample_id: row for row in before.rows} if before else {}
    reasons: dict[str, str] = {}
    missing: dict[str, str] = {}
    for about in prepared.abouts:
        id = about.sample_id
        runs = of_sample.get(id, [])
        earlier = rows.pop(id, None)
        if len(runs) < prepared.asked.runs:
            missing[id] = gathered.errors.get(id, "not gone over yet")
            continue
        alternative, reason = _agreed(about, runs, agreement)
        if alternative is None:
            reasons[id] = reason
        else:
            rows[id] = _as_before(_row(prepared, about, alternative, runs), earlier)
    places = {id: place for place, id in enumerate(prepared.order)}
    ordered = sorted(rows.values(), key=lambda row: (places.get(row.sample_id, len(places)), row.sample_id))
    return Pack.make(prepared.header, ordered), _tallies(prepared, rows, reasons, missing)


def _agreed(about: About, runs: Sequence[Run], agreement: Agreement) -> tuple[str | None, str]:
    """(the alternative of all runs, why there is none): what a grader finds to be the right answer is none either."""
    alternative, reason = agreed(runs, partial(agreement.alike, about.sample_id))
    if alternative is None or about.choices:
        return alternative, reason
    if any(agreement.alike(about.sample_id, gold, alternative) for gold in golds_of(about)):
        return None, f"names the right answer in other words ({alternative})"
    return alternative, ""


def _belongs(prepared: PreparedSearch, log: EvalLog) -> bool:
    given, asked = log.eval.task_args, prepared.asked
    wanted = {
        "benchmark": asked.benchmark,
        "source": prepared.source,
        "fingerprint": prepared.fingerprint,
        "agent": prepared.agent,
        "seed": asked.seed,
    }
    is_search = log.eval.task_registry_name == "astray/evidence" and log.eval.model == asked.author
    return is_search and all(given.get(name) == value for name, value in wanted.items())


def _row(prepared: PreparedSearch, about: About, alternative: str, runs: list[Run]) -> Evidence:
    said = verified(runs)
    return Evidence(
        sample_id=about.sample_id,
        alternative=alternative,
        passages=together(runs),
        question=about.question,
        gold=about.gold_text,
        subset=prepared.subsets.get(about.sample_id),
        runs=Runs(found=len(runs), of=len(runs)),
        verified=said,
        verifier=prepared.asked.verifier if said is not None else None,
        sample_digest=about.sample_digest,
    )


def _as_before(row: Evidence, before: Evidence | None) -> Evidence:
    """The row with the verdict that is there already, unless it comes from a model and there is a newer one."""
    if before is None or before.verified is None or before.alternative != row.alternative:
        return row
    by_model = "/" in (before.verifier or "")
    if by_model and row.verified is not None:
        return row
    return row.model_copy(update={"verified": before.verified, "verifier": before.verifier})


def _tallies(
    prepared: PreparedSearch, rows: Mapping[str, Evidence], reasons: Mapping[str, str], missing: Mapping[str, str]
) -> tuple[Kept, ...]:
    tallies = []
    for subset in dict.fromkeys(prepared.subsets.values()):
        ids = [id for id, its in prepared.subsets.items() if its == subset]
        kept = [rows[id] for id in ids if id in rows]
        left_out = tuple((id, reasons[id]) for id in ids if id in reasons)
        not_had = tuple((id, missing[id]) for id in ids if id in missing)
        not_wrong = sum(row.verified is False for row in kept)
        tallies.append(Kept(subset, len(ids), len(kept), not_wrong, left_out, not_had))
    return tuple(tallies)
