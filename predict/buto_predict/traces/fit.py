"""How well a model predicts measured traces, and why it does not, although it was learned from them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import Enum
from math import inf, isinf

import numpy as np

from buto.errors import UsageError
from buto_predict.calls import calls_of, inclusive
from buto_predict.model import Architecture, Endpoint
from buto_predict.network import network_of
from buto_predict.traces.learning import KnownFacts, rate_of, without_utilisation
from buto_predict.traces.summary import Summary

MOST_VARIATION = 3.0
"""With a larger coefficient of variation, Cliff's delta hardly sees a mean five times as large."""

_EXPLAINS = 0.5
"""Least share of a difference that a component must explain to be its cause."""


@dataclass(frozen=True, slots=True)
class FittedNumber:
    """A number of a model and the measured one.

    Attributes:
        what: the endpoint or the station.
        predicted, measured: mean response times in seconds, or utilisations.
    """

    what: str
    predicted: float
    measured: float

    @property
    def error(self) -> float:
        """As a share of the measured number; infinite if only that is 0."""
        if self.measured:
            return self.predicted / self.measured - 1
        return inf if self.predicted else 0.0


def errors_of(
    architecture: Architecture, summary: Summary, known: KnownFacts
) -> tuple[list[FittedNumber], list[FittedNumber]]:
    """Compare predicted with measured response times of endpoints, and utilisations of stations if they are
    known.

    The load is that of the traces.

    Raises:
        UsageError: an endpoint of the traces is not in the model, or a known station.
    """
    measured = {name: moments.mean for name, moments in summary.responses.items()}
    endpoints = [endpoint.name for endpoint in architecture.endpoints]
    _refuse_unknown("the requests of the traces must be endpoints of the model", measured, endpoints)
    _refuse_unknown(
        "a utilisation must be of a station of the model", known.utilisations, architecture.station_index
    )
    rates = {name: rate_of(summary, name, known) if name in measured else 0.0 for name in endpoints}
    loaded = architecture.with_rates(rates)
    network = network_of(loaded)
    responses = network.mean_responses(loaded.self_s, loaded.rates)
    busy = network.utilisations(loaded.self_s, loaded.rates)
    if not network.exact and (busy < 1).all():
        simulated = network.simulate(loaded.self_s, loaded.rates, seed=0).means
        responses = np.where(np.isnan(simulated), responses, simulated)
    return (
        [
            FittedNumber(name, float(responses[position]), measured[name])
            for position, name in enumerate(endpoints)
            if name in measured
        ],
        [
            FittedNumber(station.name, float(busy[position]), known.utilisations[station.name])
            for position, station in enumerate(loaded.stations)
            if station.name in known.utilisations
        ],
    )


def _refuse_unknown(what: str, names: Iterable[str], known: Collection[str]) -> None:
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(
            f"{what}, got {', '.join(sorted(unknown))}", advice=f"the model has {', '.join(sorted(known))}"
        )


class MisfitCause(Enum):
    MIXED = "mixed"
    """A component has other calls for other endpoints, and a model has the mean of them."""
    LATE = "late"
    """Calls began after their caller had ended, and a model counts them as its time."""
    WAITING = "waiting"
    """Times include waiting, which a model counts once more."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """An endpoint that is predicted wrongly.

    Attributes:
        mixed: the component whose calls depend on the endpoint, if that is the cause.
    """

    response: FittedNumber
    cause: MisfitCause | None
    mixed: str = ""


def varied(architecture: Architecture) -> list[Endpoint]:
    """Return the endpoints of which single requests decide the mean, so that changes are hardly noticed."""
    return [
        endpoint
        for endpoint in architecture.endpoints
        if endpoint.cv is not None and endpoint.cv > MOST_VARIATION
    ]


def misfits(
    architecture: Architecture, summary: Summary, known: KnownFacts, tolerance: float
) -> list[Misfit]:
    """Return the endpoints whose predicted mean response time is wrong by more than a tolerance.

    Args:
        architecture: learned from the summary with what is known.

    Raises:
        JudgeError: the model cannot be solved.
    """
    responses, _ = errors_of(architecture, summary, KnownFacts(load=known.load))
    waiting = bool(without_utilisation(summary, known))
    return [
        _misfit(response, architecture, summary, waiting)
        for response in responses
        if abs(response.error) > tolerance
    ]


def _misfit(response: FittedNumber, architecture: Architecture, summary: Summary, waiting: bool) -> Misfit:
    mixed = None if isinf(response.error) else _mix(response, architecture, summary)
    if mixed is not None:
        return Misfit(response, MisfitCause.MIXED, mixed)
    if response.error > 0 and summary.late[response.what]:
        return Misfit(response, MisfitCause.LATE)
    if response.error > 0 and waiting:
        return Misfit(response, MisfitCause.WAITING)
    return Misfit(response, None)


def _mix(response: FittedNumber, architecture: Architecture, summary: Summary) -> str | None:
    """Return the component that explains most of a difference by what it calls for other endpoints.

    Its calls for this endpoint are compared with its mean calls, each with the time of all that it leads to.
    """
    endpoint, requests = response.what, summary.responses[response.what].count
    whole_s = inclusive(calls_of(architecture), architecture.self_s)
    visits = Counter({endpoint: requests})
    for (_, callee), edge in summary.edges.items():
        visits[callee] += edge.by_endpoint.get(endpoint, 0)
    extra_s: dict[str, float] = defaultdict(float)
    for (caller, callee), edge in summary.edges.items():
        mean = edge.calls / summary.self_s[caller].count
        extra = mean * visits[caller] - edge.by_endpoint.get(endpoint, 0)
        extra_s[caller] += extra * float(whole_s[architecture.component_index[callee]]) / requests
    difference_s = response.predicted - response.measured
    explained = {caller: extra / difference_s for caller, extra in extra_s.items()}
    most = max(explained, key=explained.__getitem__, default=None)
    return most if most is not None and explained[most] >= _EXPLAINS else None
