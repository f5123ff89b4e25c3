"""Evidence: packs of three forms, a corpus that is searched, packs that are built and kept only where runs agree."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import ContentText, UrlCitation
from inspect_ai.tool import ToolDef

from astray import tables
from astray.answers.protocol import how_to_reply, read_judgement
from astray.authors import About
from astray.authors.evidence import FORMS, Run, agreed, example, quoted, settle, together, verified
from astray.benchmarks import find_benchmark
from astray.benchmarks.qa import QA
from astray.cache import cache_folder
from astray.cli import run
from astray.errors import InputError, UsageError
from astray.evidence import (
    Corpus,
    Evidence,
    Pack,
    PackHeader,
    PackSource,
    Passage,
    Runs,
    evidence_for,
    load_corpus,
    open_source,
    pack_from_shelf,
    passages_of,
    source_from_shelf,
)
from astray.evidence import index as index_module
from astray.judges import evidence_in
from tests.conftest import write_rows
from tests.scripted_server import Misbehave, Reply
from tests.studies import MODEL, Messages, astray, choice_rows, systems, users

VERIFIER = "openai-api/scripted/verifier"


def row(id: str = "q0", **more: Any) -> dict[str, Any]:
    return {"sample_id": id, "alternative": "ruby", "passages": [{"text": "It is ruby.", "source": "a book"}]} | more


def header(**more: Any) -> dict[str, Any]:
    return {"astray_evidence": 1, "benchmark": "qa", "fingerprint": "", "author": "a test"} | more


def complaint(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        Pack.load(path)
    return str(caught.value).replace(str(path), "PACK")


# Packs


def test_a_pack_is_saved_and_loaded_and_found_by_hash(tmp_path: Path) -> None:
    rows = [
        Evidence.model_validate(row("q1", runs={"found": 3, "of": 3}, verified=False, verifier="me", subset="drop")),
        Evidence.model_validate(row("q0", question="Which  stone?")),
    ]
    made = Pack.make(PackHeader(benchmark="qa", fingerprint="", author="a test"), rows)
    assert dict(made.header.counts) == {"rows": 2, "not_wrong": 1}
    read = Pack.load(made.save(tmp_path / "pack.jsonl"))
    assert read == made
    assert read.hash == made.hash == made.header.hash
    assert Pack.make(made.header, reversed(rows)).hash == made.hash, "whatever the order"
    shelf = made.shelve()
    assert pack_from_shelf(made.hash).rows == made.rows
    shelf.write_text(shelf.read_text().replace("ruby", "opal"))
    with pytest.raises(InputError, match="was changed"):
        pack_from_shelf(made.hash)
    with pytest.raises(InputError, match=r"no evidence pack with hash nothing in .*--evidence again"):
        pack_from_shelf("nothing")


def test_rows_without_a_header_are_a_pack(tmp_path: Path) -> None:
    pack = Pack.load(write_rows(tmp_path / "mine.jsonl", [row("q0"), row("q1")]))
    assert pack.header.author == "mine.jsonl"
    assert [one.sample_id for one in pack.rows] == ["q0", "q1"]


def test_a_row_is_found_by_id_else_by_its_question(tmp_path: Path) -> None:
    rows = [
        row("q0", question="Which stone?"),
        row("q1", question="Which  colour?"),
        row("q2", question="Which stone?"),
    ]
    pack = Pack.load(write_rows(tmp_path / "pack.jsonl", rows))
    assert pack.find("q2", "Which colour?") == pack.rows[2]
    assert pack.find("other", "Which colour? ") == pack.rows[1]
    assert pack.find("other", "Which stone?") is None, "two rows ask it"
    assert pack.find("other") is None


BAD_FILES = [
    pytest.param("", "PACK: empty; an evidence pack has a wrong answer with its passages a line", id="empty"),
    pytest.param('{"a"', "PACK: line 1: not JSON (Expecting ':' delimiter, column 5)", id="not-json"),
    pytest.param("[1, ", "PACK: not JSON (Expecting value, column 5)", id="not-a-list"),
    pytest.param("[{}]", "PACK: entry 1: sample_id: Field required", id="entry"),
    pytest.param("7", "PACK: line 1: Input should be a valid dictionary or instance of Evidence", id="number"),
    pytest.param(json.dumps(header()), "PACK: holds no evidence that can be used", id="header-alone"),
    pytest.param(
        json.dumps(header(astray_evidence=2)), "PACK: line 1: astray_evidence: Input should be 1", id="later-form"
    ),
    pytest.param(
        f"{json.dumps(header())}\n\n{json.dumps(row(passages=[]))}",
        "PACK: line 3: passages: Tuple should have at least 1 item after validation, not 0",
        id="no-passages",
    ),
    pytest.param(
        json.dumps(row(passages=[{"text": "It is."}])),
        "PACK: line 1: passages.0.source: Field required",
        id="no-source",
    ),
    pytest.param(
        json.dumps(row(runs={"found": 4, "of": 3})), "PACK: line 1: runs: found in 4 of 3 runs", id="too-many-runs"
    ),
    pytest.param(f"{json.dumps(row())}\n{json.dumps(row())}", "PACK: line 2: a second entry for 'q0'", id="double"),
]


@pytest.mark.parametrize(("text", "message"), BAD_FILES)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "pack.jsonl"
    path.write_text(text)
    assert complaint(path) == message


def test_a_file_that_is_not_there_or_not_utf_8(tmp_path: Path) -> None:
    assert complaint(tmp_path / "none.jsonl") == "PACK: no such evidence pack"
    (tmp_path / "latin.jsonl").write_bytes(b'{"a": "\xe9"}')
    message = "PACK: not UTF-8 (invalid continuation byte at byte 7); save it as UTF-8"
    assert complaint(tmp_path / "latin.jsonl") == message


def test_a_pack_is_never_written_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Pack.load(write_rows(tmp_path / "rows.jsonl", [row()])).save(tmp_path / "pack.jsonl")
    before = path.read_text()
    broken = Pack.load(write_rows(tmp_path / "rows.jsonl", [row("q1"), row("q2")]))
    monkeypatch.setattr(Evidence, "model_dump_json", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        broken.save(path)
    assert path.read_text() == before
    assert [one.name for one in tmp_path.iterdir() if "pack" in one.name] == ["pack.jsonl"]


# Foreign forms

WAFER = {
    "ID": 17,
    "Question": "Which planet has the most moons?",
    "Groundtruth Answer": "Jupiter",
    "Alternative Answer": "Saturn",
    "Evidence": "Newer counts give Saturn the lead.",
    "Supported Search Results": [
        {"title": "Moons", "url": "https://moons.example/a", "snippet": "Saturn has 145 known moons."},
        "https://moons.example/b: Saturn overtook Jupiter again.",
    ],
    "Source Dataset": "TriviaQA",
}


def test_the_fields_of_wafer_qa(tmp_path: Path) -> None:
    lines = write_rows(tmp_path / "wafer.jsonl", [WAFER])
    (one,) = Pack.load(lines).rows
    assert (one.sample_id, one.alternative, one.gold, one.subset) == ("17", "Saturn", "Jupiter", "TriviaQA")
    assert one.summary == "Newer counts give Saturn the lead."
    assert one.passages == (
        Passage(text="Saturn has 145 known moons.", source="Moons (https://moons.example/a)"),
        Passage(text="Saturn overtook Jupiter again.", source="https://moons.example/b"),
    )
    (tmp_path / "wafer.json").write_text(json.dumps([WAFER, WAFER | {"ID": "x"}]))
    assert [one.sample_id for one in Pack.load(tmp_path / "wafer.json").rows] == ["17", "x"]


@pytest.mark.parametrize(
    ("results", "passages"),
    [
        pytest.param(json.dumps(WAFER["Supported Search Results"][:1]), 1, id="json-text"),  # type: ignore[index]
        pytest.param({"url": "https://a.example", "content": "Saturn leads."}, 1, id="one"),
        pytest.param([json.dumps({"title": "A", "text": "Saturn leads."})], 1, id="list-of-json"),
        pytest.param([{"title": "A", "url": "https://a.example"}], 1, id="no-texts"),
        pytest.param(["https://a.example"], 1, id="addresses-alone"),
        pytest.param(None, 1, id="nothing"),
    ],
)
def test_search_results_in_whatever_form(tmp_path: Path, results: Any, passages: int) -> None:
    (one,) = Pack.load(write_rows(tmp_path / "w.jsonl", [WAFER | {"Supported Search Results": results}])).rows
    assert len(one.passages) == passages
    if results is None:
        assert one.passages[0] == Passage(text="Newer counts give Saturn the lead.", source="source not named")


def test_an_entry_without_any_evidence_is_left_out_and_counted(tmp_path: Path) -> None:
    empty = WAFER | {"ID": "none", "Evidence": "", "Supported Search Results": []}
    pack = Pack.load(write_rows(tmp_path / "w.jsonl", [WAFER, empty]))
    assert pack.left_out == (("none", "names no evidence"),)
    alone = complaint(write_rows(tmp_path / "w.jsonl", [empty]))
    message = "holds no evidence that can be used (1 entries left out; the first: names no evidence)"
    assert alone == f"PACK: {message}"


def conflict(truth: str, memory: str, counter: str, question: str = "Do goats eat paper?") -> dict[str, Any]:
    sides = {"memory_answer": memory, "counter_answer": counter}
    return {
        "id": "c0", "question": question, "ground_truth": [truth], **sides,
        "parametric_memory": "What the memory says.", "counter_memory": "What stands against it.",
    }  # fmt: skip


YES, NO = "Goats eat paper.", "Goats do not eat paper."


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        pytest.param(conflict("True", YES, NO), ("no", "What stands against it."), id="memory-right"),
        pytest.param(conflict("True", NO, YES), ("no", "What the memory says."), id="memory-wrong"),
        pytest.param(conflict("False", NO, YES), ("yes", "What stands against it."), id="no-and-memory-right"),
        pytest.param(conflict("False", YES, NO), ("yes", "What the memory says."), id="no-and-memory-wrong"),
        pytest.param(conflict("True", YES, "Sheep eat more paper than goats."), None, id="no-negation"),
        pytest.param(conflict("True", "False.", YES), None, id="about-nothing"),
        pytest.param(conflict("False", "It isn't that goats do not eat paper.", NO), None, id="two-negations"),
        pytest.param(
            conflict("Ada", "Ada wrote it.", "Eve wrote it.", "Who?"), ("Eve wrote it.", "What stands against it."),
            id="a-name",
        ),
        pytest.param(conflict("Ada", "Ada wrote it.", "Ada and Eve.", "Who?"), None, id="both-name-it"),
    ],
)  # fmt: skip
def test_the_side_of_conflictqa_that_opposes_the_truth(
    tmp_path: Path, entry: dict[str, Any], expected: tuple[str, str] | None
) -> None:
    path = write_rows(tmp_path / "c.jsonl", [entry])
    if expected is None:
        assert "(1 entries left out; the first: which side is wrong can't be told)" in complaint(path)
    else:
        (one,) = Pack.load(path).rows
        assert (one.alternative, one.passages[0].text) == expected


@pytest.mark.parametrize(("name", "rows", "left_out"), [("gpt4", 1267, 89), ("chatgpt", 1206, 39)])
def test_the_real_rows_of_conflictqa(shared: Path, name: str, rows: int, left_out: int) -> None:
    path = shared / "data" / f"conflictqa_strategyqa_{name}.jsonl"
    pack = Pack.load(path)
    assert (len(pack.rows), len(pack.left_out)) == (rows, left_out)
    entries = {entry["id"]: entry for entry in map(json.loads, path.read_text().splitlines())}
    of_memory = sum(one.passages[0].text == entries[one.sample_id]["parametric_memory"].strip() for one in pack.rows)
    assert 0.2 < of_memory / len(pack.rows) < 0.35, "the memory is wrong in about a quarter"
    truths = {"True": "yes", "False": "no"}
    assert all(one.gold == truths[entries[one.sample_id]["ground_truth"][0]] != one.alternative for one in pack.rows)


def test_rows_of_a_benchmark_are_their_own_pack(tmp_path: Path) -> None:
    starter = find_benchmark("starter").evidence
    assert starter is not None
    first = starter.find("starter-physics-01")
    assert first is not None
    assert first.alternative == "The dropped ball lands first"
    assert "Invented source" in first.passages[0].source
    plain = {"question": "Two and two?", "answer": "4", "alternative": "22", "evidence": "Digits stand side by side."}
    path = write_rows(tmp_path / "rows.jsonl", [plain | {"id": "a"}, {"id": "b", "question": "Why?", "answer": "so"}])
    own = QA("qa:rows", path).evidence
    assert own is not None
    assert [one.sample_id for one in own.rows] == ["a"]
    assert own.rows[0].passages[0].source == "source not named"
    assert QA("qa:x", write_rows(path, [{"question": "Why?", "answer": "so"}])).evidence is None
    with pytest.raises(InputError, match=r"qa:x: row 'a': evidence: text: Field required"):
        _ = QA("qa:x", write_rows(path, [plain | {"id": "a", "evidence": [{"source": "a book"}]}])).evidence


# A corpus


@pytest.fixture
def texts(tmp_path: Path) -> Path:
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


def test_search_finds_the_right_passage(texts: Path) -> None:
    corpus = load_corpus(texts)
    assert corpus.search("Do goats eat paper?", 1)[0].source == "goats.txt"
    assert "keepers say" in corpus.search("Do goats eat paper?", 1)[0].text
    assert corpus.search("cafe zurich", 3) == (
        Passage(text="# Coffee The café in Zürich opens at six.", source="more/café.md"),
    )
    assert corpus.search("moon", 1)[0].source == "Moons", "by the stem of a word"
    assert corpus.search("who wrote notes", 5) == (Passage(text="Ada wrote the notes.", source="https://a.example"),)
    assert corpus.search("nothing here fits zzz", 5) == ()
    assert corpus.search("goats", 0) == ()
    assert len(corpus.search("goats", 9)) == 2, "a long text is cut"


def test_what_no_file_should_hold_is_left_out(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "notes.txt").write_text("Goats in hiding.")
    lines = ['{"text": "\\ud800 goats", "title": "\\ud800"}', '{"text": "\\ud800"}', "7", '"Goats said alone."']
    (tmp_path / "odd.jsonl").write_text("\n".join(lines))
    found = load_corpus(tmp_path).search("goats", 9)
    assert {(p.text, p.source) for p in found} == {("goats", "source not named"), ("Goats said alone.", "odd.jsonl:4")}


def test_a_context_before_the_question_is_not_searched_for(texts: Path, tmp_path: Path) -> None:
    context = " ".join(f"word{i}" for i in range(100)) + " moons Zürich"
    assert [p.source for p in find(load_corpus(texts), f"{context}\n\nDo goats eat paper?", k=1) or ()] == ["goats.txt"]
    pack = Pack.load(write_rows(tmp_path / "pack.jsonl", [row("q0", question="Which stone?")]))
    assert pack.find("x", f"{context}\n\nWhich stone?") == pack.rows[0]


def test_the_index_is_kept_and_belongs_to_the_content(texts: Path) -> None:
    first = load_corpus(texts)
    moved = texts.rename(texts.with_name("elsewhere"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("astray.evidence.corpus.build_index", lambda *_: pytest.fail("made again"))
        assert load_corpus(moved) == first
    (moved / "goats.txt").write_text("Goats sleep.")
    other = load_corpus(moved)
    assert other.hash != first.hash
    assert find(source_from_shelf(first.name), "keepers"), "the older one is still there"
    other.index.path.write_bytes(b"not a database")
    assert load_corpus(moved).search("sleep", 1), "a broken index is made anew"
    with pytest.raises(InputError, match="no index of a corpus with hash nothing"):
        source_from_shelf("corpus:nothing")


def test_an_index_is_never_left_half(texts: Path) -> None:
    (texts / "zzz.jsonl").write_text('{"text": "fine"}\nnot JSON\n')
    with pytest.raises(InputError, match=r"zzz\.jsonl: line 2: not JSON \(Expecting value, column 1\)"):
        load_corpus(texts)
    assert list(cache_folder("indexes").iterdir()) == []


@pytest.mark.parametrize(
    ("files", "message"),
    [
        pytest.param({}, r"texts: no \.txt, \.md, \.jsonl files in it", id="none"),
        pytest.param({"a.txt": b" \n\n ", "b.jsonl": b""}, r"no text in it that could be quoted \(2 files", id="empty"),
        pytest.param(
            {"a.txt": b"caf\xe9 noir"}, r"a\.txt: not UTF-8 \(invalid continuation byte at byte 3", id="latin"
        ),
    ],
)
def test_a_corpus_that_can_not_be_used(tmp_path: Path, files: dict[str, bytes], message: str) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_corpus(folder)
    with pytest.raises(InputError, match="no such folder or file; a corpus is a folder of"):
        load_corpus(tmp_path / "gone")


def test_without_full_text_search_it_is_said(texts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "_TABLE", "CREATE VIRTUAL TABLE passages USING fts5_gone(text)")
    with pytest.raises(InputError, match="SQLite is built without FTS5"):
        load_corpus(texts)


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("fixed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASTRAY_CACHE", str(folder / "cache"))
        (folder / "a.txt").write_text("Goats eat paper.\n\nİstanbul ǅ ﬁne café ½ ² 東京")
        return load_corpus(folder / "a.txt")


ODD = [
    '"',
    '""" OR',
    "NEAR(a b, 3)",
    "a* ^b - c",
    "text : goats",
    "{text} : x",
    "\0",
    "\ud800",
    "½",
    "ﬁ",
    "ͅ",
    "_",
    "AND",
]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    query=st.one_of(st.sampled_from(ODD), st.text(), st.text(alphabet='"*^:(){}-+ANDORNTEgoats \0'), st.characters())
)
def test_search_never_raises(fixed: Corpus, query: str) -> None:
    assert len(fixed.search(query, 3)) <= 3
    assert fixed.search(f"{query} goats", 3)


