"""Builds on a machine without Python and without buto: they fetch buto's runtime and unpack it once."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.builds.plugin_builds import TIMEOUT_S, Done, Sample
from tests.support.needed import skip_without

pytestmark = pytest.mark.all

RUNS = "-Dbuto.runs=5"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory for PATH: what builds and the example need of the system, and no Python."""
    directory = tmp_path_factory.mktemp("bare")
    for name in (
        "mvn",
        "gradle",
        "java",
        "javac",
        "env",
        "sh",
        "bash",
        "git",
        "uname",
        "dirname",
        "basename",
    ):
        found = shutil.which(name)
        if found:
            (directory / name).symlink_to(found)
    for name in ("readlink", "ls", "expr", "sed", "cat", "id", "tr", "rm", "mkdir", "which", "tty", "stty"):
        found = shutil.which(name)
        if found:
            (directory / name).symlink_to(found)
    return directory


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A user's cache, still empty."""
    return tmp_path / "cache"


def without_python(sample: Sample, bare: Path, cache: Path) -> Sample:
    """The same project on a machine that has the tools of builds only."""
    return replace(
        sample, environment={**sample.environment, "PATH": str(bare), "XDG_CACHE_HOME": str(cache)}
    )


@pytest.fixture
def user(maven: Sample, bare: Path, cache: Path) -> Sample:
    return without_python(maven, bare, cache)


def unpacked(cache: Path) -> list[str]:
    """What is in the user's cache of runtimes, but locks."""
    return sorted(path.name for path in (cache / "buto/runtime").iterdir() if path.suffix != ".lock")


def trains(user: Sample, *words: str) -> Done:
    return user.build("package", "buto:train", RUNS, *words, buto=False)


def test_maven_trains_and_checks_with_nothing_but_the_plugin(user: Sample, cache: Path) -> None:
    """Also offline, once it is in the local repository; and the second build unpacks nothing."""
    user.judge_bluntly("catalogue")
    trained = trains(user)
    assert trained.code == 0, trained.output
    (name,) = unpacked(cache)
    assert re.fullmatch(r"0\.1\.0-[0-9a-f]{16}", name)
    before = (cache / "buto/runtime" / name / "bin/buto").stat()
    checked = user.build("--offline", "verify", buto=False)
    assert checked.code == 0, checked.output
    assert "PASS  catalogue" in checked.output
    assert (cache / "buto/runtime" / name / "bin/buto").stat().st_ino == before.st_ino
    report = user.directory / "target/buto-reports/catalogue.html"
    assert report.is_file()
    assert (cache / "buto/runtime" / name / "NOTICE").is_file()


def test_the_runtime_is_below_the_home_that_the_shell_names(
    maven: Sample, bare: Path, tmp_path: Path
) -> None:
    """As the documentation says ~; Java's user.home is that of the user's account."""
    environment = {**maven.environment, "PATH": str(bare), "HOME": str(tmp_path / "home")}
    environment.pop("XDG_CACHE_HOME", None)
    trained = trains(replace(maven, environment=environment))
    assert trained.code == 0, trained.output
    assert len(unpacked(tmp_path / "home/.cache")) == 1


def test_gradle_trains_and_checks_with_nothing_but_the_plugin(
    gradle: Sample, bare: Path, cache: Path
) -> None:
    user = without_python(gradle, bare, cache)
    user.judge_bluntly("catalogue")
    trained = user.build("butoTrain", "-Pbuto.runs=5", buto=False)
    assert trained.code == 0, trained.output
    checked = user.build("check", buto=False)
    assert checked.code == 0, checked.output
    assert "PASS  catalogue" in checked.output
    assert len(unpacked(cache)) == 1


def test_junit_trains_with_nothing_but_the_dependency(junit: Sample, bare: Path, cache: Path) -> None:
    user = without_python(junit, bare, cache)
    trained = user.build("test", "-Dbuto.train=true", RUNS, buto=False)
    assert trained.code == 0, trained.output
    assert (user.directory / "src/test/buto/com.acme.CatalogueTest.loadsTenPages.json").is_file()
    assert len(unpacked(cache)) == 1


JUNIT_BY_GRADLE = """\
apply plugin: 'java'
repositories {
    maven { url uri(findProperty('butoRepository')) }
    maven { url uri(findProperty('junit.repository')) }
}
configurations { packed }
dependencies { packed 'io.github.buto-jvm:buto-junit:0.1.0' }
task look { doLast { configurations.packed.each { println it } } }
"""


def test_gradle_puts_the_runtime_of_the_junit_extension_into_the_class_path(
    for_gradle: Path, gradle: Sample
) -> None:
    (gradle.directory / "build.gradle").write_text(JUNIT_BY_GRADLE)
    done = gradle.build("-q", "look", f"-Pjunit.repository={for_gradle}", buto=False)
    assert done.code == 0, done.output
    names = {Path(line).name for line in done.output.splitlines()}
    assert {"buto-junit-0.1.0.jar", "buto-runtime-0.1.0-linux-x86_64.tar.gz"} <= names


