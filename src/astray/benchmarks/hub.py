"""Data sets that tasks load from the Hugging Face hub: without a connection, a clear word soon instead of retries."""

from __future__ import annotations

import logging
import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies

_LOGGER: Final = "huggingface_hub.utils._http"
_PATIENCE: Final = 3.0
_UNREACHABLE: Final = re.compile(r"Couldn't reach '([^']+)' on the Hub|Couldn't find cache for (\S+)")
_GATED: Final = re.compile(r"Dataset '([^']+)' (?:is a gated dataset|doesn't exist on the Hub)")


@contextmanager
def no_waiting_for_the_hub() -> Iterator[None]:
    """While within, a hub that can't be reached is given up with the first failed request, for what the cache has.

    Its library would try six times, for half a minute. Nothing changes where the hub answers, and nothing is asked of
    it here unless a request of the library's own has failed.
    """
    logger, watcher = logging.getLogger(_LOGGER), _Watcher()
    logger.addFilter(watcher)
    try:
        yield
    finally:
        logger.removeFilter(watcher)
        if watcher.gave_up:
            _set_offline(False)


def hub_trouble(error: BaseException) -> str | None:
    """What went wrong with the hub, and what to do about it; None where the error isn't about the hub."""
    text = str(error)
    if found := _UNREACHABLE.search(text):
        name = found[1] or found[2]
        return (
            f"its data set '{name}' is on the Hugging Face hub, which can't be reached, and not in the cache here; "
            "load it once where there is a connection, and bring that cache along (HF_HOME)"
        )
    if found := _GATED.search(text):
        return (
            f"the Hugging Face hub doesn't hand out its data set '{found[1]}'; if it is gated, ask for access on its "
            f"page there, and set HF_TOKEN to a token of your own"
        )
    return None


class _Watcher(logging.Filter):
    """Sees the library's word about a failed request, and turns its offline mode on where the hub isn't there."""

    def __init__(self) -> None:
        super().__init__()
        self.gave_up = False

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the library's word is shown: not where the hub is given up, which is said in the end."""
        if not self.gave_up and "thrown while requesting" in record.getMessage() and not _reachable():
            self.gave_up = _set_offline(True)
        return not self.gave_up


def _reachable() -> bool:
    if getproxies().get("https"):
        return True  # only the proxy could say
    host = urlsplit(os.environ.get("HF_ENDPOINT") or "https://huggingface.co").hostname or ""
    try:
        socket.create_connection((host, 443), timeout=_PATIENCE).close()
    except OSError:
        return False
    return True


def _set_offline(offline: bool) -> bool:
    """The library reads its variable when it is imported, and this constant with every request."""
    constants = sys.modules.get("huggingface_hub.constants")
    if constants is None or getattr(constants, "HF_HUB_OFFLINE", None) is offline:
        return False
    constants.HF_HUB_OFFLINE = offline  # type: ignore[attr-defined]
    return True