def test_the_real_sources_of_truthfulqa(shared: Path) -> None:
    corpus = open_source(str(shared / "data" / "truthfulqa_sources.jsonl"))
    assert isinstance(corpus, Corpus)
    assert corpus.size > 5000
    found = corpus.search("Why do veins appear blue?", 5)
    assert any("deoxygenated blood" in passage.text for passage in found)
    assert all(passage.source.startswith("https://en.wikipedia.org/") for passage in found[:3])


# Sources


def find(source: Any, question: str, **more: Any) -> tuple[Passage, ...] | None:
    return asyncio.run(evidence_for(source, question, **more))


def test_all_sources_are_asked_alike(texts: Path, tmp_path: Path) -> None:
    pack = open_source(str(write_rows(tmp_path / "pack.jsonl", [row("q0"), row("q1", question="Which stone?")])))
    assert isinstance(pack, PackSource)
    assert find(pack, "?", sample_id="q0") == (Passage(text="It is ruby.", source="a book"),)
    assert find(pack, "Which stone?", sample_id="other")
    assert find(pack, "Which tree?", sample_id="other") is None, "nothing found is None, to be said"
    corpus = open_source(str(texts))
    assert find(corpus, "How many moons?", alternative="145", k=1) == (
        Passage(text="Saturn has 145 known moons.", source="Moons"),
    )
    assert find(corpus, "Qqq?") is None
    pack.pack.shelve()
    for source in (pack, corpus):
        assert source_from_shelf(source.name).name == source.name
    with pytest.raises(InputError, match="should be pack:HASH, corpus:HASH or web"):
        source_from_shelf("books")
    with pytest.raises(InputError, match="evidence is a pack, a folder of texts, or 'web'"):
        open_source("nowhere")


