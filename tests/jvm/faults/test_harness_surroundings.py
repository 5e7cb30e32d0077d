"""Names, paths, locales, time zones, permissions and ports as other machines and users have them."""

from __future__ import annotations

import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from buto import oracle
from buto.measure.jmx import local_agent
from buto.measure.private_directory import private_directory
from buto.run.model import Run
from buto.run.names import MAX_NAME_BYTES, start_of
from buto.run.store import RunStore
from tests.support.checkout import ROOT
from tests.support.jvm.harness import DEADLINE_S, harness, until
from tests.support.processes.command import buto, called
from tests.support.runs.stored import leaking_run, store

pytestmark = pytest.mark.all

ODD = '日本 тест\'s "ünï" $HOME %s ;&|\u202e\U0001f389'
"""Scripts of both directions, a space, quotes, and what shells and formats take for theirs."""

LOCALE = re.compile(r"LC_.*|LANG(UAGE)?|TZ")

GERMAN = {"LC_ALL": "de_DE.UTF-8", "JAVA_TOOL_OPTIONS": "-Duser.language=de -Duser.country=DE"}
ARABIC = {"LC_ALL": "ar_EG.UTF-8", "JAVA_TOOL_OPTIONS": "-Duser.language=ar -Duser.country=EG"}


def recorded(
    directory: Path,
    classes: Path,
    *options: str,
    name: str = "t",
    seen: Path | None = None,
    before: Callable[[], object] = lambda: None,
    **environment: str,
) -> Run:
    """A run of a real program, recorded in that directory with nothing but this environment of the kind.

    Args:
        seen: where the program writes, if it cannot in that directory.
    """
    kept = {key: value for key, value in os.environ.items() if not LOCALE.fullmatch(key)}
    java = ["java", "-cp", str(classes), "Phases", str(seen or directory), "ends", "500"]
    done = subprocess.run(
        [sys.executable, "-m", "buto", "record", name, *options, "--", *java],
        cwd=directory,
        env={**kept, "PYTHONPATH": str(ROOT), **environment},
        preexec_fn=before,
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    (run,) = RunStore(directory / ".buto").load_set(name).valid()
    return run


def assert_sound(run: Run) -> None:
    """It was recorded just now, and its figures are figures."""
    started = start_of(run.id)
    assert started is not None
    assert timedelta(0) <= datetime.now(UTC) - started < timedelta(seconds=DEADLINE_S)
    assert 1.1 < run.times_s[-1] < DEADLINE_S
    assert run.series("jvm.thread.count")[-1] >= 5
    assert run.outcome.exit_code == 0


def test_odd_names_in_the_plainest_locale(tmp_path: Path, classes: Path) -> None:
    directory = tmp_path / ODD
    sessions = directory / "tmp"
    sessions.mkdir(parents=True)
    plain = {"LC_ALL": "C", "TMPDIR": str(sessions), "TZ": "Asia/Kathmandu"}
    run = recorded(directory, classes, name=ODD, seen=tmp_path, **plain)
    assert_sound(run)
    listed = called(directory, "runs", "list")
    assert listed.returncode == 0
    assert run.id in listed.stdout
    assert "\u202e" not in listed.stdout
    assert list(sessions.iterdir()) == []


def test_no_locale_and_permissions_for_everybody(tmp_path: Path, classes: Path) -> None:
    assert_sound(recorded(tmp_path, classes, before=lambda: os.umask(0)))
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / ".buto").rglob("*") if path.is_file()}
    assert modes == {0o666}


def test_german_numbers_and_permissions_for_nobody_else(tmp_path: Path, classes: Path) -> None:
    run = recorded(tmp_path, classes, before=lambda: os.umask(0o077), TZ="America/St_Johns", **GERMAN)
    assert_sound(run)
    assert run.metadata["buto.interval"] == 0.1
    for path in (tmp_path / ".buto").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_a_program_that_writes_arabic_digits(tmp_path: Path, classes: Path) -> None:
    assert_sound(recorded(tmp_path, classes, **ARABIC))


