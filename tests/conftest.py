from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_server import Script, ScriptedServer

SHARED = Path(__file__).parents[2] / "shared"
"""Real benchmark rows and cases, beside the clone where there are any."""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, request: Any) -> None:
    """No test reads or writes a person's own cache; slow tests keep it for the embedded model's file."""
    if "slow" not in request.keywords:
        monkeypatch.setenv("ASTRAY_CACHE", str(tmp_path_factory.mktemp("cache")))
    for name in ("INSPECT_CACHE_DIR", "INSPECT_LOG_DIR", "INSPECT_EVAL_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ScriptedServer]]:
    """Start a scripted server and make it the model ``openai-api/scripted/m``."""
    servers: list[ScriptedServer] = []

    def start(script: Script, **options: Any) -> ScriptedServer:
        server = ScriptedServer(script, **options)
        server.__enter__()
        servers.append(server)
        monkeypatch.setenv("SCRIPTED_BASE_URL", server.url)
        monkeypatch.setenv("SCRIPTED_API_KEY", "sk-scripted-secret")
        return server

    yield start
    for server in servers:
        server.stop()


@pytest.fixture
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip("no shared folder beside the clone")
    return SHARED


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path
