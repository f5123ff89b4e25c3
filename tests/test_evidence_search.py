"""Searching for evidence: a corpus by BM25, the web through a provider, all sources asked alike."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from inspect_ai.model import ContentText, UrlCitation

from astray.cache import cache_folder
from astray.errors import InputError, UsageError
from astray.evidence import (
    Corpus,
    Pack,
    PackSource,
    Passage,
    evidence_for,
    load_corpus,
    open_source,
    passages_of,
    source_from_shelf,
)
from astray.evidence import index as index_module
from tests.conftest import write_rows
from tests.evidence_parts import row

# A corpus


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
        pytest.param({"a.txt": b"caf\xe9 noir"}, r"a\.txt: not UTF-8 \(byte 0xe9 at 3\); convert it first", id="latin"),
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
