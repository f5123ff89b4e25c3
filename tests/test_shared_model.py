"""The model that all arms share: who waits for whom, and what is kept of a run whose answers are drawn at random."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import CachePolicy, GenerateConfig

from astray.study.engine import Settings, _options, answers_kept_in
from astray.study.shared_model import SharedModel
from tests.studies import fresh_model

KEPT = CachePolicy(expiry=None)


@pytest.mark.parametrize(
    ("config", "more", "calls"),
    [
        (GenerateConfig(temperature=0.0, cache=KEPT), {}, 1),
        (GenerateConfig(temperature=0.7), {}, 2),
        (GenerateConfig(temperature=0.7, cache=False), {}, 2),
        (GenerateConfig(temperature=0.7), {"cache": KEPT}, 1),
        (GenerateConfig(temperature=0.0, cache=KEPT), {"cache": False}, 2),
    ],
    ids=["cached", "drawn", "not cached", "drawn, but kept by the call", "not kept by the call"],
)
def test_equal_questions_wait_only_where_the_answer_is_kept(
    config: GenerateConfig, more: dict[str, Any], calls: int, tmp_path: Path, serve: Any
) -> None:
    server = serve(lambda messages: "blue", latency=0.3)
    model = SharedModel(fresh_model())

    async def both() -> list[str]:
        outputs = await asyncio.gather(*(model.generate("What colour?", config=config, **more) for _ in range(2)))
        return [output.completion for output in outputs]

    with answers_kept_in(tmp_path / "cache"):
        assert asyncio.run(both()) == ["blue", "blue"]
    assert (server.asked, server.most_in_flight) == (calls, calls)


def test_what_is_drawn_at_random_is_in_the_log_as_soon_as_it_is_finished() -> None:
    assert _options(Settings(limit=5, temperature=0.7), 1)["log_buffer"] == 1
    assert _options(Settings(limit=5), 1)["log_buffer"] is None, "the cache has it"
