"""The same labelling as a scanner of Inspect Scout (extra ``traces``), over any Inspect log: ``scout scan``.

from astray.traces.scout import behaviour
scan([behaviour("complies")], transcripts=transcripts_from("logs"), model_roles={"grader": "openai/gpt-4o"})
"""

from __future__ import annotations

from functools import partial

from inspect_ai.model import get_model
from inspect_scout import Reference, Result, Scanner, Transcript, scanner

from astray.answers.grader import ask_judgement
from astray.study.collect import _reasoning, _speaker, _tool_calls
from astray.traces.kinds import check_behaviours, look_for
from astray.traces.label import Labelling
from astray.traces.task import METADATA_KEY
from astray.traces.trace import Key, Step, Trace
from astray.traces.windows import MOST


@scanner(messages="all", name="astray_behaviour")
def behaviour(name: str, most: int = MOST) -> Scanner[Transcript]:
    """One behaviour in every transcript: the value is the number of labels that hold, None where it is void.

    Args:
        name: What is looked for, one of `astray.traces.EVERYTHING`.
        most: Characters of a window.

    Model roles: ``grader``, who labels; required.

    Raises:
        UsageError: Something of this name can't be looked for.
    """
    (checked,) = check_behaviours((name,))

    async def scan(transcript: Transcript) -> Result:
        ask = partial(ask_judgement, get_model(role="grader", required=True), per_epoch=False)
        trace = trace_of(transcript)
        found = await look_for(checked, trace, trace.advice, ask, most=most)
        return _result(transcript, found)

    return scan


def trace_of(transcript: Transcript) -> Trace:
    """A transcript of Scout as a trace: a step for each message; the suggestion is known where astray put it in."""
    own = (transcript.metadata.get("sample_metadata") or {}).get(METADATA_KEY) or {}
    suggestion = (own.get("treatment") or {}).get("suggestion")
    steps = []
    for number, message in enumerate(transcript.messages, 1):
        speaker, advice = _speaker(message, suggestion)
        calls, thought = _tool_calls(message), _reasoning(message)
        steps.append(Step(number, speaker, message.text, thought, calls, advice))
    sample, epoch = str(transcript.task_id or ""), int(transcript.task_repeat or 1)
    key = Key("", transcript.model or "", transcript.task_set or "", sample, "", epoch)
    return Trace(key, tuple(steps))


def _result(transcript: Transcript, found: Labelling | None) -> Result:
    if found is None:
        return Result(value=None, explanation="does not apply to this transcript")
    if found.reason is not None:
        return Result(value=None, explanation=f"void: {found.reason}")
    holding = [one for one in found.labels if one.place is not None]
    references = [
        Reference(type="message", cite=f"[M{one.step}]", id=message_id)
        for one in holding
        if (message_id := transcript.messages[one.step - 1].id)
    ]
    return Result(
        value=len(holding),
        explanation="\n".join(f"[M{one.step}] {one.summary}: “{one.quote}”" for one in holding) or None,
        metadata={"labels": [one.model_dump() for one in found.labels], "windows": found.windows},
        references=references,
    )
