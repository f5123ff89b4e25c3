"""Tables: row types, outcome classes, reading and writing. Everything after a run is made from these alone."""

from astray.tables.classes import NO_ANSWER, SCORED, VOID, Outcome
from astray.tables.files import find, read, read_settings, replacing, schema, write
from astray.tables.rows import (
    ROW_TYPES,
    BehaviourRow,
    CheckRow,
    ConversationRow,
    CritiqueRow,
    LabellingRow,
    OutcomeRow,
    Row,
    SampleRow,
    TranscriptRow,
)
from astray.tables.times import moment, since

__all__ = [
    "NO_ANSWER",
    "ROW_TYPES",
    "SCORED",
    "VOID",
    "BehaviourRow",
    "CheckRow",
    "ConversationRow",
    "CritiqueRow",
    "LabellingRow",
    "Outcome",
    "OutcomeRow",
    "Row",
    "SampleRow",
    "TranscriptRow",
    "find",
    "moment",
    "read",
    "read_settings",
    "replacing",
    "schema",
    "since",
    "write",
]
