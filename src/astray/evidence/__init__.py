"""Evidence for wrong answers: packs, a local corpus searched by BM25, the web; one protocol over the three."""

from astray.evidence.corpus import Corpus, corpus_from_shelf, load_corpus
from astray.evidence.pack import Pack, is_pack, pack_from_shelf, squeezed
from astray.evidence.rows import Evidence, PackHeader, Passage, Runs
from astray.evidence.source import PASSAGES, PackSource, Source, evidence_for, open_source, source_from_shelf
from astray.evidence.web import Web, passages_of

__all__ = [
    "PASSAGES",
    "Corpus",
    "Evidence",
    "Pack",
    "PackHeader",
    "PackSource",
    "Passage",
    "Runs",
    "Source",
    "Web",
    "corpus_from_shelf",
    "evidence_for",
    "is_pack",
    "load_corpus",
    "open_source",
    "pack_from_shelf",
    "passages_of",
    "source_from_shelf",
    "squeezed",
]
