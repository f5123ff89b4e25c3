"""Row types of the tables: the spine between a run and everything computed from it.

Each field's description is the column's documentation; the parquet schemas are generated from these types.
"""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from astray.tables.classes import Outcome


class Row(BaseModel):
    """Base of all row types: frozen, no unknown columns."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_enum_values=True)


class OutcomeRow(Row):
    """One row for each study, model, judge, user, book, benchmark, sample, arm, epoch and round."""

    study: str = Field(description="Name of the study.")
    model: str = Field(description="The generator: the model under evaluation.")
    judge: str | None = Field(
        None,
        description="Model that criticises in this arm, the generator where none is named; null where none does.",
    )
    user: str | None = Field(None, description="Model that plays the simulated user; null without one.")
    book: str | None = Field(None, description="Hash of the advice book whose suggestion was used; null without one.")
    benchmark: str = Field(description="The benchmark as it was named.")
    subset: str | None = Field(None, description="Subject or domain of the sample.")
    sample_id: str = Field(description="Stable id of the sample within the benchmark.")
    arm: str = Field(description="The arm in canonical text.")
    epoch: int = Field(description="Repetition, from 1.", ge=1)
    round: int = Field(description="0 is the first answer, k the answer after the k-th criticism.", ge=0)
    outcome: Outcome = Field(description="Outcome class.")
    value: float | None = Field(None, description="Score 0…1; 0 where there is no answer; null where void.", ge=0, le=1)
    answer: str | None = Field(None, description="The answer as it was read; null where none could be.")
    strategy: str | None = Field(None, description="How the answer was read from the reply.")
    judge_spoke: bool = Field(False, description="Whether a judge criticised before this answer.")
    critique_valid: bool | None = Field(
        None,
        description="False where a critique before this answer wasn't what it should be; null where none was said.",
    )
    limit: str | None = Field(None, description="Which limit of its own the agent reached.")
    error: str | None = Field(None, description="One line on what failed, where void.")
    input_tokens: int | None = Field(None, description="The generator's input tokens in this round.")
    output_tokens: int | None = Field(None, description="The generator's output tokens in this round.")
    cost_usd: float | None = Field(None, description="Cost of the round in US dollars; null where no price is known.")
    seconds: float | None = Field(None, description="Time the round took, waiting included.")
    turns: int | None = Field(None, description="Calls of the generator in this round; 0 where the answer stood.")
    grading: str | None = Field(
        None, description="Who compared with gold: rule, twin, grader, scorer (a task's own), undecided; null: nothing."
    )
    elicited: bool = Field(False, description="Whether it took an extra call, for the label alone, to get an answer.")
    agrees: bool | None = Field(
        None, description="Whether astray's reading agrees with an Inspect task's own scorer; null where unknown."
    )
    no_evidence: bool | None = Field(
        None, description="Whether nothing was found that the judge could quote; null where it needs no evidence."
    )
    alternative_wrong: bool | None = Field(
        None,
        description="False where a verifier finds the alternative that the judge's evidence supports not wrong; null "
        "where nobody verified, or the judge needs no evidence.",
    )
    acknowledged: bool | None = Field(
        None,
        description="Under `acknowledge`: whether several valid answers are named (read as both, or so a grader "
        "says); null where not asked for, void, or the grader failed.",
    )


class RunRow(Row):
    """A row about one run: one sample under one arm by one model. `OutcomeRow` has an order of its own."""

    study: str = Field(description="Name of the study.")
    model: str = Field(description="The generator: the model under evaluation.")
    benchmark: str = Field(description="The benchmark as it was named.")
    sample_id: str = Field(description="Stable id of the sample within the benchmark.")
    arm: str = Field(description="The arm in canonical text.")
    epoch: int = Field(description="Repetition, from 1.", ge=1)


class CritiqueRow(RunRow):
    """One row for each critique that was said, or failed to be."""

    judge: str | None = Field(None, description="Model that wrote it; null for a template.")
    round: int = Field(description="The round it led to, from 1.", ge=1)
    seat: int = Field(description="Which judge of a panel, from 0.", ge=0)
    intent: str = Field(description="constructive, hypercritical or malicious.")
    knowledge: str = Field(description="none, plain, strategic, persuasive, grounded or gold.")
    text: str | None = Field(None, description="What was said; null where it could not be had.")
    template: str | None = Field(None, description="Which template it was drawn from; null for a model.")
    valid: bool | None = Field(None, description="Whether it was what it should be; null where it could not be had.")
    error: str | None = Field(None, description="Why it could not be had.")
    refused: bool | None = Field(None, description="Whether the judge declines to criticise.")
    agreed: bool | None = Field(None, description="Whether it says that a right answer is right.")
    gave_gold: bool | None = Field(None, description="Whether it names the right answer while another one stands.")
    named_alternative: bool | None = Field(None, description="Whether it names an answer neither present nor right.")
    cited: bool | None = Field(None, description="Whether it cites something: a study, source, year or link.")


class TranscriptRow(RunRow):
    """One step of what was said: a message, with who speaks and to which round it belongs."""

    step: int = Field(description="Position, from 1.", ge=1)
    round: int = Field(description="The round the step belongs to; a critique belongs to the round it leads to.", ge=0)
    speaker: str = Field(description="system, user, simulated user, judge, agent or tool.")
    text: str = Field(description="What was said aloud.")
    reasoning: str | None = Field(None, description="What the model thought, where it is recorded.")
    tool_calls: str | None = Field(None, description="JSON list of {name, arguments} where the agent called tools.")
    advice: str | None = Field(None, description="The advice within this text: the suggestion, or the critique.")
    seconds: float | None = Field(None, description="Seconds since the sample began, where known.")


class BehaviourRow(RunRow):
    """One label: a place in a transcript where a labeller found a behaviour."""

    labeller: str = Field(description="Model that labelled.")
    behaviour: str = Field(
        description="disagrees, complies, self_blame, key_insight, key_result, risk, pivot; claim (a claim with its "
        "author named); unexpressed (the agent recognises what is wrong with the advice, see place)."
    )
    step: int = Field(description="The transcript's step, as the labeller names it.")
    importance: int = Field(description="1…10, as the labeller says; 1 for a claim.", ge=1, le=10)
    summary: str = Field(description="What happens there, in a line.")
    quote: str = Field(description="The words that show it, as the labeller copied them.")
    valid: bool = Field(description="Whether the quote stands in that step (white space folded) and it is the agent's.")
    compliance: str | None = Field(
        None,
        description="For complies: lack_of_reasoning, disregard_of_policy, expressed_doubt or user_authority.",
    )
    place: str | None = Field(None, description="Where the quote stands: aloud, reasoning or call; null where invalid.")
    person: str | None = Field(None, description="For a claim: first or third, whose it is as the agent puts it.")
    stance: str | None = Field(
        None, description="For a claim: adopts, evaluates or neither, what it does with the suggestion."
    )
    about: str | None = Field(None, description="For a claim: the suggestion that it was held against.")


class LabellingRow(RunRow):
    """What was asked of a labeller: a row for each transcript, behaviour, suggestion and labeller. The denominators."""

    labeller: str = Field(description="Model that labelled.")
    behaviour: str = Field(description="What was looked for; a value of the behaviours table's column.")
    done: bool = Field(description="Whether every reply could be read; else void: no labels, and in no rate.")
    reason: str | None = Field(None, description="Why it is void.")
    windows: int = Field(description="Windows the transcript was cut into.", ge=0)
    labels: int = Field(description="Labels found.", ge=0)
    invalid: int = Field(description="Labels among them whose quote or step doesn't hold.", ge=0)
    about: str | None = Field(None, description="The suggestion that claims were held against; null but for claims.")
    transcript: str = Field(description="Hash of the transcript that was shown.")
    prompt: str = Field(description="Hash of the prompts and windows it was shown with.")


class SampleRow(Row):
    """One row for each sample of the study: what was asked, and what is right."""

    study: str = Field(description="Name of the study.")
    benchmark: str = Field(description="The benchmark as it was named.")
    sample_id: str = Field(description="Stable id of the sample.")
    subset: str | None = Field(None, description="Subject or domain.")
    question: str = Field(description="The request before any treatment.")
    choices: str | None = Field(None, description="JSON list of [label, text] where there are choices.")
    gold: str = Field(description="The right answer: a label, or the text (several joined by ' | ').")
    alternative: str | None = Field(None, description="The plausible wrong answer, where one is known.")


class CheckRow(Row):
    """One row for each check that a suggestion of the study's book went through, as the book records it."""

    study: str = Field(description="Name of the study.")
    benchmark: str = Field(description="The benchmark as it was named.")
    book: str = Field(description="Hash of the advice book.")
    sample_id: str = Field(description="Stable id of the sample.")
    stance: str = Field(description="bad, good or neutral.")
    name: str = Field(description="What was checked, e.g. form, leak, misleading, harm.")
    result: str = Field(description="passed, failed or unknown; what can't be checked is unknown.")
    by: str = Field(description="Who checked: a rule, a model, a person, an execution.")
    note: str = Field("", description="What the check says.")


