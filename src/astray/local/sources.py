"""What every source of a model file shares: how it fails, and what a full disk is called."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from astray.errors import ModelUnavailable
from astray.local.progress import megabytes


class SourceFailed(Exception):
    """This source can't give the file; the next one is tried. The message is one line."""


def no_space(folder: Path, needed: int) -> ModelUnavailable:
    """The error for a disk with too little room for `needed` more bytes in `folder`."""
    free = shutil.disk_usage(folder).free
    return ModelUnavailable(
        f"Not enough disk space for the model: {megabytes(needed)} are needed in {folder}, {megabytes(free)} are free. "
        "Make room there, or let the environment variable ASTRAY_CACHE name a folder with more."
    )


@contextmanager
def disk_full_told(folder: Path, needed: int) -> Iterator[None]:
    """Turn "no space left" inside the block into a `ModelUnavailable` that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise no_space(folder, needed) from error
        raise


def first_line(error: BaseException) -> str:
    """An error in one line of at most 200 characters."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:200]
