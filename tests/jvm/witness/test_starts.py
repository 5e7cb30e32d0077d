"""JVMs below scripts, with archives, and those that do not start with an agent."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

import pytest

from buto.errors import MeasureError
from tests.support.jvm.agents import PATIENCE_S
from tests.support.jvm.javas import JAVAS
from tests.support.jvm.recorder import Recorder, problems

LIVES = "public class Lives { public static void main(String[] a) throws Exception { %s } }"
HELPER = "public class Helper { public static void main(String[] a) { %s } }"


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch, starts: Path) -> Recorder:
    return Recorder(monkeypatch, starts)


@pytest.fixture(scope="module")
def starts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A jar with a program that lives as long as it is told, and a helper that says an option."""
    place = tmp_path_factory.mktemp("starts")
    (place / "Lives.java").write_text(LIVES % "Thread.sleep(Long.parseLong(a[0]));")
    (place / "Helper.java").write_text(HELPER % 'System.out.println("-Dx=y");')
    command = ["javac", "--release", "11", "-d", place, *place.glob("*.java")]
    subprocess.run(command, check=True, timeout=PATIENCE_S)
    with zipfile.ZipFile(place / "starts.jar", "w") as archive:
        for name in ("Lives.class", "Helper.class"):
            archive.write(place / name, name)
    return place / "starts.jar"


@pytest.fixture(scope="module")
def cache(starts: Path) -> tuple[str, Path]:
    """A JVM with an AOT cache of the program."""
    newest = max(JAVAS)
    if newest < 25:
        pytest.skip("AOT caches are of JDK 25")
    place = starts.with_name("starts.aot")
    command = [JAVAS[newest], f"-XX:AOTCacheOutput={place}", "-cp", starts, "Lives", "10"]
    subprocess.run(command, check=True, timeout=PATIENCE_S, capture_output=True)
    return JAVAS[newest], place


@pytest.mark.parametrize("script", [False, True], ids=["java", "script"])
def test_an_aot_cache_is_used(
    record: Recorder, cache: tuple[str, Path], starts: Path, tmp_path: Path, script: bool
) -> None:
    java, place = cache
    log = tmp_path / "log"
    words = [f"-XX:AOTCache={place}", f"-Xlog:class+load:file={log}", "-cp", str(starts), "Lives", "100"]
    command = ["sh", "-c", 'exec java "$@"', "start", *words] if script else [java, *words]
    run = record.run(*command, environment={"PATH": f"{Path(java).parent}:/usr/bin:/bin"})
    assert (run.stdout, run.stderr) == (b"", b"")
    assert log.read_text().count("shared objects file") > 500


def test_a_jvm_that_writes_an_archive_is_explained(
    record: Recorder, java: str, starts: Path, tmp_path: Path
) -> None:
    option = f"-XX:ArchiveClassesAtExit={tmp_path}/archive.jsa"
    with pytest.raises(MeasureError, match="runs without buto, but not with buto's agent") as raised:
        record.run(java, option, "-cp", str(starts), "Lives", "10")
    assert "-XX:ArchiveClassesAtExit" in str(raised.value.advice)
    assert "end without buto: exit code 0" in raised.value.message


def test_a_jvm_without_the_modules_of_an_agent_is_explained(
    record: Recorder, one_java: str, starts: Path
) -> None:
    with pytest.raises(MeasureError, match="its Java lacks") as raised:
        record.run(one_java, "--limit-modules", "java.base", "-cp", str(starts), "Lives", "10")
    assert "java.instrument,java.management,jdk.management" in str(raised.value.advice)
    assert "end without buto: exit code 0" in raised.value.message


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes its user")
def test_a_jvm_of_another_user_is_explained(record: Recorder, one_java: str, starts: Path) -> None:
    user = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    # The other user cannot enter the directories of tests.
    with tempfile.TemporaryDirectory(dir="/tmp") as open_to_all:
        Path(open_to_all).chmod(0o755)
        jar = shutil.copy(starts, open_to_all)
        with pytest.raises(MeasureError, match="runs as another user") as raised:
            record.run(*user, one_java, "-cp", jar, "Lives", "10")
    assert "end without buto: exit code 0" in raised.value.message


def test_the_users_own_mistake_stays_his(record: Recorder, java: str, starts: Path) -> None:
    with pytest.raises(MeasureError, match="could not be created: Unrecognized option: -Xnope"):
        record.run(java, "-Xnope", "-cp", str(starts), "Lives", "10")


@pytest.mark.all
def test_a_scripts_helper_gives_way_to_the_program(record: Recorder, one_java: str, starts: Path) -> None:
    script = f'options=$("{one_java}" -cp "$1" Helper); exec "{one_java}" -Dx=y -cp "$1" Lives 1500'
    run = record.run("sh", "-c", script, "start", str(starts))
    assert problems(run) == []
    assert run.metadata["buto.jvm"] == "Lives"
    assert run.metadata["buto.jvms.others"] == "Helper"
    assert run.outcome.duration_s > 1.4


def test_a_jar_below_a_directory_with_a_blank_has_its_name(
    record: Recorder, one_java: str, starts: Path, tmp_path: Path
) -> None:
    jar = tmp_path / "my app" / "shop.jar"
    jar.parent.mkdir()
    with zipfile.ZipFile(starts) as given, zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Main-Class: Lives\n")
        archive.writestr("Lives.class", given.read("Lives.class"))
    run = record.run("sh", "-c", f'"{one_java}" -jar "$1" 100', "start", str(jar), jvm="shop.jar")
    assert run.metadata["buto.jvm"] == "shop.jar"
