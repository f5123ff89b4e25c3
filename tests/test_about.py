"""What authors and checkers are told of a task, in the form the task has it: solution, tests, claims, tools."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.agent import react
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import Solver, generate
from inspect_ai.tool import bash

from astray.advice import Suggestion
from astray.authors import About, about, about_from, check_by_rules, failed, writing
from astray.authors.reference import MOST, reference_of
from astray.benchmarks.inspect_task import InspectTask

PATCH = "diff --git a/port.py b/port.py\n--- a/port.py\n+++ b/port.py\n-PORT = 81\n+PORT = 80\n"
TESTS = "diff --git a/test_port.py b/test_port.py\n+++ b/test_port.py\n+assert PORT == 80\n"
VERIFIED = {"patch": PATCH, "test_patch": TESTS, "FAIL_TO_PASS": ["test_port"], "version": "1.0", "base_commit": "f00"}
PRO = {"patch": PATCH, "test_patch": TESTS, "requirements": "Use 80.", "interface": "None", "fail_to_pass": "['t']"}
SOLVE = "#!/bin/bash\nsed -i s/81/80/ /etc/nginx/nginx.conf\nnginx -s reload\n"
CHECK = "def test_port():\n    assert fetch(80) == 'ok'\n"


def told(sample: Sample, solver: Solver | None = None) -> About:
    base = Task(dataset=MemoryDataset([sample]), solver=solver or react(tools=[bash()]))
    made = about(InspectTask("a/task"), base, sample)
    assert about_from(json.loads(json.dumps(asdict(made)))) == made, "a log keeps it"
    return made


def sample(metadata: dict[str, Any] | None = None, **more: Any) -> Sample:
    return Sample(id="s", input="The web server answers on the wrong port.", metadata=metadata, **more)


@pytest.mark.parametrize(
    "metadata",
    [VERIFIED, PRO, {"gold_patch": PATCH, "test_patch": TESTS}, {"PATCH": PATCH, "TEST_PATCH": TESTS}],
    ids=["verified", "pro", "pro-minimal", "upper-case"],
)
def test_the_repair_of_a_code_base(metadata: dict[str, Any]) -> None:
    for found in (told(sample(metadata)), told(sample(metadata, target="resolved"))):
        assert (found.form, found.gold, found.reference) == ("repair", f"{PATCH}\n{TESTS}".rstrip(), "")
        assert found.tools == ("bash",)


def test_half_of_it_is_no_repair() -> None:
    assert told(sample({"patch": PATCH, "test_patch": ""})).gold == PATCH.rstrip()
    found = told(sample({"patch": PATCH}, target="80"))
    assert (found.form, found.gold, found.reference) == ("agent", "80", "")


@pytest.fixture
def harbor(tmp_path: Path) -> Callable[..., Sample]:
    """A task folder of Harbor's, as the sample that inspect_harbor makes of it."""

    def make(solve: str = SOLVE, **files: str) -> Sample:
        for name, text in {
            "solution/solve.sh": solve,
            "tests/test.sh": "pytest",
            "tests/test_outputs.py": CHECK,
        }.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text)
        for name, text in files.items():
            (tmp_path / "tests" / name).write_text(text)
        (tmp_path / "tests" / "a.bin").write_bytes(b"\xff\xfe\x00")
        at = {"solution_dir": "solution", "solve_path": "solution/solve.sh", "tests_dir": "tests"}
        paths = {name: str(tmp_path / place) for name, place in at.items()}
        return sample({"task_name": "fix-port", "task_dir": str(tmp_path), **paths, "verifier_env": {}})

    return make


WHOLE = f"solve.sh:\n{SOLVE.strip()}\n\ntest.sh:\npytest\n\ntest_outputs.py:\n{CHECK.strip()}"


def test_a_task_of_terminal_bench(harbor: Callable[..., Sample]) -> None:
    found = told(harbor())
    assert (found.form, found.gold, found.reference) == ("agent", WHOLE, "")
    shown = writing.told_of(writing.Work("bad", found))
    assert "What is known to be right: solve.sh:\n#!/bin/bash" in shown
    assert "How it is done" not in shown
    said = Suggestion(sample_id="s", stance="bad", text="I think you should run sed -i s/81/80/ /etc/nginx/nginx.conf.")
    assert "leak: passes on a piece of the solution" in failed(check_by_rules(said, found))[0]


def test_a_patch_within_a_script_is_a_repair(harbor: Callable[..., Sample]) -> None:
    found = told(harbor(f"git apply - <<'E'\n{PATCH}E\n"))
    assert found.form == "repair"
    assert PATCH in found.gold


