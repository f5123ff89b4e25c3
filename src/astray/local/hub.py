"""The file from Hugging Face, or from the cache its library keeps. The user's HF_* settings hold.

huggingface_hub takes minutes to give up on an endpoint that never answers, so one short question is asked first.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from astray.errors import ModelUnavailable
from astray.local.progress import Meter
from astray.local.sources import SourceFailed, disk_full_told, first_line
from astray.local.spec import ModelSpec

_ANSWER = 5.0
"""Seconds the hub has to answer."""
_GIVE_UP = 8.0
"""Seconds after which the question is dropped, whatever it waits for (a name server, say)."""


def fetch(spec: ModelSpec, folder: Path, meter: Meter) -> Path:
    """Bring the file into `folder`.

    Returns:
        The complete, not yet verified file.

    Raises:
        SourceFailed: the library isn't there, the hub doesn't answer within seconds, or the download fails.
        ModelUnavailable: the disk is full.
    """
    if spec.hub is None:
        raise SourceFailed("it isn't there for this model")
    try:
        import huggingface_hub
    except ImportError:
        raise SourceFailed("huggingface-hub isn't installed (pip install 'astray[local]')") from None
    scratch = folder / f"{spec.file}.hub"
    # What a killed process left is of no use: the library never goes on from a file of another process.
    shutil.rmtree(scratch, ignore_errors=True)
    with disk_full_told(folder, spec.bytes):
        cached = huggingface_hub.try_to_load_from_cache(spec.hub, spec.file)
        if isinstance(cached, str):
            scratch.mkdir()
            return Path(shutil.copyfile(cached, scratch / spec.file))
        _ask(lambda: _question(huggingface_hub, spec))
        meter.begin(f"{spec.name} (Hugging Face)", spec.bytes)
        done = False
        try:
            done = bool(path := _download(huggingface_hub, spec, scratch, meter))
            return path
        finally:
            meter.end(done)


def _question(hub: Any, spec: ModelSpec) -> None:
    """One request without retries; it answers for the download that comes after."""
    hub.get_hf_file_metadata(hub.hf_hub_url(spec.hub, spec.file), timeout=_ANSWER)


def _ask(question: Callable[[], None]) -> None:
    failure: list[BaseException] = []

    def run() -> None:
        try:
            question()
        except Exception as error:
            failure.append(error)

    thread = threading.Thread(target=run, daemon=True, name="astray-hub-question")
    thread.start()
    thread.join(_GIVE_UP)
    if thread.is_alive():
        raise SourceFailed(f"no answer within {_GIVE_UP:.0f} s")
    if failure:
        raise SourceFailed(first_line(failure[0])) from failure[0]


def _download(hub: Any, spec: ModelSpec, scratch: Path, meter: Meter) -> Path:
    # Plain HTTP has short timeouts for every step; the Xet client has none that can be set.
    before, hub.constants.HF_HUB_DISABLE_XET = hub.constants.HF_HUB_DISABLE_XET, True
    try:
        got = hub.hf_hub_download(
            spec.hub, spec.file, local_dir=scratch, etag_timeout=_ANSWER, tqdm_class=_bar(meter), library_name="astray"
        )
        return Path(got)
    except OSError as error:
        if error.errno is not None:  # of the file system: a full disk, no permission
            raise
        raise SourceFailed(first_line(error)) from error
    except ModelUnavailable:
        raise
    except Exception as error:  # httpx and the hub have many
        raise SourceFailed(first_line(error)) from error
    finally:
        hub.constants.HF_HUB_DISABLE_XET = before


def _bar(meter: Meter) -> type[Any]:
    """A tqdm that draws nothing and tells `meter`."""
    from tqdm.auto import tqdm  # type: ignore[import-untyped]

    class Told(tqdm):  # type: ignore[misc]
        def __init__(self, *args: Any, **options: Any) -> None:
            options.pop("name", None)
            super().__init__(*args, **{**options, "disable": True})

        def update(self, n: float | None = 1) -> None:
            meter.advance(int(n or 0))

    return Told