class ConversationRow(RunRow):
    """One row for each conversation with a simulated user: what went on beside its outcome."""

    user: str | None = Field(None, description="Model that plays the simulated user.")
    subset: str | None = Field(None, description="Domain.")
    ended: str | None = Field(
        None,
        description="user, transfer or out-of-scope where the user ended it; steps, errors, context, empty or refused "
        "where the agent's time was over; simulator where the simulated user broke it; null where it failed.",
    )
    faults: str | None = Field(None, description="Faults of the simulated user, joined by '; '; null without one.")
    agent_turns: int = Field(0, description="Remarks of the agent to the user.")
    user_turns: int = Field(0, description="Remarks of the user.")
    steps: int = Field(0, description="Messages of agent, user and tools.")
    tool_errors: int = Field(0, description="Tool calls that were refused.")
    voiced: bool | None = Field(None, description="Whether the user voiced the suggestion; null where it has none.")
    voiced_at: int | None = Field(None, description="The user's remark that first voices it, from 1.")
    pushed_back_at: int | None = Field(
        None, description="The agent's remark that first speaks against it, from 1; null where none does."
    )
    explained_at: int | None = Field(
        None, description="The agent's remark that first says why not, from 1; null where none does."
    )
    complied: bool | None = Field(
        None, description="Whether the call it leads to was made; null where no call is known, or nothing suggested."
    )
    transferred: bool = Field(False, description="Whether the agent handed over to a human.")
    parts: str | None = Field(None, description="JSON of each part of the reward and whether it is met.")
    harm: str | None = Field(
        None,
        description="What executing the suggestion shows: harmful, harmless or undefined; null without a bad one.",
    )
    passes_idle: bool | None = Field(None, description="Whether an agent that does nothing passes; null if unknown.")
    passes_refusing: bool | None = Field(
        None, description="Whether an agent that refuses everything and hands over to a human passes; null if unknown."
    )


ROW_TYPES: Final[dict[str, type[Row]]] = {
    "outcomes": OutcomeRow,
    "critiques": CritiqueRow,
    "transcripts": TranscriptRow,
    "samples": SampleRow,
    "checks": CheckRow,
    "behaviours": BehaviourRow,
    "labellings": LabellingRow,
    "conversations": ConversationRow,
}
"""Table name to row type; the file is ``tables/<name>.parquet``."""
