"""What the agent brings into the program: classes, threads, and nothing more once the program runs."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.support.jvm.agents import AGENT, PATIENCE_S, Launcher, until, without_opening
from tests.support.jvm.javas import JAVAS
from tests.support.jvm.plain_collector import Heard, PlainCollector

MOST_CLASSES = {17: 275, 25: 440}
"""A little more than perf/collecting/weight.py shows (252, 412), for an update of a JDK may add some."""


@pytest.fixture
def program(tmp_path: Path, classes: Path) -> Path:
    """The program in a jar, as programs are: the classes that read jars are its own then."""
    jar = tmp_path / "program.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.write(classes / "Ends.class", "Ends.class")
    return jar


def classes_of(java: str, program: Path, option: str, log: Path) -> int:
    command = [java, option, f"-Xlog:class+load:file={log}", "-cp", program, "Ends", "wait"]
    subprocess.run(
        list(map(str, command)),
        check=True,
        timeout=PATIENCE_S,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    return loaded(log)


def loaded(log: Path) -> int:
    return sum(" source: " in line for line in log.read_text().splitlines())


@pytest.mark.parametrize("version", sorted(set(MOST_CLASSES) & set(JAVAS)))
def test_few_classes_and_one_thread_come_all_before_main(
    version: int, launcher: Launcher, collector: PlainCollector, program: Path, tmp_path: Path
) -> None:
    log = tmp_path / "classes.log"
    alone = classes_of(JAVAS[version], program, "-Dnothing", log)
    heard, n_before_the_end = measured(JAVAS[version], launcher, collector, program, log)
    assert loaded(log) - alone <= MOST_CLASSES[version]
    # The first classes after main are the program's own; then it only waits.
    for name in ("jvm.class.loaded", "jvm.thread.started"):
        assert len(set(heard.series(name)[n_before_the_end - 6 : n_before_the_end])) == 1


def measured(
    java: str, launcher: Launcher, collector: PlainCollector, program: Path, log: Path, agent: Path = AGENT
) -> tuple[Heard, int]:
    """Return all that was heard, and how many rows of it before the waiting program was told to end."""
    option = f"-agentlib:instrument={agent}={collector.session_file}"
    options = [option, f"-Xlog:class+load:file={log}"]
    process = launcher.start(java, None, ["-cp", str(program), "Ends", "wait"], options)
    collector.start(interval_ms=20)
    until(launcher.lines)
    began = int(launcher.lines()[0])
    collector.read_until(lambda heard: sum(time > began for time in heard.times) >= 15)
    n_rows = len(collector.heard.rows)
    launcher.go_on()
    heard = collector.finish()
    assert process.wait(PATIENCE_S) == 0
    return heard, n_rows


def test_a_jdk_that_opens_nothing_gives_the_same_values_by_its_public_interface(
    java: str, launcher: Launcher, collector: PlainCollector, program: Path, tmp_path: Path
) -> None:
    """Java 8 gives the agent a LinkageError, as does one whose inside has changed."""
    closed = without_opening(tmp_path)
    public, _ = measured(java, launcher, collector, program, tmp_path / "public.log", closed)
    with PlainCollector(tmp_path) as second:
        direct, _ = measured(java, launcher, second, program, tmp_path / "direct.log")
    assert loaded(tmp_path / "public.log") > loaded(tmp_path / "direct.log") + 50
    # Only the order differs, for the public way goes through a map.
    assert sorted(public.columns) == sorted(direct.columns)
    assert public.metadata.keys() == direct.metadata.keys()
    changing = {key for key in public.metadata if public.metadata[key] != direct.metadata[key]}
    assert changing <= {
        "process.pid",
        "jvm.start.time",
        "jvm.uptime",
        "jvm.input.arguments",
        "system.load.average",
        "jvm.memory.pools",
        "jvm.gc.collectors",
    }
    for name in ("jvm.class.count", "jvm.thread.count", "jvm.cpu.time"):
        assert public.series(name)[-1] > 0
        assert direct.series(name)[-1] > 0
