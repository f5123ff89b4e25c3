"""A flow: how many answers are right, wrong or none in each round, and which of them change to what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from astray.report.drawing.svg import NARROW, group, path, rectangle, svg, text

STATES: Final = ("right", "wrong", "no answer")
"""What an answer can be; partly right counts as wrong here, as in all flips."""

_HEIGHT: Final = 190.0
_TOP: Final = 24.0
_BOX: Final = 12.0
_GAP: Final = 5.0
_NAMES: Final = 100.0
_ROOM: Final = 40.0


@dataclass(frozen=True)
class Flow:
    """Answers by round. ``moves[k]`` counts (state in round k, state in round k + 1).

    Attributes:
        rounds: Numbers of the rounds.
        counts: For each round, answers by state.
        moves: For each pair of neighbouring rounds, answers by both states.
    """

    rounds: tuple[int, ...]
    counts: tuple[Mapping[str, int], ...]
    moves: tuple[Mapping[tuple[str, str], int], ...]

    @property
    def total(self) -> int:
        """Answers that are followed through all rounds."""
        return sum(self.counts[0].values()) if self.counts else 0


def flow(found: Flow, label: str) -> Markup:
    """The figure, of the narrow width: a box a state and round, bands between them; what changes sides stands out."""
    left, right = 4.0, NARROW - _NAMES
    gap = (right - left - _BOX) / max(1, len(found.rounds) - 1)
    xs = [left + gap * place for place in range(len(found.rounds))]
    scale = (_HEIGHT - _GAP * (len(STATES) - 1)) / max(1, found.total)
    tops = [_tops(counts, scale) for counts in found.counts]
    body: list[Markup] = []
    for place, moves in enumerate(found.moves):
        body += _bands(found, place, moves, xs, tops, scale)
    for place, counts in enumerate(found.counts):
        anchor = "start" if place == 0 else "middle"
        body.append(
            text(xs[place] + (0 if place == 0 else _BOX / 2), 13, f"R{found.rounds[place]}", "tick", anchor=anchor)
        )
        last = place == len(found.counts) - 1
        for state in STATES:
            if counts.get(state):
                body.append(
                    _box(found, place, state, xs[place], tops[place][state], scale, last=last, room=gap >= _ROOM)
                )
    return svg(NARROW, _TOP + _HEIGHT + 6, label, body, "narrow")


def _tops(counts: Mapping[str, int], scale: float) -> dict[str, float]:
    tops, y = {}, _TOP
    for state in STATES:
        tops[state] = y
        y += counts.get(state, 0) * scale + (_GAP if counts.get(state) else 0)
    return tops


def _box(found: Flow, place: int, state: str, x: float, top: float, scale: float, *, last: bool, room: bool) -> Markup:
    count = found.counts[place][state]
    share = f"{100 * count / found.total:.0f}%"
    parts = [rectangle(x, top, _BOX, count * scale, f"state {_kind(state)}")]
    middle = top + count * scale / 2 + 4
    if last:
        parts.append(text(x + _BOX + 6, middle, f"{share} {state}", "label"))
    elif room and count * scale >= 14:
        parts.append(text(x + _BOX + 5, middle, share, "onband"))
    return group(parts, tip=f"R{found.rounds[place]}: {state} {count} of {found.total} ({share})")


def _bands(
    found: Flow,
    place: int,
    moves: Mapping[tuple[str, str], int],
    xs: Sequence[float],
    tops: Sequence[Mapping[str, float]],
    scale: float,
) -> list[Markup]:
    out, into = dict(tops[place]), dict(tops[place + 1])
    start, end = xs[place] + _BOX, xs[place + 1]
    middle = (start + end) / 2
    body = []
    for before in STATES:
        for after in STATES:
            count = moves.get((before, after), 0)
            if not count:
                continue
            a, b, thick = out[before], into[after], count * scale
            out[before] += thick
            into[after] += thick
            shape = (
                f"M{start:.1f} {a:.1f}C{middle:.1f} {a:.1f} {middle:.1f} {b:.1f} {end:.1f} {b:.1f}"
                f"L{end:.1f} {b + thick:.1f}"
                f"C{middle:.1f} {b + thick:.1f} {middle:.1f} {a + thick:.1f} {start:.1f} {a + thick:.1f}Z"
            )
            kind = f"flow {_kind(after)} {'stays' if before == after else 'moves'}"
            first, second = found.rounds[place], found.rounds[place + 1]
            tip = f"{before} at R{first}, {after} at R{second}: {count} of {found.total}"
            body.append(group([path(shape, kind)], tip=tip))
    return body


def _kind(state: str) -> str:
    return {"right": "right", "wrong": "wrong", "no answer": "none"}[state]
