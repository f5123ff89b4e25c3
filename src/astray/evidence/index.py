"""Full-text search with BM25 ranking: SQLite's FTS5, one file for each corpus in the cache."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from astray.cache import cache_folder
from astray.errors import InputError
from astray.evidence.rows import Passage

FORMAT: Final = 1
"""Part of every index's identity: changes with how an index is made."""

MOST_TERMS: Final = 60
"""Words of a query that count; the rest of a very long one is left unread."""

_TABLE: Final = (
    "CREATE VIRTUAL TABLE passages USING fts5(text, source UNINDEXED, tokenize='porter unicode61 remove_diacritics 2')"
)
_SEARCH: Final = "SELECT text, source FROM passages WHERE passages MATCH ? ORDER BY rank, rowid LIMIT ?"
_TERM: Final = re.compile(r"\w+")
_COMMON: Final = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "been", "by", "can", "could", "did", "do", "does", "for", "from",
    "had", "has", "have", "how", "i", "if", "in", "is", "it", "its", "many", "much", "of", "on", "or", "should",
    "so", "than", "that", "the", "their", "there", "these", "they", "this", "those", "to", "was", "were", "what",
    "when", "where", "which", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
))  # fmt: skip


@dataclass(frozen=True)
class Index:
    """An index on disk."""

    path: Path

    def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """The ``k`` passages that match best, best first; none where the query has no word."""
        match = expression(query)
        if not match or k < 1:
            return ()
        with _opened(self.path) as database:
            return tuple(Passage(text=text, source=source) for text, source in database.execute(_SEARCH, (match, k)))

    def size(self) -> int:
        """How many passages there are."""
        with _opened(self.path) as database:
            return int(database.execute("SELECT count(*) FROM passages").fetchone()[0])


def expression(query: str) -> str:
    """A query as an expression of FTS5: any of its words, each quoted, so that none is read as syntax.

    Very common words count only where there are no others.
    """
    words = list(dict.fromkeys(word.casefold() for word in _TERM.findall(clean(query))))
    telling = [word for word in words if word not in _COMMON]
    return " OR ".join(f'"{word}"' for word in (telling or words)[:MOST_TERMS])


def open_index(hash: str) -> Index | None:
    """The index of the corpus with this hash; None where there is none, or a broken one."""
    path = _shelf(hash)
    if not path.is_file():
        return None
    index = Index(path)
    try:
        index.size()
    except sqlite3.DatabaseError:
        return None
    return index


def build_index(hash: str, passages: Iterable[Passage]) -> Index:
    """Make the index of a corpus, whole or not at all.

    Raises:
        InputError: This Python's SQLite has no full-text search.
    """
    path = _shelf(hash)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{hash}.", suffix=".tmp")
    os.close(handle)
    try:
        with contextlib.closing(sqlite3.connect(name)) as database:
            database.execute(_TABLE)
            rows = ((passage.text, passage.source) for passage in passages)
            database.executemany("INSERT INTO passages VALUES (?, ?)", rows)
            database.execute("INSERT INTO passages(passages) VALUES ('optimize')")
            database.commit()
        Path(name).replace(path)
    except sqlite3.OperationalError as error:
        if "fts5" in str(error):
            raise InputError("a corpus can't be searched: this Python's SQLite is built without FTS5") from error
        raise
    finally:
        Path(name).unlink(missing_ok=True)
    return Index(path)


def clean(text: str) -> str:
    """Without what SQLite can't take: lone surrogates, and the character that ends a string."""
    return text.encode("utf-8", "ignore").decode().replace("\0", " ")


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
        yield database


def _shelf(hash: str) -> Path:
    return cache_folder("indexes") / f"{hash}.sqlite"
