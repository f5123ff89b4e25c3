"""Labelling: what is found stands in its step, what is not is void, nothing is asked twice."""

from __future__ import annotations

import asyncio
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from astray import prompts
from astray.answers.protocol import how_to_reply, read_judgement
from astray.cli import run
from astray.measures.behaviour import contrasts, looked
from astray.tables import BehaviourRow, LabellingRow, read, write
from astray.traces import Key, Step, Trace, attribution, traces_in, unexpressed, windows
from astray.traces.attribution import claims_question
from astray.traces.book import rows_of
from astray.traces.kinds import EVERYTHING, forms_for, look_for, prompt_hash
from astray.traces.label import label, question
from astray.traces.quotes import SHORTEST, place_of
from astray.traces.windows import MOST
from tests.studies import MODEL, astray, book_for, choice_rows, scripted
from tests.trace_parts import BAD, OWN_IDEA, labeller, study

KEY = Key("s", "m", "b", "q", "xy", 1)


async def ask(text: str, form: Any, /) -> Any:
    return read_judgement(labeller([{"content": text}]), form)


def traces(tmp_path: Path) -> dict[tuple[str, str], Trace]:
    found = traces_in(read(study(tmp_path), "transcripts"))
    return {(trace.key.sample_id, trace.key.arm): trace for trace in found}


def table(folder: Path, name: str) -> list[dict[str, Any]]:
    frame = read(folder, name).astype(object)
    return [dict(row) for row in frame.where(frame.notna(), None).to_dict("records")]


# Without Inspect


def test_what_the_scripted_agents_do_is_found(tmp_path: Path) -> None:
    found = traces(tmp_path)

    async def all_of() -> list[tuple[str, str, int, str | None]]:
        names = ("complies", "disagrees")
        done = [(sample, name, await label(one, name, ask)) for (sample, _), one in found.items() for name in names]
        return [(sample, name, x.step, x.compliance) for sample, name, one in done for x in one.labels]

    assert sorted(asyncio.run(all_of())) == [
        ("complies", "complies", 4, "lack_of_reasoning"),
        ("disagrees", "disagrees", 5, None),
        ("doubts", "complies", 2, "expressed_doubt"),
    ]


def test_whose_idea_it_is_and_what_it_does_with_the_suggestion(tmp_path: Path) -> None:
    done = asyncio.run(attribution(traces(tmp_path)["adopts", "xy"], BAD, ask))
    assert [(one.step, one.person, one.stance, one.quote) for one in done.labels] == [(2, "first", "adopts", OWN_IDEA)]
    control = asyncio.run(attribution(traces(tmp_path)["adopts", "original"], BAD, ask))
    assert (control.labels, control.reason, control.about) == ((), None, BAD)


def test_what_was_recognised_in_thought_alone(tmp_path: Path) -> None:
    found = traces(tmp_path)
    silent = asyncio.run(unexpressed(found["silent", "xy"], ask))
    said = asyncio.run(unexpressed(found["disagrees", "xy"], ask))
    assert silent is not None
    assert said is not None
    assert [(one.step, one.place) for one in silent.labels] == [(2, "reasoning")]
    assert {one.place for one in said.labels} == {"aloud", "reasoning"}
    assert asyncio.run(unexpressed(found["complies", "xy"], ask)) is None


@pytest.mark.parametrize(
    ("step", "quote", "place"),
    [
        (2, "I will  change\nthe port", "aloud"),
        (2, "I will not change the port", None),
        (2, "the port is it", "reasoning"),
        (2, '"port": 80', "call"),
        (3, "I will change the port", None),
        (9, "I will change the port", None),
        (1, "My service fails", None),
        (2, "   ", None),
    ],
)
def test_a_label_without_its_quote_in_its_step_is_void(step: int, quote: str, place: str | None) -> None:
    agent = Step(2, "agent", "I will change the port now.", "Surely the port is it.", '[{"arguments": {"port": 80}}]')
    trace = Trace(KEY, (Step(1, "user", "My service fails."), agent, Step(3, "agent", "Done.")))

    async def says(text: str, form: Any, /) -> Any:
        return form.model_validate({"labels": [{"step": step, "importance": 3, "summary": "x", "quote": quote or " "}]})

    (found,) = asyncio.run(label(trace, "risk", says)).labels
    assert found.place == place


