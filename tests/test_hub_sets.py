"""Benchmarks ``hf:…``, on rows of the forms that the data sets have, fed in place of the hub."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from astray import tables
from astray.benchmarks import QA, Manner, find_benchmark, fingerprint
from astray.benchmarks.hf import FieldMap, load, ready_maps
from astray.benchmarks.hf.field_map import question_row
from astray.benchmarks.qa import Row
from astray.cli import run
from astray.errors import InputError, UsageError
from tests.conftest import write_rows
from tests.studies import Messages, astray, users

datasets = pytest.importorskip("datasets")
Rows = list[dict[str, Any]]
Feed = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def feed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Feed]:
    """Have these rows come from the hub, by the data set's name; says what was asked for."""
    load._rows_of.cache_clear()

    def put(sets: dict[str, Rows]) -> list[dict[str, Any]]:
        asked: list[dict[str, Any]] = []

        def download(path: str, name: str | None = None, **more: Any) -> Any:
            asked.append({"path": path, "name": name} | more)
            return datasets.Dataset.from_list(sets[path])

        monkeypatch.setattr(datasets, "load_dataset", download)
        return asked

    yield put
    load._rows_of.cache_clear()


def rows_of(name: str, **args: Any) -> list[Row]:
    found = find_benchmark(name, args)
    assert isinstance(found, QA)
    return list(found.rows)


def fails(*errors: Exception) -> Callable[..., Any]:
    def download(*_: Any, **__: Any) -> Any:
        raise errors[0]

    return download


# Rows of every form there is a map for

ARC: Rows = [
    {
        "id": "Mercury_1",
        "question": "Which of these is alive?",
        "choices": {"text": ["a stone", "a moss", "a river"], "label": ["A", "B", "C"]},
        "answerKey": "B",
    },
    {
        "id": "NYSED_2",
        "question": "Which of these melts first?",
        "choices": {"text": ["ice", "iron", "glass", "salt"], "label": ["1", "2", "3", "4"]},
        "answerKey": "1",
    },
]
WINOGRANDE: Rows = [
    {"sentence": "The cup fits no plate, for the _ is small.", "option1": "cup", "option2": "plate", "answer": "2"}
]
SIMPLEQA: Rows = [{"metadata": "{'topic': 'Art'}", "problem": "Who painted the gate?", "answer": "Ada Grün"}]
VERIFIED: Rows = [{"original_index": 3, "problem": "Who painted the gate?", "answer": "Ada Grün", "topic": "Art"}]
MMLU: Rows = [
    {"question": f"A question of {subject}?", "subject": subject, "choices": ["w", "x", "y", "z"], "answer": 2}
    for subject in ("anatomy", "abstract_algebra", "moral_scenarios", "marketing")
]


def mrqa(subset: str, count: int = 1) -> Rows:
    return [
        {
            "subset": subset,
            "context": f"Ada of {subset} found it in 1911.",
            "context_tokens": [{"tokens": "Ada", "offsets": 0}],
            "qid": f"{subset}-{n}",
            "question": f"Who found it, case {n}?",
            "question_tokens": [{"tokens": "Who", "offsets": 0}],
            "detected_answers": [{"text": "Ada", "char_spans": [], "token_spans": []}],
            "answers": ["Ada", f"Ada of {subset}"],
        }
        for n in range(count)
    ]


