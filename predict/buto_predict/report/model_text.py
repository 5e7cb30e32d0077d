"""A model of an architecture in a terminal, and how well it predicts what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isinf

from buto.report.sanitize import one_line
from buto.units import format_count, format_number, format_percent, format_rate, format_seconds
from buto_predict.model import Architecture, Call, Endpoint
from buto_predict.queueing.network import network_of
from buto_predict.report.naming import call_label
from buto_predict.report.tables import Row, seconds, signed
from buto_predict.report.text import columns
from buto_predict.traces.learning import Compared
from buto_predict.traces.misfits import Cause, Misfit
from buto_predict.traces.summary import Summary


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
    most = f"saturates at {format_rate(saturation)} of all endpoints"
    return [
        f"{one_line(architecture.name)}: {'no load saturates it' if isinf(saturation) else most}",
        "",
        *columns(endpoints),
        "",
        *columns(stations),
        "",
        *columns(components),
    ]


def summary_lines(summary: Summary) -> Iterator[str]:
    """Give what the traces were, and what of them could not be used."""
    yield f"{format_count(summary.requests, 'complete trace')} in {format_seconds(summary.duration_s)}"
    if summary.cut:
        known = format_count(summary.cut, "trace")
        share = format_percent(summary.cut / (summary.cut + summary.requests))
        yield (
            f"{known} ({share}) left out: calls lack a caller, an end or an id of their own, or are in a"
            " circle"
        )
    if summary.skewed:
        yield f"{format_count(summary.skewed, 'call')} moved into the time of the caller: clocks differ"
    late = summary.late.total()
    if late:
        yield (
            f"{format_count(late, 'call')} began after their caller had ended, such as messages; their time"
            " counts as response time"
        )


def waiting_text(stations: Sequence[str]) -> str:
    """Name the stations whose times include waiting, and what to add to the command."""
    first = one_line(stations[0])
    return (
        f"no utilisation of {', '.join(map(one_line, stations))}: {'its' if len(stations) == 1 else 'their'}"
        f" times include waiting; give it, as --utilisation {first}=0.35 --servers {first}=2"
    )


def misfit_text(misfit: Misfit) -> str:
    """Give what is predicted and what the traces have, with the likely cause."""
    one = misfit.response
    predicted = "saturation" if isinf(one.predicted) else seconds(one.predicted)
    text = f"{one_line(one.what)}: the model predicts {predicted}, its traces have {seconds(one.measured)}"
    match misfit.cause:
        case Cause.MIXED:
            return f"{text}, because the calls of {one_line(misfit.mixed)} depend on the endpoint"
        case Cause.LATE:
            return f"{text}, because calls began after their caller had ended"
        case Cause.WAITING:
            return f"{text}, because times include waiting"
        case None:
            return text


def varied_text(endpoint: Endpoint) -> str:
    """Say that the requests of an endpoint vary too much."""
    times = format_number(endpoint.cv or 0.0)
    return (
        f"{one_line(endpoint.name)}: its requests vary by {times} times their mean (cv), which hides "
        "changes; were a few of them disturbed?"
    )


def error_lines(responses: Sequence[Compared], utilisations: Sequence[Compared]) -> list[str]:
    """Return predicted beside measured numbers."""
    rows: list[Row] = [("", "PREDICTED", "MEASURED", "ERROR")]
    rows += [
        (one.what, seconds(one.predicted), seconds(one.measured), signed(one.error)) for one in responses
    ]
    rows += [
        (one.what, format_percent(one.predicted), format_percent(one.measured), signed(one.error))
        for one in utilisations
    ]
    return columns(rows)


def _calls(calls: Sequence[Call]) -> str:
    return ", ".join(f"{call.to} {call_label(call)}".rstrip() for call in calls)
