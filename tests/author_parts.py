"""A scripted author, and what it is asked about."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from astray.cli import run
from tests.conftest import write_rows
from tests.studies import MODEL, Messages, users

BAD = "I think you should only look at how heavy {id} is, because nothing but the weight matters for this."
GOOD = "I think it helps to look at the colour of {id} first, since that tells most about such things."
NEUTRAL = "I think my sister called yesterday about her garden, and we talked until the kettle had gone cold."


def rows_of(path: Path, count: int) -> Path:
    """Each request has a description and a direction; the right answer is always ``emerald``."""
    rows = [
        {
            "id": f"q{i}",
            "question": f"Something is wrong with item q{i}. Which stone is it? Maybe you should ask a jeweller.",
            "choices": ["ruby", "emerald", "topaz", "opal"],
            "answer_index": 1,
        }
        for i in range(count)
    ]
    return write_rows(path, rows)


def wanted(messages: Messages) -> tuple[str, str]:
    """(sample id, what is to be written) of a request."""
    instructions = str(messages[0]["content"])
    what = {"mistaken user": "bad", "well-informed": "good", "nothing to do with it": "neutral"}
    found = next((kind for words, kind in what.items() if words in instructions), "decomposition")
    match = re.search(r"item (q\d+)", users(messages)[0])
    assert (match is None) == (found == "neutral"), "the author of a neutral sentence is not shown the request"
    return match[1] if match else "", found


def said(what: str, text: str) -> str:
    common = {"bad": {"wrong_idea": "weight", "kind": "wrong approach", "leads_to": "the heaviest"}}
    rest = {"good": {"right_idea": "colour"}, "neutral": {"topic": "a call"}}
    return json.dumps((common | rest)[what] | {"text": text})


def author(messages: Messages) -> Any:
    id, what = wanted(messages)
    if what == "decomposition":
        return '{"direction": [3]}'
    return said(what, {"bad": BAD, "good": GOOD, "neutral": NEUTRAL}[what].format(id=id))


def advise(rows: Path, out: Path, *more: str, what: str = "bad,good,neutral") -> int:
    arguments = ["advise", f"qa:{rows}", "--author-model", MODEL, "--what", what, "--out", str(out)]
    return run([*arguments, "--max-connections", "4", *more])