def test_the_web_needs_a_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TAVILY_API_KEY", "EXA_API_KEY", "GOOGLE_CSE_ID", "GOOGLE_CSE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError, match=r"none is set up \(tavily: TAVILY_API_KEY; exa: EXA_API_KEY; google: .*\)"):
        open_source("web")
    monkeypatch.setenv("EXA_API_KEY", "key")
    web = open_source("web")
    assert (web.name, web.provider) == ("web", "exa")  # type: ignore[union-attr]


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


@pytest.mark.usefixtures("web")
def test_the_web_is_searched_for_question_and_alternative() -> None:
    (passage,) = find(open_source("web"), "Which  stone?", alternative="ruby") or ()
    assert passage.text == "On the web, Which stone? ruby stands for a ruby."
    assert passage.source == "Page (https://w.example)"


def test_what_a_search_provider_replies_becomes_passages() -> None:
    cited = UrlCitation(cited_text="Saturn leads.", title="Moons", url="https://a.example")
    reply = ContentText(text="A summary.", citations=[cited])
    assert passages_of(reply) == (Passage(text="Saturn leads.", source="Moons (https://a.example)"),)
    assert passages_of([ContentText(text="A text.")]) == (Passage(text="A text.", source="web search"),)
    assert passages_of("I couldn't find any relevant information on the web.") == ()
    assert passages_of(None) == ()


