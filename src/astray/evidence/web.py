"""Live web search, through Inspect's ``web_search``; built only when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from inspect_ai.model import ContentText
from inspect_ai.tool import Tool, web_search

from astray.errors import UsageError
from astray.evidence.rows import Passage

Provider = Literal["tavily", "exa", "google"]

KEYS: Final[dict[Provider, tuple[str, ...]]] = {
    "tavily": ("TAVILY_API_KEY",),
    "exa": ("EXA_API_KEY",),
    "google": ("GOOGLE_CSE_ID", "GOOGLE_CSE_API_KEY"),
}
"""Search services that work beside any model, and the environment variables each needs."""


@dataclass(frozen=True)
class Web:
    """The web, by one of Inspect's external search providers."""

    provider: Provider
    name: str = "web"

    @classmethod
    def ready(cls) -> Web:
        """Web search with the first provider whose keys are set.

        Raises:
            UsageError: No provider's keys are set; names them.
        """
        for provider, names in KEYS.items():
            if all(os.environ.get(name) for name in names):
                return cls(provider)
        wanted = "; ".join(f"{provider}: {' and '.join(names)}" for provider, names in KEYS.items())
        raise UsageError(
            f"web search needs a search provider, and none is set up ({wanted}); set these environment variables, "
            "or search a folder of texts instead"
        )

    def tool(self) -> Tool:
        """Inspect's tool, for an agent that searches by itself."""
        return web_search(self.provider)

    async def find(
        self, question: str, alternative: str | None, k: int, *, sample_id: str | None = None
    ) -> tuple[Passage, ...]:
        """What the provider finds for the question and the answer that is to be supported."""
        said = await self.tool()(query=" ".join(f"{question} {alternative or ''}".split()))
        return passages_of(said)[:k]


def passages_of(said: Any) -> tuple[Passage, ...]:
    """What a search replied as passages: what it cites, or, where it cites nothing, its text."""
    contents = [said] if isinstance(said, (str, ContentText)) else list(cast(Iterable[Any], said or ()))
    found: list[Passage] = []
    for content in contents:
        cited = [
            Passage(text=str(citation.cited_text), source=_source(citation))
            for citation in getattr(content, "citations", None) or []
            if isinstance(getattr(citation, "cited_text", None), str) and citation.cited_text.strip()
        ]
        text = content if isinstance(content, str) else getattr(content, "text", "")
        if cited:
            found += cited
        elif text.strip() and not text.startswith("I couldn't find any relevant information"):
            found.append(Passage(text=text, source="web search"))
    return tuple(found)


def _source(citation: Any) -> str:
    title, url = getattr(citation, "title", None), getattr(citation, "url", None)
    return f"{title} ({url})" if title and url else str(url or title or "web search")
