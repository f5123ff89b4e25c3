"""A local corpus: a folder of .txt, .md and .jsonl files, or one such file, cut into passages that can be quoted."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from astray.errors import InputError
from astray.evidence.index import FORMAT, Index, build_index, clean, open_index
from astray.evidence.pack import last_paragraph
from astray.evidence.rows import Passage
from astray.jsonl import numbered, parsed, text_in

ENDINGS: Final = (".txt", ".md", ".jsonl")

MOST_WORDS: Final = 150
"""Words of a passage: longer paragraphs are cut at the ends of sentences, shorter ones joined."""

_TEXT_KEYS: Final = ("text", "content", "contents", "passage", "body", "snippet", "abstract")
_SOURCE_KEYS: Final = ("url", "link", "title", "id", "source")
_META_KEYS: Final = frozenset(
    (
        *_SOURCE_KEYS,
        "_id",
        "doc_id",
        "category",
        "type",
        "subset",
        "label",
        "license",
        "date",
        "author",
        "lang",
        "topic",
    )
)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？])\s+")


@dataclass(frozen=True)
class Corpus:
    """Texts that are searched by BM25; the index stands in the cache under the hash of the texts.

    Attributes:
        hash: Hash of everything that is in it.
        index: Its index.
    """

    hash: str
    index: Index

    @property
    def name(self) -> str:
        """As a log or a header names it."""
        return f"corpus:{self.hash}"

    @cached_property
    def size(self) -> int:
        """How many passages it has."""
        return self.index.size()

    def query(self, question: str, alternative: str | None) -> str:
        """What is searched for: the answer that is to be supported, and what is asked, without its context."""
        return f"{alternative or ''} {last_paragraph(question)}"

    def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """The ``k`` passages nearest to a query, best first; fewer, or none, where nothing has a word of it."""
        return self.index.search(query, k)

    async def find(
        self, question: str, alternative: str | None, k: int, *, sample_id: str | None = None
    ) -> tuple[Passage, ...]:
        """The passages nearest to its `query`."""
        return self.search(self.query(question, alternative), k)


def load_corpus(path: str | Path) -> Corpus:
    """Open a corpus; the first time, its index is made.

    Raises:
        InputError: Nothing there, no text in it, a file that isn't UTF-8 or not JSON Lines (file and line named).
    """
    root = Path(path).expanduser()
    files = _files(root)
    hash = _digest(root, files)
    index = open_index(hash)
    if index is None:
        index = build_index(hash, _passages(root, files))
    corpus = Corpus(hash, index)
    if not corpus.size:
        raise InputError(f"{root}: no text in it that could be quoted ({len(files)} files read)")
    return corpus


def corpus_from_shelf(hash: str) -> Corpus:
    """The corpus with this hash, from its index alone.

    Raises:
        InputError: There is no such index.
    """
    index = open_index(hash)
    if index is None:
        raise InputError(
            f"no index of a corpus with hash {hash} in the cache; run with --evidence DIR or --corpus again"
        )
    return Corpus(hash, index)


def passages_of_text(text: str, source: str) -> Iterator[Passage]:
    """A text as passages: whole paragraphs, as many as fit."""
    source = clean(source).strip() or "source not named"
    held: list[str] = []
    for piece in _pieces(clean(text)):
        if held and _words(held) + len(piece.split()) > MOST_WORDS:
            yield Passage(text=" ".join(held), source=source)
            held = []
        held.append(piece)
    if held:
        yield Passage(text=" ".join(held), source=source)


def passages_of_row(row: Any, source: str) -> Iterator[Passage]:
    """A row as passages: its text, or, where no field is one, each of its statements by itself."""
    if isinstance(row, str):
        yield from passages_of_text(row, source)
        return
    if not isinstance(row, dict):
        return
    source = next((str(row[key]) for key in _SOURCE_KEYS if _is_said(row.get(key))), source)
    text = next((row[key] for key in _TEXT_KEYS if _is_said(row.get(key)) and isinstance(row[key], str)), None)
    if text is not None:
        yield from passages_of_text(text, source)
        return
    statements = [said for key, value in row.items() if key not in _META_KEYS for said in _strings(value)]
    for said in dict.fromkeys(statements):
        yield from passages_of_text(said, source)


def _files(root: Path) -> list[Path]:
    if root.is_file():
        return [root]
    if not root.is_dir():
        raise InputError(f"{root}: no such folder or file; a corpus is a folder of {', '.join(ENDINGS)} files")
    files = sorted(path for path in root.rglob("*") if path.suffix.lower() in ENDINGS and path.is_file())
    files = [path for path in files if not any(part.startswith(".") for part in path.relative_to(root).parts)]
    if not files:
        raise InputError(f"{root}: no {', '.join(ENDINGS)} files in it")
    return files


def _digest(root: Path, files: Iterable[Path]) -> str:
    """Hash of what is in the files, by their names in the folder, and of how the index is made."""
    whole = hashlib.sha256(f"{FORMAT}/{MOST_WORDS}".encode())
    for path in files:
        with path.open("rb") as handle:
            whole.update(f"\0{_name(root, path)}\0{hashlib.file_digest(handle, 'sha256').hexdigest()}".encode())
    return whole.hexdigest()[:16]


def _passages(root: Path, files: Iterable[Path]) -> Iterator[Passage]:
    for path in files:
        name = _name(root, path)
        if path.suffix.lower() == ".jsonl":
            for number, line in numbered(text_in(path)):
                yield from passages_of_row(parsed(line, f"{path}: line {number}"), f"{name}:{number}")
        else:
            yield from passages_of_text(text_in(path), name)


def _name(root: Path, path: Path) -> str:
    return path.name if path == root else path.relative_to(root).as_posix()


def _pieces(text: str) -> Iterator[str]:
    """Paragraphs; of those that are too long the sentences, of too long sentences runs of words."""
    for paragraph in re.split(r"\n\s*\n", text):
        whole = " ".join(paragraph.split())
        for piece in [whole] if len(whole.split()) <= MOST_WORDS else _SENTENCE_END.split(whole):
            words = piece.split()
            for start in range(0, len(words), MOST_WORDS):
                yield " ".join(words[start : start + MOST_WORDS])


def _strings(value: Any) -> Iterator[str]:
    """What is said in a value: prose, and no question, address or single word."""
    if isinstance(value, list):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, str) and len(value.split()) > 2 and not value.rstrip().endswith("?"):
        yield value.strip()


def _is_said(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool) and bool(str(value).strip())


def _words(pieces: Iterable[str]) -> int:
    return sum(len(piece.split()) for piece in pieces)
