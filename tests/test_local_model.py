"""The embedded model behind Inspect: quick checks without a model, and slow ones with the real file."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import GenerateConfig, ModelOutput, ResponseSchema, get_model
from inspect_ai.tool import ToolInfo, ToolParam, ToolParams
from inspect_ai.util import JSONSchema

import astray.local.provider  # noqa: F401 (registers astray/…)
from astray.errors import ModelUnavailable, UsageError
from astray.local import DEFAULT, KNOWN, local_path, server

NAME = f"astray/{DEFAULT}"
QUESTION = "What gas do plants take in? A) oxygen B) carbon dioxide. Reply in JSON."
REPLY = ResponseSchema(
    name="reply",
    strict=True,
    json_schema=JSONSchema(
        type="object",
        properties={
            "reason": JSONSchema(type="string", maxLength=40),
            "answer": JSONSchema(type="string", enum=["A", "B"]),
        },
        required=["reason", "answer"],
        additionalProperties=False,
    ),
)
CONFIG = GenerateConfig(temperature=0, seed=1, max_tokens=100, response_schema=REPLY)


def test_making_the_model_loads_nothing() -> None:
    model = get_model(NAME, memoize=False)
    assert str(model) == NAME
    assert model.api.base_url is None  # part of Inspect's cache key: the port must not be in it
    assert server.running(Path("anything")) is None
    assert asyncio.run(model.api.count_text_tokens("word " * 30)) == 50


def test_no_such_model_and_no_base_url() -> None:
    with pytest.raises(UsageError, match="Did you mean"):
        get_model("astray/qwen2.5-coder-2b", memoize=False)
    with pytest.raises(UsageError, match="no base URL"):
        get_model(NAME, base_url="http://127.0.0.1:1/v1", memoize=False)


def test_without_xllamacpp(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ModelUnavailable, match=r"pip install 'astray\[local\]'"):
        server.start(tmp_path / "model.gguf", 1)


def _need_xllamacpp() -> None:
    if find_spec("xllamacpp") is None:  # not importorskip: how it is first imported decides how its threads wait
        pytest.skip("xllamacpp isn't installed")


def test_file_that_is_no_model(tmp_path: Path) -> None:
    _need_xllamacpp()
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF and nothing else")
    with pytest.raises(ModelUnavailable, match="can't load"):
        server.start(file, 1)


def test_server_that_is_gone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("astray.local.api.ensure", lambda spec, meter: tmp_path)
    gone = server.Running("http://127.0.0.1:9/v1", "key", 1)
    monkeypatch.setattr(server, "start", lambda file, slots: gone)
    with pytest.raises(ModelUnavailable, match="no longer answers"):
        asyncio.run(get_model(NAME, memoize=False).generate("Hello"))


def test_more_context_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(server.SLOT_TOKENS_NAME, raising=False)
    assert server.slot_tokens() == 4096
    monkeypatch.setenv(server.SLOT_TOKENS_NAME, "16384")
    assert server.slot_tokens() == 16384
    monkeypatch.setenv(server.SLOT_TOKENS_NAME, "much")
    with pytest.raises(UsageError, match="ASTRAY_SLOT_TOKENS=much: should be a number of tokens"):
        server.slot_tokens()


def test_container_quota_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    quota = tmp_path / "cpu.max"
    monkeypatch.setattr(server, "_GROUP_QUOTA", quota)
    monkeypatch.setattr("os.sched_getaffinity", lambda process: range(64))
    assert server.cores() == 64
    quota.write_text("max 100000\n")
    assert server.cores() == 64
    quota.write_text("200000 100000\n")
    assert server.cores() == 2


@pytest.fixture
def real() -> None:
    _need_xllamacpp()
    if local_path(KNOWN[DEFAULT]) is None:
        pytest.skip(f"{DEFAULT} isn't fetched")


async def _ask(count: int) -> list[ModelOutput]:
    model = get_model(NAME)
    return await asyncio.gather(*[model.generate(QUESTION, config=CONFIG) for _ in range(count)])


@pytest.mark.slow
@pytest.mark.usefixtures("real")
def test_replies_follow_the_schema_and_are_counted() -> None:
    outputs = asyncio.run(_ask(3))
    outputs += asyncio.run(_ask(1))  # the same model in another event loop, as in the next eval
    for output in outputs:
        reply: dict[str, Any] = json.loads(output.completion)
        assert set(reply) == {"reason", "answer"}
        assert len(reply["reason"]) <= 40
        assert reply["answer"] in ("A", "B")
        assert output.usage is not None
        read = output.usage.input_tokens + (output.usage.input_tokens_cache_read or 0)
        assert read > 10
        assert output.usage.output_tokens > 5
        assert output.model == Path(KNOWN[DEFAULT].file).stem, "no path of this machine"
    assert len(server._running) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("real")
def test_a_tool_is_called() -> None:
    weather = ToolInfo(
        name="weather",
        description="The weather in a town now.",
        parameters=ToolParams(properties={"town": ToolParam(type="string")}, required=["town"]),
    )
    asked = get_model(NAME).generate(
        "What is the weather in Oslo? Use the tool.",
        tools=[weather],
        config=GenerateConfig(temperature=0, seed=1, max_tokens=60),
    )
    message = asyncio.run(asked).message
    assert message.tool_calls is not None
    assert (message.tool_calls[0].function, message.tool_calls[0].arguments) == ("weather", {"town": "Oslo"})


@pytest.mark.slow
@pytest.mark.usefixtures("real")
def test_prompt_that_does_not_fit() -> None:
    output = asyncio.run(get_model(NAME).generate("word " * 6000))
    assert output.stop_reason == "model_length"


@pytest.mark.slow
@pytest.mark.usefixtures("real")
@pytest.mark.parametrize(("end", "code"), [("", 0), ("raise SystemExit(7)", 7), ("raise ValueError", 1)])
def test_process_ends(end: str, code: int) -> None:
    lines = [
        "import asyncio, astray.local.provider",
        "from inspect_ai.model import GenerateConfig, get_model",
        f"out = asyncio.run(get_model({NAME!r}).generate('Hi', config=GenerateConfig(max_tokens=3)))",
        "print(out.usage.output_tokens)",
        end,
    ]
    run = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=120)
    assert run.returncode == code, run.stderr
    assert run.stdout == "3\n"  # and nothing of llama.cpp


@pytest.mark.slow
@pytest.mark.usefixtures("real")
def test_interrupted_in_the_middle_of_a_reply() -> None:
    lines = [
        "import asyncio, os, signal, threading, astray.local.provider",
        "from inspect_ai.model import GenerateConfig, get_model",
        f"model = get_model({NAME!r})",
        "asyncio.run(model.generate('Hi', config=GenerateConfig(max_tokens=1)))",
        "threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()",
        "asyncio.run(model.generate('Tell a very long story.', config=GenerateConfig(max_tokens=3000)))",
    ]
    run = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout) == (130, "")
