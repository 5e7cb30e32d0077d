"""What is kept of one run of the store: single response times, and how busy each process was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from buto.errors import BadFileError

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
        BadFileError: it is not such a file.
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
        raise BadFileError(f"{path} is not a measured run of the store: {error!r}") from error
