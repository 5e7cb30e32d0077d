"""What is kept of a run: single response times from its traces, processor times from its properties."""

from __future__ import annotations

import numpy as np

from beds.artefacts import BedError
from beds.store.traces import Requests
from buto.run.model import Run
from buto.run.window import measured
from buto_replications.store.measured import Measured

_CPU_TIMES = {
    "web": "jvm.cpu.time",
    "catalogue": "catalogue.cpu.time",
    "order": "order.cpu.time",
    "postgresql": "postgresql.cpu.time",
}
_CORES = ("host.cpu.user", "host.cpu.system", "host.cpu.idle", "host.cpu.iowait")


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
