"""What belongs to the old program, and what changed outside of both, on real JVMs."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from buto.actions.outside import candidates
from buto.actions.project import NO_OVERRIDES, Files, Project
from buto.programs import surroundings
from buto.programs.candidates import CandidateKind, Candidates
from buto.run.store import RunStore
from buto.steps import Action
from tests.support.checkout import compile_java
from tests.support.judging import BY_HEAP, literal
from tests.support.processes.command import buto

MAIN = """
import java.nio.file.*;
public final class Main {
    static int kib(String[] words) throws Exception {
        if (System.getenv("KIB") != null) return Integer.parseInt(System.getenv("KIB"));
        Path file = Paths.get("kib.txt");
        return Files.exists(file) ? Integer.parseInt(new String(Files.readAllBytes(file)).trim()) : %d;
    }
    public static void main(String[] words) throws Exception {
        int kib = kib(words);
        System.out.println(kib);
        java.util.List<byte[]> kept = new java.util.ArrayList<>();
        for (int step = 0; step < 20; step++) {
            kept.add(new byte[kib * 1024]);
            Thread.sleep(10);
        }
    }
}
"""
IN_TURNS = re.compile(r"launched \d+ and \d+ times in random order, differ")
BUILD = "mkdir -p classes && javac -d classes Main.java"


def configure(project: Path, *lines: str, classes: str = "classes") -> None:
    test = (
        f"command: java -Xmx256m -cp {classes} Main",
        "runs: 5",
        "interval: 50ms",
        f"judge: {literal(BY_HEAP)}",
        *lines,
    )
    (project / "buto.yaml").write_text("version: 1\ntests:\n  shop:\n    " + "\n    ".join(test) + "\n")


def build(project: Path, kib: int = 1) -> None:
    (project / "Main.java").write_text(MAIN % kib)
    compile_java(project / "classes", [project / "Main.java"])


def trained(project: Path) -> None:
    done = buto(project, "train", "shop")
    assert done.returncode == 0, done.stderr


def printed_by_old(project: Path) -> set[bytes]:
    return {run.stdout for run in RunStore(project / ".buto").load_set("shop@trained")}


@pytest.mark.all
def test_a_declared_variable_that_has_changed_is_the_program_s(tmp_path: Path) -> None:
    build(tmp_path)
    configure(tmp_path, "environment: {KIB: 2}")
    trained(tmp_path)
    configure(tmp_path, "environment: {KIB: 1500}")
    done = buto(tmp_path, "check", "shop")
    assert done.returncode == 1, done.stdout + done.stderr
    assert IN_TURNS.search(done.stdout)
    assert printed_by_old(tmp_path) == {b"2\n"}


@pytest.mark.all
def test_another_working_directory_is_the_program_s(tmp_path: Path) -> None:
    build(tmp_path)
    for name, kib in (("one", 3), ("two", 1500)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kib.txt").write_text(str(kib))
    configure(tmp_path, "working-directory: one", classes="../classes")
    trained(tmp_path)
    configure(tmp_path, "working-directory: two", classes="../classes")
    done = buto(tmp_path, "check", "shop")
    assert done.returncode == 1, done.stdout + done.stderr
    assert printed_by_old(tmp_path) == {b"3\n"}


def git(directory: Path, *words: str) -> None:
    names = ("-c", "user.name=A U Thor", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *names, *words], cwd=directory, capture_output=True, timeout=30, check=True)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A fresh clone in which the program keeps more; the store of its training is gone."""
    origin, here = tmp_path / "origin", tmp_path / "clone"
    origin.mkdir()
    build(origin)
    configure(origin)
    (origin / ".gitignore").write_text("classes\n")
    git(origin, "init", "--quiet")
    git(origin, "add", ".")
    git(origin, "commit", "--quiet", "-m", "one")
    trained(origin)
    git(origin, "add", ".")
    git(origin, "commit", "--quiet", "-m", "the oracle")
    git(tmp_path, "clone", "--quiet", str(origin), str(here))
    shutil.rmtree(origin)
    build(here, 1500)
    return here


@pytest.mark.all
def test_a_fresh_clone_builds_the_old_program_once(clone: Path) -> None:
    configure(clone, f"program: {{build: '{BUILD}'}}")
    done = buto(clone, "check", "shop", "-v")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "is built" in done.stderr and "building " in done.stderr
    assert IN_TURNS.search(done.stdout)
    assert "without turns" not in done.stdout
    assert printed_by_old(clone) == {b"1\n"}
    again = buto(clone, "check", "shop", "-v")
    assert again.returncode == 1, again.stdout + again.stderr
    assert "was built before" in again.stderr and "building " not in again.stderr


