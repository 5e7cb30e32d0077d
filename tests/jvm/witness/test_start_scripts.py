"""Which way reaches the JVM below a dozen well-known start scripts: the table of docs/measuring/traces.md."""

from __future__ import annotations

import os
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.jvm.agents import PATIENCE_S
from tests.support.jvm.recorder import Recorder, problems
from tests.support.jvm.start_scripts import SCRIPTS, Script
from tests.support.rarely import mark_all_but

LIVES = """
public class Lives {
    public static void main(String[] a) throws Exception {
        System.out.println("way " + System.getProperty("way"));
        Thread.sleep(Long.parseLong(a[0]));
    }
}
"""
HOME = """
public class Home {
    public static void main(String[] a) {
        System.out.println(System.getProperty("java.home") + "/bin/java");
    }
}
"""
PAGE = ROOT / "docs" / "measuring" / "traces.md"
LONG_ENOUGH = "1500"
"""Milliseconds after which no helper is taken for the program."""

USUAL = ("Spring Boot's executable jar", "Elasticsearch")
USUAL_BY_PATH = ("Tomcat's `catalina.sh`",)
"""Of those that buto launches, which takes seconds."""

BY_PATH = [name for name in SCRIPTS if name not in ("Elasticsearch", "HBase")]

YES, LINE, NO, NEITHER = "yes", "prints a line", "no", "does not start"


@pytest.fixture(scope="module")
def jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("scripts")
    (place / "Lives.java").write_text(LIVES)
    (place / "Home.java").write_text(HOME)
    command = ["javac", "--release", "11", "-d", place, *place.glob("*.java")]
    subprocess.run(command, check=True, timeout=PATIENCE_S)
    with zipfile.ZipFile(place / "lives.jar", "w") as archive:
        for name in ("Lives.class", "Home.class"):
            archive.write(place / name, name)
    return place / "lives.jar"


def home_with(java: str, directory: Path, way: str) -> Path:
    """A home of Java whose ``java`` adds a property without a word."""
    own = directory / f"home-{way}"
    (own / "bin").mkdir(parents=True, exist_ok=True)
    shim = own / "bin" / "java"
    shim.write_text(f'#!/bin/sh\nexec "{java}" -Dway={way} "$@"\n')
    shim.chmod(0o755)
    return own


def environments(java: str, directory: Path, script: Script) -> dict[str, dict[str, str]]:
    """By way, the environment of a script that finds its ``java`` as far as possible in this way."""
    real = Path(java).resolve().parent.parent
    on_path = f"{real}/bin:/usr/bin:/bin"
    by_home = {"PATH": on_path, script.home: str(real), "BUNDLED": str(real)}
    by_path = {"PATH": on_path, "BUNDLED": str(real)}
    private = home_with(java, directory, "private")
    return {
        "JAVA_TOOL_OPTIONS": {**by_home, "JAVA_TOOL_OPTIONS": "-Dway=tool"},
        "JDK_JAVA_OPTIONS": {**by_home, "JDK_JAVA_OPTIONS": "-Dway=jdk"},
        "PATH": {**by_path, "PATH": f"{private}/bin:{on_path}"},
        "home": {**by_home, script.home: str(private)},
    }


def seen(script: Script, jar: Path, environment: dict[str, str]) -> str:
    """What a way does: the JVM is reached, with or without a line that the script may read, or not."""
    command = ["sh", "-c", script.text, "start", str(jar), "10"]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    way = re.search(r"^way (\w+)$", done.stdout, re.MULTILINE)
    if way is None:
        return NEITHER
    if way[1] == "null":
        return NO
    return LINE if done.stderr or done.stdout != f"{way[0]}\n" else YES


def documented() -> dict[str, list[str]]:
    rows = re.findall(r"^\| (.+) \|$", PAGE.read_text(), re.MULTILINE)
    cells = [row.split(" | ") for row in rows]
    return {row[0]: row[2:] for row in cells if row[0] in SCRIPTS}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_table_says_what_reaches_the_jvm(one_java: str, jar: Path, tmp_path: Path, name: str) -> None:
    script = SCRIPTS[name]
    ways = environments(one_java, tmp_path, script)
    assert documented()[name][:4] == [seen(script, jar, environment) for environment in ways.values()]


@pytest.mark.slow
@pytest.mark.parametrize("name", mark_all_but(USUAL, SCRIPTS))
def test_what_buto_reaches(
    monkeypatch: pytest.MonkeyPatch, one_java: str, jar: Path, tmp_path: Path, name: str
) -> None:
    """With its variable; what the JVM prints is not changed, but for what Elasticsearch says itself."""
    script = SCRIPTS[name]
    real = str(Path(one_java).resolve().parent.parent)
    monkeypatch.setenv("PATH", f"{real}/bin:{os.environ['PATH']}")
    record = Recorder(monkeypatch, jar)
    environment = {script.home: real, "BUNDLED": real}
    run = record.run("sh", "-c", script.text, "start", str(jar), LONG_ENOUGH, environment=environment)
    assert problems(run) == []
    assert run.metadata["buto.jvm"] == "Lives"
    assert run.stderr == b""
    lines = [line for line in run.stdout.decode().splitlines() if "ignoring JAVA_TOOL_OPTIONS" not in line]
    assert lines == ["way null"]
    assert len(lines) == len(run.stdout.decode().splitlines()) or name == "Elasticsearch"


@pytest.mark.slow
@pytest.mark.parametrize("name", mark_all_but(USUAL_BY_PATH, BY_PATH))
def test_what_buto_reaches_by_path_alone(
    monkeypatch: pytest.MonkeyPatch, one_java: str, jar: Path, name: str
) -> None:
    real = str(Path(one_java).resolve().parent.parent)
    monkeypatch.setenv("PATH", f"{real}/bin:{os.environ['PATH']}")
    for variable in ("JAVA_HOME", "JRE_HOME", "JAVA", "JAVACMD"):
        monkeypatch.delenv(variable, raising=False)
    run = Recorder(monkeypatch, jar).run("sh", "-c", SCRIPTS[name].text, "start", str(jar), LONG_ENOUGH)
    assert problems(run) == []
    assert run.metadata["buto.jvm"] == "Lives"
    assert run.stdout == b"way null\n"