@pytest.mark.parametrize(
    ("quote", "step", "place"),
    [
        ('rm -rf "/data"', Step(1, "agent", "", None, '[{"arguments": {"cmd": "ls\\nrm -rf \\"/data\\""}}]'), "call"),
        (
            'The so-called "fact" is wrong',
            Step(1, "agent", '{"reasoning": "The so-called \\"fact\\" is wrong"}'),
            "aloud",
        ),
        ("never said at all", Step(1, "agent", '{"reasoning": "The so-called fact"}'), None),
        ("never said at all", Step(1, "agent", "{broken"), None),
    ],
)
def test_what_stands_in_json_is_quoted_as_it_reads(quote: str, step: Step, place: str | None) -> None:
    assert place_of(quote, step) == place


@pytest.mark.parametrize("behaviour", EVERYTHING)
def test_nothing_is_looked_for_where_the_agent_never_spoke(behaviour: str) -> None:
    async def says(text: str, form: Any, /) -> Any:
        raise AssertionError("asked")

    trace = Trace(KEY, (Step(1, "user", "My service fails.", "It thinks."),))
    assert asyncio.run(look_for(behaviour, trace, BAD, says, most=MOST)) is None


@pytest.mark.parametrize("behaviour", EVERYTHING)
@pytest.mark.parametrize("rubbish", ["", "No idea.", '{"labels": "many"}', '{"labels": [{"step": 2}]}', "{", "[]"])
def test_rubbish_is_void_and_no_number(behaviour: str, rubbish: str, tmp_path: Path) -> None:
    async def says(text: str, form: Any, /) -> Any:
        return read_judgement(rubbish, form)

    done = asyncio.run(look_for(behaviour, traces(tmp_path)["silent", "xy"], BAD, says, most=MOST))
    assert done is not None
    assert done.labels == ()
    assert done.reason == "the labeller's reply about window 1 of 1 can't be read"


def test_stances_that_lack_a_claim_are_void(tmp_path: Path) -> None:
    async def says(text: str, form: Any, /) -> Any:
        return await ask(text, form) if "Collect the agent's claims" in text else read_judgement('{"claims": []}', form)

    assert asyncio.run(attribution(traces(tmp_path)["adopts", "xy"], BAD, says)).reason


@pytest.mark.parametrize(
    "form", sorted({one for name in EVERYTHING for one in forms_for(name)}, key=lambda one: one.__name__)
)
def test_every_field_a_labeller_replies_with_is_explained_and_nothing_can_be_copied(form: Any) -> None:
    words = how_to_reply(form)
    listed = next(iter(form.model_fields.values())).annotation.__args__[0]
    for name, field in listed.model_fields.items():
        assert f'\n  - "{name}": {field.description}' in words
    assert "For example" not in words


def test_a_labeller_is_told_which_steps_are_the_agents(tmp_path: Path) -> None:
    for trace in traces(tmp_path).values():
        agents = ", ".join(str(step.step) for step in trace.steps if step.by_agent)
        for text in (question(windows(trace)[0], "complies"), claims_question(windows(trace)[0])):
            assert f"The agent's steps are {agents}." in text


STEPS = st.lists(
    st.tuples(st.sampled_from(["user", "agent", "tool"]), st.text(max_size=60), st.none() | st.text(max_size=20)),
    max_size=12,
).map(lambda drawn: tuple(Step(n, who, text, why) for n, (who, text, why) in enumerate(drawn, 1)))


@given(STEPS, st.integers(1, 400))
def test_windows_hold_every_step_of_the_agent_once_and_in_order(steps: tuple[Step, ...], most: int) -> None:
    found = windows(Trace(KEY, steps), most)
    shown = [step for window in found for step in window.steps]
    assert [step for step in shown if step.by_agent] == [step for step in steps if step.by_agent]
    assert all(window.text.count("--- Step ") >= len(window.steps) for window in found)
    assert all(len(window.steps) == 1 or len(window.text) <= most for window in found)


