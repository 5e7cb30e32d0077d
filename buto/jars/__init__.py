"""The Java parts of buto, built into this package."""

from __future__ import annotations

from pathlib import Path

from buto.errors import BadFileError

AGENT = "buto-agent.jar"
JMX = "buto-jmx.jar"
TESTPROGRAMS = "buto-testprograms.jar"


def path(name: str) -> Path:
    """Where a bundled jar lies.

    Args:
        name: one of AGENT, JMX and TESTPROGRAMS.

    Raises:
        BadFileError: the jar was not built, as in a checkout that was never installed.
    """
    jar = Path(__file__).parent / name
    if not jar.is_file():
        raise BadFileError(
            f"buto's own {name} is missing: {jar}",
            advice="python java-probes/build.py (in a checkout), else: pip install --force-reinstall buto",
        )
    return jar
