"""The embedded model: which there are, and where their files come from. Importing this loads nothing heavy.

The server is in `astray.local.server`, what Inspect sees in `astray.local.provider`.
"""

from __future__ import annotations

from astray.local.spec import DEFAULT, KNOWN, ModelSpec, Wheels, find
from astray.local.store import ensure, local_path, models_folder, path

__all__ = ["DEFAULT", "KNOWN", "ModelSpec", "Wheels", "ensure", "find", "local_path", "models_folder", "path"]