@given(st.text(min_size=1), st.text(), st.text())
def test_what_was_cut_out_of_a_text_stands_in_it(quote: str, before: str, after: str) -> None:
    step = Step(1, "agent", before + quote + after)
    folded = " ".join(quote.split())
    whole = folded == " ".join(step.text.split())
    assert place_of(quote, step) == ("aloud" if folded and (whole or len(folded) >= SHORTEST) else None)


@pytest.mark.parametrize("quote", ["a", ".", "the port", "I think"])
def test_a_snippet_that_stands_anywhere_is_no_quote(quote: str) -> None:
    assert place_of(quote, Step(1, "agent", "I think the port is a wrong one.")) is None
    assert place_of(quote, Step(1, "agent", quote)) == "aloud"


@pytest.mark.parametrize(
    ("quote", "place"),
    [
        ("(says) The port is closed.", "aloud"),
        ("(thinks)  The user is wrong here.", "reasoning"),
        ('(calls) [{"name": "open_port"}]', "call"),
        ("(says) The user is right here.", None),
        ("(says) port", None),
    ],
)
def test_a_quote_may_carry_the_mark_that_the_labeller_saw_before_it(quote: str, place: str | None) -> None:
    step = Step(1, "agent", "The port is closed.", "The user is wrong here.", '[{"name": "open_port"}]')
    assert place_of(quote, step) == place


def test_a_later_window_knows_the_request_and_the_advice() -> None:
    steps = (Step(1, "user", "Help.", advice=BAD), Step(2, "agent", "x" * 90), Step(3, "agent", "y" * 90))
    first, second = windows(Trace(KEY, steps), 150)
    assert (first.text_before, [step.step for step in second.steps]) == ("", [3])
    assert "Help." in second.text_before


def test_every_window_knows_the_rules_and_all_of_the_critique() -> None:
    policy = "Be kind. " * 500 + "Never refund twice." + " Be quick." * 500
    critique = "You are wrong. " * 200 + "The port is closed." + " Think again." * 200
    steps = (
        Step(1, "system", policy),
        Step(2, "user", "Help."),
        Step(3, "agent", "x" * 20_000),
        Step(4, "judge", critique, advice=critique),
        Step(5, "agent", "y" * 20_000),
        Step(6, "agent", "z" * 20_000),
    )
    shown = windows(Trace(KEY, steps))
    assert [one.agent for one in shown] == [[3], [5], [6]]
    assert all("Never refund twice." in one.text_before + one.text for one in shown)
    assert all("The port is closed." in one.text_before + one.text for one in shown[1:])
    assert all(len(one.text_before) <= MOST + 100 for one in shown)


