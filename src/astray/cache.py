"""Where astray keeps what can be made again: models and advice books."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(name: str) -> Path:
    """A folder of the cache: below ``$ASTRAY_CACHE``, else ``$XDG_CACHE_HOME/astray``, else ``~/.cache/astray``."""
    own = os.environ.get("ASTRAY_CACHE")
    if own:
        return Path(own).expanduser() / name
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "astray" / name
