"""Studies: what is asked, what it takes, running it, and making tables of what came of it."""

from astray.study.book import Tally, collect_book
from astray.study.build import Built, build_pack, save_pack
from astray.study.collect import Tables, collect
from astray.study.commission import Commission, prepare_commission
from astray.study.folder import Folder, open_folder
from astray.study.pack import Kept, collect_pack
from astray.study.plan import ArmPlan, Plan, make_plan
from astray.study.prepare import Prepared, prepare
from astray.study.run import Ran, run_study
from astray.study.seek import PreparedSearch, Search, prepare_search
from astray.study.spec import Study, load_study, make_study
from astray.study.task import arm
from astray.study.write import Wrote, logs_beside, save_finished, write_book

__all__ = [
    "ArmPlan",
    "Built",
    "Commission",
    "Folder",
    "Kept",
    "Plan",
    "Prepared",
    "PreparedSearch",
    "Ran",
    "Search",
    "Study",
    "Tables",
    "Tally",
    "Wrote",
    "arm",
    "build_pack",
    "collect",
    "collect_book",
    "collect_pack",
    "load_study",
    "logs_beside",
    "make_plan",
    "make_study",
    "open_folder",
    "prepare",
    "prepare_commission",
    "prepare_search",
    "run_study",
    "save_finished",
    "save_pack",
    "write_book",
]
