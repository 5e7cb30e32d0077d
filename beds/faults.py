"""The agent that weaves faults into methods of a running system, compiled from ``testprograms/faults``."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from beds.artefacts import CACHE, Artefact, BedError, fetch

BYTE_BUDDY = Artefact(
    "net.bytebuddy",
    "byte-buddy",
    "1.18.17",
    "bb78cc9d290d13e27e86fe89fb171521516a33c9822a528c0f151bece5790276",
)
SOURCES = Path(__file__).parents[1] / "testprograms" / "faults"
_COMPILE_S = 120.0
_RELEASE = "11"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of one method.

    Attributes:
        kind: burn, slow, retain, allocate, repeat or log.
        amount: nanoseconds of processor time, thousandths of the method's own, bytes, times or lines.
        place: the method, as ``package.Class#method``.
        active: whether it is on from the start; else JMX switches it on.
    """

    name: str
    kind: str
    amount: int
    place: str
    active: bool = False

    def __str__(self) -> str:
        return f"{self.name}={self.kind}:{self.amount}@{self.place}{':on' if self.active else ''}"


def agent_option(*faults: Fault, directory: Path = CACHE / "faults") -> str:
    """Return the JVM's option that weaves these faults, with the agent compiled if need be.

    Raises:
        BedError: there is no compiler, or Byte Buddy cannot be fetched.
    """
    agent = directory / "faults-agent.jar"
    if not agent.exists():
        _compile(directory)
    return f"-javaagent:{agent}={';'.join(map(str, faults))}"


def _compile(directory: Path) -> None:
    """Make two jars: one for the bootstrap loader, which every class sees, and the agent itself."""
    directory.mkdir(parents=True, exist_ok=True)
    library = fetch(BYTE_BUDDY, directory)
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        runtime, agent = Path(scratch) / "runtime", Path(scratch) / "agent"
        _javac(SOURCES / "runtime", runtime)
        _javac(SOURCES / "agent", agent, f"{runtime}:{library}")
        manifest = Path(scratch) / "manifest"
        manifest.write_text(
            "Premain-Class: buto.faults.agent.FaultAgent\n"
            "Can-Retransform-Classes: true\n"
            f"Class-Path: {library.name}\n"
        )
        _run(["jar", "--create", "--file", str(directory / "faults-runtime.jar"), "-C", str(runtime), "."])
        made = Path(scratch) / "faults-agent.jar"
        _run(["jar", "--create", "--file", str(made), "--manifest", str(manifest), "-C", str(agent), "."])
        made.replace(directory / made.name)


def _javac(sources: Path, out: Path, class_path: str = "") -> None:
    files = sorted(map(str, sources.rglob("*.java")))
    _run(["javac", "--release", _RELEASE, "-cp", class_path or ".", "-d", str(out), *files])


def _run(command: list[str]) -> None:
    if shutil.which(command[0]) is None:
        raise BedError(f"{command[0]} was not found; install a JDK 17 or newer")
    done = subprocess.run(command, capture_output=True, text=True, timeout=_COMPILE_S, check=False)
    if done.returncode:
        raise BedError(f"{command[0]} failed: {done.stderr[-2000:]}")
