"""When each message of a sample was had."""

from __future__ import annotations

from datetime import datetime

from inspect_ai.event import ModelEvent, ToolEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ChatMessageTool


class Clock:
    """Seconds since a sample began, by message; made from its events, which have to be in it.

    Known of what a model said and a tool returned. What a template said, or was there from the start, has no time.
    """

    def __init__(self, sample: EvalSample) -> None:
        self._start = datetime.fromisoformat(sample.started_at) if sample.started_at else None
        self._ends: dict[str, datetime] = {}
        for event in sample.events:
            if not isinstance(event, (ModelEvent, ToolEvent)) or event.completed is None:
                continue
            if isinstance(event, ToolEvent):
                self._ends.setdefault(event.id, event.completed)
            elif event.output.choices and (said := event.output.choices[0].message.id):
                self._ends.setdefault(said, event.completed)

    def seconds(self, message: ChatMessage) -> float | None:
        """Seconds from the start of the sample until this message was complete; None where that isn't known."""
        name = message.tool_call_id if isinstance(message, ChatMessageTool) else message.id
        end = self._ends.get(name or "")
        return round(max(0.0, (end - self._start).total_seconds()), 3) if end and self._start else None
