"""Studies: what is asked, what it takes, running it, and making tables of what came of it."""

from astray.study.collect import Tables, collect
from astray.study.folder import Folder, open_folder
from astray.study.plan import ArmPlan, Plan, make_plan, replaced_settings
from astray.study.prepare import Prepared, prepare
from astray.study.run import Ran, run_study
from astray.study.spec import Study, load_study, make_study
from astray.study.task import arm

__all__ = [
    "ArmPlan",
    "Folder",
    "Plan",
    "Prepared",
    "Ran",
    "Study",
    "Tables",
    "arm",
    "collect",
    "load_study",
    "make_plan",
    "make_study",
    "open_folder",
    "prepare",
    "replaced_settings",
    "run_study",
]
