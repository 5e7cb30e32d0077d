"""What is kept of one run for comparisons: single response times, and how busy each process was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from beds.artefacts import BedError
from beds.store.traces import Requests
from buto.runs import Run
from buto.runs.window import measured

_CPU_TIMES = {
    "web": "jvm.cpu.time",
    "catalogue": "catalogue.cpu.time",
    "order": "order.cpu.time",
    "postgresql": "postgresql.cpu.time",
}
_CORES = ("host.cpu.user", "host.cpu.system", "host.cpu.idle", "host.cpu.iowait")
_MICRO = 1e6


@dataclass(frozen=True, slots=True)
class Measured:
    """One run.

    Attributes:
        run: its id in the store of runs.
        responses_s: single response times by endpoint.
        busy: mean number of cores that each process kept busy.
        host_busy: the same, of all processes of the machine.
        cores: of the machine.
        foreign: cores that programs beside the store kept busy, on average.
    """

    version: str
    load: str
    run: str
    responses_s: Mapping[str, tuple[float, ...]]
    busy: Mapping[str, float]
    host_busy: float
    cores: int
    foreign: float


def measured_of(version: str, load: str, run: Run, requests: Requests) -> Measured:
    """Return what is kept of a run.

    Raises:
        BedError: processor times are missing.
    """
    window = measured(run)

    def cores_of(name: str) -> float:
        spent = window.series(name)
        known = np.isfinite(spent)
        if known.sum() < 2:
            raise BedError(f"run {run.id} has no {name}: {run.nan_reasons.get(name, 'too few samples')}")
        used_s, times_s = spent[known], window.times_s[known]
        return float((used_s[-1] - used_s[0]) / (times_s[-1] - times_s[0]))

    user, system, idle, waiting = (cores_of(name) for name in _CORES)
    return Measured(
        version,
        load,
        run.id,
        requests.responses_s,
        {process: cores_of(name) for process, name in _CPU_TIMES.items()},
        user + system,
        round(user + system + idle + waiting),
        run.quality.foreign_load or 0.0,
    )


def write_measured(one: Measured, path: Path) -> None:
    """Write one run; microseconds are exact enough for response times."""
    document = {
        "version": one.version,
        "load": one.load,
        "run": one.run,
        "cores": one.cores,
        "host_busy": round(one.host_busy, 4),
        "foreign": round(one.foreign, 4),
        "busy": {name: round(cores, 4) for name, cores in one.busy.items()},
        "responses_us": {
            name: [round(_MICRO * time_s) for time_s in times] for name, times in one.responses_s.items()
        },
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_text(json.dumps(document) + "\n")
    part.replace(path)


def read_measured(path: Path) -> Measured:
    """Read what :func:`write_measured` wrote.

    Raises:
        BedError: it is not such a file.
    """
    try:
        known = json.loads(path.read_text())
        return Measured(
            known["version"],
            known["load"],
            known["run"],
            {name: tuple(time / _MICRO for time in times) for name, times in known["responses_us"].items()},
            known["busy"],
            known["host_busy"],
            known["cores"],
            known["foreign"],
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BedError(f"{path} is not a measured run of the store: {error!r}") from error
