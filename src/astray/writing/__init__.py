"""Writing is running: advice books and evidence packs are made by tasks, from whose logs they are collected."""

from astray.writing.book import Tally, collect_book
from astray.writing.build import Built, build_pack, save_pack
from astray.writing.commission import Commission, prepare_commission, refuse_own_checker
from astray.writing.pack import Kept, collect_pack
from astray.writing.seek import PreparedSearch, Search, prepare_search
from astray.writing.write import Wrote, logs_beside, save_finished, write_book

__all__ = [
    "Built",
    "Commission",
    "Kept",
    "PreparedSearch",
    "Search",
    "Tally",
    "Wrote",
    "build_pack",
    "collect_book",
    "collect_pack",
    "logs_beside",
    "prepare_commission",
    "prepare_search",
    "refuse_own_checker",
    "save_finished",
    "save_pack",
    "write_book",
]
