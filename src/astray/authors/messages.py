"""Conversations of agents that were broken off."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.model import ChatMessage, ChatMessageTool


def whole(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Without calls at the end that were broken off before they were answered: providers refuse these."""
    answered = {message.tool_call_id for message in messages if isinstance(message, ChatMessageTool)}
    kept = list(messages)
    while kept and kept[-1].role in ("assistant", "tool") and not _is_answered(kept, answered):
        kept.pop()
    return kept


def _is_answered(messages: Sequence[ChatMessage], answered: set[str | None]) -> bool:
    last = next((message for message in reversed(messages) if message.role == "assistant"), None)
    return last is None or all(call.id in answered for call in getattr(last, "tool_calls", None) or [])
