"""Results of tau2-bench itself as tables. Only what is named here is taken over: upstream keeps API keys beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from astray import prompts
from astray.advice import Book
from astray.arm import Arm
from astray.benchmarks.tau2.benchmark import PREFIX, sample_id
from astray.benchmarks.tau2.environment import Call
from astray.benchmarks.tau2.export import PEDANTIC_USER
from astray.benchmarks.tau2.patterns import read_pattern
from astray.benchmarks.tau2.record import BROKEN
from astray.benchmarks.tau2.results import LIMITS, STOPPED, Results, policy_of, read_results, thoughts_of
from astray.benchmarks.tau2.scoring import TRANSFER
from astray.benchmarks.tau2.signs import confirms_and_leaves, ending, explains, pushes_back, speaks_as_agent, voices
from astray.errors import InputError
from astray.tables import ConversationRow, Outcome, OutcomeRow, SampleRow, TranscriptRow, moment, since, write

_MARK: Final = "\0"


@dataclass
class Imported:
    """Rows made of upstream's results."""

    outcomes: list[OutcomeRow] = field(default_factory=list)
    transcripts: list[TranscriptRow] = field(default_factory=list)
    samples: list[SampleRow] = field(default_factory=list)
    conversations: list[ConversationRow] = field(default_factory=list)


def import_tau2(paths: Sequence[Path], out: Path, book: Book | None = None) -> Imported:
    """Read results of tau2-bench and write their tables into a study folder.

    The arm is told from what was run: by the belief in the tasks' instructions, and by the names under which
    `export_tau2` registers users and agents.

    Args:
        paths: Files ``results.json``, or folders with one.
        out: The study folder.
        book: The book that was exported: says what suggestions lead to, and which are harmful.

    Raises:
        InputError: A file isn't such results, or the folder is that of a study that astray ran.
    """
    if (out / "study.yaml").is_file():
        raise InputError(f"{out}: is a study that was run here, and its tables come from its logs; name another --out")
    rows, samples = Imported(), dict[str, SampleRow]()
    sources = []
    for path in paths:
        results = read_results(path)
        try:
            _take(results, out.name, book, rows, samples)
            sources.append({"file": path.name, "git_commit": results.info.get("git_commit")})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"{path}: not results of tau2-bench ({type(error).__name__}: {str(error)[:200]})"
            ) from error
    rows.samples = list(samples.values())
    settings = {"name": out.name, "harness": "tau2-bench", "imported": sources, "book": book.hash if book else None}
    for name, made in vars(rows).items():
        write(out / "tables", name, made, settings)
    return rows


def _take(results: Results, study: str, book: Book | None, rows: Imported, samples: dict[str, SampleRow]) -> None:
    info = results.info
    domain = str(info["environment_info"]["domain_name"])
    common = {"study": study, "model": str(info["agent_info"]["llm"]), "benchmark": f"{PREFIX}{domain}"}
    user = info["user_info"].get("llm")
    tasks = {str(task["id"]): task for task in results.tasks}
    for id, task in tasks.items():
        samples.setdefault(sample_id(domain, id), _sample_row(common, domain, id, task))
    for _, simulation in results.simulations:
        task = tasks[str(simulation["task_id"])]
        belief = _belief(task)
        where: dict[str, Any] = {
            **common,
            "sample_id": sample_id(domain, str(simulation["task_id"])),
            "arm": str(_arm(info, belief)),
            "epoch": int(simulation.get("trial") or 0) + 1,
        }
        seen = _seen(simulation, belief, where, book)
        rows.outcomes.append(_outcome_row(where, domain, user, book if belief else None, simulation, seen))
        rows.conversations.append(ConversationRow(**where, subset=domain, user=user, **seen))
        rows.transcripts += _transcript_rows(where, simulation, belief, policy_of(info, simulation))


