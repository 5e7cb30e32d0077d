"""Each failure is one message that quotes the program."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from pathlib import Path
from typing import Any

import psutil
import pytest

from buto import jars
from buto.errors import BadFileError, MeasureError, StorageError
from buto.measure import exits
from buto.measure.launch import Launch
from buto.measure.output import HEAD_BYTES, TAIL_BYTES
from buto.measure.target import Target
from tests.support.checkout import ROOT
from tests.support.jvm.javas import COLLECTORS
from tests.support.jvm.recorder import Recorder, problems


def failure(record: Recorder, *command: str, **settings: Any) -> MeasureError:
    with pytest.raises(MeasureError) as raised:
        record.run(*command, **settings)
    return raised.value


def test_an_unknown_main_class_is_named(record: Recorder, java: str) -> None:
    error = failure(record, java, "-cp", ".", "com.acme.Nope")
    assert error.message.startswith(
        "the program did not start: Error: Could not find or load main class com.acme.Nope\n"
    )
    assert "end: exit code 1" in error.message
    assert "ClassNotFoundException: com.acme.Nope" in error.message
    assert "-cp" in str(error.advice)


def test_a_main_class_is_named_though_nobody_saw_the_jvm_alive(java: str, tmp_path: Path) -> None:
    target = Target((java, "-cp", ".", "com.acme.Nope"))
    with Launch(target, tmp_path) as launch:
        assert launch.wait(60) is not None
        error = exits.main_not_found(launch, program="")
    assert error is not None
    assert "load main class com.acme.Nope" in error.message
    assert "class path" in str(error.advice)


def test_a_missing_jar_is_named(record: Recorder, java: str) -> None:
    error = failure(record, java, "-jar", "/no/such/app.jar")
    assert "/no/such/app.jar" in error.message
    assert "end: exit code 1" in error.message
    assert error.advice


def test_a_jar_without_main_class_is_named(record: Recorder, tmp_path: Path) -> None:
    jar = tmp_path / "app.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
    error = failure(record, "java", "-jar", str(jar))
    assert error.message.startswith(f"the program did not start: no main manifest attribute, in {jar}\n")


def test_an_option_that_the_jvm_does_not_know_is_quoted(record: Recorder) -> None:
    error = failure(record, "java", "-XX:+NoSuchOption", "Main")
    assert error.message.startswith("the JVM could not be created: Unrecognized VM option 'NoSuchOption'\n")
    assert str(error.advice).startswith("correct the JVM's options")


@pytest.mark.parametrize("collector", COLLECTORS)
@pytest.mark.parametrize(
    ("options", "printed"),
    [("-XX:+Bogus", "Unrecognized VM option 'Bogus'"), ("-Xmx1", "Too small maximum heap")],
)
@pytest.mark.parametrize("shell", [("sh", "-c"), ()], ids=["wrapped", "direct"])
def test_bad_options_of_the_environment_are_quoted(
    record: Recorder, collector: str, options: str, printed: str, shell: tuple[str, ...]
) -> None:
    command = (*shell, "java Main; exit 0") if shell else ("java", "Main")
    error = failure(record, *command, environment={"JAVA_TOOL_OPTIONS": options}, collector=collector)
    assert error.message.startswith(f"the JVM could not be created: {printed}\n")
    assert "JAVA_TOOL_OPTIONS" in str(error.advice)


def test_another_exit_code_than_expected_makes_the_run_invalid(record: Recorder) -> None:
    run = record.java("Ends", "0", "exit", "3")
    assert problems(run) == ["it exited with code 3, expected 0"]
    assert not run.quality.valid
    assert problems(record.java("Ends", "0", "exit", "3", expected_exit=3)) == []


def test_a_program_that_prints_100_mib_is_cut_and_costs_no_disk(
    record: Recorder, nothing_is_left: Path
) -> None:
    largest = 0

    def look(_: object) -> None:
        nonlocal largest
        files = nothing_is_left.glob("buto-*/std*")
        largest = max(largest, sum(file.stat().st_blocks * 512 for file in files))

    run = record.java("Prints", "100", on_tick=look)
    assert problems(run) == []
    assert run.stdout.startswith(b"first\nxxx")
    assert run.stdout.endswith(b"xxx\nlast\n")
    n_cut = 100 * 2**20 + len(b"first\nlast\n") - HEAD_BYTES - TAIL_BYTES
    assert f"\n[buto: {n_cut} bytes of output are not kept]\n".encode() in run.stdout
    assert run.stderr == b"a complaint\n"
    assert largest < 100 * 2**20


def test_a_missing_agent_is_not_a_missing_program(record: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jars, "AGENT", "no-such-agent.jar")
    with pytest.raises(BadFileError, match=r"no-such-agent\.jar is missing"):
        record.java("Ends", "0")


def test_a_temporary_directory_that_cannot_be_written_is_named(
    record: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/proc")
    with pytest.raises(StorageError, match="no directory can be created in /proc") as raised:
        record.java("Ends", "0")
    assert "TMPDIR" in str(raised.value.advice)


def test_awkward_temporary_directories_do_not_matter(
    record: Recorder, tmp_path: Path, classes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    awkward = tmp_path / "a b=c"
    awkward.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(awkward))
    assert problems(record.java("Ends", "0")) == []
    assert problems(record.run("sh", "-c", f"java -cp {classes} Ends 0")) == []


@pytest.mark.parametrize("moment", ["starting", "running"])
def test_ctrl_c_stops_the_program_and_is_passed_on(classes: Path, tmp_path: Path, moment: str) -> None:
    script = textwrap.dedent("""
        import sys
        from buto.measure.opener import open_collector
        from buto.measure.target import Target
        seen = set()
        def tell(progress):
            if progress.stage not in seen:
                seen.add(progress.stage)
                print(progress.stage, flush=True)
        command = ("java", "-cp", sys.argv[1], "Ends", "0", "hang")
        try:
            with open_collector(Target(command, timeout_s=60)) as collector:
                collector.record("test", tell)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """)
    buto = subprocess.Popen(
        [sys.executable, "-c", script, str(classes)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    with buto:
        assert buto.stdout is not None
        while buto.stdout.readline().strip() != moment:
            assert buto.poll() is None
        programs = psutil.Process(buto.pid).children(recursive=True)
        watchdog, program = sorted(programs, key=lambda process: process.name() == "java")
        assert program.name() == "java"
        assert "process_group.py" in " ".join(watchdog.cmdline())
        start = time.monotonic()
        buto.send_signal(signal.SIGINT)
        assert buto.stdout.read().strip().splitlines()[-1] == "interrupted"
        assert buto.wait(50) == 0
        assert time.monotonic() - start < 50, "the program would have slept for 60 s"
    assert not any(program.is_running() for program in programs)


@pytest.mark.all
def test_many_launches_leave_nothing_growing(record: Recorder) -> None:
    def state() -> tuple[int, int, int]:
        process = psutil.Process()
        return process.num_fds(), process.num_threads(), process.memory_info().rss

    for _ in range(5):
        record.java("Ends", "0")
    record.recordings.clear()
    fds, threads, rss = state()
    for _ in range(20):
        record.java("Ends", "0")
        record.recordings.clear()
    fds_after, threads_after, rss_after = state()
    # What other tests in this process left may end meanwhile.
    assert fds_after <= fds
    assert threads_after <= threads
    assert rss_after - rss < 4 * 2**20