# Building: what runs come to

STONE = About(
    "q0", "", "question", request="Which stone?", question="Which stone?",
    choices=(("A", "ruby"), ("B", "emerald"), ("C", "topaz")), gold="B",
)  # fmt: skip
YEAR = About("q1", "", "question", request="When?", question="When?", choices=None, gold="1912 | the year 1912")


@pytest.mark.parametrize(
    ("about", "said", "kept", "reason"),
    [
        pytest.param(STONE, "ruby", "ruby", "", id="text"),
        pytest.param(STONE, " Ruby ", "ruby", "", id="case"),
        pytest.param(STONE, "c", "topaz", "", id="label"),
        pytest.param(STONE, "C. topaz", "topaz", "", id="both"),
        pytest.param(STONE, "the ruby.", "ruby", "", id="words"),
        pytest.param(STONE, "emerald", None, "names the right answer (emerald)", id="right"),
        pytest.param(STONE, "B", None, "names the right answer (B)", id="right-label"),
        pytest.param(STONE, "opal", None, "names none of the choices (opal)", id="none"),
        pytest.param(YEAR, "1913", "1913", "", id="open"),
        pytest.param(YEAR, "the year 1912.", None, "names the right answer (the year 1912.)", id="open-right"),
    ],
)
def test_the_alternative_is_another_answer(about: About, said: str, kept: str | None, reason: str) -> None:
    assert settle(about, said) == (kept, reason)