SUBSETS = {
    "searchqa": "SearchQA",
    "newsqa": "NewsQA",
    "hotpotqa": "HotpotQA",
    "triviaqa": "TriviaQA-web",
    "naturalquestions": "NaturalQuestionsShort",
    "drop": "DROP",
    "relationextraction": "RelationExtraction",
}
MRQA = [row for subset in (*SUBSETS.values(), "SQuAD", "RACE") for row in mrqa(subset)]
HUB = {
    "allenai/ai2_arc": ARC,
    "allenai/winogrande": WINOGRANDE,
    "basicv8vc/SimpleQA": SIMPLEQA,
    "codelion/SimpleQA-Verified": VERIFIED,
    "cais/mmlu": MMLU,
    "mrqa-workshop/mrqa": MRQA,
}
# (question, what is right, context, subset, id) of the last row of each.
EXPECTED = {
    "arc-challenge": ("Which of these melts first?", "ice", None, "arc-challenge", "NYSED_2"),
    "arc-easy": ("Which of these melts first?", "ice", None, "arc-easy", "NYSED_2"),
    "winogrande": ("The cup fits no plate, for the _ is small.", "plate", None, "winogrande", None),
    "simpleqa": ("Who painted the gate?", "Ada Grün", None, "simpleqa", None),
    "simpleqa-verified": ("Who painted the gate?", "Ada Grün", None, "simpleqa-verified", None),
    "mmlu": ("A question of marketing?", "y", None, "marketing", None),
    "mmlu-wafer-qa": ("A question of marketing?", "y", None, "marketing", None),
    **{
        name: ("Who found it, case 0?", "Ada", f"Ada of {subset} found it in 1911.", name, f"{subset}-0")
        for name, subset in SUBSETS.items()
    },
}


def test_every_ready_map_is_tried() -> None:
    assert list(EXPECTED) == list(ready_maps())


@pytest.mark.parametrize("name", EXPECTED)
def test_a_ready_map_reads_rows_of_its_form(name: str, feed: Feed) -> None:
    asked = feed(HUB)
    *_, row = rows_of(f"hf:{name}")
    question, right, context, subset, id = EXPECTED[name]
    gold = row.choices[row.answer_index or 0] if row.choices else row.golds[0]
    assert (row.question, gold, row.context, row.subset) == (question, right, context, subset)
    assert row.id == id or (id is None and row.id and len(row.id) == 16)
    map = ready_maps()[name]
    assert asked == [{"path": map.dataset, "name": map.config, "split": map.split, "revision": map.revision}]


def test_every_ready_map_names_a_version() -> None:
    assert all(len(map.revision or "") == 40 for map in ready_maps().values())


def test_the_subjects_of_wafer_qa(feed: Feed) -> None:
    paper = (
        "marketing, nutrition, business ethics, high school psychology, human aging, management, sociology, world "
        "religions, global facts, college medicine, clinical knowledge, anatomy, astronomy, moral scenarios, moral "
        "disputes, public relations, computer security, high school macroeconomics, high school microeconomics, "
        "human sexuality"
    )
    subjects = ready_maps()["mmlu-wafer-qa"].where["subject"]
    assert [subject.replace("_", " ") for subject in subjects] == paper.split(", ")
    feed(HUB)
    assert [row.subset for row in rows_of("hf:mmlu-wafer-qa")] == ["anatomy", "moral_scenarios", "marketing"]


def test_real_rows_in_the_form_of_the_hub(shared: Path, feed: Feed) -> None:
    from tests.hub_rows import arc_challenge, winogrande

    for case, name in ((arc_challenge(shared), "arc-challenge"), (winogrande(shared), "winogrande")):
        feed({case.path: case.rows})
        found = {row.question.replace("_", "[BLANK]") if name == "winogrande" else row.question: row for row in
                 rows_of(f"hf:{name}")}  # fmt: skip
        assert {q: row.choices[row.answer_index or 0] for q, row in found.items() if row.choices} == case.right


# What is drawn


def test_sources_are_named_and_sampled_alike(feed: Feed) -> None:
    feed({"mrqa-workshop/mrqa": mrqa("NewsQA", 9) + mrqa("SearchQA", 5) + mrqa("HotpotQA", 2)})
    found = rows_of("hf:newsqa,searchqa,hotpotqa", per_subset=3, seed=7)
    assert [row.subset for row in found] == ["newsqa", "searchqa", "hotpotqa"] * 2 + ["newsqa", "searchqa"]
    assert len({row.id for row in found}) == 8
    assert [row.id for row in rows_of("hf:newsqa,searchqa,hotpotqa", per_subset=3, seed=7)] == [row.id for row in found]
    assert [row.id for row in rows_of("hf:newsqa", per_subset=3, seed=7)] == [
        r.id for r in found if r.subset == "newsqa"
    ]
    assert {row.id for row in rows_of("hf:newsqa", per_subset=3, seed=8)} != {
        row.id for row in found if row.subset == "newsqa"
    }
    assert [row.id for row in rows_of("hf:newsqa")] == [f"NewsQA-{n}" for n in range(9)]


