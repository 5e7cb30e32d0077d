"""A prediction, a model, and how well it predicts what was measured, in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isinf, isnan

from buto.judging.verdict import Status
from buto.report.sanitize import one_line
from buto.run.units import format_count, format_number, format_percent, format_rate, format_seconds
from buto_predict.listing import listed
from buto_predict.mapping import How
from buto_predict.model import Architecture, Call, Endpoint
from buto_predict.network import network_of
from buto_predict.prediction.model import EndpointPrediction, Mending, MoreNeeded, Prediction
from buto_predict.report.tables import (
    Row,
    call_label,
    deviation_rows,
    endpoint_rows,
    seconds,
    signed,
    station_rows,
)
from buto_predict.traces.fit import FittedNumber, Misfit, MisfitCause
from buto_predict.traces.summary import Summary

MANY = 100
"""More repetitions than this are not worth their time."""


def prediction_lines(prediction: Prediction) -> list[str]:
    return [
        headline(prediction),
        "",
        *columns(endpoint_rows(prediction)),
        "",
        *columns(station_rows(prediction)),
        "",
        *columns(deviation_rows(prediction)),
        "",
        *(one_line(line, 1000) for line in conclusions(prediction)),
    ]


def headline(prediction: Prediction) -> str:
    name = one_line(prediction.architecture.name)
    return f"{prediction.status.value.upper()}  {name} under {format_rate(prediction.load)}"


def conclusions(prediction: Prediction) -> Iterator[str]:
    """Give what follows from the tables, one sentence each."""
    too_high = saturated_before(prediction)
    yield from _reasons(prediction, too_high)
    yield from prediction.reasons
    yield from map(needed_text, prediction.needed)
    for position, limits in enumerate(prediction.limits):
        if limits.matters_from is not None:
            yield limit_text(prediction, position)
    yield saturation_text(prediction)
    if not too_high:
        for endpoint in prediction.endpoints:
            yield from throughput_texts(endpoint)
        yield from map(mending_text, prediction.mending)
    yield from (
        f"taken as the same component ({how.value}): {old} and {new}" for old, new, how in others(prediction)
    )
    if prediction.unmapped:
        yield f"tests without a component in the model: {', '.join(prediction.unmapped)}"
    yield from map(coverage_text, prediction.endpoints, prediction.coverage)
    if not prediction.exact:
        yield "mean response times are simulated, because the model has fifo stations or parallel calls"
    yield from (f"warning: {warning}" for warning in prediction.warnings)


def saturated_before(prediction: Prediction) -> bool:
    """Return whether the old version cannot do the load either; then little can be said of the new one."""
    return any(station.old >= 1 for station in prediction.stations)


def _reasons(prediction: Prediction, too_high: bool) -> Iterator[str]:
    """Give the reasons of endpoints that do not pass; one for all whose load was too high before the
    change.
    """
    known = [endpoint for endpoint in prediction.endpoints if endpoint.status is not Status.PASS]
    unjudged = [
        endpoint_prediction
        for endpoint_prediction in known
        if too_high and (isnan(endpoint_prediction.delta) or isinf(endpoint_prediction.old_s))
    ]
    if unjudged:
        yield "; ".join(unjudged[0].reasons)
    for endpoint in known:
        if endpoint not in unjudged:
            yield f"{endpoint.name}: {'; '.join(endpoint.reasons)}"


def others(prediction: Prediction) -> Iterator[tuple[str, str, How]]:
    """Give pairs that are taken for one component in spite of their names, of tests and of models."""
    for test in prediction.evidence.tests:
        if test.component is not None and test.how not in (None, How.NAME):
            assert test.how is not None
            yield test.name, test.component, test.how
    if prediction.mapping is not None:
        yield from (
            (pair.old, pair.new, pair.how) for pair in prediction.mapping.pairs if pair.how is not How.NAME
        )


def needed_text(needed: MoreNeeded) -> str:
    if needed.count is None:
        return f"{needed.endpoint}: no number of repetitions of component tests would decide it"
    each = "each of " if len(needed.tests) > 1 else ""
    more = f"{format_count(needed.count, f'more {needed.replicate}')} of {each}{listed(needed.tests)}"
    if needed.count > MANY:
        return f"{needed.endpoint}: more repetitions will hardly decide it; that takes {more} on each side"
    return f"{needed.endpoint}: {more} on each side would decide"


def limit_text(prediction: Prediction, position: int) -> str:
    """Return from which load a change matters; below the lowest of the curve nothing is known."""
    limits = prediction.limits[position]
    assert limits.matters_from is not None
    load = format_rate(limits.matters_from)
    if limits.matters_from > prediction.curve[0].load:
        return f"{limits.endpoint}: the change matters from a total load of {load}"
    if any(point.delta[position] < prediction.settings.negligible for point in prediction.curve):
        return f"{limits.endpoint}: the change matters already at {load}, the lowest total load of the curve"
    return f"{limits.endpoint}: the change matters at every load of the curve"


def coverage_text(endpoint: EndpointPrediction, share: float) -> str:
    text = f"{endpoint.name}: component tests cover {format_percent(share)} of its demand"
    if share == 0 and endpoint.status is Status.PASS:
        return f"{text}; pass means only that it hardly waits longer for other requests"
    return text


def saturation_text(prediction: Prediction) -> str:
    if isinf(prediction.saturation_old) and isinf(prediction.saturation_new):
        return "no load saturates the system: all stations that requests use are delays"
    old, new = (
        format_rate(saturation) for saturation in (prediction.saturation_old, prediction.saturation_new)
    )
    if isinf(prediction.saturation_new):
        return f"the system saturates at a total load of {old} before the change, and at no load after it"
    loads = f"at a total load of {old} before and {new}"
    if isinf(prediction.saturation_old):
        loads = f"at no load before and at a total load of {new}"
    return (
        f"the system saturates {loads} after the change; "
        f"the first saturated station is {prediction.bottleneck}"
    )


def throughput_texts(endpoint: EndpointPrediction) -> Iterator[str]:
    """Yield how many requests complete in a version that cannot do all of them."""
    for throughput, when in ((endpoint.old_throughput, "before"), (endpoint.new_throughput, "after")):
        if throughput < endpoint.rate:
            known = f"{format_rate(throughput)} of {format_rate(endpoint.rate)}"
            yield f"{endpoint.name}: at most {known} complete {when} the change"


def mending_text(mending: Mending) -> str:
    low, high = (format_seconds(bound) for bound in mending.self_interval_s)
    if isinf(mending.gain_s):
        gain = "end the saturation"
    elif isinf(mending.mended_s):
        gain = "not end the saturation"
    else:
        gain = f"save {format_seconds(mending.gain_s)} per request"
    return (
        f"restoring {mending.component} would {gain}; its self time increased by "
        f"{format_seconds(mending.self_change_s)} ({low} to {high})"
    )


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as aligned lines, two blanks between columns."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(rows[0]))]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


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
        (
            component.name,
            component.station,
            format_seconds(component.self_s),
            format_number(component.cv),
            _calls(component.calls),
        )
        for component in architecture.components
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
    number = misfit.response
    predicted = "saturation" if isinf(number.predicted) else seconds(number.predicted)
    text = (
        f"{one_line(number.what)}: the model predicts {predicted}, its traces have {seconds(number.measured)}"
    )
    match misfit.cause:
        case MisfitCause.MIXED:
            return f"{text}, because the calls of {one_line(misfit.mixed)} depend on the endpoint"
        case MisfitCause.LATE:
            return f"{text}, because calls began after their caller had ended"
        case MisfitCause.WAITING:
            return f"{text}, because times include waiting"
        case None:
            return text


def varied_text(endpoint: Endpoint) -> str:
    times = format_number(endpoint.cv or 0.0)
    return (
        f"{one_line(endpoint.name)}: its requests vary by {times} times their mean (cv), which hides "
        "changes; were a few of them disturbed?"
    )


def error_lines(responses: Sequence[FittedNumber], utilisations: Sequence[FittedNumber]) -> list[str]:
    rows: list[Row] = [("", "PREDICTED", "MEASURED", "ERROR")]
    rows += [
        (response.what, seconds(response.predicted), seconds(response.measured), signed(response.error))
        for response in responses
    ]
    rows += [
        (
            utilisation.what,
            format_percent(utilisation.predicted),
            format_percent(utilisation.measured),
            signed(utilisation.error),
        )
        for utilisation in utilisations
    ]
    return columns(rows)


def _calls(calls: Sequence[Call]) -> str:
    return ", ".join(f"{call.to} {call_label(call)}".rstrip() for call in calls)
