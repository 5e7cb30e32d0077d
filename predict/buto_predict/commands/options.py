"""The options that commands share: the model and its load, traces, and what is known of stations."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buto.errors import BadFileError, UsageError
from buto.run.units import parse_rate

if TYPE_CHECKING:
    from buto_predict.model import Architecture
    from buto_predict.traces.learning import KnownFacts


MODEL = Path("architecture.yaml")
_MOST_POINTS = 1000


_BUSIEST = 1.05
"""Processor times and the time they are divided by are measured at slightly different moments."""

_TRACES = "OTLP JSON files of the OpenTelemetry collector, or directories of Kieker's file writer"


def add_model_option(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--model", metavar="FILE", type=Path, default=MODEL, help=f"the model (default: {MODEL})"
    )


def read_model(path: Path, loads: Sequence[str] = ()) -> Architecture:
    """Return the model under the given loads; raises as :func:`buto_predict.config.load_architecture`
    and :func:`under_load`.
    """
    from buto.run.cache import is_missing
    from buto_predict.config import load_architecture

    if is_missing(path):
        raise BadFileError(
            f"cannot read the model {path}: it is missing",
            advice="buto architecture learn traces.json, or --model FILE",
        )
    return under_load(load_architecture(path), loads)


def under_load(architecture: Architecture, loads: Sequence[str]) -> Architecture:
    """Return the model under the given loads; the total is applied first, then those of single endpoints.

    Raises:
        UsageError: a load is no rate, or names no endpoint.
    """
    known = [endpoint.name for endpoint in architecture.endpoints]
    single = {}
    for text in loads:
        endpoint, equals, rate = text.rpartition("=")
        if equals:
            single[endpoint_named(endpoint, known)] = _load(rate)
        else:
            architecture = architecture.with_load(_load(rate))
    return architecture.with_rates(single)


def endpoint_named(text: str, known: Sequence[str]) -> str:
    """Return the endpoint of this name; the name of the service before it may be left out.

    Raises:
        UsageError: no endpoint has this name, or those of several services.
    """
    from buto.project.yaml import guess_meant

    if text in known:
        return text
    candidates = [name for name in known if _without_service(name) == text]
    if len(candidates) == 1:
        return candidates[0]
    guess = f"did you mean {' or '.join(map(repr, candidates))}?" if candidates else guess_meant(text, known)
    raise UsageError(f"no endpoint {text!r}; {guess}")


def load_grid(text: str) -> tuple[float, ...]:
    ends, colon, points = text.partition(":")
    low, dots, high = ends.partition("..")
    try:
        if dots and colon and points.isdecimal() and 2 <= int(points) <= _MOST_POINTS:
            steps = int(points) - 1
            first, last = parse_rate(low), parse_rate(high)
            loads = [first + (last - first) * step / steps for step in range(steps + 1)]
        elif not dots and not colon:
            loads = [parse_rate(part) for part in text.split(",")]
        else:
            loads = []
    except UsageError as error:
        raise ArgumentTypeError(error.message) from error
    if not loads or min(loads) <= 0:
        raise ArgumentTypeError(f"must be a list of loads such as 50,100,200 or 50..400:8, got {text!r}")
    return tuple(loads)


def _load(text: str) -> float:
    if text.strip().startswith("-"):
        raise UsageError(f"a load must be above 0, got {text!r}", advice="write it like 20/s")
    return parse_rate(text)


def _without_service(name: str) -> str:
    """Return ``POST /orders`` of ``web/POST /orders``; the whole name where no service is named."""
    service, slash, endpoint = name.partition("/")
    return endpoint if slash and " " not in service else name


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


def known_of(args: Namespace, servers: dict[str, int], shared: dict[str, tuple[str, ...]]) -> KnownFacts:
    """Return what the options say of the stations.

    A utilisation is a share of the station's own servers. That of a service that shares a station is the
    number of servers that it kept busy.
    """
    from buto_predict.results.model import busy_processors
    from buto_predict.traces.learning import KnownFacts

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
    return KnownFacts(servers, utilisations, args.load, shared)


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
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _share(text: str) -> float:
    return float(text.removesuffix("%")) / 100 if text.endswith("%") else float(text)


def names(text: str) -> tuple[str, ...]:
    parts = tuple(name.strip() for name in text.split(","))
    if not all(parts):
        raise ValueError(text)
    return parts


def _rate(text: str) -> float:
    try:
        return parse_rate(text)
    except UsageError as error:
        raise ArgumentTypeError(error.message) from error
