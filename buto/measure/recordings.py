"""Recordings of Flight Recorder, read by small Java programs in a process of their own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

from buto import jars
from buto.errors import MeasureError
from buto.measure.jvms import first_installation, own_environment
from buto.steps import Action, Advice, Step

OLDEST_JAVA = 17

_MODULE = "jdk.jfr"
_OPTIONS = (
    # The parser holds all stacks of a part of a recording; the heap grows only as far as it must.
    "-Xmx1g",
    "-Xss2m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Xshare:auto",
)

T = TypeVar("T")


def run_reader(name: str, words: Sequence[str], parse: Callable[[str], T], limit_s: float) -> T:
    """Return what a reader prints, as parsed.

    Args:
        name: its main class, in ``buto.probes.jfr``.
        parse: raises ValueError for what no reader prints.
        limit_s: how long it may take.

    Raises:
        MeasureError: no Java can run it, it fails, or it takes longer.
    """
    reader = ["-cp", str(jars.path(jars.JFR)), f"buto.probes.jfr.{name}"]
    try:
        done = subprocess.run(
            [str(reading_java()), *_OPTIONS, *reader, *words],
            env=own_environment(),
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
    """Return the first ``java`` of this machine that can read recordings; MeasureError if there is none."""
    purpose = f"reading recordings needs Java {OLDEST_JAVA} or newer with the module {_MODULE}"
    return first_installation(OLDEST_JAVA, purpose, has_flight_recorder).java


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
