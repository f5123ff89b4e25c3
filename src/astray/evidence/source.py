"""Where evidence comes from: a pack, a corpus, the web. One protocol, so that a judge needs to know none of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from astray.errors import InputError
from astray.evidence.corpus import Corpus, corpus_from_shelf, load_corpus
from astray.evidence.pack import Pack, is_pack, pack_from_shelf
from astray.evidence.rows import Passage
from astray.evidence.web import Web

PASSAGES: Final = 3
"""How many passages a judge is given, unless asked otherwise."""


class Source(Protocol):
    """Something that finds passages which support an answer."""

    @property
    def name(self) -> str:
        """As a task argument, a log or a header names it: ``pack:HASH``, ``corpus:HASH``, ``web``."""
        ...

    async def find(
        self, question: str, alternative: str | None, k: int, *, sample_id: str | None = None
    ) -> tuple[Passage, ...]:
        """At most ``k`` passages, best first; none where nothing is found.

        Args:
            question: What is asked.
            alternative: The answer to be supported, where one is known.
            k: How many at most.
            sample_id: The sample, for a source that knows samples.
        """
        ...


@dataclass(frozen=True)
class PackSource:
    """A pack as a source: it knows samples, and nothing else."""

    pack: Pack = field(repr=False)

    @property
    def name(self) -> str:
        """By its hash."""
        return f"pack:{self.pack.hash}"

    async def find(
        self, question: str, alternative: str | None, k: int, *, sample_id: str | None = None
    ) -> tuple[Passage, ...]:
        """The passages of the sample's row, whatever the alternative."""
        row = self.pack.find(sample_id, question)
        return row.passages[:k] if row else ()


async def evidence_for(
    source: Source,
    question: str,
    *,
    sample_id: str | None = None,
    alternative: str | None = None,
    k: int = PASSAGES,
) -> tuple[Passage, ...] | None:
    """What a judge may quote about one sample; None where nothing is found, which is to be said and not passed over."""
    return await source.find(question, alternative, k, sample_id=sample_id) or None


def open_source(text: str) -> PackSource | Corpus | Web:
    """The source a person names: a pack's file, a folder or file of texts, or ``web``.

    Raises:
        InputError: It can't be read, or is none of these.
        UsageError: Web search without a provider.
    """
    if text == "web":
        return Web.ready()
    path = Path(text).expanduser()
    if not path.exists():
        raise InputError(f"{text}: no such file or folder; evidence is a pack, a folder of texts, or 'web'")
    if path.is_file() and is_pack(path):
        return PackSource(Pack.load(path))
    return load_corpus(path)


def source_from_shelf(name: str) -> Source:
    """The source of this name, as `Source.name` gives it, from the cache.

    Raises:
        InputError: It isn't there, or there is no such name.
        UsageError: Web search without a provider.
    """
    kind, _, hash = name.partition(":")
    if kind == "pack":
        return PackSource(pack_from_shelf(hash))
    if kind == "corpus":
        return corpus_from_shelf(hash)
    if name == "web":
        return Web.ready()
    raise InputError(f"evidence '{name}': should be pack:HASH, corpus:HASH or web")
