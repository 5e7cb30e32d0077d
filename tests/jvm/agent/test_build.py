"""Building the jars: only what is needed, the same bytes every time, and plain words without a JDK."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.checkout import ROOT, java_build
from tests.support.jvm.agents import AGENT, PATIENCE_S

pytestmark = pytest.mark.all

SCRIPT = ROOT / "java-probes" / "build.py"
SOURCE = "package demo;\n\n/** Nothing. */\npublic final class Demo {\n    private Demo() {}\n}\n"


@pytest.fixture
def build() -> ModuleType:
    return java_build()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with one source of the part jmx."""
    source = tmp_path / "java-probes/src/jmx/java/demo/Demo.java"
    source.parent.mkdir(parents=True)
    source.write_text(SOURCE)
    return tmp_path


def test_parts_without_sources_are_left_out(build: ModuleType, checkout: Path) -> None:
    assert build.build_all(checkout, checkout / "out") == [checkout / "out" / "buto-jmx.jar"]
    assert [path.name for path in (checkout / "out").iterdir()] == ["buto-jmx.jar"]
    assert build.build_all(checkout, checkout / "out", ["agent"]) == []


def test_the_same_sources_give_the_same_bytes(build: ModuleType, checkout: Path) -> None:
    (first,) = build.build_all(checkout, checkout / "one")
    (second,) = build.build_all(checkout, checkout / "two")
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as jar:
        assert jar.namelist() == ["META-INF/MANIFEST.MF", "demo/Demo.class"]
        # The class file's version: 52 is Java 8.
        assert jar.read("demo/Demo.class")[6:8] == b"\0\x34"


def test_a_fresh_jar_is_kept_and_a_stale_one_replaced(build: ModuleType, checkout: Path) -> None:
    out = checkout / "out"
    (jar,) = build.build_all(checkout, out)
    before = jar.stat().st_mtime_ns
    build.build_all(checkout, out)
    assert jar.stat().st_mtime_ns == before
    source = next(checkout.rglob("Demo.java"))
    source.with_name("Other.java").write_text(SOURCE.replace("Demo", "Other"))
    build.build_all(checkout, out)
    with zipfile.ZipFile(jar) as archive:
        assert "demo/Other.class" in archive.namelist()
    # Taking a source away makes its directory newer than the jar.
    time.sleep(0.02)
    source.with_name("Other.java").unlink()
    build.build_all(checkout, out)
    with zipfile.ZipFile(jar) as archive:
        assert "demo/Other.class" not in archive.namelist()


def test_sources_that_do_not_compile_leave_the_old_jar(build: ModuleType, checkout: Path) -> None:
    (jar,) = build.build_all(checkout, checkout / "out")
    before = jar.read_bytes()
    next(checkout.rglob("Demo.java")).write_text("package demo; class Demo { int broken }")
    with pytest.raises(build.BuildError, match=r"Demo\.java:1"):
        build.build_all(checkout, checkout / "out")
    assert jar.read_bytes() == before
    assert [path.name for path in (checkout / "out").iterdir()] == ["buto-jmx.jar"]


def old_jdk(directory: Path) -> Path:
    """The bin directory of something that says that it is JDK 11."""
    binaries = directory / "jdk11" / "bin"
    binaries.mkdir(parents=True)
    javac = binaries / "javac"
    javac.write_text("#!/bin/sh\necho javac 11.0.2\n")
    javac.chmod(0o755)
    return binaries


@pytest.mark.parametrize("old", [True, False], ids=["too-old", "none"])
def test_a_missing_or_old_jdk_is_named_with_the_package(
    build: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch, old: bool
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(old_jdk(checkout)) if old else "")
    monkeypatch.setattr(build, "SYSTEM_JDKS", ())
    with pytest.raises(build.BuildError) as failure:
        build.build_all(checkout, checkout / "out")
    message = str(failure.value)
    assert ("is of JDK 11" in message) == old
    for package in ("openjdk-17-jdk-headless", "java-latest-openjdk-devel", "brew install openjdk"):
        assert package in message


def test_java_home_comes_first_and_a_newer_jdk_elsewhere_is_found(
    build: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build.find_javac()
    monkeypatch.setenv("JAVA_HOME", str(old_jdk(checkout).parent))
    assert build.find_javac() == Path(shutil.which("javac") or first)


def test_the_script_names_its_parts(tmp_path: Path) -> None:
    def called(*words: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, SCRIPT, *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    wrong = called("nonsense")
    assert wrong.returncode == 2
    assert "unknown part: nonsense" in wrong.stderr
    right = called("agent", "--out", tmp_path)
    assert (right.returncode, right.stdout) == (0, f"{tmp_path / 'buto-agent.jar'}\n")


def test_the_agent_is_for_java_8_and_needs_nothing_but_the_jdk() -> None:
    with zipfile.ZipFile(AGENT) as jar:
        names = jar.namelist()
        versions = {name: jar.read(name)[6:8] for name in names if name.endswith(".class")}
        manifest = jar.read("META-INF/MANIFEST.MF").decode()
    # What opens the JDK's modules is for Java 9, and an older JVM goes on without it.
    assert versions.pop("buto/probes/agent/platform/Opening.class") == b"\0\x35"
    assert set(versions.values()) == {b"\0\x34"}
    # By Round a program says that a round of its work is over.
    assert all(
        name.startswith(("META-INF/", "buto/probes/agent/")) or name == "buto/Round.class" for name in names
    )
    assert re.search(r"^Premain-Class: buto\.probes\.agent\.Agent\r?$", manifest, re.MULTILINE)
    assert re.search(r"^Agent-Class: buto\.probes\.agent\.Agent\r?$", manifest, re.MULTILINE)
