"""The model that a command reads, under the loads that are given."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from buto.errors import BadFileError, UsageError
from buto.units import parse_rate

if TYPE_CHECKING:
    from buto_predict.model import Architecture

MODEL = Path("architecture.yaml")
_MOST_POINTS = 1000


def add_model_option(parser: ArgumentParser) -> None:
    """Add the option for the model to read."""
    parser.add_argument(
        "--model", metavar="FILE", type=Path, default=MODEL, help=f"the model (default: {MODEL})"
    )


def read_model(path: Path, loads: Sequence[str] = ()) -> Architecture:
    """Return the model under the given loads; raises as :func:`buto_predict.config.load_architecture`
    and :func:`under_load`.
    """
    from buto.runs.files.reading import is_missing
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
            single[endpoint_named(endpoint, known)] = _rate(rate)
        else:
            architecture = architecture.with_load(_rate(rate))
    return architecture.with_rates(single)


def endpoint_named(text: str, known: Sequence[str]) -> str:
    """Return the endpoint of this name; the name of the service before it may be left out.

    Raises:
        UsageError: no endpoint has this name, or those of several services.
    """
    from buto.config.validation import meant

    if text in known:
        return text
    found = [name for name in known if _without_service(name) == text]
    if len(found) == 1:
        return found[0]
    guess = f"did you mean {' or '.join(map(repr, found))}?" if found else meant(text, known)
    raise UsageError(f"no endpoint {text!r}; {guess}")


def load_grid(text: str) -> tuple[float, ...]:
    """Read loads in 1/s, for argparse."""
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


def _rate(text: str) -> float:
    if text.strip().startswith("-"):
        raise UsageError(f"a load must be above 0, got {text!r}", advice="write it like 20/s")
    return parse_rate(text)


def _without_service(name: str) -> str:
    """Return ``POST /orders`` of ``web/POST /orders``; the whole name where no service is named."""
    service, slash, endpoint = name.partition("/")
    return endpoint if slash and " " not in service else name
