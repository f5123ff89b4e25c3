"""The browser of transcripts: an index of all conversations, and what was said in compressed chunks."""

from astray.report.browser.chunks import Chunk, chunked
from astray.report.browser.index import index_of
from astray.report.browser.runs import Run, collect
from astray.report.browser.store import Store, store

__all__ = ["Chunk", "Run", "Store", "chunked", "collect", "index_of", "store"]
