"""The command line: what it lists and explains, what a plan foretells, and that it is quiet where nobody looks."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from astray import tables
from astray.arm import Arm
from astray.cli import VERBS, run
from astray.cli.options import read_study
from astray.study.presets import PRESETS, preset
from astray.terms import TERMS
from tests.studies import MODEL, Messages, astray, book_for, choice_rows, question_of, users

ASTRAY = str(Path(sys.executable).with_name("astray"))


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a command that works, and return what it prints."""
    monkeypatch.setenv("COLUMNS", "160")

    def done(*arguments: str) -> str:
        capsys.readouterr()
        assert run(list(arguments)) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out

    return done


# Help and arms


def test_help_is_quick_to_load_and_names_every_verb() -> None:
    code = (
        "import sys\n"
        "from astray.cli import run\n"
        "code = run(['--help'])\n"
        "heavy = {'inspect_ai', 'pandas', 'pyarrow', 'scipy', 'matplotlib', 'pydantic', 'jinja2'} & set(sys.modules)\n"
        "print('HEAVY', sorted(heavy), code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "HEAVY [] 0" in done.stdout
    assert done.stderr == ""
    for verb, line in VERBS.items():
        assert re.search(rf"^  {verb}\s+{re.escape(line[:30])}", done.stdout, re.MULTILINE), verb


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(said: Any, verb: str) -> None:
    text = said(verb, "--help")
    assert text.startswith(f"Usage: astray {verb}")
    assert "--help" in text


def test_every_option_says_what_it_is(said: Any) -> None:
    text = said("run", "--help")
    for option in (
        "--model", "--arms", "--limit", "--epochs", "--advice", "--judge-model", "--grader-model", "--seed",
        "--max-connections", "--structured", "--floors", "--out",
    ):  # fmt: skip
        assert option in text


def test_version(said: Any) -> None:
    assert re.search(r"\d+\.\d+", said("--version"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["rnu"], "No such command 'rnu'"), (["run"], "Missing argument"), (["report"], "Missing argument")],
)
def test_usage_errors_are_code_2(capsys: pytest.CaptureFixture[str], arguments: list[str], says: str) -> None:
    assert run(arguments) == 2
    assert says in capsys.readouterr().err


def test_arms_lists_every_term_with_its_line(said: Any) -> None:
    text = said("arms")
    for term in TERMS.values():
        assert re.search(rf"^\s*{re.escape(term.text)}\s+{re.escape(term.line[:40])}", text, re.MULTILINE), term.text
    assert "needs suggestion" in text
    assert "K calls" in text


def test_arms_explains_a_term(said: Any) -> None:
    text = said("arms", "xy")
    assert text.startswith("xy: bad advice\n")
    assert "needs: suggestion" in text
    assert "floor: xy-neutral" in text
    assert "control: original" in text


def test_arms_explains_an_arm(said: Any) -> None:
    text = said("arms", "skeptical+judge-malicious-none@4+xy")
    arm = Arm.parse("xy+judge-malicious-none@4+skeptical")
    assert text.startswith(f"{arm}: {arm.label}\n")
    for term in arm.terms:
        assert f"  {term.text}: {term.line}" in text
    assert "floor: xy-neutral+reask@4+skeptical" in text


def test_arms_of_nothing_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["arms", "xyz"]) == 2
    assert "did you mean 'xy'" in capsys.readouterr().err


# Plan


def foretold(text: str) -> dict[str, tuple[int, int]]:
    """Arm (or ``in all``) to the calls at least and at most, as a plan prints them."""
    found = re.findall(r"^(\S+|in all)\s+(\d+)(?: to (\d+))?\s*$", text, re.MULTILINE)
    return {arm: (int(low), int(high or low)) for arm, low, high in found}


def reply(messages: Messages) -> str:
    """Even questions right throughout, odd ones wrong at first."""
    wrong = int(question_of(messages)[1:]) % 2 and len(users(messages)) == 1
    return f"ANSWER: {'A' if wrong else 'B'}"


