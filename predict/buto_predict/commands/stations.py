"""What a user says of the stations: servers, utilisations, and which of them share a machine."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from buto.errors import UsageError
from buto.units import parse_rate

if TYPE_CHECKING:
    from buto_predict.traces.calibration import Known

_BUSIEST = 1.05
"""Processor times and the time they are divided by are measured at slightly different moments."""

_TRACES = "OTLP JSON files of the OpenTelemetry collector, or directories of Kieker's file writer"


def add_traces(parser: ArgumentParser) -> None:
    """Add the traces, and what is known of the time when they were recorded."""
    parser.add_argument("traces", metavar="TRACES", type=Path, nargs="+", help=_TRACES)
    parser.add_argument(
        "--utilisation",
        metavar="STATION=SHARE",
        type=pair("STATION=SHARE", _share, "web=0.35"),
        action="append",
        default=[],
        help="busy share of all servers of a station while the traces were recorded, as web=0.35 or web=35%%",
    )
    parser.add_argument(
        "--from-runs",
        metavar="STATION=DIR",
        type=pair("STATION=DIR", Path, "web=.buto/runs/web"),
        action="append",
        default=[],
        help="utilisation from the processor time of stored runs, as web=.buto/runs/web",
    )
    parser.add_argument(
        "--load",
        metavar="RATE",
        type=_rate,
        help="requests of all endpoints at that time, if only some were traced",
    )


def known_of(args: Namespace, servers: dict[str, int], shared: dict[str, tuple[str, ...]]) -> Known:
    """Return what the options say of the stations.

    A utilisation is a share of the station's own servers. That of a service that shares a station is the
    number of servers that it kept busy.
    """
    from buto_predict.results.stored_runs import busy_processors
    from buto_predict.traces.calibration import Known

    utilisations = {
        station: busy_processors(directory) / servers.get(station, 1) for station, directory in args.from_runs
    }
    utilisations |= dict(args.utilisation)
    part_of = {member: name for name, group in shared.items() for member in group if member != name}
    for station, busy in utilisations.items():
        whole_of = part_of.get(station)
        most = 1 if whole_of is None else servers.get(whole_of, 1)
        if not 0 <= busy <= _BUSIEST * most:
            raise UsageError(
                f"the utilisation of {station} must be between 0 and {most}, got {busy:.3g}",
                advice=f"it is a share of all its servers, as {station}=0.35 or {station}=35%"
                if whole_of is None
                else f"it is how many servers of {whole_of} were busy with it; give --servers {whole_of}=4",
            )
    return Known(servers, utilisations, args.load, shared)


def pair(form: str, read: Callable[[str], object], example: str) -> Callable[[str], tuple[str, object]]:
    """Return a parser of a station with a value, for argparse."""

    def parse(text: str) -> tuple[str, object]:
        name, equals, value = text.rpartition("=")
        try:
            if equals and name:
                return name, read(value)
        except ValueError:
            pass
        raise ArgumentTypeError(f"must be {form} such as {example}, got {text!r}")

    return parse


def whole(text: str) -> int:
    """Read a number of servers."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _share(text: str) -> float:
    return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)


def names(text: str) -> tuple[str, ...]:
    """Read stations."""
    found = tuple(name.strip() for name in text.split(","))
    if not all(found):
        raise ValueError(text)
    return found


def _rate(text: str) -> float:
    try:
        return parse_rate(text)
    except UsageError as error:
        raise ArgumentTypeError(error.message) from error
