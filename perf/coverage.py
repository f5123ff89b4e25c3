"""Whether the measures tell the truth: studies of simulated agents whose rates are known.

    python perf/coverage.py [--studies 2000] [--seed 1]

Each setting is a number of samples and epochs and an agent: how often it is right, how often it falls for a critique
(harm) and mends its answer (recovery), and how alike the epochs of one sample are. For each measure: bias (mean
estimate less truth, in points, and in standard errors of the simulation), and how many 95% intervals hold the truth.
Then studies in which all ten arms are the same agent: how often Holm finds a difference in any of them.
Exits with 1 where a coverage is outside 93-97%, a bias is beyond 4 standard errors, or an A/A study alarms in more
than 5% (each by more than the simulation's own error).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from scipy.stats import beta, binom

from astray.measures import Estimate, Track, difference, flips, holm, share, survival, updating
from astray.measures.differences import p_value, paired
from astray.measures.tracks import CLASSES
from astray.tables import Outcome

ARM, GOOD = "judge-hypercritical-none@3", "judge-constructive-none@3"
ROUNDS = 3
AA_ARMS = 10
LOW, HIGH, ALARM = 0.93, 0.97, 0.05


@dataclass(frozen=True)
class Agent:
    """Rates by round, and how alike the epochs of one sample are (correlation of beta-distributed chances)."""

    accuracy: float
    harm: float
    recovery: float
    alike: float = 0.4


@dataclass(frozen=True)
class Setting:
    """One size of study and its agent."""

    samples: int
    epochs: int
    agent: Agent


SETTINGS = (
    Setting(50, 1, Agent(0.6, 0.2, 0.1)),
    Setting(200, 1, Agent(0.6, 0.2, 0.1)),
    Setting(200, 1, Agent(0.9, 0.08, 0.3)),
    Setting(50, 3, Agent(0.6, 0.2, 0.1)),
    Setting(200, 3, Agent(0.6, 0.2, 0.1)),
    Setting(200, 3, Agent(0.9, 0.08, 0.3)),
    Setting(1000, 1, Agent(0.6, 0.05, 0.05)),
)


@dataclass
class Tally:
    """What the studies of one setting said of one measure."""

    truth: float
    values: list[float] = field(default_factory=list)
    held: int = 0

    def add(self, estimate: Estimate) -> None:
        """Count one study's estimate; one that isn't defined isn't counted."""
        if estimate.value is None or estimate.low is None or estimate.high is None:
            return
        self.values.append(estimate.value)
        self.held += estimate.low - 1e-9 <= self.truth <= estimate.high + 1e-9

    @property
    def coverage(self) -> float:
        """Share of intervals that hold the truth."""
        return self.held / len(self.values)

    @property
    def bias(self) -> tuple[float, float]:
        """Mean estimate less truth, in points and in standard errors."""
        values = np.array(self.values)
        error = float(values.std(ddof=1) / np.sqrt(len(values))) or 1e-12
        off = float(values.mean()) - self.truth
        return 100 * off, off / error


def main() -> None:
    options = arguments()
    if options.studies < 100:
        sys.exit("fewer than 100 studies measure nothing")
    start, faults, lines = time.monotonic(), [], []
    for number, setting in enumerate(SETTINGS):
        tallies = cover(setting, options.studies, np.random.default_rng([options.seed, number]))
        for name, tally in tallies.items():
            lines.append(line(setting, name, tally))
            faults += faults_of(setting, name, tally)
    print("\n".join([HEAD, *lines]))
    for size in (50, 200):
        for epochs in (1, 3):
            alarms = alarm(size, epochs, options.studies, np.random.default_rng([options.seed, size, epochs]))
            text = f"A/A, {AA_ARMS} arms, {size} samples x {epochs}: {alarms} of {options.studies} studies alarm"
            print(f"{text} ({100 * alarms / options.studies:.1f}%)")
            faults += [f"{text}: above 5%"] if binom.sf(alarms - 1, options.studies, ALARM) < 0.001 else []
    print("\n".join(f"FAULT {fault}" for fault in faults) or "no fault")
    size = sum(s.samples * s.epochs * (2 * (ROUNDS + 1) + 1) for s in SETTINGS) * options.studies
    print(f"{options.studies} studies in each of {len(SETTINGS)} settings, {size:,} outcomes", end=", ")
    print(f"{time.monotonic() - start:.0f} s, {len(faults)} faults")
    sys.exit(1 if faults else 0)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Whether the measures tell the truth.")
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def cover(setting: Setting, studies: int, random: Generator) -> dict[str, Tally]:
    """Simulate studies of one setting and measure them."""
    tallies = {name: Tally(truth) for name, truth in truths(setting.agent).items()}
    for _ in range(studies):
        for name, estimate in measured(study(setting, random)):
            tallies[name].add(estimate)
    return tallies


def truths(agent: Agent) -> dict[str, float]:
    """What each measure is in the long run: correctness is a Markov chain with the agent's rates."""
    right, held, chain = agent.accuracy, 1.0, np.array([[1.0, 0.0], [0.0, 1.0]])
    step = np.array([[1 - agent.harm, agent.harm], [agent.recovery, 1 - agent.recovery]])
    for _ in range(ROUNDS):
        held, chain = held * (1 - agent.harm), chain @ step
    after = right * chain[0, 0] + (1 - right) * chain[1, 0]
    benefit = 1 - (1 - agent.recovery) ** ROUNDS
    return {
        "accuracy": right,
        "accuracy@R3": after,
        "harm@R3": chain[0, 1],
        "recovery@R3": chain[1, 0],
        "coverage@R3": (1 - right) * chain[1, 0],
        "held@R3": held,
        "delta points": after - right,
        "delta relative": (after - right) / right,
        "updating": benefit - float(chain[0, 1]),
    }


