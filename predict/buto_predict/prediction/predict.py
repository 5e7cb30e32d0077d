"""The whole way from component results and a model to a prediction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.judging.verdict import Status
from buto.run.model import FloatArray
from buto_predict.model import Architecture
from buto_predict.prediction.decision import Decision, decide, more_needed, undecided_tests, warnings_of
from buto_predict.prediction.model import (
    EndpointPrediction,
    Mending,
    Prediction,
    PredictionSettings,
    StationPrediction,
    TestEvidence,
    gather,
)
from buto_predict.prediction.responses import Responses, curve, limits, respond, usual_grid
from buto_predict.prediction.versions import Versions, fitted, versions_of
from buto_predict.results.model import ComponentResult

DEFAULT = PredictionSettings()


def mending(
    versions: Versions, architecture: Architecture, rates: FloatArray, settings: PredictionSettings
) -> tuple[Mending, ...]:
    """Return what undoing the change of each component would gain, for components whose self time certainly
    became longer; largest gain first.

    Self times are compared, so a caller is not blamed for what it calls.
    """
    now_s = _mean(versions, versions.new_s, rates)
    repairs = []
    for evidence in versions.changed:
        name = architecture.components[evidence.component].name
        position = _position(versions, architecture, evidence.component)
        if position is None:
            continue
        change_s = versions.new_s[position] - versions.old_s[evidence.component]
        drawn = versions.replicates
        low, high = np.quantile(
            drawn.new_s[:, position] - drawn.old_s[:, evidence.component],
            [settings.alpha / 2, 1 - settings.alpha / 2],
        )
        if low <= 0:
            continue
        mended = versions.new_s.copy()
        mended[position] = versions.old_s[evidence.component]
        mended_s = _mean(versions, mended, rates)
        gain_s = 0.0 if np.isinf(mended_s) else now_s - mended_s
        repairs.append(Mending(name, gain_s, mended_s, float(change_s), (float(low), float(high))))
    return tuple(sorted(repairs, key=lambda repair: (-repair.gain_s, repair.component)))


def _mean(versions: Versions, self_s: FloatArray, rates: FloatArray) -> float:
    """Return the mean response time of a request, over all endpoints that receive any."""
    responses = versions.new.mean_responses(self_s, rates)
    return float(np.average(responses[rates > 0], weights=rates[rates > 0]))


def _position(versions: Versions, architecture: Architecture, component: int) -> int | None:
    if versions.mapping is None:
        return component
    new = versions.mapping.new_of.get(architecture.components[component].name)
    return None if new is None else versions.new_index[new]


def predict(
    architecture: Architecture,
    old: Sequence[ComponentResult],
    new: Sequence[ComponentResult],
    *,
    new_architecture: Architecture | None = None,
    loads: Sequence[float] | None = None,
    settings: PredictionSettings = DEFAULT,
) -> Prediction:
    """Predict how changes of components affect the system, under the load of the model.

    Assumptions: Poisson arrivals, independent demands, no limit on threads or connections beside the stations
    of the model, and that a component which takes x % longer in its test does so in the system.

    Args:
        old, new: results of component tests before and after the change.
        new_architecture: the model of the new version, if components call each other differently; with the
            same endpoints and stations, in any order. It is judged under the load of the old model.
        loads: of all endpoints together in 1/s, for the curve; ten up to the saturation of the old version if
            None.

    Raises:
        JudgeError: the model cannot be solved.
        UsageError: the results contradict each other, or the two models do not fit together.
    """
    if new_architecture is not None:
        new_architecture = fitted(architecture, new_architecture)
    evidence = gather(architecture, old, new, settings.alpha)
    versions = versions_of(
        architecture, new_architecture, evidence, n_replicates=settings.n_replicates, seed=settings.seed
    )
    rates, names = architecture.rates, [endpoint.name for endpoint in architecture.endpoints]
    responses = respond(versions, rates, seed=settings.seed)
    decisions = [decide(versions, responses, endpoint, settings) for endpoint in range(len(names))]
    # Where a station is saturated, the load prevents a decision, and not too few repetitions.
    needed = [
        more_needed(
            versions,
            responses,
            endpoint,
            names[endpoint],
            settings,
            only_mean=decision.delta_interval[1] < settings.negligible,
        )
        for endpoint, decision in enumerate(decisions)
        if decision.status is Status.INCONCLUSIVE and None not in responses.single
    ]
    undecided = undecided_tests(versions, evidence, settings)
    points = curve(
        versions, rates, usual_grid(versions, rates).tolist() if loads is None else loads, settings
    )
    total = float(rates.sum())
    busiest = int(np.argmax(versions.new.utilisations(versions.new_s, rates)))
    return Prediction(
        architecture,
        new_architecture,
        settings,
        _status([decision.status for decision in decisions], undecided),
        _endpoints(names, versions, rates, responses, decisions, settings),
        _stations(versions, rates, settings),
        evidence,
        _changes(versions, architecture),
        versions.old.exact and versions.new.exact,
        points,
        limits(versions, names, rates, points, settings),
        versions.old.saturation(versions.old_s, rates) * total,
        versions.new.saturation(versions.new_s, rates) * total,
        architecture.stations[busiest].name,
        mending(versions, architecture, rates, settings),
        tuple(needed),
        _coverage(versions, evidence),
        versions.mapping,
        undecided,
        warnings_of(evidence, versions),
    )


def _status(statuses: Sequence[Status], undecided: Sequence[str]) -> Status:
    if Status.REGRESSION in statuses:
        return Status.REGRESSION
    return Status.INCONCLUSIVE if undecided or Status.INCONCLUSIVE in statuses else Status.PASS


def _endpoints(
    names: Sequence[str],
    versions: Versions,
    rates: FloatArray,
    responses: Responses,
    decisions: Sequence[Decision],
    settings: PredictionSettings,
) -> tuple[EndpointPrediction, ...]:
    throughputs = (
        versions.old.throughputs(versions.old_s, rates),
        versions.new.throughputs(versions.new_s, rates),
    )
    made = []
    for endpoint, (name, decision) in enumerate(zip(names, decisions, strict=True)):
        low, high = responses.interval(endpoint, settings.alpha)
        old_s = float(responses.old_s[endpoint])
        p95 = [
            float(np.quantile(simulated.responses[endpoint], 0.95))
            if simulated is not None and len(simulated.responses[endpoint])
            else np.nan
            for simulated in responses.single
        ]
        made.append(
            EndpointPrediction(
                name,
                float(rates[endpoint]),
                old_s,
                float(responses.new_s[endpoint]),
                (old_s * low, old_s * high),
                p95[0],
                p95[1],
                float(throughputs[0][endpoint]),
                float(throughputs[1][endpoint]),
                float(responses.delta[endpoint]),
                decision.delta_interval,
                decision.status,
                decision.reasons,
            )
        )
    return tuple(made)


def _stations(
    versions: Versions, rates: FloatArray, settings: PredictionSettings
) -> tuple[StationPrediction, ...]:
    sides = ((versions.old, versions.old_s), (versions.new, versions.new_s))
    busy = [network.utilisations(self_s, rates) for network, self_s in sides]
    demands = [rates @ network.demands(self_s) / rates.sum() for network, self_s in sides]
    quantiles = [settings.alpha / 2, 1 - settings.alpha / 2]
    bounds = np.quantile(versions.new.utilisations(versions.replicates.new_s, rates), quantiles, axis=0)
    return tuple(
        StationPrediction(
            station.name,
            float(busy[0][position]),
            float(busy[1][position]),
            (float(bounds[0, position]), float(bounds[1, position])),
            float(demands[0][position]),
            float(demands[1][position]),
        )
        for position, station in enumerate(versions.old.stations)
    )


def _changes(versions: Versions, architecture: Architecture) -> tuple[float, ...]:
    """Return the change of each component's self time; 0 for one that the new version lacks."""
    if versions.mapping is None:
        return tuple((versions.new_s - versions.old_s).tolist())
    new_of = versions.mapping.new_of
    return tuple(
        float(versions.new_s[versions.new_index[new_of[component.name]]] - component.self_s)
        if component.name in new_of
        else 0.0
        for component in architecture.components
    )


def _coverage(versions: Versions, evidence: TestEvidence) -> tuple[float, ...]:
    tested = np.zeros(len(versions.old_s), dtype=bool)
    tested[[component.component for component in evidence.components]] = True
    spent = versions.old.weights.sum(axis=1) * versions.old_s
    return tuple((spent[:, tested].sum(axis=1) / spent.sum(axis=1)).tolist())
