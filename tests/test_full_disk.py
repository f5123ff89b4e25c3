"""A disk that is really full: said in a sentence, and once there is room the same command goes on."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from astray import tables
from astray.cli import run
from tests.studies import MODEL, choice_rows

SAMPLES = 40


@pytest.fixture(params=["40k", "300k", "700k"])
def small(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A small disk: full at once, while answers come in, and when the tables are written."""
    disk = tmp_path / "small"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={request.param}", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("may not mount a small disk here")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_disk_that_is_full(small: Path, tmp_path: Path, serve: Any, capfd: pytest.CaptureFixture[str]) -> None:
    server = serve(lambda messages: "ANSWER: B")
    rows = choice_rows(tmp_path / "rows.jsonl", SAMPLES)
    command = ["run", f"qa:{rows}", "--model", MODEL, "--arms", "reask@2", "--out", str(small / "out")]
    assert run(command) == 1
    said = capfd.readouterr()
    assert "the disk is full" in said.err
    assert "Traceback" not in said.out + said.err
    asked = server.asked
    subprocess.run(["mount", "-o", "remount,size=100m", str(small)], check=True)
    assert run(command) == 0
    outcomes = tables.read(small / "out", "outcomes")
    assert len(outcomes) == SAMPLES * 4
    assert set(outcomes.outcome) == {"correct"}
    assert server.asked - asked <= SAMPLES * 3
