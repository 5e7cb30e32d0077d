"""The arms of turns on real JVMs: their counters are those of the program as it is typed, where it stands."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from buto.errors import EXIT_NOT_JUDGED
from buto.judging.beyond import beyond, find_counted_properties, totals
from buto.oracle import load
from buto.programs.named import Kept, Unlike
from buto.run.model import COMMIT, PURPOSE, Run
from buto.run.store import RunStore
from tests.support.checkout import compile_java
from tests.support.judging import BY_HEAP, Judge, know_a_busy_machine, literal
from tests.support.jvm.javas import JAVAS
from tests.support.processes.command import buto
from tests.support.processes.repository import commit, git

pytestmark = pytest.mark.all

N_ENTRIES = 6_000
"""The directory of such a jar has more bytes than all else that the program reads."""

MAIN = """
package acme;
import java.io.*;
import java.nio.file.*;
public final class Main {
    static final Path JAR = path();
    static Path path() {
        try {
            return Paths.get(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (Exception error) {
            throw new IllegalStateException(error);
        }
    }
    public static void main(String[] words) throws Exception {
        System.out.println(System.getProperty("java.class.path"));
        for (int step = 0; step < 5; step++) {
            Thread.sleep(20);
        }
        %s
    }
}
"""
READ_BESIDE = """
        Path beside = JAR.resolveSibling("words.txt");
        for (int time = 0; time < 50 && Files.exists(beside); time++) {
            Files.readAllBytes(beside);
        }
"""
NEED_BESIDE = 'Files.readAllBytes(JAR.resolveSibling("words.txt"));'
REPLACE_AT = """
        Path count = Paths.get("count");
        int launches = Files.exists(count) ? Files.readAllBytes(count).length + 1 : 1;
        Files.write(count, new byte[launches]);
        if (launches == %d) {
            Files.move(Paths.get("next.jar"), Paths.get("lib/app.jar"), StandardCopyOption.REPLACE_EXISTING);
        }
"""


def build(project: Path, body: str = "", jar: str = "lib/app.jar", n_entries: int = 0) -> Path:
    """Build a jar with a main class and so many other entries."""
    source = project / "src/acme/Main.java"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(MAIN % body)
    classes = compile_java(project / "classes", [source])
    (project / jar).parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(project / jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nMain-Class: acme.Main\n\n")
        archive.write(classes / "acme/Main.class", "acme/Main.class")
        for number in range(n_entries):
            archive.writestr(f"com/acme/resources/of/a/library/Entry{number:05d}.txt", "x")
    shutil.rmtree(classes)
    shutil.rmtree(project / "src")
    return project / jar


def configure(project: Path, command: str, more: str = "", judge: Judge = BY_HEAP) -> None:
    (project / "buto.yaml").write_text(
        f"version: 1\ntests:\n  shop: {{command: {command}, runs: 5, interval: 50ms, "
        f"judge: {literal(judge)}{more}}}\n"
    )


@contextmanager
def one_core() -> Iterator[None]:
    """Let what is launched meanwhile have one core, which is another environment: turns follow at once."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def in_turns(project: Path, test: str) -> list[Run]:
    return [run for run in RunStore(project / ".buto").load_set(test) if run.metadata[PURPOSE] == "turns"]


@pytest.mark.slow
@pytest.mark.parametrize("java", JAVAS.values(), ids=[f"java{release}" for release in JAVAS])
@pytest.mark.parametrize(
    "command",
    ["-jar lib/app.jar", "-jar {project}/lib/app.jar", "-cp lib/* acme.Main"],
    ids=["relative", "absolute", "wildcard"],
)
def test_both_arms_have_the_counters_of_the_program_as_it_is_typed(
    tmp_path: Path, java: str, command: str
) -> None:
    """With an agent, JDK 17 reads the directory of a jar twice if -jar is relative, and once if absolute."""
    project = tmp_path / "project"
    project.mkdir()
    build(project, n_entries=N_ENTRIES)
    configure(project, f"java -Xmx64m -XX:+UseSerialGC {command.format(project=project)}")
    path = {"PATH": f"{Path(java).parent}{os.pathsep}{os.environ['PATH']}"}
    done = buto(project, "train", **path)
    assert done.returncode == 0, done.stderr
    assert isinstance(load(project / "oracles/shop.json").program, Kept)
    with one_core():
        done = buto(project, "check", "shop", **path)
    old, new = (in_turns(project, test) for test in ("shop@trained", "shop"))
    assert min(len(old), len(new)) >= 3, done.stderr
    typed = [run for run in RunStore(project / ".buto").load_set("shop") if run not in new]
    names = ("process.io.bytes", "jvm.mem")
    counters = [prop for prop in find_counted_properties(typed) if prop.name.startswith(names)]
    assert len(counters) >= 3
    for some, others in ((typed, old), (typed, new), (old, new), (new, old)):
        assert beyond(counters, totals(some, counters), totals(others, counters)) == ()
    (read,) = (counter for counter in counters if counter.name == "process.io.bytes[read]")
    levels = [float(np.median(totals(some, [read]))) for some in (typed, old, new)]
    assert max(levels) < 1.02 * min(levels), "not even the directory of the jar"
    slots = defaultdict(set)
    for arm in (old, new):
        for run in arm:
            slots[len(run.stdout)].add(run.stdout)
    assert len(slots) == 1 and len(*slots.values()) <= 2
    places = [{run.metadata["jvm.class.path"] for run in runs} for runs in (new, typed)]
    assert places[0] == places[1]


@pytest.mark.parametrize(("body", "differs"), [(READ_BESIDE, "process.io.bytes[read]"), (NEED_BESIDE, None)])
def test_training_says_that_a_file_beside_the_jar_must_be_declared(
    tmp_path: Path, body: str, differs: str | None
) -> None:
    build(tmp_path, body)
    (tmp_path / "lib/words.txt").write_text("word\n" * 20_000)
    configure(tmp_path, "java -Xmx64m -jar lib/app.jar", judge={})
    done = buto(tmp_path, "train")
    assert done.returncode == 0, done.stderr
    program = load(tmp_path / "oracles/shop.json").program
    assert isinstance(program, Unlike)
    assert (differs in program.properties) if differs else program.properties == ()
    assert "shop: the program is not kept: its copy " in done.stderr
    assert "inputs" in done.stderr

    configure(tmp_path, "java -Xmx64m -jar lib/app.jar", ", inputs: [lib/*]", judge={})
    done = buto(tmp_path, "train")
    assert done.returncode == 0, done.stderr
    assert isinstance(load(tmp_path / "oracles/shop.json").program, Kept)


@pytest.mark.slow
def test_a_jar_that_is_replaced_in_the_middle_of_turns_decides_nothing(tmp_path: Path) -> None:
    """Five launches of training, one of the kept copy, one of the check; then turns."""
    project, stages = tmp_path / "project", tmp_path / "stages"
    for directory in (project, stages):
        directory.mkdir()
    build(project, "System.out.println(1);", jar="next.jar")
    build(project, REPLACE_AT % 9)
    configure(project, "java -Xmx64m -XX:+UseSerialGC -jar lib/app.jar")
    assert buto(project, "train").returncode == 0
    with one_core():
        done = buto(project, "check", "shop", TMPDIR=str(stages))
    assert (project / "count").stat().st_size == 9
    assert done.returncode == EXIT_NOT_JUDGED, done.stdout + done.stderr
    assert f"{project / 'lib/app.jar'} has changed during the check" in done.stdout + done.stderr
    assert list(stages.iterdir()) == []


def test_accept_keeps_the_program_that_was_judged_in_turns(tmp_path: Path) -> None:
    """The runs in turns are of the program as it is typed, though they were launched from a copy."""
    build(tmp_path)
    by_allocation = {"alpha": 0.05, "minimum-effect": {"*": "never", "jvm.memory.allocated": "6MiB"}}
    configure(tmp_path, "java -Xmx64m -XX:+UseSerialGC -jar lib/app.jar", judge=by_allocation)
    assert buto(tmp_path, "train").returncode == 0
    before = load(tmp_path / "oracles/shop.json").program
    build(tmp_path, "byte[] kept = new byte[30 << 20]; Thread.sleep(300); System.out.println(kept.length);")
    done = buto(tmp_path, "check", "shop")
    assert done.returncode == 1, done.stdout + done.stderr
    assert in_turns(tmp_path, "shop")
    done = buto(tmp_path, "accept", "shop", "-v")
    assert done.returncode == 0, done.stderr
    program = load(tmp_path / "oracles/shop.json").program
    assert isinstance(program, Kept) and program != before


@pytest.mark.slow
def test_a_trailer_counts_where_copies_of_declared_inputs_are_launched(tmp_path: Path) -> None:
    """They run in a directory of no repository, and are of the commit where the user has the program."""
    build(tmp_path)
    by_allocation = {"alpha": 0.05, "minimum-effect": {"*": "never", "jvm.memory.allocated": "6MiB"}}
    command = "java -Xmx64m -XX:+UseSerialGC -jar lib/app.jar"
    configure(tmp_path, command, ", inputs: [lib/*]", judge=by_allocation)
    (tmp_path / ".gitignore").write_text(".buto/\noracles/\n")
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    assert buto(tmp_path, "train").returncode == 0
    know_a_busy_machine(tmp_path / "oracles/shop.json")
    build(tmp_path, "byte[] kept = new byte[30 << 20]; Thread.sleep(300); System.out.println(kept.length);")
    git(tmp_path, "add", "--all")
    trailer = "Buto-Accepts: shop jvm.memory.allocated +100MiB pages are kept"
    git(tmp_path, "commit", "--quiet", "-m", f"Keep pages\n\n{trailer}")
    done = buto(tmp_path, "check", "shop")
    launched = in_turns(tmp_path, "shop")
    assert launched, done.stderr
    assert {run.metadata.get(COMMIT) for run in launched} == {git(tmp_path, "rev-parse", "HEAD").strip()}
    assert done.returncode == 0, done.stdout + done.stderr
