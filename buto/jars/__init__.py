"""The Java parts of buto, built into this package."""

from __future__ import annotations

import zipfile
from pathlib import Path

from buto.errors import BadFileError

AGENT = "buto-agent.jar"
JMX = "buto-jmx.jar"
JFR = "buto-jfr.jar"
CLASSES = "buto-classes.jar"
HEAP = "buto-heap.jar"
TESTPROGRAMS = "buto-testprograms.jar"

_DIGEST_ENTRY = "Buto-Sources: "
_REBUILD = "python java-probes/build.py --force (in a checkout), else: pip install --force-reinstall buto-jvm"


def path(name: str) -> Path:
    """Return where a bundled jar is.

    Args:
        name: one of AGENT, JMX, JFR, CLASSES, HEAP and TESTPROGRAMS.

    Raises:
        BadFileError: the jar was not built, as in a checkout that was never installed.
    """
    jar = Path(__file__).parent / name
    if not jar.is_file():
        raise BadFileError(
            f"buto's own {name} is missing: {jar}",
            advice=_REBUILD,
        )
    return jar


def digest(name: str) -> str:
    """Return twelve hexadecimal digits of the sources that a bundled jar was built from.

    Raises:
        BadFileError: the jar was not built, or not by buto.
    """
    jar = path(name)
    try:
        with zipfile.ZipFile(jar) as archive:
            manifest = archive.read("META-INF/MANIFEST.MF").decode()
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise _not_ours(jar) from error
    for line in manifest.splitlines():
        if line.startswith(_DIGEST_ENTRY):
            return line.removeprefix(_DIGEST_ENTRY)
    raise _not_ours(jar)


def _not_ours(jar: Path) -> BadFileError:
    return BadFileError(
        f"{jar} is damaged or of another buto",
        advice=_REBUILD,
    )