def test_the_longest_names_can_be_trained_and_checked(tmp_path: Path) -> None:
    name = "é" * (MAX_NAME_BYTES // 2)
    deep = tmp_path.joinpath(*["x" * 200] * 16)
    deep.mkdir(parents=True)
    store(
        deep,
        *(leaking_run(number, test=name) for number in range(5)),
        leaking_run(20, test=name, purpose="check"),
    )
    trained = called(deep, "train", name, "--from-runs", "all", "--", "java", "Main")
    assert trained.returncode == 0, trained.stderr
    judged = called(deep, "check", name, "--from-runs", leaking_run(20).id, "--html", "out.html")
    assert judged.returncode == 0, judged.stderr
    assert oracle.load(deep / "oracles" / f"{name}.json").test == name
    assert called(deep, "train", name + "e", "--from-runs", "all", "--", "java", "Main").returncode == 2


def test_two_butos_train_one_oracle_at_the_same_time(tmp_path: Path) -> None:
    store(tmp_path, *(leaking_run(number) for number in range(6)))
    ids = RunStore(tmp_path / ".buto").ids("leaker")
    command = ("-m", "buto", "train", "leaker", "--from-runs")
    others = ("--", "java", "Main")
    with (
        harness(tmp_path, *command, ",".join(ids[:5]), *others) as first_harness,
        harness(tmp_path, *command, ",".join(ids[1:]), *others) as two,
    ):
        assert [first_harness.ended(), two.ended()] == [0, 0], first_harness.printed() + two.printed()
    assert set(oracle.load(tmp_path / "oracles" / "leaker.json").run_ids) in (set(ids[:5]), set(ids[1:]))
    assert sorted(path.suffix for path in (tmp_path / "oracles").iterdir()) == [".json", ".numbers"]


@pytest.fixture
def bystander(tmp_path: Path, classes: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A JVM that nobody measures."""
    process = subprocess.Popen(["java", "-cp", str(classes), "Phases", str(tmp_path), "ends", "600000"])
    yield process
    process.kill()
    process.wait()


def test_a_socket_path_that_is_taken_is_named(tmp_path: Path, bystander: subprocess.Popen[bytes]) -> None:
    # A JVM that starts removes what is in its way.
    until(lambda: (tmp_path / "begun").exists(), "the JVM does not start")
    path = Path(f"/tmp/.java_pid{bystander.pid}")
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    try:
        done = buto(tmp_path, "attach", "--pid", str(bystander.pid), "--duration", "1s")
    finally:
        path.unlink()
    assert done.returncode == 3
    assert f"cannot attach to process {bystander.pid}: Connection refused" in done.stderr
    assert "Traceback" not in done.stderr
    assert bystander.poll() is None


def test_a_port_that_is_taken_at_the_last_moment_is_not_insisted_on(
    tmp_path: Path, bystander: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    until(lambda: (tmp_path / "begun").exists(), "the JVM does not start")
    find, chosen = local_agent._free_port, []
    with private_directory() as directory, socket.create_server(("127.0.0.1", 0)) as taken:

        def free_port() -> int:
            chosen.append(find() if chosen else int(taken.getsockname()[1]))
            return chosen[-1]

        monkeypatch.setattr(local_agent, "_free_port", free_port)
        endpoint = local_agent.open_endpoint(bystander.pid, directory)
    assert f":{chosen[1]}/" in endpoint.address


def test_a_port_that_is_found_free_again_and_again_is_used(
    tmp_path: Path, bystander: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    until(lambda: (tmp_path / "begun").exists(), "the JVM does not start")
    port = local_agent._free_port()
    monkeypatch.setattr(local_agent, "_free_port", lambda: port)
    with private_directory() as directory:
        endpoint = local_agent.open_endpoint(bystander.pid, directory)
    assert f":{port}/" in endpoint.address
