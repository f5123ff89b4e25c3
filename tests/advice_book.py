"""A small book of advice on two questions, as a file."""

from __future__ import annotations

from pathlib import Path

from astray.advice import Book, BookHeader, Check, Decomposition, Part, Suggestion

FENCE = "How many posts has a fence of 20 m, one every 4 m?"
ROWS = [
    {"id": "fence", "question": f"{FENCE} Count them.", "answer": "6", "kind": "number"},
    {"id": "moon", "question": "What causes the tides?", "choices": ["Strong winds", "Gravity"], "answer_index": 1},
]
FENCE_BAD = "I think you should just divide the length by the gap."
TEXTS = [
    Suggestion(
        sample_id="fence", stance="bad", text=FENCE_BAD, kind="wrong approach", leads_to="5",
        checks=(Check(name="person-read", result="passed", by="Ada"),),
    ),
    Suggestion(sample_id="fence", stance="good", text="I think it helps to draw [bold]both ends[/bold] first."),
    Suggestion(sample_id="moon", stance="bad", text="I think you should look at what pushes the surface [from above]."),
]  # fmt: skip
PARTS = (Part(kind="description", text=FENCE), Part(kind="direction", text="Count them."))


def write_book(rows: Path, path: Path) -> Path:
    """The book for `ROWS` at ``rows``."""
    header = BookHeader(benchmark=f"qa:{rows}", fingerprint="", author="a test")
    decompositions = (Decomposition(sample_id="fence", parts=PARTS, author="Eve"),)
    return Book.make(header, TEXTS, decompositions).save(path)
