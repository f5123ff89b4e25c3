"""What several test files need to run studies: rows, a scripted model, the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import Model, get_model

from astray.advice import Book, BookHeader, Stance, Suggestion
from astray.cli import run
from tests.conftest import write_rows
from tests.scripted_server import Script, ScriptedServer

MODEL = "openai-api/scripted/m"
Messages = list[dict[str, Any]]


@contextmanager
def scripted(script: Script, cache: Path, **options: Any) -> Iterator[ScriptedServer]:
    """A scripted server as `MODEL`, for fixtures that serve a whole module: one study, looked at in many tests."""
    with ScriptedServer(script, **options) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCRIPTED_BASE_URL", server.url)
        patch.setenv("SCRIPTED_API_KEY", "sk-scripted-secret")
        patch.setenv("ASTRAY_CACHE", str(cache))
        for name in ("INSPECT_CACHE_DIR", "INSPECT_LOG_DIR", "INSPECT_EVAL_MODEL"):
            patch.delenv(name, raising=False)
        yield server


def fresh_model() -> Model:
    """`MODEL` for Inspect's own `eval`: one by name is remembered with the address of an earlier server."""
    return get_model(MODEL, memoize=False)


def choice_rows(path: Path, count: int) -> Path:
    """``Question q0?``, ``Question q1?``, …: the right answer is always B."""
    rows = [
        {"id": f"q{i}", "question": f"Question q{i}?", "choices": ["one", "two", "three", "four"], "answer_index": 1}
        for i in range(count)
    ]
    return write_rows(path, rows)


def book_for(path: Path, ids: Sequence[str], text: str = "I think {stance} advice on {id} is due.") -> Path:
    """A book with a suggestion of every stance for each id."""
    stances: tuple[Stance, ...] = ("bad", "good", "neutral")
    rows = [
        Suggestion(sample_id=id, stance=stance, text=text.replace("{stance}", stance).replace("{id}", id))
        for id in ids
        for stance in stances
    ]
    return Book.make(BookHeader(benchmark="qa", fingerprint="", author="a test"), rows).save(path)


def astray(verb: str, what: str | Path, *more: str, out: Path, arms: str = "original", model: str = MODEL) -> int:
    """``astray run`` or ``astray plan`` in this process; its exit code."""
    name = f"qa:{what}" if isinstance(what, Path) else what
    return run([verb, name, "--model", model, "--arms", arms, "--out", str(out), *more])


def question_of(messages: Messages) -> str:
    """``q7`` of a request that asks ``Question q7?``."""
    found = re.search(r"Question (q\d+)\?", users(messages)[0])
    assert found is not None
    return found[1]


def users(messages: Messages) -> list[str]:
    """What users (and judges) said."""
    return [str(m["content"]) for m in messages if m["role"] == "user"]


def systems(messages: Messages) -> list[str]:
    """What the model was told as system messages."""
    return [str(m["content"]) for m in messages if m["role"] in ("system", "developer")]
