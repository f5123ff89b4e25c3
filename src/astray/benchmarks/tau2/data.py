"""The domains of tau2-bench: tasks, policies and databases, from inspect-evals' wheel or from ``$TAU2_DATA_DIR``."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from astray.errors import InputError, UsageError, nearest

if TYPE_CHECKING:
    from inspect_evals.tau2.data_model.tasks import Task

DOMAINS: Final = ("airline", "retail", "telecom")

DATA_DIR: Final = "TAU2_DATA_DIR"
"""Names the data folder of a tau2-bench checkout; as there, its domains lie in ``tau2/domains``."""

_POLICIES: Final = {"telecom": ("main_policy", "tech_support_manual")}
_ENDINGS: Final = (".json", ".json.gz", ".md", ".txt", ".toml")


@dataclass(frozen=True, eq=False)
class Domain:
    """One domain as it was loaded: read-only.

    Attributes:
        name: ``airline``, ``retail`` or ``telecom``.
        tasks: By id, in the order of the file.
        policy: What the agent has to keep to.
        guidelines: How a simulated user behaves.
        databases: The agent's, and the user's where the user has tools: never to be changed.
        version: Where the data come from, with a hash over all of them.
    """

    name: str
    tasks: Mapping[str, Task]
    policy: str
    guidelines: str
    databases: tuple[Any, ...]
    version: str

    @cached_property
    def kept(self) -> dict[Any, Any]:
        """What was worked out of the tasks, and need not be worked out again."""
        return {}


def need_evals() -> str:
    """The version of inspect-evals.

    Raises:
        UsageError: It isn't installed; names the extra.
    """
    try:
        return version("inspect-evals")
    except PackageNotFoundError as error:
        raise UsageError(
            "tau2 needs the tasks and tools of inspect-evals; install it with: pip install 'astray[evals]'"
        ) from error


def load_domain(name: str) -> Domain:
    """A domain, loaded once.

    Raises:
        UsageError: No such domain, or inspect-evals isn't installed.
        InputError: A file of it is missing or can't be used.
    """
    if name not in DOMAINS:
        near = nearest(name, DOMAINS)
        hint = f"did you mean '{near}'? " if near else ""
        raise UsageError(f"benchmark 'tau2:{name}': no such domain; {hint}there are {', '.join(DOMAINS)}")
    need_evals()
    return _load(name, os.environ.get(DATA_DIR) or None)


@cache
def _load(name: str, folder: str | None) -> Domain:
    root = _root(folder)
    domain = root / "domains" / name
    files = [_file(domain, stem) for stem in ("tasks", "split_tasks", "db", *_POLICIES.get(name, ("policy",)))]
    tasks, split, database, *policies = files
    own = [_file(domain, "user_db")] if name == "telecom" else []
    tools = "_tools" if own else ""
    guidelines = _file(root / "user_simulator", f"simulation_guidelines{tools}")
    mark = hashlib.sha256(b"".join(_bytes(path) for path in [*files, *own, guidelines])).hexdigest()[:12]
    source = f"${DATA_DIR}" if folder else f"inspect-evals {need_evals()}"
    return Domain(
        name,
        _tasks(tasks, split),
        "\n\n".join(_bytes(path).decode().strip() for path in policies),
        _bytes(guidelines).decode().strip(),
        tuple(_database(kind, path) for kind, path in zip(_kinds(name), [database, *own], strict=True)),
        f"{name} {mark} ({source})",
    )


def data_files(name: str) -> dict[str, bytes]:
    """Everything upstream needs of a domain, by path below ``tau2`` and under upstream's names, unpacked."""
    root = _root(os.environ.get(DATA_DIR) or None)
    found: dict[str, bytes] = {}
    for folder in (root / "domains" / name, root / "user_simulator"):
        for path in sorted(folder.iterdir()):
            if path.is_file():
                own = path.relative_to(root).as_posix().removesuffix(".gz")
                found[own.removesuffix(".txt") + ".md" if own.endswith(".txt") else own] = _bytes(path)
    return found


def _root(folder: str | None) -> Path:
    if folder is None:
        from inspect_evals.tau2.utils import TAU2_DATA_DIR

        return Path(TAU2_DATA_DIR)
    path = Path(folder).expanduser()
    for root in (path / "tau2", path):
        if (root / "domains").is_dir():
            return root
    raise InputError(f"${DATA_DIR}: {path} holds no tau2/domains; name the data folder of a tau2-bench checkout")


def _file(folder: Path, stem: str) -> Path:
    for ending in _ENDINGS:
        if (folder / f"{stem}{ending}").is_file():
            return folder / f"{stem}{ending}"
    raise InputError(f"{folder}: holds no {stem} ({', '.join(_ENDINGS)}); is the tau2 data complete?")


def _bytes(path: Path) -> bytes:
    raw = path.read_bytes()
    return gzip.decompress(raw) if path.suffix == ".gz" else raw


def _tasks(path: Path, split: Path) -> dict[str, Task]:
    """The tasks of the split ``base``, which is what papers report."""
    from inspect_evals.tau2.data_model.tasks import Task

    try:
        wanted = {str(id) for id in json.loads(_bytes(split))["base"]}
        rows = [row for row in json.loads(_bytes(path)) if str(row["id"]) in wanted]
        return {str(row["id"]): Task.model_validate(row) for row in rows}
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        raise InputError(f"{path}: not tasks of tau2-bench as inspect-evals reads them ({error})") from error


def _kinds(name: str) -> tuple[Any, ...]:
    if name == "airline":
        from inspect_evals.tau2.airline.data_model import FlightDB

        return (FlightDB,)
    if name == "retail":
        from inspect_evals.tau2.retail.data_model import RetailDB

        return (RetailDB,)
    from inspect_evals.tau2.telecom.data_model import TelecomDB
    from inspect_evals.tau2.telecom.user_data_model import TelecomUserDB

    return (TelecomDB, TelecomUserDB)


def _database(kind: Any, path: Path) -> Any:
    try:
        if path.suffix == ".toml":
            return kind.load(str(path))
        return kind.model_validate_json(_bytes(path))
    except (ValueError, OSError) as error:
        raise InputError(f"{path}: not a database that inspect-evals' tools can use ({error})") from error
