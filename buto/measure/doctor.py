"""Check whether this machine can measure.

The machine itself must be fit: clock, cores, load by others, free space. What can be read of a process from
outside is found out by reading buto's own. A small program is measured under every JVM that is found.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

import numpy as np

from buto import jars
from buto.errors import BadFileError, ButoError, StorageError, UsageError
from buto.measure import host
from buto.measure.account import NoEventError, ProcessorEvents
from buto.measure.host import LoadMeter
from buto.measure.jvms import INSTALL_ADVICE, OLDEST_JAVA, JavaInstallation, find_installations
from buto.measure.opener import open_collector
from buto.measure.private_directory import private_directory
from buto.measure.procfs import ProcError, ProcessFiles
from buto.measure.target import Target
from buto.run.files import STORE
from buto.run.model import BUSY_SHARE
from buto.run.objects import open_storage
from buto.run.storage import Place
from buto.run.units import format_bytes, format_count, format_number, format_percent, format_seconds
from buto.steps import Action, Advice, Step

COARSE_CLOCK_S = 1e-6

LITTLE_SPACE = 1 << 30
NO_SPACE = 50 << 20
"""A run of some seconds takes less than 1 MiB, but its output may take several."""

_ANOTHER = ("name another directory: ", STORE)


class Health(Enum):
    OK = "ok"
    WARNING = "warning"
    """Measuring works, but not as well as it could."""
    PROBLEM = "problem"
    """Measuring does not work."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The result of one check.

    Attributes:
        name: what was checked.
        detail: what was found, with its number or path.
        advice: what to do about it; None if all is well.
    """

    name: str
    level: Health
    detail: str
    advice: str | None = None


def check_clock() -> Diagnosis:
    """Check the resolution of the clock that gives the samples their times."""
    resolution_s = time.get_clock_info("monotonic").resolution
    detail = f"resolution {format_seconds(resolution_s)}"
    if resolution_s > COARSE_CLOCK_S:
        return Diagnosis("clock", Health.WARNING, detail, "use intervals of 100 ms and more")
    return Diagnosis("clock", Health.OK, detail)


def check_cores() -> Diagnosis:
    """Check how many cores a program may use, by affinity and control group."""
    known = host.machine()
    cores, total, quota = known["host.cores"], known["host.cores.total"], known["host.cores.quota"]
    detail = (
        f"{cores} of {format_count(float(total or 1), 'core')}, {known['host.cpu.model'] or 'unknown model'}"
    )
    available = float(cores or 1)
    if isinstance(quota, float):
        detail += f"; the control group allows the time of {format_number(quota)}"
        available = min(available, quota)
    if available < 2:
        advice = "give it two cores: on one, a JVM takes another garbage collector and buto competes with it"
        return Diagnosis("cores", Health.WARNING, detail, advice)
    return Diagnosis("cores", Health.OK, detail)


def check_load(foreign_load: float) -> Diagnosis:
    """Check the load by others, a share of the cores; NaN if unknown."""
    if foreign_load != foreign_load:
        return Diagnosis("load by others", Health.WARNING, "unknown", "see what else runs: top")
    detail = f"{format_percent(round(foreign_load, 3))} of the cores"
    if foreign_load > BUSY_SHARE:
        advice = "stop what else runs (see top), or expect wide bounds and disturbed runs"
        return Diagnosis("load by others", Health.WARNING, detail, advice)
    return Diagnosis("load by others", Health.OK, detail)


def check_store(store: Place) -> Diagnosis:
    """Check whether runs can be stored, and how much space is left."""
    try:
        free = open_storage(store).probe()
    except (StorageError, UsageError) as error:
        return Diagnosis("store", Health.PROBLEM, error.message, error.advice)
    if free is None:
        return Diagnosis("store", Health.OK, f"{store} can be written")
    detail = f"{store}, {format_bytes(free)} free"
    if free < LITTLE_SPACE:
        level = Health.PROBLEM if free < NO_SPACE else Health.WARNING
        advice = Advice(
            "free some space (",
            Step(Action.LIST_RUNS),
            " lists the runs), or name another directory: ",
            STORE,
        )
        return Diagnosis("store", level, detail, advice)
    return Diagnosis("store", Health.OK, detail)


def check_temporary_directory() -> Diagnosis:
    """Check whether a launch can write its output and session file."""
    try:
        with private_directory() as directory:
            place, free = directory.parent, shutil.disk_usage(directory).free
            (directory / "output").write_bytes(os.urandom(1024))
    except OSError as error:
        return Diagnosis("temporary files", Health.PROBLEM, str(error), "set TMPDIR to another directory")
    except StorageError as error:
        return Diagnosis("temporary files", Health.PROBLEM, error.message, error.advice)
    detail = f"{place}, {format_bytes(free)} free"
    if free < NO_SPACE:
        return Diagnosis("temporary files", Health.PROBLEM, detail, "free some space, or set TMPDIR")
    return Diagnosis("temporary files", Health.OK, detail)


def check_process_files() -> Diagnosis:
    """Check which files of /proc can be read; other properties do not depend on them."""
    name = "process counters"
    try:
        with ProcessFiles(os.getpid()) as files:
            reads = {
                "page faults and threads": files.stat,
                "memory": files.memory,
                "proportional memory": files.pss,
                "input and output": files.transfers,
                "descriptors": files.n_descriptors,
                "sockets": files.n_sockets,
                "context switches": files.switches,
            }
            missing = {}
            for what, read in reads.items():
                try:
                    read()
                except ProcError as reason:
                    missing[what] = reason.message
    except ProcError as reason:
        return Diagnosis(name, Health.WARNING, reason.message, "mount /proc without hidepid")
    readable = ", ".join(what for what in reads if what not in missing)
    if missing:
        detail = "; ".join(f"no {what}: {why}" for what, why in missing.items())
        advice = "runs lack these properties; give buto the rights of the program's user, or another kernel"
        return Diagnosis(name, Health.WARNING, detail, advice)
    return Diagnosis(name, Health.OK, f"/proc has {readable}")


def check_processor_events() -> Diagnosis:
    """Check whether the processor counts instructions and cycles for a program.

    It is a warning only if somebody can change it: most virtual machines cannot count.
    """
    name = "processor counters"
    with ProcessorEvents.of_this_process() as events:
        reasons: list[NoEventError] = []
        for kind in events.kinds:
            try:
                events.count(kind)
            except NoEventError as reason:
                reasons.append(reason)
        what = " and ".join(kind.name for kind in events.kinds)
    if not reasons:
        return Diagnosis(name, Health.OK, f"{what} can be counted")
    detail = f"not recorded: {'; '.join(reason.message for reason in reasons)}"
    advice = next((str(reason.advice) for reason in reasons if reason.advice), None)
    return Diagnosis(name, Health.WARNING if advice else Health.OK, detail, advice)


_PROGRAM = ("buto.testprograms.leaker.Leaker", "--duration", "300ms")
_PROGRAM_S = 0.3
_INTERVAL_S = 0.02
_COUNTER = "jvm.safepoint.count"
"""One that every JVM with performance counters has."""

_TIMEOUT_S = 30.0


def examine(store: Place) -> Iterator[Diagnosis]:
    """Check everything; yield each result as soon as it is known.

    Args:
        store: where runs would be kept; it is not created.
    """
    if sys.platform != "linux":
        yield Diagnosis(
            "system", Health.PROBLEM, f"{sys.platform}; buto measures on Linux", "use a Linux container"
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


def _check_jvms() -> Iterator[Diagnosis]:
    try:
        jars.path(jars.AGENT)
        program = jars.path(jars.TESTPROGRAMS)
    except BadFileError as error:
        yield Diagnosis("agent", Health.PROBLEM, error.message, error.advice)
        return
    installations = find_installations()
    if not installations:
        yield Diagnosis(
            "java",
            Health.PROBLEM,
            "no java was found on PATH, by JAVA_HOME or in /usr/lib/jvm",
            INSTALL_ADVICE,
        )
        return
    checks = [_check_jvm(installation, program) for installation in installations]
    some_work = any(check.level is not Health.PROBLEM for check in checks)
    for check in checks:
        one_of_several = check.level is Health.PROBLEM and some_work
        yield replace(check, level=Health.WARNING) if one_of_several else check


def _check_jvm(installation: JavaInstallation, program: Path) -> Diagnosis:
    name = f"java {installation.version or '(unknown version)'}"
    where = f"{installation.java} (from {installation.found_by})"
    if installation.major is None:
        return Diagnosis(name, Health.PROBLEM, f"{where} does not run", "reinstall or remove it")
    if installation.major < OLDEST_JAVA:
        return Diagnosis(name, Health.PROBLEM, f"{where} is older than Java {OLDEST_JAVA}", INSTALL_ADVICE)
    command = (str(installation.java), "-cp", str(program), *_PROGRAM)
    target = Target(command, timeout_s=_TIMEOUT_S, interval_s=_INTERVAL_S)
    try:
        with open_collector(target) as collector:
            run = collector.record("doctor")
    except ButoError as error:
        return Diagnosis(name, Health.PROBLEM, f"{where}: {error.message}", error.advice)
    if run.times_s[0] > 0 or run.times_s[-1] < _PROGRAM_S:
        seen = f"samples from {run.times_s[0]:.3f} s to {run.times_s[-1]:.3f} s"
        return Diagnosis(
            name,
            Health.PROBLEM,
            f"{where}: the program ran {_PROGRAM_S} s, but there are {seen}",
            "try again",
        )
    measured = f"{where}: the agent loads, {len(run.times_s)} samples from before main to the exit"
    # A sample reaches buto after it was taken, and soon: by another clock it would not.
    delays_s = run.series("buto.outside.delay")
    if not ((delays_s > 0) & (delays_s < _TIMEOUT_S)).any():
        return Diagnosis(
            name,
            Health.WARNING,
            f"{measured}; its clock differs from buto's",
            "compare its runs with no others",
        )
    if np.isnan(run.series(_COUNTER)).all():
        advice = "remove -XX:-UsePerfData; without the counters the last state of a killed program is lost"
        return Diagnosis(name, Health.WARNING, f"{measured}; {run.nan_reasons[_COUNTER]}", advice)
    return Diagnosis(
        name, Health.OK, f"{measured}; its clock is buto's; its performance counters can be read"
    )