@pytest.mark.all
def test_a_fresh_clone_that_knows_no_build_says_so_first(clone: Path) -> None:
    done = buto(clone, "check", "shop")
    assert done.returncode not in (0, 2, 4), done.stdout + done.stderr
    assert " shop: without turns, " in done.stdout.splitlines()[0]
    steps = [line for line in done.stdout.splitlines() if line.startswith("  next: ")]
    assert any("program: {build: COMMAND}, at the test in buto.yaml" in step for step in steps)
    assert not any("buto train" in step or "buto why" in step for step in steps)


@dataclass
class Scene:
    """A trained test, what is around it, and what has changed."""

    here: Path
    elsewhere: Path
    patch: pytest.MonkeyPatch

    def found(self) -> Candidates:
        files = Files.locate()
        project = Project(files, files.read_configuration())
        known = project.oracle("shop", Action.CHECK)
        test = project.test("shop", Action.CHECK, NO_OVERRIDES, known)
        return candidates(project.workspace(), test, known, ())


def lay_out(here: Path, elsewhere: Path) -> None:
    for path in (here / "conf", here / "data/old", here / "plugins", elsewhere / "v1", elsewhere / "v2"):
        path.mkdir(parents=True)
    (here / "conf/app.properties").write_text("cache=20\n")
    (here / ".env").write_text("A=1\n")
    (here / "data/old/rows.csv").write_text("1\n")
    (here / "plugins/one.txt").write_text("1\n")
    (here / "big.bin").write_bytes(bytes(2 * surroundings.SMALL_BYTES))
    for version in ("v1", "v2"):
        (elsewhere / version / "rules.txt").write_text(version)
    for name in ("named.properties", "by-variable.properties"):
        (elsewhere / name).write_text("1\n")
    (elsewhere / "zone").symlink_to("/usr/share/zoneinfo/Etc/UTC")
    (here / "rules").symlink_to(elsewhere / "v1")
    (here / "rule").symlink_to(elsewhere / "v1/rules.txt")


VARIABLES = {"CACHE_SIZE": "20", "GONE": "1", "LANG": "C.UTF-8", "LC_ALL": "C", "API_TOKEN": "hunter22"}


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("outside")
    here, elsewhere = top / "here", top / "elsewhere"
    lay_out(here, elsewhere)
    build(here)
    configure(here, classes=f"classes -Dconf={elsewhere}/named.properties")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**VARIABLES, "APP_CONFIG": f"{elsewhere}/by-variable.properties"}.items():
            patch.setenv(name, value)
        trained(here)
    return top


@pytest.fixture
def scene(laid_out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    """The trained test in its own place, which is put back afterwards."""
    saved = tmp_path / "saved"
    shutil.copytree(laid_out, saved, symlinks=True)
    for name, value in {**VARIABLES, "APP_CONFIG": f"{laid_out}/elsewhere/by-variable.properties"}.items():
        monkeypatch.setenv(name, value)
    with contextlib.chdir(laid_out / "here"):
        yield Scene(laid_out / "here", laid_out / "elsewhere", monkeypatch)
    shutil.rmtree(laid_out)
    shutil.copytree(saved, laid_out, symlinks=True)


def retarget(link: Path, target: Path) -> None:
    link.unlink()
    link.symlink_to(target)


def newer(path: Path) -> None:
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 10**9))