KNOWN = (
    Passage(text="Miners call  the stone\na ruby, and they should know.", source="Mines"),
    Passage(text="A ruby.", source="B"),
)


@pytest.mark.parametrize(
    ("quotes", "sources", "reason"),
    [
        pytest.param(["Miners call the stone a ruby"], ["Mines"], "", id="white-space"),
        pytest.param(["\u201cthe stone a ruby, and they\u2026\u201d"], ["Mines"], "", id="marks-around"),
        pytest.param(["[1] Miners call the stone a ruby"], ["Mines"], "", id="the-number-before-it"),
        pytest.param(["A ruby.", "call the stone a ruby"], ["B", "Mines"], "", id="a-whole-passage"),
        pytest.param(
            ["Miners call the stone a ruby", "Miners call the stone a topaz"], [],
            "quotes what no passage says (Miners call the stone a topaz)", id="one-invented",
        ),
        pytest.param(["a ruby"], [], "quotes too little to tell (a ruby)", id="too-little"),
        pytest.param(["", " "], [], "quotes nothing", id="empty"),
        pytest.param([], [], "quotes nothing", id="none"),
    ],
)  # fmt: skip
def test_quotes_have_to_stand_there(quotes: list[str], sources: list[str], reason: str) -> None:
    found, why = quoted(quotes, KNOWN)
    assert ([passage.source for passage in found], why) == (sources, reason)


def done(alternative: str | None = "ruby", *texts: str, **more: Any) -> Run:
    passages = tuple(Passage(text=text, source="a book") for text in texts or ("It is.",))
    return Run(sample_id="q0", alternative=alternative, passages=passages if alternative else (), **more)


def test_runs_have_to_agree() -> None:
    assert agreed([done(), done(), done()]) == ("ruby", "")
    assert agreed([done("the ruby"), done("ruby."), done("Ruby")])[0] == "the ruby", "by meaning and not by letters"
    other = "runs support different answers (ruby; topaz)"
    assert agreed([done(), done("topaz"), done()]) == (None, other)
    failed = done(None, reason="quotes nothing")
    assert agreed([done(), failed, done()]) == (None, "support found in 2 of 3 runs; quotes nothing")
    assert [p.text for p in together([done("ruby", "a", "b"), done("ruby", "a", "c")])] == ["a", "b", "c"]


def test_what_a_verifier_said_of_all_runs() -> None:
    assert verified([done(verdict="wrong")] * 3) is True
    assert verified([done(verdict="wrong"), done(verdict="not wrong")]) is False
    assert verified([done(verdict="wrong"), done(verdict="unsure")]) is None
    assert verified([done()]) is None


@pytest.mark.parametrize("form", FORMS)
def test_the_example_that_is_shown_parses(form: Any) -> None:
    shown = example(form)
    assert read_judgement(shown.model_dump_json(), form) == shown
    assert shown.model_dump_json() in how_to_reply(form, shown)


# Building: with a model


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """q0 to q3; the right answer is always emerald."""
    questions = [
        {"id": f"q{i}", "question": f"Which stone is item q{i}?", "choices": ["ruby", "emerald", "topaz", "opal"],
         "answer_index": 1, "subset": "old" if i < 2 else "new"}
        for i in range(4)
    ]  # fmt: skip
    return write_rows(tmp_path / "rows.jsonl", questions)


@pytest.fixture
def mines(tmp_path: Path) -> Path:
    folder = tmp_path / "mines"
    folder.mkdir()
    for i in range(4):
        (folder / f"q{i}.txt").write_text(f"Old miners are sure that item q{i} is a ruby from the hills.")
    return folder


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return tmp_path / "pack.jsonl"


def build(rows: Path, mines: Path, out: Path, *more: str) -> int:
    arguments = ["evidence", "build", f"qa:{rows}", "--author-model", MODEL, "--corpus", str(mines), "--out", str(out)]
    return run([*arguments, "--max-connections", "2", *more])


def item(messages: Messages) -> str:
    found = re.search(r"item (q\d+)", users(messages)[0])
    assert found is not None
    return found[1]


def proposes(messages: Messages) -> bool:
    return "First name that other answer" in systems(messages)[0]


def proposal(id: str, alternative: str = "ruby") -> str:
    return json.dumps({"alternative": alternative, "query": f"item {id} is a"})


def support(id: str, *quotes: str, supports: str = "yes") -> str:
    return json.dumps({"supports": supports, "quotes": list(quotes) or [f"miners are sure that item {id} is a ruby"]})


