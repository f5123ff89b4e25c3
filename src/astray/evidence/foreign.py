"""Evidence as others publish it: WAFER-QA's fields, and ConflictQA's pairs of memories."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

WAFER: Final = frozenset(("Question", "Alternative Answer"))
CONFLICT: Final = frozenset(("question", "ground_truth", "memory_answer", "counter_answer"))

Entry = Mapping[str, Any]
LeftOut = tuple[str, str]

_TEXT_KEYS: Final = ("snippet", "text", "content", "body", "passage", "evidence", "description")
_SOURCE_KEYS: Final = ("url", "link", "source", "href")
_NO_SOURCE: Final = "source not named"
_ADDRESS: Final = re.compile(r"https?://[^\s\"'<>\])}]*[^\s\"'<>\])}.,;:!?]")
_NEGATION: Final = re.compile(
    r"\b(?:no|not|never|none|neither|nor|cannot|without|unlikely|impossible|false)\b|n['’]t\b", re.IGNORECASE
)
_REFUSAL: Final = re.compile(r"\b(?:as an ai|i(?:'|’)?m sorry|i cannot|i can(?:'|’)t|i apologi[sz]e)\b", re.IGNORECASE)
_TRUTHS: Final = {"true": True, "yes": True, "false": False, "no": False}
_WORD: Final = re.compile(r"\w{4,}")


def collection(entry: Any) -> str | None:
    """The collection an entry comes from, by its fields; None for an unknown one."""
    if not isinstance(entry, dict):
        return None
    if entry.keys() >= WAFER:
        return "WAFER-QA"
    return "ConflictQA" if entry.keys() >= CONFLICT else None


def read(entry: Entry, where: str) -> dict[str, Any] | LeftOut:
    """The fields of an evidence row, or (id, reason) where the entry can't be used."""
    return _wafer(entry, where) if entry.keys() >= WAFER else _conflict(entry, where)


def _wafer(entry: Entry, where: str) -> dict[str, Any] | LeftOut:
    """WAFER-QA (section 3.3): search results are the passages; the author's own words only where there are none."""
    id = _text(entry.get("ID")) or where
    results = _results(entry.get("Supported Search Results"))
    said = _text(entry.get("Evidence"))
    passages = [found for result in results for found in [_passage(result)] if found]
    if not passages and said:
        sources = [source for result in results for source in [_source(result)] if source]
        passages = [{"text": said, "source": "; ".join(sources) or _NO_SOURCE}]
    if not passages:
        return id, "names no evidence"
    return {
        "sample_id": id,
        "alternative": _text(entry["Alternative Answer"]),
        "passages": passages,
        "question": _text(entry["Question"]) or None,
        "gold": _text(entry.get("Groundtruth Answer")) or None,
        "subset": _text(entry.get("Source Dataset")) or None,
        "summary": said or None,
    }


def _results(given: Any) -> list[Any]:
    """Search results, whether they are a list, one of them, or either as JSON text."""
    if isinstance(given, str):
        with contextlib.suppress(ValueError):
            given = json.loads(given) if given.lstrip()[:1] in ("[", "{") else given
    if isinstance(given, list):
        return [inner for one in given for inner in (_results(one) if isinstance(one, str) else [one])]
    return [given] if given else []


def _passage(result: Any) -> dict[str, str] | None:
    if isinstance(result, dict):
        text = next((_text(result[key]) for key in _TEXT_KEYS if _text(result.get(key))), "")
        return {"text": text, "source": _source(result) or _NO_SOURCE} if text else None
    text = _ADDRESS.sub("", _text(result)).strip(" \n:-–()[]")
    return {"text": text, "source": _source(result) or _NO_SOURCE} if len(text.split()) > 2 else None


def _source(result: Any) -> str | None:
    if not isinstance(result, dict):
        found = _ADDRESS.search(_text(result))
        return found[0] if found else None
    address = next((_text(result[key]) for key in _SOURCE_KEYS if _text(result.get(key))), "")
    title = _text(result.get("title"))
    return f"{title} ({address})" if title and address and title != address else address or title or None


def _conflict(entry: Entry, where: str) -> dict[str, Any] | LeftOut:
    """ConflictQA: two texts, one for a model's memory and one against it; the one that opposes the truth is kept.

    The memory is wrong in about a quarter of the rows, so that the counter-memory is then right.
    """
    id = _text(entry.get("id")) or where
    question, truths = _text(entry["question"]), _texts(entry["ground_truth"])
    sides = {"memory": _text(entry["memory_answer"]), "counter": _text(entry["counter_answer"])}
    texts = {"memory": _text(entry.get("parametric_memory")), "counter": _text(entry.get("counter_memory"))}
    wrong = _wrong_side(question, truths, sides)
    if wrong is None:
        return id, "which side is wrong can't be told"
    if not texts[wrong] or _REFUSAL.search(texts[wrong]):
        return id, "the wrong side has no text, or a refusal"
    truth = _TRUTHS.get(truths[0].casefold())
    return {
        "sample_id": id,
        "alternative": sides[wrong] if truth is None else ("no" if truth else "yes"),
        "passages": [{"text": texts[wrong], "source": "ConflictQA (text written by a language model)"}],
        "question": question,
        "gold": truths[0] if truth is None else ("yes" if truth else "no"),
        "summary": sides[wrong],
    }


def _wrong_side(question: str, truths: Sequence[str], sides: Mapping[str, str]) -> str | None:
    """``memory`` or ``counter``: the one that opposes the truth; None where it can't be told."""
    if not truths:
        return None
    says = {name: _holds(question, truths, text) for name, text in sides.items()}
    if says["memory"] is None or says["counter"] is None or says["memory"] == says["counter"]:
        return None
    return "counter" if says["memory"] else "memory"


def _holds(question: str, truths: Sequence[str], statement: str) -> bool | None:
    """Whether a statement says what is true.

    Of a yes-or-no question it says no if it has one negation more than the question; a statement about something
    else (``False.``) tells nothing. Of any other it is right if it names one of the true answers.
    """
    truth = _TRUTHS.get(truths[0].casefold())
    if truth is None:
        return any(re.search(rf"\b{re.escape(name)}\b", statement, re.IGNORECASE) for name in truths)
    if not set(_WORD.findall(question.casefold())) & set(_WORD.findall(statement.casefold())):
        return None
    extra = len(_NEGATION.findall(statement)) - len(_NEGATION.findall(question))
    return (extra % 2 == 0) == truth if extra in (0, 1) else None


def _texts(given: Any) -> list[str]:
    return [text for one in (given if isinstance(given, list) else [given]) for text in [_text(one)] if text]


def _text(given: Any) -> str:
    """Anything as text; nothing as an empty one."""
    if given is None or isinstance(given, (list, dict)):
        return ""
    return ("yes" if given else "no") if isinstance(given, bool) else str(given).strip()
