"""The package as a whole: arrows between rooms, public faces, errors and their exit codes, prompts."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from jinja2 import Environment, meta

import astray
from astray import cli, errors, prompts
from astray.answers.protocol import how_to_reply, read_judgement
from astray.arm import Arm
from astray.authors import Form, What
from astray.authors.replies import example, reply_form
from astray.benchmarks.qa.replies import form_of
from astray.benchmarks.qa.rows import Kind
from astray.cli import run
from astray.errors import AstrayError
from astray.terms import TERMS

ROOT = Path(__file__).parents[1]
ROOMS = ["astray", *(f"astray.{info.name}" for info in pkgutil.iter_modules(astray.__path__) if info.ispkg)]
WITH_FACE = [room for room in ROOMS if hasattr(importlib.import_module(room), "__all__")]


def face(room: str) -> tuple[ModuleType, list[str]]:
    module = importlib.import_module(room)
    return module, list(module.__all__)


def test_the_arrows_of_the_design_hold() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def test_rooms_have_a_face() -> None:
    assert set(ROOMS) - set(WITH_FACE) <= {"astray.cli", "astray.prompts"}


@pytest.mark.parametrize("room", WITH_FACE)
def test_a_face_is_importable_and_said_once(room: str) -> None:
    module, names = face(room)
    assert len(set(names)) == len(names)
    for name in names:
        assert hasattr(module, name), name


@pytest.mark.parametrize("room", WITH_FACE)
def test_a_face_is_complete(room: str) -> None:
    module, names = face(room)
    there = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not inspect.ismodule(value)
        and getattr(value, "__module__", "").startswith("astray")
    ]
    assert sorted(set(there) - set(names)) == []


@pytest.mark.parametrize("room", ROOMS)
def test_everything_public_is_documented(room: str) -> None:
    module = importlib.import_module(room)
    assert (module.__doc__ or "").strip(), "the room itself"
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert (inspect.getdoc(value) or "").strip(), name


def test_inspect_finds_what_is_registered() -> None:
    registry = importlib.import_module("astray._registry")
    from inspect_ai._util.registry import registry_lookup

    kinds = {
        "arm": "task", "author": "task", "evidence": "task", "seek": "solver", "find_evidence": "solver",
        "support_scorer": "scorer", "rounds_scorer": "scorer", "checks_scorer": "scorer", "grade": "scorer",
        "with_rounds": "solver", "compose": "solver", "ask": "solver", "label": "task", "labelling": "solver",
        "labels_scorer": "scorer",
        "converse": "solver", "reward": "scorer",
    }  # fmt: skip
    for name, kind in kinds.items():
        assert hasattr(registry, name)
        assert registry_lookup(kind, f"astray/{name}") is not None, name  # type: ignore[arg-type]


# Errors

EXIT_CODES = {"AstrayError": 1, "UsageError": 2, "InputError": 1, "ModelUnavailable": 1, "StudyMismatch": 1} | {
    "BudgetReached": 4
}


def all_errors() -> list[type[AstrayError]]:
    found, todo = [], [AstrayError]
    while todo:
        kind = todo.pop()
        found.append(kind)
        todo += kind.__subclasses__()
    return found


def test_every_error_is_flat_documented_and_in_the_tree() -> None:
    for kind in all_errors():
        assert kind is AstrayError or kind.__bases__ == (AstrayError,)
        assert kind.__module__ == "astray.errors"
        assert kind.__name__ in (errors.__doc__ or "")
        assert kind.__doc__
    assert {kind.__name__ for kind in all_errors()} == set(EXIT_CODES)


@pytest.mark.parametrize(("name", "code"), EXIT_CODES.items())
def test_the_exit_code_of_every_error(
    name: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise getattr(errors, name)("the message")

    monkeypatch.setattr(cli.astray, "main", fail)
    assert run(["arms"]) == code
    said = capsys.readouterr()
    assert said.err == "astray: the message\n"
    assert said.out == ""


def test_an_interruption_says_that_it_can_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.astray, "main", fail)
    assert run(["arms"]) == 130
    assert "the same command again goes on" in capsys.readouterr().err


# Prompts

GIVEN = {
    "authors/bad": {"form", "how_to_reply"},
    "authors/good": {"form", "how_to_reply"},
    "authors/neutral": {"form", "how_to_reply"},
    "authors/decomposition": {"how_to_reply"},
    "authors/sample": {"form", "question", "choices", "gold", "alternative", "tools", "reference"},
    "authors/topic": {"topic", "words"},
    "authors/units": {"units"},
    "authors/write-now": {"how_to_reply"},
    "authors/again": {"reasons"},
    "grading/how-to-reply": {"fields", "example"},
    "grading/changed-answer": {"question", "before", "reply", "mark", "how_to_reply"},
    "grading/same-answer": {"question", "golds", "answer", "mark", "how_to_reply"},
    "authors/check-suggestion": {"question", "choices", "gold", "reference", "mark", "suggestion", "how_to_reply"},
    "evidence/propose": {"choices", "how_to_reply"},
    "evidence/asked": {"question", "choices", "gold"},
    "evidence/passages": {"passages"},
    "evidence/found": {"question", "alternative", "passages", "mark"},
    "evidence/support": {"how_to_reply"},
    "evidence/agent": {"choices"},
    "evidence/agent-reply": {"how_to_reply"},
    "evidence/verify": {"question", "choices", "gold", "alternative", "mark", "how_to_reply"},
    "qa/elicit": {"labels", "form"},
    "traces/label": {"behaviour", "how_to_reply", "agent", "before", "record", "mark"},
    "traces/claims": {"how_to_reply", "agent", "before", "record", "mark"},
    "traces/stance": {"how_to_reply", "suggestion", "claims", "mark"},
    "defenses/golden-defense": {"suggestion"},
    "grading/acknowledged": {"question", "reply", "mark", "how_to_reply"},
    "grading/assertions": {"assertion", "conversation", "mark", "how_to_reply"},
    "tau2/agent": {"policy"},
    "tau2/user": {"guidelines", "scenario", "insisting"},
    "users/cooperative": {"suggestion"},
    "users/user-pedantic": {"suggestion"},
    "users/insisting": {"times"},
    "judges/critique": {
        "intent", "knowledge", "how_to_reply", "question", "choices", "gold", "evidence", "alternative", "history",
        "reply", "mark",
    },
    "judges/quoted": {"critique", "text", "source"},
    "judges/moderator": {"question", "critiques", "mark", "how_to_reply"},
    "judges/panel": {"critiques"},
    "judges/revise": {"critique", "defense", "how_to_answer"},
    "qa/answer-choice": {"structured", "labels"},
    "qa/answer-open": {"structured", "form", "worked_out"},
    "qa/choice": {"context", "question", "choices", "how_to_answer"},
    "qa/open": {"context", "question", "choices", "how_to_answer"},
}  # fmt: skip
"""What the code that fills a prompt gives it; all others are filled with nothing."""


@pytest.mark.parametrize("id", prompts.all_ids())
def test_every_prompt_loads_and_has_a_version(id: str) -> None:
    prompt = prompts.load(id)
    assert prompt.id == id
    assert prompt.version >= 1
    assert prompt.text


@pytest.mark.parametrize("id", prompts.all_ids())
def test_every_variable_of_a_prompt_is_given(id: str) -> None:
    wanted = meta.find_undeclared_variables(Environment().parse(prompts.load(id).text))
    assert wanted <= GIVEN.get(id, set())


def test_no_prompt_is_named_that_does_not_exist() -> None:
    assert set(GIVEN) <= set(prompts.all_ids())


VALUES = {
    "worked_out": True,
    "assertion": "It refused.", "conversation": "user: No.", "policy": "Be kind.", "guidelines": "Speak.",
    "scenario": "You want tea.", "insisting": "Insist.", "times": 2,
    "suggestion": "I think so.", "critique": "No.", "critiques": ["No.", "Yes."], "defense": None, "structured": False,
    "how_to_answer": "Say it.", "labels": ["A", "B"], "form": "the answer", "context": None, "question": "Which?",
    "choices": [("A", "one"), ("B", "two")], "agent": [2, 4],
    "fields": [("", "verdict", "what you say")], "example": "{}", "gold": "B",
    "reference": "how", "alternative": "one",
    "tools": ["bash"], "words": 20, "topic": "tea",
    "units": [(1, "It fails.")], "reasons": ["form"],
    "text": "Two is odd.", "source": "a book", "golds": ["Ada"], "answer": "Eve", "mark": "=====",
    "how_to_reply": "In JSON.",
    "passages": [("It is.", "a book")], "before": "Ada", "reply": "Thank you.",
    "behaviour": "It sings.", "record": "--- Step 2: agent ---", "claims": ["I think so."],
    "intent": "You review.", "knowledge": "From what you know.",
    "evidence": [{"text": "Water is wet.", "source": "a book"}], "history": [{"reply": "A", "critique": "No."}],
}  # fmt: skip


@pytest.mark.parametrize("id", prompts.all_ids())
def test_every_prompt_fills(id: str) -> None:
    filled = prompts.load(id).fill(**{name: VALUES[name] for name in GIVEN.get(id, ())})
    assert filled == filled.strip() != ""
    assert "{{" not in filled
    assert "{%" not in filled
    assert "None" not in filled
    assert "\n\n\n" not in filled


def test_every_defense_has_its_prompt() -> None:
    for text, term in TERMS.items():
        if term.choice in ("defense", "critique-defense"):
            assert f"defenses/{text}" in prompts.all_ids()


@pytest.mark.parametrize("judge", [text for text, term in TERMS.items() if text.startswith("judge-")])
def test_every_judge_has_phrases_or_parts(judge: str) -> None:
    ((intent, knowledge),) = Arm.parse(judge).judges
    if knowledge != "none":
        assert {f"judges/intent-{intent}", f"judges/knowledge-{knowledge}"} <= set(prompts.all_ids())
        return
    phrases = prompts.variants(f"judges/{intent}-{knowledge}")
    assert len(phrases) >= 3
    assert len({phrase.fill() for phrase in phrases}) == len(phrases)


@pytest.mark.parametrize("what", What.__args__)  # type: ignore[attr-defined]
@pytest.mark.parametrize("form", Form.__args__)  # type: ignore[attr-defined]
@pytest.mark.parametrize("looked", [True, False])
def test_the_example_an_author_is_shown_parses(what: What, form: Form, looked: bool) -> None:
    wanted = reply_form(what, form, looked)
    shown = example(wanted)
    assert read_judgement(shown.model_dump_json(), wanted) == shown
    assert shown.model_dump_json() in how_to_reply(wanted, shown)
    assert list(wanted.model_fields)[-1] in ("text", "direction")


@pytest.mark.parametrize("what", ["bad", "good", "neutral"])
@pytest.mark.parametrize("looked", [True, False])
def test_advice_on_a_repair_may_be_long_whatever_it_does(what: What, looked: bool) -> None:
    long = "I think " + "very " * 790 + "so."
    for form, fits in (("repair", True), ("agent", False), ("question", False)):
        wanted = reply_form(what, form, looked)  # type: ignore[arg-type]
        said = example(wanted).model_dump() | {"text": long}
        assert (read_judgement(json.dumps(said), wanted) is not None) == fits


def test_a_neutral_remark_on_a_repair_may_have_several_sentences() -> None:
    words = {form: prompts.load("authors/neutral").fill(form=form, how_to_reply="") for form in Form.__args__}  # type: ignore[attr-defined]
    assert "one sentence, or several" in words["repair"]
    assert words["question"] == words["agent"]
    assert "- is one sentence about" in words["question"]


@pytest.mark.parametrize("kind", Kind.__args__)  # type: ignore[attr-defined]
def test_every_kind_of_question_has_its_words(kind: Kind) -> None:
    assert form_of(kind)


def test_an_undefined_variable_raises() -> None:
    with pytest.raises(LookupError, match=r"prompt judges/revise: 'critique' is undefined"):
        prompts.load("judges/revise").fill()


def test_values_are_not_read_as_templates() -> None:
    text = "{{ boom }} {% if %} {# gone #}"
    assert text in prompts.load("judges/revise").fill(critique=text, defense=text, how_to_answer=text)


def test_an_unknown_prompt_names_those_there_are() -> None:
    with pytest.raises(LookupError, match=r"no prompt qa/nothing\.md among .*qa/choice"):
        prompts.load("qa/nothing")
    with pytest.raises(LookupError, match=r"no prompts in judges/kind/"):
        prompts.variants("judges/kind")
