"""What an advice book looks like on a terminal, and in a pipe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Final, get_args

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from astray.advice import Book, Check, Decomposition, Stance, Suggestion, was_edited
from astray.authors.checks.again import NOBODY

_STYLES: Final = {"passed": "green", "failed": "bold red", "unknown": "dim"}
_STANCE_STYLES: Final = {"bad": "red", "good": "green", "neutral": "cyan"}
_INDENT: Final = 4


def show_book(console: Console, book: Book, ids: Sequence[str], stance: Stance | None) -> None:
    """Print a book's header and what it has for each sample; with a stance, its suggestions alone."""
    _show_header(console, book)
    for id in ids:
        rows = [row for row in book.suggestions if row.sample_id == id and stance in (None, row.stance)]
        parts = book.decomposition(id) if stance is None else None
        if not rows and parts is None:
            continue
        console.print()
        console.print(Text(id, "bold"))
        for row in rows:
            _show_suggestion(console, row)
        if parts:
            _show_decomposition(console, parts)


def show_stats(console: Console, book: Book) -> None:
    """Print the counts of a book."""
    _show_header(console, book)
    console.print()
    console.print(_lengths(book.suggestions))
    kinds = Counter[str](row.kind or "no kind" for row in book.suggestions if row.stance == "bad")
    _show_counts(console, "kinds of bad suggestions", kinds)
    _show_counts(console, "written by", Counter(row.author or book.header.author for row in book.rows))
    console.print()
    show_checks(console, book.suggestions)
    show_edited(console, book.edited)
    _show_doubles(console, book.suggestions)


def show_checks(console: Console, rows: Sequence[Suggestion]) -> None:
    """Print how many suggestions passed and failed each check, and for how many it is unknown."""
    names = list(dict.fromkeys(check.name for row in rows for check in row.checks))
    if not names:
        console.print("no suggestion was checked")
        return
    table = _table("check", "suggestions", "passed", "failed", "unknown")
    for name in names:
        results = [check.result for row in rows for check in row.checks if check.name == name]
        made = Counter(results)
        shares = [_share(made[result], len(results)) for result in ("passed", "failed", "unknown")]
        table.add_row(name, str(len(results)), *shares)
    console.print(table)
    console.print("of the suggestions kept: what failed while a model wrote the book was left out")
    without = sum(not row.checks for row in rows)
    if without:
        console.print(f"without any check: {without} of {len(rows)}")


def show_edited(console: Console, rows: Sequence[Suggestion | Decomposition]) -> None:
    """Print how many rows were edited since they were checked, and how their checks are made again."""
    if rows:
        console.print(
            f"edited since they were checked, and so not checked: {len(rows)} "
            "(astray advice check --checker-model M, or --out BOOK, checks them again)"
        )


def show_failures(console: Console, rows: Iterable[Suggestion | Decomposition]) -> int:
    """Print the rows that failed a check, with what is wrong; how many they are."""
    bad = [row for row in rows if any(check.result == "failed" for check in row.checks)]
    for row in bad:
        console.print()
        if isinstance(row, Suggestion):
            console.print(_title(f"{row.sample_id} {row.stance}", row.text))
        else:
            console.print(Text(f"{row.sample_id} decomposition", "bold"))
        for check in row.checks:
            if check.result == "failed":
                _indented(console, Text.assemble((f"{check.name} failed", _STYLES["failed"]), _why(check)))
    return len(bad)


def _show_header(console: Console, book: Book) -> None:
    header = book.header
    counts = ", ".join(f"{count} {what}" for what, count in header.counts.items() if count)
    console.print(Text.assemble(("advice for ", ""), (header.benchmark, "bold"), f" by {header.author}"))
    console.print(Text(f"{counts or 'nothing in it'}; hash {header.hash}"))


def _show_suggestion(console: Console, row: Suggestion) -> None:
    what = f"{row.stance} ({row.kind})" if row.kind else row.stance
    _indented(console, Text.assemble((f"{what}: ", _STANCE_STYLES[row.stance]), row.text), 2)
    for name, said in (("leads to", row.leads_to), ("evidence", row.evidence), ("author", row.author)):
        if said:
            _indented(console, Text.assemble((f"{name}: ", "dim"), said))
    _show_marks(console, row)


def _show_decomposition(console: Console, row: Decomposition) -> None:
    for part in row.parts:
        _indented(console, Text.assemble((f"{part.kind}: ", "magenta"), part.text.strip()), 2)
    _show_marks(console, row)


def _show_marks(console: Console, row: Suggestion | Decomposition) -> None:
    """What was passed in one line, and everything else with who said so and why."""
    if was_edited(row):
        _indented(console, Text("edited since it was checked", "yellow"))
    passed = [check.name for check in row.checks if check.result == "passed"]
    if passed:
        _indented(console, Text.assemble(("passed", _STYLES["passed"]), f": {', '.join(passed)}"))
    nobody = [check.name for check in row.checks if check.by == NOBODY]
    if nobody:
        _indented(console, Text.assemble(("unknown, nobody was asked", _STYLES["unknown"]), f": {', '.join(nobody)}"))
    for check in row.checks:
        if check.result != "passed" and check.by != NOBODY:
            _indented(console, Text.assemble((f"{check.name} {check.result}", _STYLES[check.result]), _why(check)))


def _why(check: Check) -> str:
    return f": {check.note} (by {check.by})" if check.note else f" (by {check.by})"


def _lengths(rows: Sequence[Suggestion]) -> Table:
    table = _table("stance", "suggestions", "words (fewest, median, most)")
    for stance in get_args(Stance):
        words = [len(row.text.split()) for row in rows if row.stance == stance]
        if words:
            table.add_row(stance, str(len(words)), f"{min(words)}, {median(words):g}, {max(words)}")
    return table


def _show_counts(console: Console, title: str, counts: Counter[str]) -> None:
    if counts:
        said = ", ".join(f"{name} {count}" for name, count in counts.most_common())
        console.print(Text.assemble((f"{title}: ", "dim"), said))


def _show_doubles(console: Console, rows: Sequence[Suggestion]) -> None:
    """Texts that are said of more than one sample: a sign of advice that has no bearing on any."""
    samples: dict[str, list[str]] = {}
    for row in rows:
        samples.setdefault(" ".join(row.text.casefold().split()), []).append(f"{row.sample_id} {row.stance}")
    doubles = {text: ids for text, ids in samples.items() if len(ids) > 1}
    console.print()
    console.print(f"texts that occur more than once: {len(doubles)}")
    for text, ids in doubles.items():
        _indented(console, Text(f"{len(ids)} times ({', '.join(ids[:5])}{', …' if len(ids) > 5 else ''}): {text}"))


def _share(count: int, of: int) -> str:
    return f"{count} ({100 * count / of:.0f}%)" if count else "0"


def _title(bold: str, rest: str) -> Text:
    return Text.assemble((bold, "bold"), f": {rest}")


def _indented(console: Console, text: Text, by: int = _INDENT) -> None:
    """Print a paragraph, wrapped within its indent on a terminal, with its own line ends elsewhere."""
    if console.is_terminal:
        console.print(Padding(text, (0, 0, 0, by)), soft_wrap=False)
        return
    for line in text.split("\n"):
        console.print(Text(" " * by) + line)


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table
