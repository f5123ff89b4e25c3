"""Calls of tools that a small model writes as plain JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import ModelOutput

from astray.local.calls import with_calls, written_calls

NAMES = {"look_up", "transfer"}
CALL = '{"name": "look_up", "arguments": {"id": 7}}'


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"```json\n{CALL}\n```",
        f"```\n{CALL}\n```",
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"```xml\n<tool_call>{CALL}</tool_call>\n```",
        f"[{CALL}]",
        CALL.replace("arguments", "parameters"),
    ],
)
def test_a_reply_that_is_a_call(text: str) -> None:
    (call,) = written_calls(text, NAMES)
    assert (call.function, call.arguments) == ("look_up", {"id": 7})


def test_several_calls_keep_their_order_and_have_their_own_ids() -> None:
    calls = written_calls(f'```json\n{CALL}\n```\n```json\n{{"name": "transfer"}}\n```', NAMES)
    assert [(call.function, call.arguments) for call in calls] == [("look_up", {"id": 7}), ("transfer", {})]
    assert len({call.id for call in calls}) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I will look it up.",
        f"I will look it up: {CALL}",
        f"{CALL} Is that right?",
        f'{CALL} {{"name": "unknown", "arguments": {{}}}}',
        '{"name": "look_up", "arguments": "7"}',
        '{"name": ["look_up"]}',
        '"look_up"',
        "7",
        CALL[:-1],
    ],
)
def test_anything_else_stays_what_it_is(text: str) -> None:
    assert written_calls(text, NAMES) == []
    output = ModelOutput.from_content("m", text)
    assert with_calls(output, NAMES) is output


def test_an_output_with_calls() -> None:
    output = with_calls(ModelOutput.from_content("m", CALL), NAMES)
    assert (output.stop_reason, output.message.text) == ("tool_calls", "")
    assert output.message.tool_calls is not None
    assert output.message.tool_calls[0].function == "look_up"


def test_without_tools_json_is_an_answer() -> None:
    output = ModelOutput.from_content("m", CALL)
    assert with_calls(output, set()) is output


@given(st.text(), st.recursive(st.none() | st.integers() | st.text(), lambda part: st.lists(part, max_size=3)))
def test_no_text_and_no_value_breaks_it(text: str, value: object) -> None:
    written_calls(text, NAMES)
    written_calls(json.dumps(value), NAMES)