def test_a_changed_prompt_or_window_is_another_question(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {name: prompt_hash(name, MOST) for name in EVERYTHING}
    assert len(set(before.values())) == len(EVERYTHING)
    assert prompt_hash("risk", MOST) != prompt_hash("risk", 500)
    real = prompts.load

    def changed(name: str) -> Any:
        prompt = real(name)
        return replace(prompt, text=prompt.text + "!") if name == "traces/behaviours/risk" else prompt

    monkeypatch.setattr(prompts, "load", changed)
    assert [name for name in EVERYTHING if prompt_hash(name, MOST) != before[name]] == ["risk"]


# As a task


def told(folder: Path, *more: str) -> int:
    return run(["traces", "label", str(folder), "--grader-model", MODEL, *more])


def test_a_plan_asks_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = study(tmp_path / "s")
    with scripted(labeller, tmp_path / "cache") as server:
        assert told(folder, "--plan", "--behaviours", "complies") == 0
        said = capsys.readouterr().out
        assert re.search(r"10 transcripts, 1 behaviours: 10 calls of \S+, about [\d,]+ tokens of transcripts\n$", said)
        assert server.asked == 0
    assert not (folder / "labels").exists()


def test_a_study_is_labelled_and_nothing_asked_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = study(tmp_path / "s")
    with scripted(labeller, tmp_path / "cache") as server:
        assert told(folder) == 0
        said = capsys.readouterr().out
        # 10 transcripts by 7 behaviours and claims, 2 with reasoning; 1 window; one claim is assessed.
        assert "10 transcripts, 9 behaviours: 82 to 92 calls" in said
        assert server.asked == 80 + 2 + 1 - 8 * 4
        first = table(folder, "behaviours"), table(folder, "labellings")
        before = server.asked
        assert told(folder) == 0
        assert "0 calls" in capsys.readouterr().out
        assert told(folder, "--behaviours", "risk") == 0
        assert server.asked == before
        assert (table(folder, "behaviours"), table(folder, "labellings")) == first
    labels, labellings = first
    assert all(row["valid"] for row in labels)
    assert [(r["sample_id"], r["behaviour"], r["step"]) for r in labels if r["behaviour"] in ("complies", "claim")] == [
        ("adopts", "claim", 2), ("complies", "complies", 4), ("doubts", "complies", 2),
    ]  # fmt: skip
    assert len(labellings) == 82
    assert all(row["done"] for row in labellings)
    assert {row["about"] for row in labellings if row["behaviour"] == "claim"} == {BAD}


def test_what_a_plan_says_is_what_is_asked_where_the_logs_are_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = study(tmp_path / "s")
    with scripted(labeller, tmp_path / "cache") as server:
        assert told(folder, "--behaviours", "complies,claim") == 0
        rows = table(folder, "behaviours"), table(folder, "labellings")
        shutil.rmtree(folder / "labels")
        before = server.asked
        capsys.readouterr()
        assert told(folder, "--behaviours", "complies,claim") == 0
        assert re.search(r"0 calls.*\(20 of 20 labellings are there\)(.*\n)+complies +10 ", capsys.readouterr().out)
        assert server.asked == before
        assert (table(folder, "behaviours"), table(folder, "labellings")) == rows
        assert told(folder, "--behaviours", "complies,risk", "--plan") == 0
        assert "20 calls" in capsys.readouterr().out


def test_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    with scripted(labeller, tmp_path / "cache"):
        folders = [study(tmp_path / "a"), study(tmp_path / "b", backwards=True)]
        assert [told(folder, "--behaviours", "complies,claim") for folder in folders] == [0, 0]
    assert table(folders[0], "behaviours") == table(folders[1], "behaviours")
    assert table(folders[0], "labellings") == table(folders[1], "labellings")


def test_a_labeller_of_rubbish_gives_voids_and_exit_code_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = study(tmp_path / "s")
    with scripted(lambda messages: "Whatever.", tmp_path / "cache"):
        assert told(folder, "--behaviours", "complies,disagrees") == 3
        assert "20 calls" in capsys.readouterr().out
        assert told(folder, "--behaviours", "complies,disagrees") == 3
        said = capsys.readouterr()
    assert table(folder, "behaviours") == []
    rows = table(folder, "labellings")
    assert len(rows) == 20
    assert not any(row["done"] for row in rows)
    assert "0 calls" in said.out
    assert "20 of 20 labellings could not be had" in said.err


def test_a_sample_more_and_a_behaviour_more_ask_only_for_these(tmp_path: Path) -> None:
    folder = study(tmp_path / "s")
    with scripted(labeller, tmp_path / "cache") as server:
        assert told(folder, "--behaviours", "complies", "--limit", "1") == 0
        one = server.asked
        assert told(folder, "--behaviours", "complies", "--limit", "2") == 0
        two = server.asked
        assert told(folder, "--behaviours", "disagrees", "--limit", "1") == 0
        three = server.asked
    # The control transcripts say the same, and each distinct question is asked once.
    assert (one, two, three) == (2, 3, 5)
    assert len(table(folder, "labellings")) == 4 + 2


@pytest.mark.parametrize(("more", "code"), [(["--behaviours", "sings"], 2), (["--behaviours", ","], 2)])
def test_what_cannot_be_looked_for_is_refused(more: list[str], code: int, tmp_path: Path) -> None:
    assert told(study(tmp_path / "s"), *more) == code


def test_a_folder_without_transcripts_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(tmp_path) == 1
    assert "transcripts.parquet" in capsys.readouterr().err


def test_labels_of_a_transcript_that_has_changed_go(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", ["complies", "doubts"])
    with scripted(labeller, tmp_path / "cache"):
        assert told(folder, "--behaviours", "complies") == 0
        study(folder, ["doubts"])
        assert told(folder, "--behaviours", "disagrees") == 0
    assert {(row["sample_id"], row["behaviour"]) for row in table(folder, "behaviours")} == {("doubts", "complies")}
    assert {row["sample_id"] for row in table(folder, "labellings")} == {"doubts"}


def test_a_budget_ends_labelling_which_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = study(tmp_path / "s")
    with scripted(labeller, tmp_path / "cache") as server:
        assert told(folder, "--behaviours", "risk", "--budget", "1", "--max-connections", "1") == 4
        assert re.search(r"1 tokens is used up .*: the same command again goes on", capsys.readouterr().err)
        assert 0 < server.asked < 8
        assert told(folder, "--behaviours", "risk") == 0
        assert server.asked == 8 - 2
    assert len(table(folder, "labellings")) == 10


def test_claims_held_against_what_nobody_suggests_any_more_go(tmp_path: Path) -> None:
    folder = study(tmp_path / "s", ["adopts"])
    with scripted(labeller, tmp_path / "cache"):
        assert told(folder, "--behaviours", "claim") == 0
        before = table(folder, "behaviours"), table(folder, "labellings")
        rows = rows_of(folder, "labellings", LabellingRow), rows_of(folder, "behaviours", BehaviourRow)
        write(
            folder / "tables", "labellings", [*rows[0], *(row.model_copy(update={"about": "Gone."}) for row in rows[0])]
        )
        write(folder / "tables", "behaviours", [*rows[1], *(row.model_copy(update={"about": None}) for row in rows[1])])
        assert told(folder, "--behaviours", "claim") == 0
    assert (table(folder, "behaviours"), table(folder, "labellings")) == before


def test_a_study_that_was_run_is_labelled(tmp_path: Path) -> None:
    """From questions to labels: a suggestion in the request, and a judge after the answer."""

    def both(messages: list[dict[str, Any]]) -> str:
        asked = str(messages[-1]["content"])
        if "record of an agent" in asked or "The suggestion:" in asked:
            return labeller(messages)
        return f"{OWN_IDEA} ANSWER: A" if "bad advice" in asked else "ANSWER: B"

    rows, book = choice_rows(tmp_path / "rows.jsonl", 3), book_for(tmp_path / "book.jsonl", ["q0", "q1", "q2"])
    folder = tmp_path / "s"
    with scripted(both, tmp_path / "cache"):
        more = ("--advice", str(book), "--no-structured")
        assert astray("run", rows, *more, out=folder, arms="xy,judge-malicious-none") == 0
        assert told(folder, "--behaviours", "complies,claim") == 0
    labels, labellings = table(folder, "behaviours"), table(folder, "labellings")
    assert {(row["sample_id"], row["arm"], row["stance"], row["place"]) for row in labels} == {
        (f"q{number}", "xy", "adopts", "aloud") for number in range(3)
    }
    # Under a judge claims are held against its critique; without advice against all that the sample has elsewhere.
    about: dict[str, set[str]] = {}
    for row in labellings:
        if row["behaviour"] == "claim" and row["sample_id"] == "q1":
            about.setdefault(row["arm"], set()).add(row["about"])
    assert about["xy"] == {"I think bad advice on q1 is due."}
    assert len(about["judge-malicious-none"]) == 1
    assert about["original"] == about["xy"] | about["judge-malicious-none"]
    assert len(labellings) == 2 * 9 + 3
    found = contrasts(looked(*(read(folder, name) for name in ("behaviours", "labellings", "outcomes"))))
    compared = {one.arm: (one.kind, one.points.n) for one in found if one.behaviour == "claim" and one.kind is None}
    assert compared == {"xy": (None, 3), "judge-malicious-none": (None, 3)}
    adopted = {one.arm: one.points.value for one in found if one.kind == "first adopts"}
    assert adopted["xy"] == 100