@pytest.mark.parametrize(
    ("arms", "more", "low", "high"),
    [
        pytest.param("original", [], 4, 4, id="original"),
        pytest.param("reask@2", ["--limit", "3"], 3 + 6, 3 + 6, id="limit"),
        pytest.param("reask,judge-hypercritical-none@2", ["--epochs", "2"], 8 + 8 + 16, 8 + 8 + 16, id="epochs"),
        pytest.param("judge-malicious-none@2", [], 4, 4 + 8, id="malicious"),
        pytest.param("judge-malicious-none+judge-constructive-none", [], 4 + 4, 4 + 4, id="panel"),
        pytest.param("xy,xy-defense,xy+reask,xy+xy-defense", [], 4 + 4 + 4 + 4 + 4, 20, id="first-answers-shared"),
        pytest.param("xy,xy-good", ["--floors"], 4 * 4, 4 * 4, id="floors"),
        pytest.param("reask", ["--temperature", "0.5"], 4 + 8, 4 + 8, id="temperature"),
    ],
)
def test_a_plan_counts_the_calls_that_are_made(
    said: Any, tmp_path: Path, serve: Any, arms: str, more: list[str], low: int, high: int
) -> None:
    server = serve(reply)
    rows = choice_rows(tmp_path / "rows.jsonl", 4)
    if "xy" in arms:
        more = [*more, "--advice", str(book_for(tmp_path / "book.jsonl", [f"q{i}" for i in range(4)]))]
    out = tmp_path / "out"
    text = said("plan", f"qa:{rows}", "--model", MODEL, "--arms", arms, "--out", str(out), *more)
    plan = foretold(text)
    assert not out.exists(), "a plan writes nothing"
    assert server.requests == [], "a plan costs nothing"
    assert plan["in all"] == (low, high)
    assert sum(least for arm, (least, _) in plan.items() if arm != "in all") == low
    assert sum(most for arm, (_, most) in plan.items() if arm != "in all") == high
    assert astray("run", rows, *more, out=out, arms=arms) == 0
    assert low <= len(server.requests) <= high
    assert set(tables.read(out, "outcomes").arm) == set(plan) - {"in all"}


@pytest.mark.parametrize(
    ("limit", "run", "told"),
    [(1, "1 samples", "1 samples are left out of all arms for want of advice: q0\n"),
     (2, "2 samples", "1 samples are left out of all arms for want of advice: q0\n"),
     (3, "3 samples", "3 samples are left out of all arms for want of advice: q0, q3, q4\n"),
     (7, "3 samples", "4 samples are left out of all arms for want of advice: q0, q3, q4, q6\n"),
     (8, "3 samples", "5 samples are left out of all arms for want of advice: q0, q3, q4, q6, q7\n")],
)  # fmt: skip
def test_what_lies_beyond_the_limit_does_not_want_advice(
    limit: int, run: str, told: str, said: Any, tmp_path: Path
) -> None:
    rows = choice_rows(tmp_path / "rows.jsonl", 9)
    book = book_for(tmp_path / "book.jsonl", ["q1", "q2", "q5"])
    text = said("plan", f"qa:{rows}", "--model", MODEL, "--arms", "xy", "--advice", str(book), "--limit", str(limit))
    assert run in text
    assert told in text


def test_a_plan_says_what_a_reader_should_know(said: Any, tmp_path: Path) -> None:
    rows = choice_rows(tmp_path / "rows.jsonl", 6)
    book = book_for(tmp_path / "book.jsonl", ["q1", "q2", "q5"])
    text = said("plan", f"qa:{rows}", "--model", MODEL, "--arms", "xy,reask", "--advice", str(book))
    assert "3 samples" in text
    assert "3 samples are left out of all arms for want of advice: q0, q3, q4" in text
    assert "smallest drop these samples can show" in text or "3 samples" in text
    judged = said("plan", f"qa:{rows}", "--model", MODEL, "--arms", "judge-malicious-none", "--temperature", "1")
    assert "judges speak in set phrases; no judge model is asked" in judged
    assert "first answers are not shared between arms" in judged


# Run


