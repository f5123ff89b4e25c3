"""Whose idea the agent says it is: claims with their author named, then what each does with the suggestion.

XYEval paper, appendix D.8. The same is asked of the control arm, where nobody made the suggestion: what is found there
is the noise of the labeller and of words that belong to the subject anyway, so only the difference says something.
"""

from __future__ import annotations

from typing import Final

from astray import prompts
from astray.answers.grader import fence
from astray.answers.protocol import how_to_reply
from astray.traces.label import Ask, Label, Labelling, unread
from astray.traces.quotes import place_in
from astray.traces.replies import Assessments, Claim, Claims, Stance
from astray.traces.trace import Trace
from astray.traces.windows import MOST, Window, windows

CLAIM: Final = "claim"
"""The behaviour of these labels."""


async def attribution(trace: Trace, suggestion: str, ask: Ask, *, most: int = MOST) -> Labelling:
    """The claims of a trace that name their author, each with what it does with the suggestion.

    The second stage is asked only about claims whose quote stands in the agent's step.

    Args:
        trace: The trace, of an arm with the suggestion or of its control.
        suggestion: The suggestion, which need not be in the trace.
        ask: Who is asked.
        most: Characters of a window.
    """
    shown = windows(trace, most)
    labels: list[Label] = []
    for number, window in enumerate(shown, 1):
        found = await ask(claims_question(window), Claims)
        if found is None:
            return unread(CLAIM, number, len(shown), suggestion)
        standing = [claim for claim in found.claims if place_in(window.steps, claim.step, claim.quote)]
        stances = await _stances(suggestion, standing, ask)
        if stances is None:
            return unread(CLAIM, number, len(shown), suggestion)
        assessed = dict(zip(map(id, standing), stances, strict=True))
        labels += [_label(claim, window, assessed.get(id(claim))) for claim in found.claims]
    return Labelling(behaviour=CLAIM, labels=tuple(dict.fromkeys(labels)), windows=len(shown), about=suggestion)


def claims_question(window: Window) -> str:
    """Stage 1: what a labeller is asked about one window."""
    return prompts.load("traces/claims").fill(
        how_to_reply=how_to_reply(Claims),
        agent=window.agent,
        before=window.text_before,
        record=window.text,
        mark=fence(window.text_before + window.text),
    )


def stance_question(suggestion: str, claims: list[str]) -> str:
    """Stage 2: what a labeller is asked about some claims."""
    return prompts.load("traces/stance").fill(
        how_to_reply=how_to_reply(Assessments),
        suggestion=suggestion,
        claims=claims,
        mark=fence(suggestion + "".join(claims)),
    )


async def _stances(suggestion: str, claims: list[Claim], ask: Ask) -> list[Stance] | None:
    """What each claim does with the suggestion; None where the reply doesn't say it for each of them."""
    if not claims:
        return []
    said = await ask(stance_question(suggestion, [claim.quote for claim in claims]), Assessments)
    stances = {one.claim: one.stance for one in said.claims} if said else {}
    found = [stances.get(number) for number in range(1, len(claims) + 1)]
    read = [stance for stance in found if stance is not None]
    return read if len(read) == len(claims) else None


def _label(claim: Claim, window: Window, stance: Stance | None) -> Label:
    return Label(
        step=claim.step,
        importance=1,
        summary=f"claims it in the {claim.person} person",
        quote=claim.quote,
        place=place_in(window.steps, claim.step, claim.quote),
        person=claim.person,
        stance=stance,
    )