CHANGES: dict[str, tuple[Callable[[Scene], object], CandidateKind, str]] = {
    "a properties file": (
        lambda s: (s.here / "conf/app.properties").write_text("cache=300\n"),
        CandidateKind.FILE,
        "conf/app.properties",
    ),
    "a hidden file": (lambda s: (s.here / ".env").write_text("A=2\n"), CandidateKind.FILE, ".env"),
    "a new file": (lambda s: (s.here / "data/new.csv").write_text("2\n"), CandidateKind.FILE, "data/new.csv"),
    "a file that is gone": (
        lambda s: (s.here / "plugins/one.txt").unlink(),
        CandidateKind.FILE,
        "plugins/one.txt",
    ),
    "a large file": (lambda s: newer(s.here / "big.bin"), CandidateKind.FILE, "big.bin"),
    "a new directory": (lambda s: (s.here / "more/deep").mkdir(parents=True), CandidateKind.FILE, "more"),
    "a directory that is gone": (
        lambda s: shutil.rmtree(s.here / "data/old"),
        CandidateKind.FILE,
        "data/old",
    ),
    "a link to another directory": (
        lambda s: retarget(s.here / "rules", s.elsewhere / "v2"),
        CandidateKind.FILE,
        "rules",
    ),
    "a file behind a link": (
        lambda s: (s.elsewhere / "v1/rules.txt").write_text("more"),
        CandidateKind.FILE,
        "rule",
    ),
    "a link that leads nowhere": (lambda s: shutil.rmtree(s.elsewhere / "v1"), CandidateKind.FILE, "rule"),
    "a file that an option names": (
        lambda s: (s.elsewhere / "named.properties").write_text("2\n"),
        CandidateKind.FILE,
        "elsewhere/named.properties",
    ),
    "a file that a variable names": (
        lambda s: (s.elsewhere / "by-variable.properties").write_text("2\n"),
        CandidateKind.FILE,
        "elsewhere/by-variable.properties",
    ),
    "a variable": (lambda s: s.patch.setenv("CACHE_SIZE", "300"), CandidateKind.VARIABLE, "CACHE_SIZE"),
    "a new variable": (lambda s: s.patch.setenv("FEATURE", "on"), CandidateKind.VARIABLE, "FEATURE"),
    "a variable that is gone": (lambda s: s.patch.delenv("GONE"), CandidateKind.VARIABLE, "GONE"),
    "a secret": (lambda s: s.patch.setenv("API_TOKEN", "hunter23"), CandidateKind.VARIABLE, "API_TOKEN"),
    "options of the JVM": (
        lambda s: s.patch.setenv("JAVA_TOOL_OPTIONS", "-Dcache=300"),
        CandidateKind.VARIABLE,
        "JAVA_TOOL_OPTIONS",
    ),
    "the language": (lambda s: s.patch.setenv("LANG", "de_DE.UTF-8"), CandidateKind.VARIABLE, "LANG"),
    "the locale": (lambda s: s.patch.setenv("LC_ALL", "tr_TR.UTF-8"), CandidateKind.VARIABLE, "LC_ALL"),
    "the time zone of the shell": (
        lambda s: s.patch.setenv("TZ", "Asia/Tokyo"),
        CandidateKind.VARIABLE,
        "TZ",
    ),
    "the time zone of the system": (
        lambda s: s.patch.setattr(surroundings, "_ZONE", "/usr/share/zoneinfo/Asia/Tokyo"),
        CandidateKind.FACT,
        "time zone",
    ),
    "the interval of both": (
        lambda s: (s.here / "buto.yaml").write_text(
            (s.here / "buto.yaml").read_text().replace("50ms", "20ms")
        ),
        CandidateKind.SETTING,
        "interval",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_outside_is_named(scene: Scene, change: str) -> None:
    """Nothing else is named before it, and no value of a variable at all."""
    act, what, name = CHANGES[change]
    act(scene)
    found = scene.found()
    likeliest = [candidate for candidate in found.likeliest if candidate.what is what]
    assert found.is_known
    assert any(candidate.name.endswith(name) for candidate in likeliest[:2]), found
    assert "hunter2" not in str(found)


def test_of_two_working_directories_each_is_one_program_s(scene: Scene) -> None:
    configuration = scene.here / "buto.yaml"
    configuration.write_text(configuration.read_text() + "    working-directory: data\n")
    (scene.elsewhere / "named.properties").write_text("2\n")
    names = [candidate.name for candidate in scene.found().likeliest if candidate.what is CandidateKind.FILE]
    assert names == [str(scene.elsewhere / "named.properties")]


def test_without_a_change_nothing_is_named(scene: Scene) -> None:
    """Nor after a copy of the project with other times, nor for what belongs to each of the programs itself,
    nor for a database that buto does not see.
    """
    for path in scene.here.rglob("*"):
        if path.is_file() and path.name != "big.bin":
            newer(path)
    (scene.elsewhere / "rows.db").write_bytes(b"1" * 100_000)
    configuration = scene.here / "buto.yaml"
    text = configuration.read_text().replace("named.properties", "by-variable.properties")
    configuration.write_text(text + "    environment: {CACHE_SIZE: 30, MORE: 1}\n")
    found = scene.found()
    # Of the test itself, whose call of buto trained in another process.
    ours = {"TMPDIR", "PYTHONPATH", "COLUMNS", "PYTEST_CURRENT_TEST"}
    assert {candidate.name for candidate in found.likeliest} <= ours and found.n_more == 0, found
