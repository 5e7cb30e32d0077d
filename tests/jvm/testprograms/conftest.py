"""The bundled programs' jar, and small probes that look at them from inside the same JVM."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from buto import jars

Done = subprocess.CompletedProcess[str]
RunProgram = Callable[..., Done]
PROBES = Path(__file__).parent / "probes"
TIMEOUT_S = 300.0


@pytest.fixture
def run_program() -> RunProgram:
    """Runs ``<program>.<Class>`` of the jar with some arguments, to its end."""

    def run(name: str, *arguments: str) -> Done:
        jar = str(jars.path(jars.TESTPROGRAMS))
        return _run(["java", "-Xmx128m", "-Xss256k", "-cp", jar, f"buto.testprograms.{name}", *arguments])

    return run


@pytest.fixture(scope="session")
def probe_classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("probes")
    jar = str(jars.path(jars.TESTPROGRAMS))
    sources = sorted(map(str, PROBES.rglob("*.java")))
    done = _run(["javac", "--release", "8", "-Xlint:-options", "-cp", jar, "-d", str(out), *sources])
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def probe(probe_classes: Path) -> Callable[..., list[str]]:
    """Runs a probe and gives the lines that it printed."""

    def run(name: str, *arguments: str) -> list[str]:
        path = f"{probe_classes}:{jars.path(jars.TESTPROGRAMS)}"
        done = _run(["java", "-Xmx128m", "-XX:+UseSerialGC", "-cp", path, name, *arguments])
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


def _run(command: list[str]) -> Done:
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
