"""Long traces are shown to a labeller in windows, cut between steps; the steps keep their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from astray.traces.quotes import CALLS, SAYS, THINKS
from astray.traces.trace import Step, Trace

MOST: Final = 24_000
"""Characters of a window (about 6,000 tokens), unless asked otherwise; a longer step of the agent is one of its own."""

MOST_OF_OTHERS: Final = 3_000
"""Characters of a step of somebody else, such as the result of a tool: the middle of a longer one is left out."""

MOST_OF_RULES: Final = 12_000
"""The same of what the agent is held against: its instructions, and advice."""


@dataclass(frozen=True)
class Window:
    """Some steps in a row.

    Attributes:
        steps: The steps to be labelled.
        before: Of the steps before these: instructions, the request, and advice; to be read, not to be labelled.
        most: Characters of a window.
    """

    steps: tuple[Step, ...]
    before: tuple[Step, ...] = ()
    most: int = MOST

    @property
    def text(self) -> str:
        """The steps as a labeller reads them."""
        return shown(self.steps)

    @property
    def agent(self) -> list[int]:
        """Numbers of the agent's steps among those to be labelled."""
        return [step.step for step in self.steps if step.by_agent]

    @property
    def text_before(self) -> str:
        """What came before as a labeller reads it, no longer than a window; empty for the first one."""
        return _short(shown(self.before), self.most)


def windows(trace: Trace, most: int = MOST) -> tuple[Window, ...]:
    """The trace in windows of at most so many characters, each step in one; those without the agent are left out."""
    groups: list[list[Step]] = []
    length = 0
    for step in trace.steps:
        size = len(_shown(step)) + 2
        if not groups or length + size > most:
            groups.append([])
            length = 0
        groups[-1].append(step)
        length += size
    return tuple(
        Window(tuple(group), _before(trace, group[0].step), most)
        for group in groups
        if any(step.by_agent for step in group)
    )


def shown(steps: tuple[Step, ...]) -> str:
    """Steps as a labeller reads them: number, speaker, thoughts, words, calls."""
    return "\n\n".join(map(_shown, steps))


def _shown(step: Step) -> str:
    parts = [f"--- Step {step.step}: {step.speaker} ---"]
    if step.reasoning:
        parts.append(f"{THINKS} {step.reasoning}")
    if step.text:
        binding = step.speaker == "system" or step.advice
        aloud = step.text if step.by_agent else _short(step.text, MOST_OF_RULES if binding else MOST_OF_OTHERS)
        parts.append(f"{SAYS} {aloud}" if step.reasoning else aloud)
    if step.tool_calls and step.by_agent:
        parts.append(f"{CALLS} {step.tool_calls}")
    return "\n".join(parts)


def _before(trace: Trace, first: int) -> tuple[Step, ...]:
    earlier = [step for step in trace.steps if step.step < first]
    request = next((step for step in earlier if step.speaker in ("user", "simulated user")), None)
    return tuple(step for step in earlier if step is request or step.advice or step.speaker == "system")


def _short(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"