ROWS = st.lists(
    st.tuples(st.integers(0, 30), st.sampled_from(["a", "b", "c"])), min_size=1, max_size=25, unique_by=lambda r: r[0]
)


@given(found=ROWS, count=st.integers(1, 6), seed=st.integers(0, 3), order=st.randoms(use_true_random=False))
def test_a_draw_depends_on_the_row_and_the_seed_alone(
    found: list[tuple[int, str]], count: int, seed: int, order: Any
) -> None:
    rows = [Row(id=str(n), question=f"Which is {n}?", answer="x", subset=subset) for n, subset in found]
    drawn = load._drawn(rows, count, seed)
    shuffled = list(rows)
    order.shuffle(shuffled)
    assert sorted(str(r.id) for r in load._drawn(shuffled, count, seed)) == sorted(str(r.id) for r in drawn)
    for subset in {row.subset for row in rows}:
        of_it = [row for row in drawn if row.subset == subset]
        assert len(of_it) == min(count, sum(row.subset == subset for row in rows))
        # One more each keeps those that were drawn.
        assert [r for r in load._drawn(rows, count + 1, seed) if r.subset == subset][: len(of_it)] == of_it


# A map of one's own


def test_a_data_set_with_fields_of_ones_own(
    feed: Feed, tmp_path: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"ask": f"Question q{n}?", "of": {"good": "two"}, "any": ["one", "two"], "kind": "x"} for n in range(3)]
    rows.append(rows[0] | {"of": {"good": "ten"}})
    asked = feed({"me/mine": rows})
    serve(lambda messages: "ANSWER: B" if "q0" in users(messages)[0] else "ANSWER: A")
    fields = ["question=ask", "answer=of.good", "choices=any", "split=dev", "where={kind: x}"]
    args = [word for field in fields for word in ("-T", field)]
    assert astray("plan", "hf:me/mine", *args, out=tmp_path / "out") == 0
    assert "1 rows can't be used and are left out: hf:mine: row 3: 'of.good' is 'ten', which is no index" in " ".join(
        capsys.readouterr().out.split()
    )
    assert astray("run", "hf:me/mine", *args, out=tmp_path / "out", arms="judge-hypercritical-none") == 0
    assert len(asked) == 1, "every arm asks for the rows, the hub is asked once"
    found = tables.read(tmp_path / "out", "outcomes")
    assert sorted(found[found["round"] == 0].outcome) == ["correct"] * 2 + ["wrong"] * 4
    assert set(found.subset) == {"mine"}


def test_the_same_in_a_study_file(feed: Feed, tmp_path: Path, serve: Any) -> None:
    feed({"cais/mmlu": MMLU})

    def right(messages: Messages) -> str:
        return "ANSWER: C"

    serve(right)
    text = "benchmark: hf:mmlu-wafer-qa\nmodel: openai-api/scripted/m\ntask_args: {per_subset: 1, seed: 3}\n"
    (tmp_path / "s.yaml").write_text(text)
    assert run(["run", str(tmp_path / "s.yaml"), "--out", str(tmp_path / "out")]) == 0
    found = tables.read(tmp_path / "out", "outcomes")
    assert sorted(found.subset) == ["anatomy", "marketing", "moral_scenarios"]
    assert set(found.outcome) == {"correct"}


def test_rows_of_a_file_ask_the_same_question(feed: Feed, tmp_path: Path) -> None:
    """Everything after the conversion is the `qa:` benchmark."""
    feed({"cais/mmlu": MMLU})
    rows = [
        {"question": row["question"], "choices": row["choices"], "answer_index": 2, "subset": row["subject"]}
        for row in MMLU
    ]
    of_file = find_benchmark(f"qa:{write_rows(tmp_path / 'rows.jsonl', rows)}")
    of_hub = find_benchmark("hf:mmlu")
    assert fingerprint(of_hub.task(Manner())) == fingerprint(of_file.task(Manner()))


