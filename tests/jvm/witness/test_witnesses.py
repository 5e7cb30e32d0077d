"""A program that prints all it can see of its world sees the same under buto, but for a documented list."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from buto.measure.environment import give_environment
from buto.measure.opener import open_collector
from buto.measure.target import MBeanSpec, Target
from tests.support.jvm.agents import PATIENCE_S
from tests.support.jvm.releases import INSTALL_TIMEOUT_S, PACKAGES, java_of
from tests.support.rarely import mark_all_but

EXIT = 3
BY_BUTO = ("variable BUTO_LAUNCH", "stream 0")
BY_AGENT = (
    *BY_BUTO,
    "options",
    "thread buto-sampler",
    "open */buto-agent.jar",
    "open */buto-line/*",
    "open /proc/self/stat",
    "library libinstrument.so",
    "library libmanagement.so",
    "library libmanagement_ext.so",
)
"""Patterns of what docs/measuring/traces.md lists."""


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of Java 11, with a look at what the JDK keeps for itself; in a jar, as programs are."""
    out = tmp_path_factory.mktemp("witness")
    source = Path(__file__).parent / "programs" / "Witness.java"
    inside = ("--add-exports", "java.base/sun.nio.ch=ALL-UNNAMED")
    options = ("-source", "11", "-target", "11", "-Xlint:-options", "-XDignore.symbol.file", *inside)
    subprocess.run(
        ["javac", *options, "-d", out, source], check=True, timeout=PATIENCE_S, capture_output=True
    )
    jar = out.with_suffix(".jar")
    with zipfile.ZipFile(jar, "w") as archive:
        for path in out.glob("*.class"):
            archive.write(path, path.name)
    return jar


def written(path: Path) -> dict[str, str]:
    return dict(line.split("\t", 1) for line in path.read_text(encoding="utf-8").splitlines())


def plainly(
    command: Collection[str], path: Path, environment: Mapping[str, str], directory: Path | None = None
) -> dict[str, str]:
    with (path.parent / "stdout").open("wb") as out, (path.parent / "stderr").open("wb") as err:
        done = subprocess.run(
            list(command),
            env=dict(environment),
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
            timeout=PATIENCE_S,
            check=False,
        )
    assert done.returncode == EXIT, (path.parent / "stderr").read_text()
    return written(path)


def difference(
    plain: Mapping[str, str], measured: Mapping[str, str], known: Collection[str]
) -> dict[str, object]:
    """What differs beyond the known patterns, with both values."""
    return {
        key: (plain.get(key), measured.get(key))
        for key in plain.keys() | measured.keys()
        if plain.get(key) != measured.get(key) and not any(fnmatchcase(key, pattern) for pattern in known)
    }


def both(
    command: tuple[str, ...], path: Path, environment: Mapping[str, str], target: Target
) -> tuple[dict[str, str], dict[str, str]]:
    plain = plainly(command, path, {**give_environment(), **environment})
    path.unlink()
    with open_collector(target) as collector:
        run = collector.record("test")
    assert run.outcome.exit_code == EXIT, run.stderr
    # Not a word of the JVM's or of the agent's.
    assert run.stdout == (path.parent / "stdout").read_bytes()
    assert run.stderr == (path.parent / "stderr").read_bytes()
    return plain, written(path)


@pytest.mark.parametrize("mbeans", [(), (MBeanSpec("com.acme:*"),)], ids=["usual", "mbeans"])
def test_a_java_command(java: str, classes: Path, tmp_path: Path, mbeans: tuple[MBeanSpec, ...]) -> None:
    path = tmp_path / "seen"
    command = (java, "-cp", str(classes), "Witness", str(path))
    plain, measured = both(command, path, {}, Target(command, expected_exit=EXIT, mbeans=mbeans))
    assert difference(plain, measured, BY_AGENT) == {}
    assert measured["late address"] == "0.0.0.0/0.0.0.0"
    assert measured["late channel"] == "IPv4 only"
    assert measured["late log manager"] == "Witness$OwnManager"
    assert measured["late builder"] == "true"
    assert measured["inside of the JDK"] == plain["inside of the JDK"]


RARELY = pytest.mark.all
WAYS = (
    pytest.param(("{java}",), id="java", marks=RARELY),
    pytest.param(("sh", "-c", '"{java}" "$@"; exit $?', "start"), id="script"),
)
RELEASES = [pytest.param(release, marks=() if release in (17, 25) else RARELY) for release in PACKAGES]


