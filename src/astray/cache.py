"""Where astray keeps what can be made again: models, advice books, evidence."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from astray.errors import InputError


def cache_folder(name: str) -> Path:
    """A folder of the cache: below ``$ASTRAY_CACHE``, else ``$XDG_CACHE_HOME/astray``, else ``~/.cache/astray``."""
    own = os.environ.get("ASTRAY_CACHE")
    if own:
        return Path(own).expanduser() / name
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "astray" / name


class Kept(Protocol):
    """What can be kept under its hash."""

    @property
    def hash(self) -> str:
        """Hash of what it holds."""

    def save(self, path: Path) -> Path:
        """Write it atomically, and return its path."""


K = TypeVar("K", bound=Kept)


@dataclass(frozen=True)
class Shelf(Generic[K]):
    """Files of one kind in the cache under the hash of what they hold, where a run finds them by hash alone.

    Attributes:
        name: The folder in the cache.
        what: What is kept, for messages.
        option: The option that puts one there.
        load: Reads a file.
    """

    name: str
    what: str
    option: str
    load: Callable[[Path], K]

    def keep(self, one: K) -> Path:
        """Put it there, if it isn't yet; where it is."""
        path = self._path(one.hash)
        return path if path.is_file() else one.save(path)

    def find(self, hash: str) -> K:
        """The one with this hash.

        Raises:
            InputError: It isn't there, or was changed since.
        """
        path = self._path(hash)
        if not path.is_file():
            raise InputError(
                f"no {self.what} with hash {hash} in {path.parent}; run the study with {self.option} again"
            )
        found = self.load(path)
        if found.hash != hash:
            raise InputError(f"{path}: was changed (its hash is now {found.hash}); delete it and run the study again")
        return found

    def _path(self, hash: str) -> Path:
        return cache_folder(self.name) / f"{hash}.jsonl"
