"""A study: what is asked for, from a command line or a YAML file, and what of it may change when it goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from astray.advice import Placement
from astray.arm import Arm, parse_arms
from astray.errors import InputError, UsageError

MODEL_FORM: Final = "a model is provider/name, e.g. astray/qwen2.5-coder-1.5b or openai/gpt-4o-mini"


class Study(BaseModel):
    """A benchmark, models, arms, epochs and settings; `study.yaml` holds these names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = "study"
    benchmark: str
    task_args: dict[str, Any] = Field(default_factory=dict)
    model: str
    judge_model: str | None = Field(None, description="None: the model criticises itself.")
    judge_memory: bool = Field(False, description="Judges see the earlier rounds.")
    moderator: bool = Field(False, description="One message is made of what several judges say in a round.")
    grader_model: str | None = None
    user_model: str | None = None
    arms: tuple[str, ...] = ("original",)
    advice: str | None = Field(None, description="Path of an advice book; the benchmark's own book by default.")
    scale: tuple[float, float] | None = Field(None, description="Worst and best value of an Inspect task's scorer.")
    evidence: str | None = Field(
        None, description="An evidence pack, a folder of texts, or 'web'; the benchmark's own evidence by default."
    )
    placement: Placement = Field("append", description="Where in the request a suggestion stands.")
    limit: int | None = Field(None, ge=1, description="Only the first N samples.")
    epochs: int = Field(1, ge=1)
    seed: int = 0
    temperature: float = Field(0.0, ge=0, description="Above 0, answers are drawn at random and nothing is shared.")
    max_tokens: int | None = Field(None, ge=1)
    structured: bool | None = Field(
        None, description="None: for the embedded model, where nothing is to be worked out."
    )
    elicit: bool = Field(False, description="Ask once for the label alone where no answer can be read.")
    floors: bool = Field(False, description="Also run the floor of every arm.")
    max_connections: int | None = Field(None, ge=1)
    budget: int | None = Field(None, ge=1)
    timeout: float = Field(600, gt=0, description="Seconds for one try of one call.")

    @field_validator("arms", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        return tuple(value.split(",")) if isinstance(value, str) else value

    @field_validator("model", "judge_model", "grader_model", "user_model")
    @classmethod
    def _named(cls, value: str | None) -> str | None:
        if value is not None and "/" not in value:
            raise UsageError(f"model '{value}': {MODEL_FORM}")
        return value

    @property
    def all_arms(self) -> tuple[Arm, ...]:
        """Every arm that will be run: ``original`` first, then those asked for, then their floors if wanted."""
        arms = parse_arms(self.arms)
        floors = [arm.floor for arm in arms] if self.floors else []
        return tuple(dict.fromkeys([*arms, *floors]))

    def judge_of(self, arm: Arm) -> str | None:
        """The model that criticises in an arm: the evaluated one where no other is named; None where no model does."""
        asked = any(knowledge != "none" for _, knowledge in arm.judges)
        moderates = self.moderator and len(arm.judges) > 1
        return (self.judge_model or self.model) if asked or moderates else None


GROWS: Final = frozenset({"arms", "limit", "floors", "epochs", "name"})
"""Settings that may change when a study goes on: more arms and samples are added to what is there."""

FREE: Final = frozenset({"max_connections", "timeout", "budget"})
"""Settings that change no result."""


def load_study(path: Path) -> Study:
    """Read a study file.

    Raises:
        InputError: It can't be read, or a setting is wrong; names the setting.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such study file")
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not YAML ({str(error).splitlines()[0]})") from error
    if not isinstance(data, dict):
        raise InputError(f"{path}: should hold settings such as 'benchmark: starter'")
    return make_study({"name": path.stem} | data, str(path))


def make_study(settings: dict[str, Any], source: str) -> Study:
    """A study from settings, with a message that names what is wrong.

    Raises:
        InputError: A setting is missing, unknown or wrong.
        UsageError: An arm can't be read, or what should be a model's name isn't one.
    """
    try:
        study = Study.model_validate({key: value for key, value in settings.items() if value is not None})
    except ValidationError as error:
        raise InputError(f"{source}: {_first_complaint(error)}") from error
    if not study.all_arms:
        raise UsageError(f"{source}: no arms")
    return study


def _first_complaint(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return f"'{where}' is missing"
    if first["type"] == "extra_forbidden":
        return f"'{where}' is no setting; there are {', '.join(Study.model_fields)}"
    return f"'{where}': {first['msg']}"