def _arm(info: Mapping[str, Any], belief: str | None) -> Arm:
    agent, user = (str(info[side].get("implementation") or "") for side in ("agent_info", "user_info"))
    terms = ["xy"] if belief else []
    terms += [agent.removeprefix("astray_")] if agent.startswith("astray_") else []
    terms += ["user-pedantic"] if user == PEDANTIC_USER and belief else []
    return Arm.parse("+".join(terms) or "original")


def _belief(task: Mapping[str, Any]) -> str | None:
    """What the user of a treated task is convinced of: what stands in our own words where the suggestion goes."""
    instructions = task["user_scenario"]["instructions"]
    text = instructions["task_instructions"] if isinstance(instructions, dict) else str(instructions)
    for id in ("users/cooperative", "users/user-pedantic"):
        before, after = prompts.load(id).fill(suggestion=_MARK).split(_MARK)
        start = text.find(before)
        if start >= 0 and text.endswith(after):
            return str(text[start + len(before) : len(text) - len(after)])
    return None


def _outcome_row(
    where: Mapping[str, Any],
    domain: str,
    user: str | None,
    book: Book | None,
    simulation: Mapping[str, Any],
    seen: Mapping[str, Any],
) -> OutcomeRow:
    outcome, value, limit, error = _class(simulation, seen)
    agent = [message for message in simulation.get("messages") or [] if message["role"] == "assistant"]
    usages = [message["usage"] for message in agent if message.get("usage")]
    return OutcomeRow(
        **where,
        subset=domain,
        user=user,
        book=book.hash if book else None,
        round=0,
        outcome=outcome,
        value=value,
        limit=limit,
        error=error,
        grading="scorer" if value is not None else None,
        input_tokens=_total(usages, "prompt_tokens"),
        output_tokens=_total(usages, "completion_tokens"),
        cost_usd=simulation.get("agent_cost"),
        seconds=simulation.get("duration"),
        turns=len(agent),
    )


def _class(
    simulation: Mapping[str, Any], seen: Mapping[str, Any]
) -> tuple[Outcome, float | None, str | None, str | None]:
    """(outcome, value, limit, error) of a simulation."""
    reason = str(simulation.get("termination_reason") or "")
    reward = (simulation.get("reward_info") or {}).get("reward")
    if seen["ended"] == BROKEN:
        return Outcome.ERROR, None, None, f"user simulator: {seen['faults']}"
    if reason in LIMITS:
        return Outcome.LIMIT, 0.0, LIMITS[reason], None
    if reason not in STOPPED:
        return Outcome.ERROR, None, None, f"ended by {reason or 'nobody knows what'}"
    if reward is None:
        return Outcome.GRADER_FAILED, None, None, "no reward was given"
    value = float(reward)
    outcome = Outcome.CORRECT if value >= 1 else Outcome.PARTIAL if value > 0 else Outcome.WRONG
    return outcome, value, None, None


def _total(usages: Iterable[Mapping[str, Any]], name: str) -> int | None:
    counts = [int(usage[name]) for usage in usages if usage.get(name) is not None]
    return sum(counts) if counts else None


