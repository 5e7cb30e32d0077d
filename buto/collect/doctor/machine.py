"""Check whether the machine itself is fit for measuring: clock, cores, load by others, free space."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from enum import Enum

from buto.collect.host import metadata
from buto.collect.process.private_directory import private_directory
from buto.errors import StorageError, UsageError
from buto.runs.files.staging import STORE
from buto.runs.storage.opening import open_storage
from buto.runs.storage.place import Place
from buto.steps import Action, Advice, Step
from buto.units import format_bytes, format_count, format_number, format_percent, format_seconds

COARSE_CLOCK_S = 1e-6
BUSY_SHARE = 0.2
"""With more load by others, runs differ visibly from undisturbed ones."""

LITTLE_SPACE = 1 << 30
NO_SPACE = 50 << 20
"""A run of some seconds takes less than 1 MiB, but its output may take several."""

_ANOTHER = ("name another directory: ", STORE)


class Level(Enum):
    OK = "ok"
    WARNING = "warning"
    """Measuring works, but not as well as it could."""
    PROBLEM = "problem"
    """Measuring does not work."""


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check.

    Attributes:
        name: what was checked.
        detail: what was found, with its number or path.
        advice: what to do about it; None if all is well.
    """

    name: str
    level: Level
    detail: str
    advice: str | None = None


def check_clock() -> Check:
    """Check the resolution of the clock that gives the samples their times."""
    resolution_s = time.get_clock_info("monotonic").resolution
    detail = f"resolution {format_seconds(resolution_s)}"
    if resolution_s > COARSE_CLOCK_S:
        return Check("clock", Level.WARNING, detail, "use intervals of 100 ms and more")
    return Check("clock", Level.OK, detail)


def check_cores() -> Check:
    """Check how many cores a program may use, by affinity and control group."""
    known = metadata.machine()
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
        return Check("cores", Level.WARNING, detail, advice)
    return Check("cores", Level.OK, detail)


def check_load(foreign_load: float) -> Check:
    """Check the load by others, a share of the cores; NaN if unknown."""
    if foreign_load != foreign_load:
        return Check("load by others", Level.WARNING, "unknown", "see what else runs: top")
    detail = f"{format_percent(round(foreign_load, 3))} of the cores"
    if foreign_load > BUSY_SHARE:
        advice = "stop what else runs (see top), or expect wide bounds and disturbed runs"
        return Check("load by others", Level.WARNING, detail, advice)
    return Check("load by others", Level.OK, detail)


def check_store(store: Place) -> Check:
    """Check whether runs can be stored, and how much space is left."""
    try:
        free = open_storage(store).probe()
    except (StorageError, UsageError) as error:
        return Check("store", Level.PROBLEM, error.message, error.advice)
    if free is None:
        return Check("store", Level.OK, f"{store} can be written")
    detail = f"{store}, {format_bytes(free)} free"
    if free < LITTLE_SPACE:
        level = Level.PROBLEM if free < NO_SPACE else Level.WARNING
        advice = Advice(
            "free some space (",
            Step(Action.LIST_RUNS),
            " lists the runs), or name another directory: ",
            STORE,
        )
        return Check("store", level, detail, advice)
    return Check("store", Level.OK, detail)


def check_temporary_directory() -> Check:
    """Check whether a launch can write its output and session file."""
    try:
        with private_directory() as directory:
            place, free = directory.parent, shutil.disk_usage(directory).free
            (directory / "output").write_bytes(os.urandom(1024))
    except OSError as error:
        return Check("temporary files", Level.PROBLEM, str(error), "set TMPDIR to another directory")
    except StorageError as error:
        return Check("temporary files", Level.PROBLEM, error.message, error.advice)
    detail = f"{place}, {format_bytes(free)} free"
    if free < NO_SPACE:
        return Check("temporary files", Level.PROBLEM, detail, "free some space, or set TMPDIR")
    return Check("temporary files", Level.OK, detail)