@pytest.mark.timeout(INSTALL_TIMEOUT_S + 400)
@pytest.mark.parametrize("mbeans", [(), (MBeanSpec("com.acme:*"),)], ids=["usual", "mbeans"])
@pytest.mark.parametrize("words", WAYS)
@pytest.mark.parametrize("release", RELEASES)
def test_each_release(
    classes: Path, tmp_path: Path, release: int, words: tuple[str, ...], mbeans: tuple[MBeanSpec, ...]
) -> None:
    path = tmp_path / "seen"
    java = java_of(release)
    home = java.resolve().parent.parent
    environment = {"JAVA_HOME": str(home), "PATH": f"{home}/bin:{os.environ['PATH']}"}
    name = java if len(words) == 1 else "java"
    start = [word.format(java=name) for word in words]
    command = (*start, "-cp", str(classes), "Witness", str(path))
    target = Target(command, environment=environment, expected_exit=EXIT, mbeans=mbeans)
    plain, measured = both(command, path, environment, target)
    assert difference(plain, measured, BY_AGENT) == {}
    assert measured["late address"] == "0.0.0.0/0.0.0.0"


SCRIPTS = {
    "path": 'exec java -cp "$1" Witness "$2"',
    "child": 'java -cp "$1" Witness "$2"; exit $?',
    "home": 'exec "$JAVA_HOME/bin/java" -cp "$1" Witness "$2"',
    "derived": """
        home=$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")
        exec "$home/bin/java" -cp "$1" Witness "$2"
    """,
    "version": """
        version=$(java -version 2>&1 | head -1 | cut -d\\" -f2 | cut -d. -f1)
        [ "$version" -ge 9 ] && exec java -cp "$1" Witness "$2"
    """,
    "quiet": 'java -cp "$1" Witness "$2" 2>"$2.err"; code=$?; [ -s "$2.err" ] && exit 9; exit $code',
    "own options": 'JAVA_TOOL_OPTIONS="$JAVA_TOOL_OPTIONS -Dx=y" exec java -Xmx64m -cp "$1" Witness "$2"',
}


@pytest.mark.parametrize("script", mark_all_but(("path", "version", "quiet"), SCRIPTS))
def test_a_start_script(java: str, classes: Path, tmp_path: Path, script: str) -> None:
    path = tmp_path / "seen"
    home = str(Path(java).resolve().parent.parent)
    environment = {"JAVA_HOME": home, "PATH": f"{home}/bin:{os.environ['PATH']}"}
    command = ("sh", "-c", SCRIPTS[script], "start", str(classes), str(path))
    target = Target(command, environment=environment, expected_exit=EXIT)
    plain, measured = both(command, path, environment, target)
    assert difference(plain, measured, BY_AGENT) == {}
    assert measured["variable JAVA_HOME"] == home
    assert measured["late address"] == "0.0.0.0/0.0.0.0"


@pytest.mark.parametrize(
    "locale",
    [
        {},
        pytest.param({"LANG": "C"}, marks=RARELY),
        {"LC_ALL": "C"},
        pytest.param({"LANG": "C.UTF-8"}, marks=RARELY),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "words",
    [
        pytest.param("{java}", id="java", marks=RARELY),
        pytest.param("sh -c 'exec java \"$@\"' start", id="script"),
    ],
)
def test_a_locale_is_handed_on(
    one_java: str, classes: Path, tmp_path: Path, locale: Mapping[str, str], words: str
) -> None:
    path = tmp_path / "seen"
    environment = {"PATH": f"{Path(one_java).parent}:{os.environ['PATH']}", "HOME": str(tmp_path), **locale}
    command = [*shlex.split(words.format(java=one_java)), "-cp", str(classes), "Witness", str(path), "0"]
    plain = plainly(command, path, environment, tmp_path)
    path.unlink()
    buto = [sys.executable, "-m", "buto", "record", "x", "--expect-exit", str(EXIT), "--", *command]
    subprocess.run(buto, env=environment, cwd=tmp_path, capture_output=True, timeout=PATIENCE_S, check=False)
    measured = written(path)
    assert difference(plain, measured, BY_AGENT) == {}
    assert "LC_CTYPE" not in "".join(measured)


@pytest.mark.all
def test_a_command_under_jmx(one_java: str, classes: Path, tmp_path: Path) -> None:
    """What it decides late is not compared: how far it is when buto attaches depends on the machine."""
    path = tmp_path / "seen"
    command = (one_java, "-cp", str(classes), "Witness", str(path), "3000")
    target = Target(command, collector="jmx", expected_exit=EXIT)
    plain, measured = both(command, path, {}, target)
    assert difference(plain, measured, (*BY_BUTO, "thread *", "late *", "open *", "library *")) == {}
