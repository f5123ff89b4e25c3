"""Models and studies side by side in the terminal: who stands where, and how sure that is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from astray.measures import Published, Ranking, Standing, published, rankings, tracks
from astray.report.load import Material, Study
from astray.report.words import arm_label, percent, signed, spread

_SAME: Final = ("fingerprint", "book", "prompts", "structured", "temperature", "epochs", "max_tokens", "versions")
"""Settings that two studies should share for their numbers to be comparable."""

LEGEND: Final = (
    "ranks and intervals (95%) from 2,000 resamples of the samples; best: share of them in which it is the best; "
    "left out: samples that not all have"
)
_PUBLISHED: Final = "Published numbers, for orientation: other samples, other harnesses, no intervals."


def compare(material: Material, console: Console) -> None:
    """Print the rankings of every benchmark and arm that several models or studies share, and published numbers."""
    found = tracks(material.outcomes)
    made = rankings(found)
    for warning in unlike(material.studies):
        console.print(Text(f"Warning: {warning}", style="yellow"))
    if not made:
        console.print("Nothing to compare: no arm of one benchmark was run by two models or studies.")
    for ranking in made:
        console.print()
        console.print(Text(headline(ranking), style="bold"))
        console.print(_table(ranking))
    if made:
        console.print(Text(LEGEND, style="dim"))
    known = [row for benchmark in dict.fromkeys(track.benchmark for track in found) for row in published(benchmark)]
    if known:
        console.print()
        console.print(Text(_PUBLISHED, style="bold"))
        console.print(_published(known))


def headline(ranking: Ranking) -> str:
    """What is ranked, over which samples."""
    what = "change against no advice, points" if ranking.measure == "points" else "accuracy"
    over = f"{ranking.n} shared samples" if ranking.paired else "no shared samples, each on its own: mind what they are"
    return f"{ranking.benchmark}, {arm_label(ranking.arm)}: {what} ({over})"


def unlike(studies: Sequence[Study]) -> list[str]:
    """Settings in which studies of one benchmark differ, in a sentence each; what wasn't recorded isn't compared."""
    groups: dict[str, list[Study]] = {}
    for study in studies:
        groups.setdefault(str(study.settings.get("benchmark", "")), []).append(study)
    return [sentence for benchmark, group in groups.items() if benchmark for sentence in _unlike(benchmark, group)]


def _unlike(benchmark: str, studies: Iterable[Study]) -> Iterable[str]:
    settings = [study.settings for study in studies]
    for name in _SAME:
        values = list(dict.fromkeys(_said(one, name) for one in settings if one.get(name) is not None))
        if len(values) > 1:
            yield f"{benchmark}: studies differ in {name.replace('_', ' ')}: {' / '.join(values)}"


def _said(settings: Mapping[str, Any], name: str) -> str:
    value = settings[name]
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _table(ranking: Ranking) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False)
    for name in ("rank", "95%", "best", "value", "", "n", "left out"):
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_column("model", overflow="fold")
    grid.add_column("study", overflow="fold")
    for one in ranking.standings:
        who = one.contender
        by = f" (judge {who.judge})" if who.judge and who.judge != who.model else ""
        grid.add_row(*_numbers(one, ranking.measure), Text(who.model + by), Text(who.study))
    return grid


def _numbers(one: Standing, measure: str) -> list[str | Text]:
    points = measure == "points"
    value = signed(one.value.value, 1) if points else percent(one.value.value, 1)
    ends = spread(one.value, factor=1, sign=True, joint="…", digits=1) if points else spread(one.value)
    ranks = f"{one.low}–{one.high}" if one.low != one.high else str(one.low)
    return [
        str(one.rank),
        ranks,
        percent(one.best),
        value,
        Text(ends, style="dim"),
        str(one.value.n),
        str(one.unshared),
    ]


def _published(known: Sequence[Published]) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False)
    for name in ("benchmark", "model", "arm", "metric"):
        grid.add_column(name, overflow="fold")
    grid.add_column("value", justify="right", no_wrap=True)
    grid.add_column("from", overflow="fold")
    for row in known:
        grid.add_row(row.benchmark, row.model, row.arm, row.metric, f"{row.value:g}", row.mark)
    return grid
