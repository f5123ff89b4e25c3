"""What the agent recognised and did not say. Only where reasoning is recorded: else nothing can be told of it.

XYEval paper, section 5.5 and table 6. One question finds all places where the agent recognises what is wrong; whether
it was thought or said is read off from where the quote stands.
"""

from __future__ import annotations

from typing import Final

from astray.traces.label import Ask, Labelling, label
from astray.traces.trace import Trace
from astray.traces.windows import MOST

UNEXPRESSED: Final = "unexpressed"
"""The behaviour of these labels."""


async def unexpressed(trace: Trace, ask: Ask, *, most: int = MOST) -> Labelling | None:
    """Where the agent recognises what is wrong with the advice, in thought or aloud; None without reasoning."""
    return await label(trace, UNEXPRESSED, ask, most=most) if trace.has_reasoning else None