def author(messages: Messages) -> Any:
    id = item(messages)
    return proposal(id) if proposes(messages) else support(id)


def test_a_pack_is_built_with_as_many_calls_as_needed_and_nothing_is_asked_twice(
    rows: Path, mines: Path, pack: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(author)
    assert build(rows, mines, pack, "--limit", "2") == 0
    assert len(server.requests) == 2 * 3 * 2
    assert len({request["seed"] for request in server.requests}) == 3, "each run draws anew"
    assert {request["temperature"] for request in server.requests} == {0.7}
    said = capsys.readouterr().out
    assert f"2 samples, 3 runs: 6 to 12 calls of author {MODEL}" in said
    assert re.search(r"^old +2 +2 +100% +0 +0 +0", said, re.MULTILINE)
    made = Pack.load(pack)
    assert [row.sample_id for row in made.rows] == ["q0", "q1"]
    first = made.rows[0]
    assert (first.alternative, first.gold, first.subset) == ("ruby", "emerald", "old")
    assert first.passages == (Passage(text="miners are sure that item q0 is a ruby", source="q0.txt"),)
    assert first.runs == Runs(found=3, of=3)
    assert first.sample_digest
    assert first.verified is None
    header = made.header
    assert (header.author, header.seed, header.benchmark) == (MODEL, 0, f"qa:{rows}")
    assert header.corpus == load_corpus(mines).name

    assert build(rows, mines, pack, "--limit", "2") == 0
    assert len(server.requests) == 12
    assert build(rows, mines, pack) == 0
    assert len(server.requests) == 24, "a larger limit only asks about what is new"
    assert len(Pack.load(pack).rows) == 4
    (info, *_) = list_eval_logs(str(pack.with_name("pack.logs")))
    log = read_eval_log(info)
    assert {(sample.id, sample.epoch) for sample in log.samples or []} >= {("q0", 1), ("q0", 2), ("q0", 3)}
    (sample, *_) = log.samples or []
    assert len(sample.messages) == 2 * 3, "the whole trace of a run"


def test_only_what_all_runs_agree_on_is_kept(
    rows: Path, mines: Path, pack: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: Counter[tuple[str, bool]] = Counter()

    def differing(messages: Messages) -> Any:
        id, first = item(messages), proposes(messages)
        asked[id, first] += 1
        last = asked[id, first] == 3
        if id == "q1" and first and last:
            return proposal(id, "topaz")
        if id == "q2" and not first and last:
            return support(id, f"Old miners are sure that item {id} is a topaz.")
        if id == "q3" and not first and last:
            return json.dumps({"supports": "no", "quotes": []})
        return author(messages)

    serve(differing)
    assert build(rows, mines, pack, "--max-connections", "1") == 0
    assert [row.sample_id for row in Pack.load(pack).rows] == ["q0"]
    said = capsys.readouterr().out
    assert re.search(r"^old +2 +1 +50% +0 +1 +0", said, re.MULTILINE)
    assert re.search(r"^new +2 +0 +0% +0 +2 +0", said, re.MULTILINE)
    left_out = [json.loads(line) for line in (pack.parent / "pack.logs" / "left-out.jsonl").read_text().splitlines()]
    reasons = {one["sample_id"]: one["reason"] for one in left_out}
    assert re.fullmatch(r"runs support different answers \((ruby; topaz|topaz; ruby)\)", reasons["q1"])
    invented = (
        "support found in 2 of 3 runs; quotes what no passage says (Old miners are sure that item q2 is a topaz.)"
    )
    assert reasons["q2"] == invented
    assert reasons["q3"] == "support found in 2 of 3 runs; nothing found supports it (ruby)"


@pytest.mark.parametrize(
    ("reply", "reason", "calls"),
    [
        pytest.param("I'd rather not.", "the reply could not be read", 1, id="unreadable"),
        pytest.param(proposal("q0", "emerald"), r"names the right answer \(emerald\)", 1, id="right"),
        pytest.param(
            json.dumps({"alternative": "opal", "query": "zzz"}), "the search found nothing", 1, id="nothing-found"
        ),
    ],
)
def test_a_run_that_finds_nothing_says_why(
    rows: Path, tmp_path: Path, pack: Path, serve: Any, capsys: Any, reply: str, reason: str, calls: int
) -> None:
    (tmp_path / "other.txt").write_text("Something else altogether.")
    server = serve(lambda messages: reply)
    assert build(rows, tmp_path / "other.txt", pack, "--limit", "1", "--runs", "1") == 1
    assert len(server.requests) == calls
    said = capsys.readouterr()
    assert re.search(f"^q0: support found in 0 of 1 runs; {reason}", said.out, re.MULTILINE)
    assert "not written, for no question was kept" in said.err
    assert not pack.exists()


def test_a_verifier_marks_what_is_not_wrong_and_is_asked_once_for_all_runs(
    rows: Path, mines: Path, pack: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def both(messages: Messages) -> Any:
        if "Somebody proposes another answer" not in users(messages)[0]:
            return author(messages)
        return json.dumps({"verdict": "not wrong" if item(messages) == "q1" else "wrong"})

    server = serve(both)
    assert build(rows, mines, pack, "--limit", "2", "--max-connections", "1") == 0
    assert len(server.requests) == 12
    assert build(rows, mines, pack, "--limit", "2", "--max-connections", "1", "--verifier-model", VERIFIER) == 0
    assert Counter(request["model"] for request in server.requests) == {"m": 12, "verifier": 2}
    first, second = Pack.load(pack).rows
    assert (first.verified, first.verifier) == (True, VERIFIER)
    assert (second.verified, second.verifier) == (False, VERIFIER)
    assert re.search(r"^old +2 +2 +100% +1 ", capsys.readouterr().out, re.MULTILINE)
    pack.write_text(
        pack.read_text().replace(f'"verified":false,"verifier":"{VERIFIER}"', '"verified":true,"verifier":"me"')
    )
    assert build(rows, mines, pack, "--limit", "3", "--verifier-model", VERIFIER) == 0
    assert [(row.verified, row.verifier) for row in Pack.load(pack).rows][1] == (True, "me"), (
        "a person has the last word"
    )
    assert build(rows, mines, pack, "--verifier-model", MODEL) == 2
    assert "would assess its own work" in capsys.readouterr().err


def test_an_agent_searches_as_it_likes(rows: Path, mines: Path, pack: Path, serve: Any) -> None:
    def call(query: str) -> Reply:
        function = {"name": "search", "arguments": json.dumps({"query": query})}
        return Reply(None, "tool_calls", extra={"tool_calls": [{"id": "c1", "type": "function", "function": function}]})

    def agent(messages: Messages) -> Any:
        id, last = item(messages), messages[-1]
        if last["role"] == "tool":
            assert f"miners are sure that item {id}" in str(last["content"])
            return "Miners call it a ruby."
        if "Now state what you have found" in str(last["content"]):
            return json.dumps({"alternative": "ruby", **json.loads(support(id))})
        return call(f"item {id} is a")

    server = serve(agent)
    assert build(rows, mines, pack, "--limit", "1", "--runs", "2", "--agent") == 0
    assert len(server.requests) == 2 * 3
    (row,) = Pack.load(pack).rows
    assert row.passages[0].source == "q0.txt"


@pytest.mark.usefixtures("web")
@pytest.mark.parametrize("agent", [True, False])
def test_a_pack_from_the_web(rows: Path, pack: Path, serve: Any, agent: bool) -> None:
    def author(messages: Messages) -> Any:
        id, last = item(messages), messages[-1]
        quotes = json.loads(support(id, "stands for a ruby."))
        if last["role"] == "tool":
            return "Found."
        if "Now state what you have found" in str(last["content"]):
            return json.dumps({"alternative": "ruby", **quotes})
        if not agent:
            return proposal(id) if proposes(messages) else json.dumps(quotes)
        function = {"name": "web_search", "arguments": json.dumps({"query": id})}
        return Reply(None, "tool_calls", extra={"tool_calls": [{"id": "c1", "type": "function", "function": function}]})

    server = serve(author)
    arguments = ["evidence", "build", f"qa:{rows}", "--author-model", MODEL, "--web", "--out", str(pack)]
    assert run([*arguments, "--limit", "1", "--runs", "1", *([] if agent else ["--no-agent"])]) == 0
    assert len(server.requests) == (3 if agent else 2)
    made = Pack.load(pack)
    assert made.header.corpus == "web"
    assert made.rows[0].passages == (Passage(text="stands for a ruby.", source="Page (https://w.example)"),)


def test_a_model_that_fails_and_comes_back(rows: Path, mines: Path, pack: Path, serve: Any, capsys: Any) -> None:
    bad = {"q1"}
    server = serve(lambda messages: Misbehave("status:400") if item(messages) in bad else author(messages))
    assert build(rows, mines, pack, "--limit", "2") == 0
    assert [row.sample_id for row in Pack.load(pack).rows] == ["q0"]
    assert re.search(r"^old +2 +1 +100% +0 +0 +1", capsys.readouterr().out, re.MULTILINE), (
        "no verdict on what was not had"
    )
    bad.clear()
    before = len(server.requests)
    assert build(rows, mines, pack, "--limit", "2") == 0
    assert len(server.requests) - before == 6
    assert len(Pack.load(pack).rows) == 2


def test_an_interruption_keeps_what_is_finished(
    rows: Path, mines: Path, pack: Path, serve: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server = serve(author)
    assert build(rows, mines, pack, "--limit", "1") == 0
    pack.unlink()

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("astray.writing.build.run_tasks", interrupted)
        assert build(rows, mines, pack, "--limit", "2") == 130
    assert f"{pack}: 1 kept, 1 still missing" in capsys.readouterr().err
    assert len(Pack.load(pack).rows) == 1
    assert build(rows, mines, pack, "--limit", "2") == 0
    assert len(server.requests) == 12


def test_a_pack_of_something_else_is_not_gone_on_with(
    rows: Path, mines: Path, pack: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    serve(author)
    assert build(rows, mines, pack, "--limit", "1", "--runs", "1") == 0
    assert build(rows, mines, pack, "--limit", "1", "--seed", "1") == 1
    assert "holds a pack of another seed (0 there, 1 now)" in capsys.readouterr().err
    assert run(["evidence", "build", "starter", "--author-model", MODEL, "--out", str(pack)]) == 2
    assert "--corpus DIR, or --web" in capsys.readouterr().err


def test_packs_are_shown_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [row("q0", verified=False, verifier="me", runs={"found": 3, "of": 3}, subset="[old]"), row("q1")]
    path = str(write_rows(tmp_path / "pack.jsonl", lines))
    assert run(["evidence", "show", path, "q0"]) == 0
    said = capsys.readouterr().out
    assert "[old]" in said
    assert "it is: not wrong (by me)" in said
    assert "- It is ruby.\n    [a book]" in said
    assert "q1" not in said
    assert run(["evidence", "show", path, "q9"]) == 1
    assert "no sample 'q9'; did you mean 'q1'?" in capsys.readouterr().err
    assert run(["evidence", "stats", path]) == 0
    said = capsys.readouterr().out
    assert "2 rows" in said
    assert "alternatives: not wrong 1, unknown 1" in said
    assert "runs: 3 of 3 1" in said


# In a study


def judged(messages: Messages) -> str:
    """The generator says B, also when it is criticised; the judge, who is the same model, quotes what it is given."""
    text = str(messages[0]["content"])
    if "Their answer:" not in text:
        return "ANSWER: B"
    assert "What was found" in text, "a grounded judge is asked only where there is something to quote"
    return json.dumps({"critique": "I can't agree: according to a book, it is ruby."})


GROUNDED = "judge-hypercritical-grounded"


def test_a_study_finds_evidence_and_marks_the_samples_that_have_none(
    tmp_path: Path, serve: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, out = choice_rows(tmp_path / "rows.jsonl", 2), tmp_path / "out"
    pack = write_rows(tmp_path / "pack.jsonl", [row("q0")])
    server = serve(judged)
    assert astray("run", rows, arms=GROUNDED, out=out) == 2
    missing = f"'qa:{rows}' comes without evidence, and {GROUNDED} need some; name one with --evidence PACK|DIR|web"
    assert missing in capsys.readouterr().err
    assert astray("plan", rows, "--evidence", str(pack), arms=GROUNDED, out=out) == 0
    assert "1 samples have no evidence, and are marked: q1" in capsys.readouterr().out

    assert astray("run", rows, "--evidence", str(pack), arms=GROUNDED, out=out) == 0
    frame = tables.read(out, "outcomes")
    marks = {(r.arm, r.sample_id): r.no_evidence for r in frame.itertuples()}
    assert (marks[GROUNDED, "q0"], marks[GROUNDED, "q1"], marks["original", "q0"]) == (False, True, None)
    spoke = {(r.sample_id, r.round): (r.judge_spoke, r.outcome) for r in frame[frame.arm == GROUNDED].itertuples()}
    assert spoke["q0", 1] == (True, "correct")
    assert spoke["q1", 1] == (False, "correct"), "not criticised without evidence"
    (critique,) = tables.read(out, "critiques").itertuples()
    assert (critique.sample_id, critique.cited, critique.refused) == ("q0", True, False)
    hash = Pack.load(pack).hash
    assert (out / "books" / f"evidence-{hash}.jsonl").is_file()
    logs = [read_eval_log(info) for info in list_eval_logs(str(out / "logs"))]
    (log,) = [log for log in logs if (log.eval.task_args or {})["arm"] == GROUNDED]
    assert log.eval.task_args["evidence"] == f"pack:{hash}"
    stores = {str(sample.id): evidence_in(sample.store) for sample in log.samples or []}
    found = stores["q0"]
    assert found is not None
    assert (found.alternative, found.passages[0].source) == ("ruby", "a book")
    assert stores["q1"] is not None
    assert stores["q1"].nothing
    said = [e.data for s in log.samples or [] for e in s.events if e.event == "info" and e.source == "astray"]
    assert said == [{"no_evidence": f"nothing found in pack:{hash}"}], "and the log says so"

    asked = len(server.requests)
    assert astray("run", rows, "--evidence", str(pack), arms=GROUNDED, out=out) == 0
    assert len(server.requests) == asked
    write_rows(pack, [row("q1")])
    assert astray("run", rows, "--evidence", str(pack), arms=GROUNDED, out=out) == 1
    assert "other settings: evidence_source" in capsys.readouterr().err


def test_a_study_with_a_corpus_or_the_evidence_of_the_benchmark(texts: Path, tmp_path: Path, serve: Any) -> None:
    serve(judged)
    rows = write_rows(tmp_path / "rows.jsonl", [{"id": "q0", "question": "Do goats eat paper?", "answer": "no"}])
    assert astray("run", rows, "--evidence", str(texts), arms=GROUNDED, out=tmp_path / "a") == 0
    assert list(tables.read(tmp_path / "a", "outcomes").query("arm == @GROUNDED").no_evidence) == [False, False]
    assert not (tmp_path / "a" / "books").exists()
    own = {"question": "Do goats eat paper?", "answer": "no", "alternative": "yes", "evidence": "Goats eat paper."}
    write_rows(rows, [own])
    assert astray("run", rows, arms=GROUNDED, out=tmp_path / "b") == 0
    assert list(tables.read(tmp_path / "b", "outcomes").query("arm == @GROUNDED").no_evidence) == [False, False]


def test_a_pack_for_another_version_is_refused(tmp_path: Path, serve: Any, capsys: Any) -> None:
    serve(judged)
    rows = choice_rows(tmp_path / "rows.jsonl", 1)
    path = write_rows(tmp_path / "pack.jsonl", [header(fingerprint="other"), row("q0", sample_digest="other")])
    assert astray("run", rows, "--evidence", str(path), arms=GROUNDED, out=tmp_path / "out") == 1
    said = capsys.readouterr().err
    assert "evidence pack was written for another version of 'qa' (of its 1 samples, 1 differ or are gone: q0)" in said
    assert "'astray evidence build'" in said
