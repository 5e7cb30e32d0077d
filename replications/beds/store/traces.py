"""What is kept of a run: response times from its traces, processor times from its properties."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from beds.artefacts import BedError
from buto.run.model import Run
from buto.run.window import cut_to_window
from buto_predict.traces.files import read_otlp
from buto_replications.store.measured import MeasuredRun

PROCESSES = ("web", "catalogue", "order")


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests that began after the warm-up.

    Attributes:
        ids: of their traces.
        responses_s: by endpoint, in the order in which they ended.
    """

    ids: frozenset[str]
    responses_s: Mapping[str, tuple[float, ...]]


def measured_requests(directory: Path, warm_up_s: float) -> Requests:
    """Read the requests of one run.

    Args:
        directory: where the three processes wrote their spans.
        warm_up_s: requests that began this soon after the first one are left out.

    Raises:
        BadFileError: a file is damaged.
        BedError: there are no requests after the warm-up.
    """
    roots = [span for span in read_otlp(directory / "web.json") if not span.parent]
    begin_s = min((span.start_s for span in roots), default=0.0) + warm_up_s
    kept = [span for span in roots if span.start_s >= begin_s]
    if not kept:
        raise BedError(f"{directory} has no traces of requests after the warm-up of {warm_up_s:g} s")
    responses: dict[str, list[float]] = defaultdict(list)
    for span in kept:
        responses[span.component].append(span.end_s - span.start_s)
    return Requests(
        frozenset(span.trace for span in kept),
        {name: tuple(times) for name, times in sorted(responses.items())},
    )


def keep_traces(directory: Path, requests: Requests, path: Path) -> None:
    """Write the spans of these requests, of all processes, into one file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    with part.open("w") as out:
        for process in PROCESSES:
            with (directory / f"{process}.json").open() as lines:
                out.writelines(line for line in lines if _trace_of(line) in requests.ids)
    part.replace(path)


def _trace_of(line: str) -> str:
    trace: str = json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["traceId"]
    return trace


_CPU_TIMES = {
    "web": "jvm.cpu.time",
    "catalogue": "catalogue.cpu.time",
    "order": "order.cpu.time",
    "postgresql": "postgresql.cpu.time",
}
_CORES = ("host.cpu.user", "host.cpu.system", "host.cpu.idle", "host.cpu.iowait")


def measured_of(version: str, load: str, run: Run, requests: Requests) -> MeasuredRun:
    """Return what is kept of a run.

    Raises:
        BedError: processor times are missing.
    """
    window = cut_to_window(run)

    def cores_of(name: str) -> float:
        spent = window.series(name)
        known = np.isfinite(spent)
        if known.sum() < 2:
            raise BedError(f"run {run.id} has no {name}: {run.nan_reasons.get(name, 'too few samples')}")
        used_s, times_s = spent[known], window.times_s[known]
        return float((used_s[-1] - used_s[0]) / (times_s[-1] - times_s[0]))

    user, system, idle, waiting = (cores_of(name) for name in _CORES)
    return MeasuredRun(
        version,
        load,
        run.id,
        requests.responses_s,
        {process: cores_of(name) for process, name in _CPU_TIMES.items()},
        user + system,
        round(user + system + idle + waiting),
        run.quality.foreign_load or 0.0,
    )