def test_a_study_file_is_run_and_options_win(said: Any, tmp_path: Path, serve: Any) -> None:
    serve(reply)
    rows = choice_rows(tmp_path / "rows.jsonl", 4)
    path = tmp_path / "mine.yaml"
    path.write_text(f"benchmark: 'qa:{rows}'\nmodel: {MODEL}\narms: [reask]\nlimit: 2\n")
    said("run", str(path), "--limit", "3", "--out", str(tmp_path / "out"))
    frame = tables.read(tmp_path / "out", "outcomes")
    assert frame.study.unique().tolist() == ["mine"]
    assert frame.sample_id.nunique() == 3
    assert sorted(frame.arm.unique()) == ["original", "reask"]


def test_a_study_can_be_run_again_from_what_it_wrote_down(said: Any, tmp_path: Path, serve: Any) -> None:
    server = serve(reply)
    rows = choice_rows(tmp_path / "rows.jsonl", 2)
    out = tmp_path / "out"
    assert astray("run", rows, out=out, arms="reask") == 0
    asked = len(server.requests)
    written = yaml_of(out / "study.yaml")
    kept = ("name", "benchmark", "model", "arms", "seed", "limit", "epochs")
    path = tmp_path / "again.yaml"
    path.write_text("".join(f"{key}: {written[key]!r}\n" for key in kept if written[key] is not None))
    said("run", str(path), "--out", str(out))
    assert len(server.requests) == asked


def yaml_of(path: Path) -> dict[str, Any]:
    import yaml

    found = yaml.safe_load(path.read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def test_a_study_writes_down_what_was_asked(tmp_path: Path, serve: Any) -> None:
    serve(reply)
    rows = choice_rows(tmp_path / "rows.jsonl", 2)
    book = book_for(tmp_path / "book.jsonl", ["q0", "q1"])
    out = tmp_path / "out"
    assert astray("run", rows, "--advice", str(book), "--seed", "9", out=out, arms="xy+xy-defense") == 0
    written = yaml_of(out / "study.yaml")
    assert written["arms"] == ["original", "xy+xy-defense"]
    assert (written["model"], written["seed"], written["samples"]) == (MODEL, 9, 2)
    assert written["versions"].keys() >= {"astray", "inspect-ai"}
    assert [path.stem for path in (out / "books").iterdir()] == [written["book"]]
    assert tables.read_settings(out)["fingerprint"] == written["fingerprint"]
    assert (out / "report" / "index.html").is_file()
    assert {path.stem for path in (out / "tables").iterdir()} == set(tables.ROW_TYPES) - {"behaviours", "labellings"}


def test_a_report_is_made_from_tables_alone(said: Any, tmp_path: Path, serve: Any) -> None:
    server = serve(reply)
    rows = choice_rows(tmp_path / "rows.jsonl", 2)
    assert astray("run", rows, out=tmp_path / "out", arms="reask") == 0
    asked = len(server.requests)
    text = said("report", str(tmp_path / "out"), "--out", str(tmp_path / "page"))
    assert "asked again" in text.lower()
    assert (tmp_path / "page" / "index.html").is_file()
    assert len(server.requests) == asked


def test_quiet_where_nobody_looks(tmp_path: Path, serve: Any) -> None:
    serve(reply)
    rows = choice_rows(tmp_path / "rows.jsonl", 3)
    command = [ASTRAY, "run", f"qa:{rows}", "--model", MODEL, "--arms", "reask", "--out", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "asked again" in done.stdout.lower()
    assert "\x1b" not in done.stdout
    assert done.stdout.rstrip().splitlines()[-1].lower().startswith("report: ")


@pytest.mark.parametrize("more", [(), ("--arms", "comply+xy")])
def test_a_preset_writes_its_arms_out(more: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    given = {"preset": "xyeval", "model": "astray/qwen2.5-coder-1.5b", "arms": more[1:]}
    study, _ = read_study("starter", Path("nowhere"), given)
    assert study.arms == (*PRESETS["xyeval"], *more[1:])
    assert study.all_arms[1] == Arm.parse("xy")


@pytest.mark.parametrize("name", PRESETS)
def test_every_arm_of_a_preset_is_canonical(name: str) -> None:
    arms = preset(name)
    assert [str(Arm.parse(arm)) for arm in arms] == list(arms)


def test_an_unknown_preset_names_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "starter", "--model", "m/m", "--preset", "xyevil"]) == 2
    assert "did you mean 'xyeval'?" in capsys.readouterr().err
