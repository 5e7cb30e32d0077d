"""A model of an architecture in a terminal, and how well it predicts what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from buto.architecture.model import Architecture, Call
from buto.architecture.queueing.network import network_of
from buto.architecture.traces.learning import Compared
from buto.architecture.traces.summary import Summary
from buto.report.architecture.tables import Row, seconds
from buto.report.architecture.text import columns
from buto.report.sanitize import one_line
from buto.units import format_count, format_number, format_percent, format_rate, format_seconds


def architecture_lines(architecture: Architecture) -> list[str]:
    """Return endpoints, stations and components with their calls.

    Raises:
        JudgeError: the model cannot be solved.
    """
    network = network_of(architecture)
    responses = network.mean_responses(architecture.self_s, architecture.rates)
    busy = network.utilisations(architecture.self_s, architecture.rates)
    saturation = network.saturation(architecture.self_s, architecture.rates) * architecture.rates.sum()
    endpoints: list[Row] = [("ENDPOINT", "LOAD", "RESPONSE", "CALLS")]
    for endpoint, response in zip(architecture.endpoints, responses.tolist(), strict=True):
        endpoints.append(
            (endpoint.name, format_rate(endpoint.rate), seconds(response), _calls(endpoint.calls))
        )
    stations: list[Row] = [("STATION", "SERVERS", "DISCIPLINE", "UTILISATION")]
    for station, share in zip(architecture.stations, busy.tolist(), strict=True):
        stations.append((station.name, str(station.servers), station.discipline.value, format_percent(share)))
    components: list[Row] = [("COMPONENT", "STATION", "SELF", "VARIATION", "CALLS")]
    components += [
        (one.name, one.station, format_seconds(one.self_s), format_number(one.cv), _calls(one.calls))
        for one in architecture.components
    ]
    return [
        f"{one_line(architecture.name)}: saturates at {format_rate(saturation)} of all endpoints",
        "",
        *columns(endpoints),
        "",
        *columns(stations),
        "",
        *columns(components),
    ]


def summary_lines(summary: Summary) -> Iterator[str]:
    """Give what the traces were, and what of them could not be used."""
    yield f"{format_count(summary.requests, 'whole trace')} of {format_seconds(summary.duration_s)}"
    if summary.cut:
        yield f"{format_count(summary.cut, 'trace')} left out: cut off, or with calls in a circle"
    if summary.skewed:
        yield f"{format_count(summary.skewed, 'call')} moved into the time of the caller: clocks differ"


def error_lines(responses: Sequence[Compared], utilisations: Sequence[Compared]) -> list[str]:
    """Return predicted beside measured numbers, the largest error of each kind last."""
    rows: list[Row] = [("", "PREDICTED", "MEASURED", "ERROR")]
    rows += [
        (one.what, seconds(one.predicted), seconds(one.measured), _signed(one.error)) for one in responses
    ]
    rows += [
        (one.what, format_percent(one.predicted), format_percent(one.measured), _signed(one.error))
        for one in utilisations
    ]
    return columns(rows)


def _signed(share: float) -> str:
    return f"{'-' if share < 0 else '+'}{format_percent(abs(share))}"


def _calls(calls: Sequence[Call]) -> str:
    return ", ".join(
        call.to if call.times == 1 else f"{call.to} x{format_number(call.times)}" for call in calls
    )