def measured(found: Sequence[Track]) -> Iterator[tuple[str, Estimate]]:
    """(measure, its estimate as a share) of one study."""
    original, bad, good = found
    before, first, last = original.at(0), bad.at(0), bad.at(ROUNDS)
    drop, changed = difference(last, before, reference="original", reference_round=0), flips(first, last)
    yield "accuracy", share(before.samples, before.score)
    yield "accuracy@R3", share(last.samples, last.score)
    yield "harm@R3", changed.harm
    yield "recovery@R3", changed.recovery
    yield "coverage@R3", changed.coverage
    yield "held@R3", survival(bad).never
    yield "delta points", drop.points.scaled(0.01)
    yield "delta relative", drop.relative
    yield "updating", updating((original, bad, good))[0].value


def study(setting: Setting, random: Generator) -> list[Track]:
    """``original``, an arm with a bad judge, and one with a good judge that breaks nothing."""
    agent = setting.agent
    chances = sample_chances(agent, setting.samples, random)
    first = random.random((setting.samples, setting.epochs)) < chances[:, None]
    bad = follow(first, agent.harm, agent.recovery, random)
    good = follow(random.random(first.shape) < chances[:, None], 0.0, agent.recovery, random)
    return [track("original", first[..., None]), track(ARM, bad), track(GOOD, good)]


def sample_chances(agent: Agent, samples: int, random: Generator) -> np.ndarray:
    """How likely each sample is answered right: beta with the agent's accuracy as mean."""
    size = 1 / agent.alike - 1
    drawn = beta.rvs(agent.accuracy * size, (1 - agent.accuracy) * size, size=samples, random_state=random)
    return np.asarray(drawn)


def follow(first: np.ndarray, harm: float, recovery: float, random: Generator) -> np.ndarray:
    """Correctness by sample, epoch and round."""
    course = [first]
    for _ in range(ROUNDS):
        draw = random.random(first.shape)
        course.append(np.where(course[-1], draw >= harm, draw < recovery))
    return np.stack(course, axis=-1)


def track(arm: str, correct: np.ndarray) -> Track:
    """An arm as `astray.measures.tracks` makes it of a table of outcomes (a test holds the two together)."""
    samples, epochs, rounds = correct.shape
    right = correct.reshape(samples * epochs, rounds)
    where = np.indices((samples, epochs)).reshape(2, -1)
    return Track(
        *("s", "m", None, None, None, "b", arm),
        rounds=tuple(range(rounds)),
        samples=where[0],
        epochs=where[1] + 1,
        outcome=np.where(right, CLASSES.index(Outcome.CORRECT), CLASSES.index(Outcome.WRONG)),
        score=right.astype(float),
        answer=np.where(right, 0, 1),
        spoke=np.broadcast_to(np.arange(rounds) > 0, right.shape),
        sound=np.ones(right.shape, dtype=bool),
        acknowledged=np.full(right.shape, np.nan),
    )


def alarm(samples: int, epochs: int, studies: int, random: Generator) -> int:
    """Studies in which Holm finds a difference between arms that are all the same agent."""
    agent, alarms = Agent(0.6, 0.0, 0.0), 0
    for _ in range(studies):
        chances = sample_chances(agent, samples, random)
        draws = [random.random((samples, epochs, 1)) < chances[:, None, None] for _ in range(AA_ARMS + 1)]
        original, *arms = [track(f"arm {number}", draw).at(0) for number, draw in enumerate(draws)]
        found = [p_value(new, old, single=single)[0] for new, old, single in (paired(a, original) for a in arms)]
        ps = [1.0 if p is None else p for p in found]
        # Without a p below the level there is nothing to correct, and statsmodels collects garbage at every call.
        alarms += min(ps) <= ALARM and min(holm(ps)) <= ALARM
    return alarms


def faults_of(setting: Setting, name: str, tally: Tally) -> list[str]:
    """What is wrong by more than the simulation's own error (p < 0.001)."""
    n, held = len(tally.values), tally.held
    text = f"{setting.samples} x {setting.epochs}, {name}"
    faults = [f"{text}: covers too little"] if binom.cdf(held, n, LOW) < 0.001 else []
    faults += [f"{text}: covers too much"] if binom.sf(held - 1, n, HIGH) < 0.001 else []
    return faults + ([f"{text}: biased"] if abs(tally.bias[1]) > 4 else [])


HEAD = "samples epochs right harm recov  measure          truth   bias (se)     covers"


def line(setting: Setting, name: str, tally: Tally) -> str:
    agent, (bias, errors) = setting.agent, tally.bias
    head = f"{setting.samples:7} {setting.epochs:6} {agent.accuracy:5.2f} {agent.harm:4.2f} {agent.recovery:5.2f}"
    return f"{head}  {name:15} {100 * tally.truth:6.1f} {bias:+6.2f} ({errors:+.1f}) {100 * tally.coverage:8.1f}%"


if __name__ == "__main__":
    main()
