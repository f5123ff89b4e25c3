"""What the tests of evidence share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from astray.errors import InputError
from astray.evidence import (
    Pack,
)

VERIFIER = "openai-api/scripted/verifier"


def row(id: str = "q0", **more: Any) -> dict[str, Any]:
    return {"sample_id": id, "alternative": "ruby", "passages": [{"text": "It is ruby.", "source": "a book"}]} | more


def header(**more: Any) -> dict[str, Any]:
    return {"astray_evidence": 1, "benchmark": "qa", "fingerprint": "", "author": "a test"} | more


def complaint(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        Pack.load(path)
    return str(caught.value).replace(str(path), "PACK")
