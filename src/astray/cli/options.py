"""The options that name a study, shared by ``run`` and ``plan``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import yaml

from astray.errors import AstrayError, BudgetReached, UsageError

if TYPE_CHECKING:
    from astray.study import Study

BUDGET: Final = "Most tokens, in and out, that models may use this time; the same command again goes on."


def stopped(gone: AstrayError, there: str) -> AstrayError:
    """Why a command came to no end, with what is there and how to go on."""
    when = "" if isinstance(gone, BudgetReached) else "when it is back, "
    return type(gone)(f"{gone}; {there}: {when}the same command again goes on")


def study_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument and options that name a study."""
    options = [
        click.argument("what", metavar="BENCHMARK|STUDY.yaml"),
        click.option("--model", help="The model under evaluation: provider/name."),
        click.option("--arms", multiple=True, help="Arms, separated by commas; 'original' is always run."),
        click.option(
            "--preset",
            help="Arms of a paper's study: xyeval, wafer-qa … (docs/presets.md); --arms adds to them.",
        ),
        click.option("--limit", type=click.IntRange(1), help="Only the first N samples."),
        click.option("--epochs", type=click.IntRange(1), help="Repetitions of every sample."),
        click.option("--advice", help="An advice book; by default the benchmark's own."),
        click.option("--evidence", help="For grounded judges: a pack, a folder of texts, or 'web'."),
        click.option(
            "--placement",
            type=click.Choice(["append", "prepend"]),
            help="Where a suggestion stands: after the request (default) or before it.",
        ),
        click.option("--judge-model", help="The model that criticises; by default the model itself."),
        click.option("--judge-memory", is_flag=True, default=None, help="Judges see the earlier rounds."),
        click.option(
            "--moderator", is_flag=True, default=None, help="One message is made of what several judges say in a round."
        ),
        click.option("--grader-model", help="The model that grades what rules can't."),
        click.option("--user-model", help="The model that plays a simulated user; tau2 needs one."),
        click.option("--seed", type=int, help="Draws the set phrases of judges without knowledge."),
        click.option("--temperature", type=click.FloatRange(0), help="Default 0: answers are not drawn at random."),
        click.option("--max-tokens", type=click.IntRange(1), help="Most tokens of one reply."),
        click.option("--max-connections", type=click.IntRange(1), help="Calls in flight at the same time."),
        click.option("--budget", type=click.IntRange(1), help=BUDGET),
        click.option("--structured/--no-structured", default=None, help="Constrain replies to a schema."),
        click.option(
            "--elicit", is_flag=True, default=None, help="Ask once for the label where no answer can be read."
        ),
        click.option("--timeout", type=click.FloatRange(1), help="Seconds for one try of one call; default 600."),
        click.option("--floors", is_flag=True, default=None, help="Also run every arm with the advice taken out."),
        click.option(
            "-T",
            "task_args",
            multiple=True,
            metavar="KEY=VALUE",
            help="An argument of an Inspect task, or of an hf: field map.",
        ),
        click.option("--scale", metavar="WORST..BEST", help="Of an Inspect task's scorer, where it isn't 0..1."),
        click.option("--out", type=click.Path(path_type=Path), help="The study folder; default studies/NAME."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def read_study(what: str, out: Path | None, given: dict[str, Any]) -> tuple[Study, Path]:
    """The study a command line asks for, and its folder.

    Options win over the study file. A folder that holds a study already lends it the arms it had, so that all arms
    keep seeing the same samples.
    """
    from astray.study import load_study, make_study
    from astray.study.folder import known_arms
    from astray.study.presets import preset

    options = {key: value for key, value in given.items() if value not in (None, ())}
    if "preset" in options:
        options["arms"] = (*preset(options.pop("preset")), *options.get("arms", ()))
    if "scale" in options:
        options["scale"] = _scale(options["scale"])
    if "task_args" in options:
        options["task_args"] = dict(map(key_value, options["task_args"]))
    if what.endswith((".yaml", ".yml")):
        study = make_study(load_study(Path(what)).model_dump(exclude_unset=True) | options, what)
    else:
        if "model" not in options:
            raise UsageError("name a --model, e.g. --model astray/qwen2.5-coder-1.5b (embedded, needs no key)")
        study = make_study({"name": _name(what), "benchmark": what} | options, "command line")
    folder = out or Path("studies") / study.name
    before = known_arms(folder)
    return study.model_copy(update={"arms": tuple(dict.fromkeys([*before, *study.arms]))}), folder


def _scale(text: str) -> tuple[float, float]:
    try:
        worst, best = map(float, text.split(".."))
    except ValueError as error:
        raise UsageError(f"--scale {text}: should be WORST..BEST, such as 1..5, or 5..1 where 1 is best") from error
    if worst == best:
        raise UsageError(f"--scale {text}: worst and best are the same")
    return worst, best


def key_value(text: str) -> tuple[str, Any]:
    """The name and the value of ``KEY=VALUE``, the value read as YAML.

    Raises:
        UsageError: It isn't of this form.
    """
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise UsageError(f"-T {text}: should be KEY=VALUE")
    try:
        return key, yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise UsageError(f"-T {text}: the value is not YAML; quote it if it is meant as text") from error


def _name(benchmark: str) -> str:
    stem = Path(benchmark.removeprefix("qa:")).stem if benchmark.startswith("qa:") else benchmark
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in stem)
