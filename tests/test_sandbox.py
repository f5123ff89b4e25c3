"""Rounds of an agent with a sandbox: what scoring does there is undone before the agent acts again."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from astray import tables
from astray.benchmarks import sandbox
from tests.scripted_server import Reply
from tests.studies import Messages, astray, scripted, users
from tests.test_xy_tasks import call

FILE = Path(__file__).with_name("sandbox_tasks.py")
ARM = "judge-malicious-none@2"
LOOK = "find . -type f -o -type d | sort; cat answer.txt notes/why.txt; stat -c %a run.sh"
WORK = "mkdir notes; echo because > notes/why.txt; echo 4 > answer.txt; echo x > run.sh; chmod 750 run.sh"
LEFT = "\n".join([".", "./answer.txt", "./notes", "./notes/why.txt", "./run.sh", "./start.txt", "4", "because", "750"])


def agent(messages: Messages) -> Reply:
    """Works, and in every later round looks at what is there; submits."""
    rounds = len(users(messages))
    after = max(i for i, m in enumerate(messages) if m["role"] == "user")
    done = sum(m["role"] == "tool" for m in messages[after:])
    if done == 0:
        return call(rounds * 10, "bash", command=WORK if rounds == 1 else LOOK)
    return call(rounds * 10 + 1, "submit", answer="4")


def study(folder: Path, task: str, *more: str, arms: str = ARM, code: int = 0) -> pd.DataFrame:
    with scripted(agent, folder / "cache"):
        assert astray("run", f"{FILE}@{task}", *more, out=folder / "out", arms=arms) == code
    return tables.read(folder / "out", "outcomes").set_index(["arm", "round"])


def looked(folder: Path) -> list[str]:
    said = tables.read(folder / "out", "transcripts")
    told = said[(said.arm == ARM) & (said.speaker == "tool") & (said["round"] > 0)]
    return [text.strip() for text in told.text if text.strip() != "4"]


def test_the_agent_finds_its_files_as_it_left_them_and_each_answer_is_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    frame = study(tmp_path, "tests_in_sandbox")
    # A malicious judge has to know at once that the answer is right.
    assert frame.outcome.to_dict() == {("original", 0): "correct", **{(ARM, n): "correct" for n in range(3)}}
    assert frame.judge_spoke.to_dict() == {("original", 0): False, (ARM, 0): False, (ARM, 1): True, (ARM, 2): True}
    assert looked(tmp_path) == [LEFT, LEFT]
    assert set(frame.answer) == {"4 answer.txt notes run.sh start.txt"}, "each scoring found what the agent left"
    for log in map(read_eval_log, list_eval_logs(str(tmp_path / "out" / "logs"))):
        (sample,) = log.samples or []
        assert (sample.scores or {})["untidy"].value == "C", "Inspect's own scoring at the end as well"
    assert list((tmp_path / "tmp").iterdir()) == [], "no copy is left"


COMPOSE = """services:
  default:
    image: local/debian:trixie
    command: sleep infinity
    working_dir: /task
    network_mode: none
"""


def image_is_there() -> bool:
    docker = shutil.which("docker")
    asked = [docker or "", "image", "inspect", "local/debian:trixie"]
    return docker is not None and subprocess.run(asked, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not image_is_there(), reason="no Docker engine with the image local/debian:trixie")
def test_so_it_is_in_a_container(tmp_path: Path) -> None:
    (tmp_path / "compose.yaml").write_text(COMPOSE)
    frame = study(tmp_path, "scored_in_container", "-T", f"compose={tmp_path / 'compose.yaml'}")
    assert set(frame.outcome) == {"correct"}
    assert looked(tmp_path) == [LEFT, LEFT]
    assert set(frame.answer) == {"4 answer.txt notes run.sh start.txt"}


@pytest.mark.parametrize(("task", "failed"), [("tests_in_sandbox", True), ("only_reads", False)])
def test_what_is_too_large_to_be_kept_is_said_where_scoring_changes_it(
    task: str, failed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "LARGEST", 0)
    frame = study(tmp_path, task)
    assert frame.outcome["original", 0] == "correct", "nobody goes on after the only answer"
    found = frame.loc[ARM]
    if not failed:
        assert set(found.outcome) == {"correct"}
        return
    assert set(found.outcome) == {"error"}
    assert found.error.str.contains("its working directory can't be kept as the agent left it").all()
    assert "it holds more than 0 kB" in found.error[0]


def test_a_scorer_that_changes_nothing_makes_no_files_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that the agent left running keep their files."""
    ran: list[str] = []
    run = sandbox._run

    async def counted(box: Any, script: str, copy: str) -> Any:
        ran.append(script)
        return await run(box, script, copy)

    monkeypatch.setattr(sandbox, "_run", counted)
    assert set(study(tmp_path, "only_reads").outcome) == {"correct"}
    assert set(ran) == {sandbox._REMOVE}