def test_scripts_come_before_data_and_there_is_an_end_to_it(harbor: Callable[..., Sample]) -> None:
    found = reference_of(harbor(**{"a.json": "9" * 3 * MOST})).text
    assert found.startswith(WHOLE)
    assert found.endswith("9\n(cut)")
    assert len(found) < 2 * MOST


def test_a_folder_that_is_not_here_says_nothing() -> None:
    found = reference_of(sample({"solution_dir": "/not/here", "solve_path": "", "tests_dir": 3}))
    assert (found.text, found.is_patch, found.tools) == ("", False, ())


def test_solution_and_tests_among_a_samples_files(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.py").write_text(CHECK)
    files = {
        "/app/nginx.conf": "listen 81;", "/oracle/solution.sh": SOLVE, "run-tests.sh": "pytest",
        "tests/test_outputs.py": str(tmp_path / "elsewhere.py"), "tests/x.png": "data:image/png;base64,AAAA",
    }  # fmt: skip
    found = told(sample(files=files))
    assert found.gold == WHOLE.replace("solve.sh", "/oracle/solution.sh").replace("test.sh", "run-tests.sh").replace(
        "test_outputs.py", "tests/test_outputs.py"
    )
    assert "listen 81" not in found.gold, "what the agent begins with is no solution"


def test_a_long_text_is_no_path() -> None:
    assert told(sample(files={"solve.sh": "x" * 5000})).gold == "solve.sh:\n" + "x" * 5000


def test_solution_and_tests_as_texts() -> None:
    found = told(sample({"solution": SOLVE, "tests": {"test.sh": "pytest", "test_outputs.py": CHECK}}))
    assert found.gold == WHOLE.removeprefix("solve.sh:\n")


NAMES = ["wikipedia_get_article", "osm_geocode"]
CLAIMS = ["The architect is Frank Gehry.", "He was born in Toronto."]


@pytest.mark.parametrize(
    "metadata",
    [
        {"ENABLED_TOOLS": json.dumps(NAMES), "GTFA_CLAIMS": json.dumps(CLAIMS), "TRAJECTORY": "[]"},
        {"enabled_tools": [{"name": name} for name in NAMES], "claims": CLAIMS},
    ],
    ids=["csv", "objects"],
)
@pytest.mark.parametrize("target", ["", "- The architect is Frank Gehry.\n- He was born in Toronto."])
def test_a_task_of_mcp_atlas(metadata: dict[str, Any], target: str) -> None:
    found = told(sample(metadata, target=target), generate())
    assert (found.form, found.tools) == ("agent", tuple(NAMES))
    assert (found.gold, found.reference) == ("- The architect is Frank Gehry.\n- He was born in Toronto.", "")
    shown = writing.told_of(writing.Work("bad", found))
    assert "What is known to be right: - The architect is Frank Gehry." in shown
    assert "Tools the assistant has: wikipedia_get_article, osm_geocode" in shown


def test_real_rows_of_mcp_atlas(shared: Path) -> None:
    csv.field_size_limit(sys.maxsize)
    with (shared / "data" / "mcp_atlas_sample_tasks.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    for row in rows:
        kept = {key: row[key] for key in ("ENABLED_TOOLS", "GTFA_CLAIMS", "TRAJECTORY")}
        found = told(Sample(id=row["TASK"], input=row["PROMPT"], metadata=kept))
        assert found.gold.startswith("- "), found.sample_id
        assert len(found.tools) >= 10
        assert found.form == "agent"


def test_an_agents_answer_and_how_it_is_found() -> None:
    solution = "Open the archive.\nThe flag is in the comment of its third file."
    found = told(sample({"solution": solution}, target="picoCTF{s3cret}"))
    assert (found.gold, found.reference) == ("picoCTF{s3cret}", solution)
    shown = writing.told_of(writing.Work("good", found))
    assert f"What is known to be right: picoCTF{{s3cret}}\n\nHow it is done:\n{solution}\n" in shown
    for text, fault in {
        "I think it is picoCTF{s3cret}.": "states the right answer",
        "I think the flag is in the comment of its third file.": "passes on a",
    }.items():
        faults = failed(check_by_rules(Suggestion(sample_id="s", stance="good", text=text), found))
        assert any(fault in one for one in faults), faults


def test_a_question_is_told_of_as_before() -> None:
    """A worked solution would hide the answer from the rules that look for it."""
    found = told(sample({"solution": "Add them.", "claims": CLAIMS}, target="4"), generate())
    assert (found.form, found.gold, found.reference, found.tools) == ("question", "4", "", ())
