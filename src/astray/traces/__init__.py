"""Traces: what an agent did on the way to giving in or holding out.

Transcripts are cut into windows, a model marks behaviours in them, each with a step and a verbatim quote, and what
does not hold is void. Labelling is an Inspect task, ``astray/label``; the functions below it work without.
"""

from astray.traces.attribution import attribution
from astray.traces.kinds import EVERYTHING, look_for
from astray.traces.label import BEHAVIOURS, Ask, Label, Labelling
from astray.traces.run import Asked, Labelled, Plan, label_study, plan_labels
from astray.traces.task import labelling, labels_scorer
from astray.traces.trace import Key, Step, Trace, traces_in
from astray.traces.unexpressed import unexpressed
from astray.traces.windows import Window, windows

__all__ = [
    "BEHAVIOURS",
    "EVERYTHING",
    "Ask",
    "Asked",
    "Key",
    "Label",
    "Labelled",
    "Labelling",
    "Plan",
    "Step",
    "Trace",
    "Window",
    "attribution",
    "label_study",
    "labelling",
    "labels_scorer",
    "look_for",
    "plan_labels",
    "traces_in",
    "unexpressed",
    "windows",
]
