"""Component tests of a version: benchmarks by JMH, and unit tests by JUnit whose reports have durations."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from beds.artefacts import BedError
from beds.jdk import run
from beds.store.configuration import JVM
from beds.store.prepare import Store
from beds.store.versions import Version

FORKS = 5
REPORTS = 5
_JMH = ("-wi", "2", "-w", "200ms", "-i", "3", "-r", "200ms", "-rf", "json", "-foe", "true")
_TIMEOUT_S = 600.0


def measure_by_jmh(
    store: Store, version: Version, path: Path, forks: int = FORKS, benchmarks: str = "."
) -> None:
    """Write JMH's JSON of the components of a version.

    Raises:
        BedError: a benchmark failed.
    """
    options = " ".join((*JVM, *version.options))
    with tempfile.TemporaryDirectory() as scratch:
        result = Path(scratch) / path.name
        command = ["java", "-jar", str(store.jars / "store-benchmarks.jar"), "-f", str(forks)]
        run(
            [*command, *_JMH, "-rff", str(result), "-jvmArgs", options, benchmarks],
            timeout_s=_TIMEOUT_S,
            directory=Path(scratch),
        )
        _move(result, path)


def measure_by_junit(
    store: Store, version: Version, directory: Path, reports: int = REPORTS, tag: str = "component"
) -> None:
    """Write a JUnit report of the unit tests of a version for each of several processes.

    Raises:
        BedError: a test failed.
    """
    for number in range(1, reports + 1):
        path = directory / f"{version.name}-{number}.xml"
        if path.exists():
            continue
        with tempfile.TemporaryDirectory() as scratch:
            command = ["java", *JVM, *version.options, "-jar", str(store.junit), "execute"]
            classes = f"{store.jars / 'store.jar'}:{store.jars / 'store-tests.jar'}"
            options = ["--scan-classpath", "-cp", classes, "--include-tag", tag, "--fail-if-no-tests"]
            run([*command, *options, "--reports-dir", scratch, "--details", "none"], timeout_s=_TIMEOUT_S)
            _move(Path(scratch) / "TEST-junit-jupiter.xml", path)


def _move(made: Path, path: Path) -> None:
    if not made.exists():
        raise BedError(f"{made.name} was not written")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    shutil.copyfile(made, part)
    part.replace(path)
