from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ContentText, UrlCitation
from inspect_ai.tool import ToolDef

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
def texts(tmp_path: Path) -> Path:
    """A small corpus: a text, a Markdown file, rows, and a picture that is none of it."""
    folder = tmp_path / "texts"
    (folder / "more").mkdir(parents=True)
    (folder / "goats.txt").write_text("Goats eat paper, keepers say.\n\n" + "Goats climb well. " * 60)
    (folder / "more" / "café.md").write_text("# Coffee\n\nThe café in Zürich opens at six.\n\n")
    (folder / "rows.jsonl").write_text(
        '{"title": "Moons", "text": "Saturn has 145 known moons."}\n\n'
        '{"url": "https://a.example", "question": "Who?", "said": ["Ada wrote the notes.", "Eve"], "topic": "a b c"}\n'
    )
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inspect's web search, with a provider that knows one page."""

    def fake(provider: str) -> Any:
        async def search(query: str) -> ContentText:
            page = UrlCitation(
                cited_text=f"On the web, {query} stands for a ruby.", title="Page", url="https://w.example"
            )
            return ContentText(text="Summed up.", citations=[page])

        return ToolDef(search, "web_search", "Searches the web.", {"query": "What for."}).as_tool()

    monkeypatch.setenv("TAVILY_API_KEY", "key")
    monkeypatch.setattr("astray.evidence.web.web_search", fake)


@pytest.fixture
def shared() -> Path:
    if not SHARED.is_dir():
        pytest.skip("no shared folder beside the clone")
    return SHARED


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path
