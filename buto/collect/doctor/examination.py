"""Check whether this machine can measure; launch a small program under every JVM that is found."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from buto import jars
from buto.collect.doctor.handshake_probe import probe_handshake
from buto.collect.doctor.machine import (
    Check,
    Level,
    check_clock,
    check_cores,
    check_load,
    check_store,
    check_temporary_directory,
)
from buto.collect.doctor.outside import check_process_files, check_processor_events
from buto.collect.host.load import LoadMeter
from buto.collect.jvm.installations import INSTALL_ADVICE, OLDEST_JAVA, JavaInstallation, find_installations
from buto.collect.opener import open_collector
from buto.collect.target import Target
from buto.errors import BadFileError, ButoError
from buto.runs.storage.place import Place

_PROGRAM = ("buto.testprograms.leaker.Leaker", "--duration", "300ms")
_PROGRAM_S = 0.3
_INTERVAL_S = 0.02
_TIMEOUT_S = 30.0


def examine(store: Place) -> Iterator[Check]:
    """Check everything; yield each result as soon as it is known.

    Args:
        store: where runs would be kept; it is not created.
    """
    if sys.platform != "linux":
        yield Check(
            "system", Level.PROBLEM, f"{sys.platform}; buto measures on Linux", "use a Linux container"
        )
        return
    meter, began = LoadMeter(), time.monotonic()
    yield check_clock()
    yield check_cores()
    yield check_store(store)
    yield check_temporary_directory()
    yield check_process_files()
    yield check_processor_events()
    yield from _check_jvms()
    # All launches are over; the load of other programs needs at least half a second.
    time.sleep(max(0.0, 0.5 - (time.monotonic() - began)))
    yield check_load(meter.foreign_load())


def _check_jvms() -> Iterator[Check]:
    try:
        jars.path(jars.AGENT)
        program = jars.path(jars.TESTPROGRAMS)
    except BadFileError as error:
        yield Check("agent", Level.PROBLEM, error.message, error.advice)
        return
    installations = find_installations()
    if not installations:
        yield Check(
            "java",
            Level.PROBLEM,
            "no java was found on PATH, by JAVA_HOME or in /usr/lib/jvm",
            INSTALL_ADVICE,
        )
        return
    checks = [_check_jvm(installation, program) for installation in installations]
    some_work = any(check.level is not Level.PROBLEM for check in checks)
    for check in checks:
        one_of_several = check.level is Level.PROBLEM and some_work
        yield replace(check, level=Level.WARNING) if one_of_several else check


def _check_jvm(installation: JavaInstallation, program: Path) -> Check:
    name = f"java {installation.version or '(unknown version)'}"
    where = f"{installation.java} (from {installation.found_by})"
    if installation.major is None:
        return Check(name, Level.PROBLEM, f"{where} does not run", "reinstall or remove it")
    if installation.major < OLDEST_JAVA:
        return Check(name, Level.PROBLEM, f"{where} is older than Java {OLDEST_JAVA}", INSTALL_ADVICE)
    command = (str(installation.java), "-cp", str(program), *_PROGRAM)
    target = Target(command, timeout_s=_TIMEOUT_S, interval_s=_INTERVAL_S)
    try:
        handshake = probe_handshake(target)
        with open_collector(target) as collector:
            run = collector.record("doctor")
    except ButoError as error:
        return Check(name, Level.PROBLEM, f"{where}: {error.message}", error.advice)
    if run.times_s[0] > 0 or run.times_s[-1] < _PROGRAM_S:
        seen = f"samples from {run.times_s[0]:.3f} s to {run.times_s[-1]:.3f} s"
        return Check(
            name, Level.PROBLEM, f"{where}: the program ran {_PROGRAM_S} s, but there are {seen}", "try again"
        )
    measured = f"{where}: the agent loads, {len(run.times_s)} samples from before main to the exit"
    if not handshake.same_clock:
        return Check(
            name,
            Level.WARNING,
            f"{measured}; its clock differs from buto's",
            "compare its runs with no others",
        )
    if handshake.no_counters is not None:
        advice = "remove -XX:-UsePerfData; without the counters the last state of a killed program is lost"
        return Check(name, Level.WARNING, f"{measured}; {handshake.no_counters}", advice)
    return Check(name, Level.OK, f"{measured}; its clock is buto's; its performance counters can be read")
