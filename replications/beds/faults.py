"""The agent that weaves faults into methods of a running system, compiled from ``testprograms/faults``."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from beds.artefacts import CACHE, Artefact, content_of, fetch, made_once
from beds.jdk import jar, javac

BYTE_BUDDY = Artefact(
    "net.bytebuddy",
    "byte-buddy",
    "1.18.17",
    "bb78cc9d290d13e27e86fe89fb171521516a33c9822a528c0f151bece5790276",
)
SOURCES = Path(__file__).parents[2] / "testprograms" / "faults"
_RELEASE = "11"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of one method.

    Attributes:
        kind: burn, slow, retain, allocate, repeat, leak or log.
        amount: nanoseconds of processor time, thousandths of the method's own, bytes, times, calls for each
            leak, or lines.
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


def agent_option(*faults: Fault) -> str:
    """Return the JVM's option that weaves these faults, with the agent compiled if need be.

    Raises:
        BedError: there is no compiler, or Byte Buddy cannot be fetched.
    """
    directory = CACHE / f"faults-{content_of(SOURCES.rglob('*.java'))}"
    made_once(directory, _compile)
    return f"-javaagent:{directory / 'faults-agent.jar'}={';'.join(map(str, faults))}"


def _compile(directory: Path) -> None:
    directory.mkdir()
    library = Path(shutil.copy(fetch(BYTE_BUDDY), directory))
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        runtime, agent = Path(scratch) / "runtime", Path(scratch) / "agent"
        javac(SOURCES / "runtime", runtime, release=_RELEASE)
        javac(SOURCES / "agent", agent, (runtime, library), release=_RELEASE)
        manifest = (
            "Premain-Class: buto.faults.agent.FaultAgent\n"
            "Can-Retransform-Classes: true\n"
            f"Class-Path: {library.name}\n"
        )
        jar(runtime, directory / "faults-runtime.jar")
        jar(agent, directory / "faults-agent.jar", manifest)