def _seen(
    simulation: Mapping[str, Any], belief: str | None, where: Mapping[str, Any], book: Book | None
) -> dict[str, Any]:
    """What went on in a conversation, told by the rules that hold for our own."""
    messages = simulation.get("messages") or []
    agent = [str(message.get("content") or "") for message in messages if _speaks(message, "assistant")]
    user = [ending(str(message.get("content") or "")) for message in messages if _speaks(message, "user")]
    calls = [call for message in messages for call in message.get("tool_calls") or []]
    reason = str(simulation.get("termination_reason") or "")
    faults = [] if not any(speaks_as_agent(text) for _, text in user) else ["spoke as the agent"]
    ended = (user[-1][0] or "user") if user and reason in STOPPED else LIMITS.get(reason)
    broken = bool(ended == "user" and agent and user and confirms_and_leaves(agent[-1], user[-1][1]))
    said = [turn for turn, (_, text) in enumerate(user, 1) if belief and voices(belief, text)]
    if belief and user and not said:
        faults.append("never said what it was to believe")
    row = book.find(where["sample_id"], "bad") if book and belief else None
    pattern = read_pattern(row.leads_to) if row else None
    harm = [check.result for check in row.checks if check.name == "harm"] if row else []
    words = {"passed": "harmful", "failed": "harmless", "unknown": "undefined"}
    # Upstream's agent speaks first: a greeting, before anything was said.
    later = list(enumerate(agent, 1))[said[0] :] if said else []
    made = [Call(call.get("requestor") or "assistant", call["name"], call.get("arguments") or {}) for call in calls]
    return {
        "ended": BROKEN if broken else ended,
        "faults": "; ".join([*faults, *(["left with its confirmation"] if broken else [])]) or None,
        "agent_turns": len(agent),
        "user_turns": len(user),
        "steps": len(messages),
        "tool_errors": sum(bool(message.get("error")) for message in messages if message["role"] == "tool"),
        "voiced": bool(said) if belief else None,
        "voiced_at": said[0] if said else None,
        "pushed_back_at": next((turn for turn, text in later if pushes_back(text)), None),
        "explained_at": next((turn for turn, text in later if explains(text)), None),
        "complied": pattern.among(made) if pattern else None,
        "transferred": any(call.name == TRANSFER for call in made),
        "parts": _parts(simulation),
        "harm": words[harm[0] if harm else "unknown"] if belief else None,
    }


def _speaks(message: Mapping[str, Any], role: str) -> bool:
    return message["role"] == role and not message.get("tool_calls")


def _parts(simulation: Mapping[str, Any]) -> str | None:
    found = (simulation.get("reward_info") or {}).get("reward_breakdown")
    return json.dumps({str(name): float(value) >= 1 for name, value in found.items()}) if found else None


def _transcript_rows(
    where: Mapping[str, Any], simulation: Mapping[str, Any], belief: str | None, policy: str | None
) -> Iterator[TranscriptRow]:
    """The agent's own view: of what the user does with its own tools only the calls, with its next remark."""
    did: list[dict[str, Any]] = []
    step = 0
    if policy:
        step = 1
        yield TranscriptRow(**where, step=step, round=0, speaker="system", text=policy)
    stamps = [moment(message.get("timestamp")) for message in simulation.get("messages") or []]
    start = next((stamp for stamp in stamps if stamp is not None), None)
    for message, now in zip(simulation.get("messages") or [], stamps, strict=True):
        text, role = str(message.get("content") or ""), str(message["role"])
        calls = [{"name": call["name"], "arguments": call.get("arguments")} for call in message.get("tool_calls") or []]
        if role == "user" and calls:
            did += calls
        if (role == "user" and calls) or (role == "tool" and message.get("requestor") == "user"):
            continue
        if role == "user":
            calls, did = did, []
        step += 1
        yield TranscriptRow(
            **where,
            step=step,
            round=0,
            speaker={"assistant": "agent", "user": "simulated user"}.get(role, role),
            text=text,
            reasoning=thoughts_of(message) if role == "assistant" else None,
            tool_calls=json.dumps(calls, ensure_ascii=False) if calls else None,
            advice=text if role == "user" and belief and voices(belief, text) else None,
            seconds=since(start, now),
        )


def _sample_row(common: Mapping[str, Any], domain: str, id: str, task: Mapping[str, Any]) -> SampleRow:
    instructions = task["user_scenario"]["instructions"]
    asked = instructions["reason_for_call"] if isinstance(instructions, dict) else str(instructions)
    criteria = task.get("evaluation_criteria") or {}
    gold = [f"{one['name']}({json.dumps(one.get('arguments') or {})})" for one in criteria.get("actions") or []]
    return SampleRow(
        study=common["study"],
        benchmark=common["benchmark"],
        sample_id=sample_id(domain, id),
        subset=domain,
        question=str(asked),
        gold="\n".join(gold) or "change nothing",
        choices=None,
        alternative=None,
    )
