"""What one run over one question found, and what several runs come to. Pure: nothing here asks anybody."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from astray.answers import Verdict, same
from astray.authors.about import About
from astray.evidence import Passage, squeezed

STORE_KEY: Final = "astray:evidence-run"
"""Where a run's outcome stands in its sample's store, as JSON-able data."""

SHORTEST: Final = 4
"""Words a quote has at least, unless it is a whole passage: single words stand anywhere."""

_NUMBER: Final = re.compile(r"^\[\d+\] ")
"""What stands before a passage that is shown, and isn't of it."""

MOST_PASSAGES: Final = 5
"""Passages kept of all runs over one question."""


class Run(BaseModel):
    """What one run found: an alternative with passages that support it, or why there is none."""

    model_config = ConfigDict(frozen=True)

    sample_id: str
    alternative: str | None = None
    query: str | None = None
    passages: tuple[Passage, ...] = ()
    reason: str | None = None
    unusable: bool = False
    verdict: Literal["wrong", "not wrong", "unsure"] | None = None

    @property
    def found(self) -> bool:
        """Whether support was found."""
        return self.alternative is not None and bool(self.passages)


def run_in(store: dict[str, Any]) -> Run | None:
    """What a sample's store says was found; None where the run didn't come to its end."""
    found = store.get(STORE_KEY)
    return Run.model_validate(found) if found else None


def settle(about: About, alternative: str) -> tuple[str | None, str]:
    """(the alternative as it is kept, why there is none): one of the other choices, or anything but what is right."""
    if about.choices:
        return _choice(about, alternative)
    golds = [about.gold, *about.gold.split(" | ")]
    if same("short", golds, alternative) is Verdict.EQUAL:
        return None, f"names the right answer ({alternative})"
    return alternative, ""


def _choice(about: About, alternative: str) -> tuple[str | None, str]:
    labels = dict(about.choices or ())
    wanted = squeezed(alternative).casefold()
    texts = {squeezed(text).casefold(): label for label, text in labels.items()}
    whole = {f"{label}. {squeezed(text)}".casefold(): label for label, text in labels.items()}
    label = texts.get(wanted) or whole.get(wanted) or next((one for one in labels if one.casefold() == wanted), None)
    label = label or next(
        (one for one, text in labels.items() if same("short", text, alternative) is Verdict.EQUAL), None
    )
    if label is None:
        return None, f"names none of the choices ({alternative[:80]})"
    if labels[label] == about.gold_text or label == about.gold:
        return None, f"names the right answer ({alternative})"
    return labels[label], ""


def quoted(quotes: Iterable[str], passages: Iterable[Passage]) -> tuple[tuple[Passage, ...], str]:
    """(quotes with the source they really stand in, why there are none): one invented quote spoils the run.

    A quote stands in a passage word by word, white space and the marks around it apart.
    """
    known = [(squeezed(passage.text), passage) for passage in passages]
    found: list[Passage] = []
    for quote in quotes:
        bare = _NUMBER.sub("", squeezed(quote)).strip("\"'“”‘’«»… ").removesuffix("...").strip()
        if not bare:
            continue
        source = next((passage.source for text, passage in known if bare in text), None)
        if source is None:
            return (), f"quotes what no passage says ({bare[:80]})"
        if len(bare.split()) < SHORTEST and bare not in [text for text, _ in known]:
            return (), f"quotes too little to tell ({bare})"
        found.append(Passage(text=bare, source=source))
    return tuple(dict.fromkeys(found)), "" if found else "quotes nothing"


def by_rules(one: str, other: str) -> bool:
    """Whether two answers are the same; what rules can't tell counts as different."""
    return one == other or same("short", one, other) is Verdict.EQUAL


def agreed(runs: Sequence[Run], alike: Callable[[str, str], bool] = by_rules) -> tuple[str | None, str]:
    """(the alternative that all runs found support for, why there is none). WAFER-QA, section 3.3."""
    failed = [run for run in runs if not run.found]
    if failed:
        return None, f"support found in {len(runs) - len(failed)} of {len(runs)} runs; {failed[0].reason}"
    first = str(runs[0].alternative)
    others = [str(run.alternative) for run in runs[1:]]
    if all(alike(first, other) for other in others):
        return first, ""
    return None, f"runs support different answers ({'; '.join(dict.fromkeys([first, *others]))})"


def together(runs: Sequence[Run]) -> tuple[Passage, ...]:
    """The passages of all runs, each once, the first of each run before the second of any."""
    longest = max((len(run.passages) for run in runs), default=0)
    ordered = [run.passages[n] for n in range(longest) for run in runs if n < len(run.passages)]
    return tuple(dict.fromkeys(ordered))[:MOST_PASSAGES]


def verified(runs: Sequence[Run]) -> bool | None:
    """False where a verifier once said not wrong; True where it always said wrong; else unknown."""
    verdicts = [run.verdict for run in runs]
    if "not wrong" in verdicts:
        return False
    return True if verdicts and all(verdict == "wrong" for verdict in verdicts) else None
