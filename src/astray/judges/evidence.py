"""The evidence of a grounded judge: found once for each sample, before the first answer, and kept in the log.

How a judge gets it: `evidence_in` reads it from the sample's store; ``passages`` is what may be quoted. Where nothing
was found the judge keeps silent, for it has nothing to quote, and `nothing` marks the sample: the outcomes table has a
column ``no_evidence``.
"""

from __future__ import annotations

from typing import Any, Final

from inspect_ai.log import transcript
from inspect_ai.solver import Generate, Solver, TaskState, solver
from pydantic import BaseModel, ConfigDict

from astray.benchmarks import METADATA_KEY
from astray.evidence import PackSource, Passage, Source, evidence_for

EVIDENCE_KEY: Final = "astray:evidence"
"""Where a sample's evidence stands in its store, as JSON-able data."""


class FoundEvidence(BaseModel):
    """What a judge may quote about one sample.

    Attributes:
        source: What was searched: ``pack:HASH``, ``corpus:HASH`` or ``web``.
        alternative: The wrong answer it supports, where one is known.
        alternative_wrong: False where a verifier finds the alternative not wrong; None where nobody has looked.
        passages: What was found; empty where nothing was.
    """

    model_config = ConfigDict(frozen=True)

    source: str
    alternative: str | None = None
    alternative_wrong: bool | None = None
    passages: tuple[Passage, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether nothing was found."""
        return not self.passages


@solver
def find_evidence(source: Source) -> Solver:
    """Put what ``source`` has for the sample into its store, and say in the log where that is nothing."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        asked = state.metadata[METADATA_KEY]["question"]
        id, question, alternative = str(state.sample_id), asked["text"], asked.get("alternative")
        row = source.pack.find(id, question) if isinstance(source, PackSource) else None
        alternative = row.alternative if row else alternative
        passages = await evidence_for(source, question, sample_id=id, alternative=alternative)
        found = FoundEvidence(
            source=source.name,
            alternative=alternative,
            alternative_wrong=row.verified if row else None,
            passages=passages or (),
        )
        state.store.set(EVIDENCE_KEY, found.model_dump(mode="json"))
        if found.nothing:
            transcript().info({"no_evidence": f"nothing found in {source.name}"}, source=METADATA_KEY)
        return state

    return solve


def evidence_in(store: Any) -> FoundEvidence | None:
    """The evidence in a sample's store, of a log or of a running sample; None where none was looked for."""
    found = store.get(EVIDENCE_KEY)
    return FoundEvidence.model_validate(found) if found else None
