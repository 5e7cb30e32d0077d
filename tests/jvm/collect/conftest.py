"""Small Java programs, compiled once, and what every test of a collector checks behind itself."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from buto.collect import OnTick, Target, open_collector
from buto.collect.agent import collector as agent_collector
from buto.collect.jvm.installations import find_installations
from buto.collect.record.recording import Recording
from buto.runs import Run
from tests.unit.collect.leftovers import nothing_is_left

__all__ = ["nothing_is_left"]

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = Path(__file__).parent / "programs"


def _build_module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("buto_java_build", ROOT / "java-probes" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def javac() -> Path:
    return _build_module().find_javac()  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def classes(javac: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs' class path."""
    out = tmp_path_factory.mktemp("classes")
    sources = sorted(map(str, PROGRAMS.glob("*.java")))
    subprocess.run([javac, "--release", "8", "-Xlint:-options", "-d", out, *sources], check=True, timeout=120)
    return out


_JVMS = {
    found.version.split(".")[0]: os.fspath(found.java) for found in find_installations() if found.version
}


@pytest.fixture(params=list(_JVMS.values()), ids=list(_JVMS))
def java(request: pytest.FixtureRequest) -> str:
    """Each JVM of this machine, each major version once."""
    return str(request.param)


def problems(run: Run) -> list[str]:
    """What is wrong with a run but for starvation, of which the tests that run beside this one are guilty."""
    return [problem for problem in run.quality.problems if not problem.startswith("it was starved")]


def said_times(run: Run) -> tuple[int, int]:
    """When ``Ends`` began and ended by its own words, nanoTime."""
    began_ns, ended_ns = map(int, run.stdout.splitlines()[0].split())
    return began_ns, ended_ns


class Recorder:
    """Records launches through ``open_collector`` and keeps the recordings, which know absolute times."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, classes: Path) -> None:
        self.recordings: list[Recording] = []
        self.classes = classes
        seen = self.recordings

        class SeenRecording(Recording):
            def __init__(self, test: str, **more: Any) -> None:
                super().__init__(test, **more)
                seen.append(self)

        monkeypatch.setattr(agent_collector, "Recording", SeenRecording)

    def java(
        self,
        main: str,
        *arguments: str,
        options: tuple[str, ...] = (),
        java: str = "java",
        **settings: Any,
    ) -> Run:
        """Launch one of the programs; settings are the target's."""
        command = (java, *options, "-cp", str(self.classes), main, *arguments)
        return self.run(*command, **settings)

    def run(self, *command: str, on_tick: OnTick | None = None, **settings: Any) -> Run:
        merged: dict[str, Any] = {"timeout_s": 60.0, "interval_s": 0.05} | settings
        with open_collector(Target(command, **merged)) as collector:
            return collector.record("test", on_tick)

    def last_time_ns(self, run: Run) -> float:
        """The last sample's time by ``time.monotonic_ns`` of the newest recording."""
        zero_ns = self.recordings[-1].zero_ns
        assert zero_ns is not None
        return zero_ns + float(run.times_s[-1]) * 1e9


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch, classes: Path) -> Recorder:
    return Recorder(monkeypatch, classes)