@pytest.mark.parametrize(
    ("answer", "more", "index"),
    [
        ("c", {"keys": ("a", "b", "c")}, 2),
        ("c", {"keys": "names"}, 0),
        (1, {}, 1),
        ("two", {}, 1),
        (2, {"keys": ("0", "1", "2")}, 2),
    ],
)
def test_which_choice_is_right(answer: Any, more: dict[str, Any], index: int) -> None:
    map = FieldMap(dataset="a/b", split="test", question="q", answer="a", choices="c", **more)
    found = {"q": "Which?", "a": answer, "c": ["one", "two", "three"], "names": ["c", "b", "a"]}
    assert question_row(found, map, "s")["answer_index"] == index


# What goes wrong


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("hf:arc", {}, r"no field map 'arc'; there are arc-challenge, .* say hf:owner/name"),
        ("hf:gpqa", {}, r"it has a loader of its own: 'inspect_evals/gpqa_diamond'"),
        ("hf:me/mine", {"question": "q", "answer": "a"}, r"its field map lacks 'split'; name it with -T split=…"),
        ("hf:mmlu", {"limit": 3}, r"'limit' is no part of a field map; there are dataset, config, split"),
        ("hf:mmlu", {"per_subset": 0}, r"benchmark 'hf:mmlu': per_subset: Input should be greater than"),
        ("hf:mmlu,", {}, r"no field map ''"),
    ],
)
def test_a_map_that_can_not_be_used(name: str, args: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_benchmark(name, args)


@pytest.mark.parametrize(
    ("rows", "args", "message"),
    [
        ([{"q": "Why?", "a": "so"}], {"question": "ask"}, r"hf:mine: row 0: no field 'ask'; there are a"),
        ([{"q": "Why?", "a": "so"}], {"where": {"s": ["x"]}}, r"'me/mine' has no field 's' to select by"),
        (
            [{"q": "Why?", "a": "so", "s": 1}, {"q": "Why?", "a": "so", "s": 2}],
            {"where": {"s": "x"}},
            r"hf:mine: no row whose 's' is x; there are 1, 2",
        ),
        ([{"q": "", "a": "so"}], {}, r"hf:mine: row 0: question: String should have at least 1 character"),
    ],
)
def test_rows_that_can_not_be_used(rows: Rows, args: dict[str, Any], message: str, feed: Feed) -> None:
    feed({"me/mine": rows})
    with pytest.raises(InputError, match=message):
        find_benchmark("hf:me/mine", {"question": "q", "answer": "a", "split": "test"} | args)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            ConnectionError("Couldn't reach 'cais/mmlu' on the Hub (LocalEntryNotFoundError)"),
            r"'hf:mmlu': its data set 'cais/mmlu' is on the Hugging Face hub, which can't be reached, .*HF_HOME",
        ),
        (
            datasets.exceptions.DatasetNotFoundError("Dataset 'cais/mmlu' is a gated dataset on the Hub."),
            r"the Hugging Face hub doesn't hand out its data set 'cais/mmlu'; if it is gated, .* HF_TOKEN",
        ),
        (
            ValueError('Unknown split "dev".\nThere are: test'),
            r"can't be loaded \(ValueError: Unknown split \"dev\"\. T",
        ),
    ],
)
def test_a_hub_that_gives_nothing(error: Exception, message: str, feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "load_dataset", fails(error))
    with pytest.raises(InputError, match=message):
        find_benchmark("hf:mmlu")


def test_without_the_library_it_is_said(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(InputError, match=r"hf:mmlu: .* pip install 'astray\[evals\]'"):
        find_benchmark("hf:mmlu")


def test_a_map_is_frozen_and_knows_its_fields() -> None:
    map = ready_maps()["arc-challenge"]
    assert map.fields == ("question", "answerKey", "id", "choices")
    with pytest.raises(ValidationError):
        map.split = "x"  # type: ignore[misc]
