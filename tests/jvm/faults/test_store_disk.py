"""Disks that are full or read-only, at each thing that buto writes: one message, and all as it was before."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from buto.cli.commands import doctor
from buto.errors import EXIT_NOT_JUDGED, EXIT_PASS
from buto.measure.doctor import Diagnosis, Health
from buto.run.store import RunStore
from tests.support.processes.command import buto, called
from tests.support.processes.permissions import read_only
from tests.support.runs.stored import cut_off, leaking_run, store

_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE = 24, 1
"""linux/prctl.h, linux/capability.h"""

TRAIN = ("train", "leaker", "--from-runs", "all")
COMMAND = ("--", "java", "Main")
CHECK = ("check", "leaker", "--from-runs", leaking_run(20).id)
WRITES = {
    "oracle": (*TRAIN, "--oracle", "made/new.json", *COMMAND),
    "known oracle": (*TRAIN, *COMMAND),
    "json": ("report", "leaker", "--json", "out.json"),
    "html": ("report", "leaker", "--html", "out.html"),
    "markdown": ("report", "leaker", "--markdown", "out.md"),
    "junitxml": ("report", "leaker", "--junitxml", "out.xml"),
    "bencher": ("report", "leaker", "--bencher", "out.json"),
    "charts": ("plot", "leaker", "--out", "made"),
    "export": ("runs", "export", "leaker", "-o", "out.csv"),
    "list": ("runs", "list", "--json", "out.json"),
    "picture": ("history", "leaker", "--plot", "out.png"),
    "label": ("label", "leaker", "all", "good"),
    "labels": ("label", "leaker", "--export", "out.csv"),
    "otava": ("history", "leaker", "--otava", "out.csv"),
    "acceptance": ("accept", "leaker", "--from-runs", ",".join(leaking_run(n).id for n in (*range(5), 20))),
    "recovery": ("runs", "recover"),
    "doctor": ("doctor", "--json", "out.json"),
}
DELETE = ("runs", "delete", "leaker", "--keep", "3", "--with-training")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs, an oracle, a result of a check and a recording that was cut off."""
    directory = tmp_path_factory.mktemp("prepared")
    store(directory, *(leaking_run(number) for number in range(5)), leaking_run(20, purpose="check"))
    assert called(directory, *TRAIN, *COMMAND).returncode == 0
    assert called(directory, *CHECK).returncode == 0
    cut_off(directory, "lost")
    return directory


@pytest.fixture
def project(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of all that; and a doctor who looks at nothing, for what matters is what he writes."""
    monkeypatch.setattr(doctor, "examine", lambda _: [Diagnosis("clock", Health.OK, "it goes")])
    return Path(shutil.copytree(prepared, tmp_path / "project"))


def files(directory: Path) -> dict[str, bytes]:
    """All that is there, but for what only makes reading faster."""
    found = (path for path in directory.rglob("*") if path.is_file() and "cache" not in path.parts)
    return {str(path.relative_to(directory)): path.read_bytes() for path in found}


@contextmanager
def full(_: Path, room: int = 20) -> Iterator[None]:
    """A disk that is full after this number of bytes in a file, for this process."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("what", WRITES)
def test_a_full_disk_ends_with_one_message_and_leaves_all_as_it_was(project: Path, what: str) -> None:
    before = files(project)
    with full(project):
        done = called(project, *WRITES[what])
    assert done.returncode == EXIT_NOT_JUDGED, done.stderr
    assert "File too large" in done.stderr
    assert files(project) == before
    assert called(project, *WRITES[what]).returncode == 0


def test_runs_can_be_deleted_where_there_is_no_room(project: Path) -> None:
    with full(project, room=0):
        assert called(project, *DELETE).returncode == 0
    assert len(RunStore(project / ".buto").ids("leaker")) == 3


@pytest.mark.parametrize("disk", [full, read_only])
def test_a_result_that_cannot_be_kept_costs_its_place_in_the_history_and_no_verdict(
    project: Path, disk: Callable[[Path], AbstractContextManager[None]]
) -> None:
    before = files(project)
    with disk(project):
        done = called(project, *CHECK)
    assert done.returncode == EXIT_PASS
    assert "PASS" in done.stdout
    assert "; buto history will not show it" in done.stderr
    assert files(project) == before


@pytest.mark.parametrize("what", [*WRITES, "deletion"])
def test_a_read_only_directory_ends_with_one_message(project: Path, what: str) -> None:
    before = files(project)
    with read_only(project):
        done = called(project, *WRITES.get(what, DELETE))
    assert done.returncode == EXIT_NOT_JUDGED, done.stderr
    assert "cannot" in done.stderr
    assert "try:" in done.stderr
    assert files(project) == before


def test_runs_in_a_read_only_store_can_be_looked_at(project: Path) -> None:
    with read_only(project):
        assert called(project, "runs", "list").returncode == 0
        assert called(project, "runs", "show", "leaker").returncode == 0


def obeying_permissions() -> None:
    """For a child before it starts its program: root obeys the permissions of files, as others must."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, _CAP_DAC_OVERRIDE, 0, 0, 0)


def test_nothing_is_launched_for_a_read_only_store(tmp_path: Path) -> None:
    (tmp_path / ".buto").mkdir()
    with read_only(tmp_path / ".buto"):
        launch = ("record", "t", "--", "sh", "-c", "touch launched")
        done = buto(tmp_path, *launch, before=obeying_permissions)
    assert done.returncode == EXIT_NOT_JUDGED
    assert "the store .buto cannot be written: permission denied" in done.stderr
    assert not (tmp_path / "launched").exists()


@pytest.mark.parametrize("option", ["--json", "--markdown", "--junitxml"])
def test_a_full_device_is_reported_and_stays_a_device(project: Path, option: str) -> None:
    assert called(project, *CHECK).returncode == 0
    done = called(project, "report", "leaker", option, "/dev/full")
    assert done.returncode == EXIT_NOT_JUDGED
    assert "/dev/full cannot be written: No space left on device" in done.stderr
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