def started(user: Sample, *words: str) -> subprocess.Popen[str]:
    """Start a build that trains, in a group of its own."""
    return subprocess.Popen(
        [*user.command, *words],
        cwd=user.directory,
        env={**os.environ, **user.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def until_it_unpacks(build: subprocess.Popen[str], cache: Path) -> None:
    """Wait until files of a runtime are there; a build that ends before has failed."""
    lines = iter(build.stdout or ())
    line = next((line for line in lines if "unpacks its runtime" in line), None)
    assert line is not None
    while build.poll() is None and not list(cache.glob("buto/runtime/*.part*/*")):
        os.sched_yield()


def test_two_builds_at_once_unpack_one_runtime(user: Sample, cache: Path, tmp_path: Path) -> None:
    other = replace(user, directory=Path(shutil.copytree(user.directory, tmp_path / "other")))
    builds = [started(sample, "package", "buto:train", RUNS) for sample in (user, other)]
    outputs = [build.communicate(timeout=TIMEOUT_S)[0] for build in builds]
    assert [build.returncode for build in builds] == [0, 0], "\n".join(outputs)
    assert sum("unpacks its runtime" in output for output in outputs) == 1
    assert len(unpacked(cache)) == 1


def test_after_a_build_that_was_killed_while_unpacking_the_next_begins_anew(
    user: Sample, cache: Path
) -> None:
    killed = started(user, "package", "buto:train", RUNS)
    try:
        until_it_unpacks(killed, cache)
    finally:
        os.killpg(killed.pid, signal.SIGKILL)
        killed.communicate()
    (left,) = unpacked(cache)
    assert ".part" in left
    trained = trains(user)
    assert trained.code == 0, trained.output
    (name,) = unpacked(cache)
    assert left.startswith(name)
    assert ".part" not in name


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with less room than a runtime needs."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        skip_without("only root may mount a small file system")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def test_a_full_disk_is_named_and_leaves_nothing(user: Sample, small_disk: Path, cache: Path) -> None:
    full = trains(replace(user, environment={**user.environment, "XDG_CACHE_HOME": str(small_disk)}))
    assert full.code == 1
    assert "MAVEN/MojoExecutionException" in full.output
    assert f"cannot be unpacked into {small_disk / 'buto/runtime'}" in full.output
    assert "XDG_CACHE_HOME" in full.output
    assert unpacked(small_disk) == []


def test_a_home_that_cannot_be_written_is_named(user: Sample, tmp_path: Path) -> None:
    """A file where the directory of caches should be stops root, too."""
    blocked = tmp_path / "home"
    blocked.touch()
    refused = trains(replace(user, environment={**user.environment, "XDG_CACHE_HOME": str(blocked)}))
    assert refused.code == 1
    assert f"cannot be unpacked into {blocked / 'buto/runtime'}" in refused.output
    assert "XDG_CACHE_HOME" in refused.output


@pytest.fixture
def own_repository(user: Sample, tmp_path: Path) -> tuple[Sample, Path]:
    """A user with a local repository of their own, and where that keeps the runtime."""
    *command, option = user.command
    name, _, shared = option.partition("=")
    own = Path(shutil.copytree(shared, tmp_path / "m2", copy_function=os.link))
    place = own / "io/github/buto-jvm/buto-runtime"
    return replace(user, command=(*command, f"{name}={own}")), place


def test_a_damaged_archive_is_named_and_never_used(own_repository: tuple[Sample, Path], cache: Path) -> None:
    """As after a transfer that broke off: it ends in the middle."""
    user, place = own_repository
    packed = place / "0.1.0/buto-runtime-0.1.0-linux-x86_64.tar.gz"
    assert trains(user).code == 0
    shutil.rmtree(cache)
    content = packed.read_bytes()
    packed.unlink()
    packed.write_bytes(content[: len(content) // 2])
    done = trains(user, "--offline")
    assert done.code == 1
    assert f"the runtime {packed} cannot be unpacked" in done.output
    assert unpacked(cache) == []


def test_where_the_runtime_cannot_be_fetched_the_reason_is_said(own_repository: tuple[Sample, Path]) -> None:
    """Offline, with a local repository that has the plugin and not the runtime."""
    user, place = own_repository
    assert trains(user, "-Dbuto.skip=true").code == 0
    shutil.rmtree(place, ignore_errors=True)
    done = trains(user, "--offline")
    assert done.code == 1
    assert "the runtime of buto cannot be fetched" in done.output
    assert "-Dbuto.executable=buto" in done.output
