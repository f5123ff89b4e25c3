"""Rows of the forms that inspect_evals' tasks load from elsewhere, with what is right: fed in place of the hub."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A task of inspect_evals.

    Attributes:
        name: Its name.
        rows: Rows in the form the task loads.
        right: The right answer by a text that only this row's request has.
        form: A reply in free text; where there are choices, a letter is said.
        args: Arguments of the task.
    """

    name: str
    rows: list[Row]
    right: dict[str, str]
    form: str = "{}"
    args: Sequence[str] = ()
    path: str = field(default="", kw_only=True)


def _read(shared: Path, name: str, count: int = 3) -> list[Row]:
    lines = (shared / "data" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[:count]]


def arc_challenge(shared: Path) -> Case:
    """Real questions."""
    found = _read(shared, "arc_challenge_test")
    rows = [
        {
            "id": row["id"],
            "question": row["question"],
            "choices": {"text": row["choices"], "label": list("ABCDE"[: len(row["choices"])])},
            "answerKey": "ABCDE"[row["answer_index"]],
        }
        for row in found
    ]
    right = {row["question"]: row["choices"][row["answer_index"]] for row in found}
    return Case("arc_challenge", rows, right, path="allenai/ai2_arc")


def gsm8k(shared: Path) -> Case:
    """Real problems, which serve as examples too."""
    found = _read(shared, "gsm8k_test")
    rows = [{"question": row["question"], "answer": row["solution"]} for row in found]
    right = {row["question"]: row["answer"] for row in found}
    return Case("gsm8k", rows, right, "I add.\n\nANSWER: {}", path="openai/gsm8k")


def drop(shared: Path) -> Case:
    """Real passages."""
    no_date = {"day": "", "month": "", "year": ""}
    none: Row = {"number": [], "date": [], "spans": [], "hit_id": [], "worker_id": []}
    found = [row for row in _read(shared, "drop_fixture", 19) if row["kind"] in ("spans", "number")][:3]
    rows = [
        {
            "query_id": row["id"],
            "passage": row["context"],
            "question": row["question"],
            "answer": {
                "number": row["answers"][0] if row["kind"] == "number" else "",
                "spans": row["answers"][0] if row["kind"] == "spans" else [],
                "date": no_date,
            },
            "validated_answers": none,
        }
        for row in found
    ]
    answers = [row["answers"][0] if row["kind"] == "number" else ",".join(row["answers"][0]) for row in found]
    right = dict(zip([row["question"] for row in found], answers, strict=True))
    return Case("drop", rows, right, "Let me see.\nAnswer: {}", path="EleutherAI/drop")


def truthfulqa(shared: Path) -> Case:
    """Real questions, their choices shuffled by the task."""
    found = _read(shared, "truthfulqa_sources")
    rows = []
    for row in found:
        choices = [row["best"], *row["incorrect"][:3]]
        targets = {"choices": choices, "labels": [1] + [0] * (len(choices) - 1)}
        rows.append({"question": row["question"], "mc1_targets": targets, "mc2_targets": targets})
    right = {row["question"]: row["best"] for row in found}
    return Case("truthfulqa", rows, right, path="truthfulqa/truthful_qa")


def winogrande(shared: Path) -> Case:
    """Real sentences."""
    found = _read(shared, "winogrande_dev")
    rows = [
        {
            "sentence": row["question"],
            "option1": row["choices"][0],
            "option2": row["choices"][1],
            "answer": str(row["answer_index"] + 1),
        }
        for row in found
    ]
    right = {row["question"].replace("_", "[BLANK]"): row["choices"][row["answer_index"]] for row in found}
    return Case("winogrande", rows, right, path="allenai/winogrande")


def squad(shared: Path) -> Case:
    """Made by hand; one question can't be answered."""
    facts = {"Who baked the bread?": ["Ada"], "Where is the oven?": ["in the yard"], "Who ate it?": []}
    rows = [
        {
            "id": f"s{i}",
            "context": "Ada baked the bread. The oven is in the yard.",
            "question": question,
            "answers": {"text": answers, "answer_start": [0] * len(answers)},
        }
        for i, (question, answers) in enumerate(facts.items())
    ]
    right = {question: answers[0] if answers else "unanswerable" for question, answers in facts.items()}
    return Case("squad", rows, right, path="rajpurkar/squad_v2")


def gpqa_diamond(shared: Path) -> Case:
    """Made by hand, in the columns of its file."""
    rows = [
        {
            "Record ID": f"rec{i}",
            "Question": f"What is {i} squared?",
            "Correct Answer": str(i * i),
            "Incorrect Answer 1": str(i * i + 1),
            "Incorrect Answer 2": str(i * i + 2),
            "Incorrect Answer 3": str(i * i + 3),
            "High-level domain": "Physics",
            "Subdomain": "Physics (general)",
        }
        for i in (7, 8, 9)
    ]
    return Case("gpqa_diamond", rows, {row["Question"]: row["Correct Answer"] for row in rows})


PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


def hle(shared: Path) -> Case:
    """Made by hand: free-form, multiple choice within the text, and one with an image; graded by one grader."""
    questions = [
        ("How many sides has a hexagon?", "6", "exactMatch", ""),
        ("Which is a prime?\n\nAnswer Choices:\nA. 21\nB. 23\nC. 25", "B", "multipleChoice", ""),
        ("What colour is the pixel shown?", "green", "exactMatch", PIXEL),
    ]
    rows = [
        {
            "id": f"h{i}",
            "question": question,
            "answer": answer,
            "answer_type": kind,
            "image": image,
            "author_name": "a test",
            "rationale": "It is known.",
            "raw_subject": "Trivia",
            "category": "Other",
        }
        for i, (question, answer, kind, image) in enumerate(questions)
    ]
    judge = "{template: regex_judge_template, instructions: regex_judge_instructions}"
    metrics = "[inspect_evals/hle/accuracy]"
    scorer = (
        f"{{scorer: inspect_evals/hle/regex_judge, graders: [grader, grader_2], args: {judge}, metrics: {metrics}}}"
    )
    args = ["only_hle_verified_gold=false", f"scorer={scorer}"]
    right = {question.splitlines()[0]: answer for question, answer, _, _ in questions}
    return Case("hle", rows, right, "Explanation: so it is.\nAnswer: {}\nConfidence: 90%", args, path="cais/hle")


CASES: dict[str, Callable[[Path], Case]] = {
    make.__name__: make for make in (arc_challenge, gsm8k, drop, truthfulqa, winogrande, squad, gpqa_diamond, hle)
}
"""Every task by its name; those of real rows need the shared folder."""

REAL = ("arc_challenge", "gsm8k", "drop", "truthfulqa", "winogrande")
"""Tasks whose rows are real ones, from the shared folder."""


def write_csv(rows: list[Row], path: Path) -> Path:
    """Rows as the file that a task would download."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path
