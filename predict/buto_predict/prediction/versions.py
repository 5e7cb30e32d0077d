"""The old and the new system: their networks, their self times, and the uncertainty of these."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import norm, t

from buto.errors import UsageError
from buto.run.model import FloatArray
from buto.run.units import format_count
from buto_predict.calls import MeasuredComponent, edges_of, reaches, self_changes
from buto_predict.mapping import GraphMapping, map_graphs
from buto_predict.model import Architecture, Station
from buto_predict.network import Network, network_of
from buto_predict.prediction.model import ComponentEvidence, TestEvidence

_ADVICE = "make endpoints and stations of both models the same; components and their calls may differ"


def fitted(old: Architecture, new: Architecture, name: str = "the new model") -> Architecture:
    """Return the new model with stations and endpoints in the order of the old one, and with its load.

    Args:
        name: of the new model in messages.

    Raises:
        UsageError: stations or endpoints differ.
    """
    _same_names(
        "endpoint",
        [endpoint.name for endpoint in old.endpoints],
        [endpoint.name for endpoint in new.endpoints],
        name,
    )
    _same_names("station", old.station_index, new.station_index, name)
    for ours in old.stations:
        theirs = new.stations[new.station_index[ours.name]]
        if ours != theirs:
            raise UsageError(f"station {ours.name} {_difference(ours, theirs, name)}", advice=_ADVICE)
    endpoints = {endpoint.name: endpoint for endpoint in new.endpoints}
    return replace(
        new,
        stations=old.stations,
        endpoints=tuple(replace(endpoints[endpoint.name], rate=endpoint.rate) for endpoint in old.endpoints),
    )


def _same_names(what: str, ours: Collection[str], theirs: Collection[str], name: str) -> None:
    for here, there, where in ((ours, theirs, "the model"), (theirs, ours, name)):
        only = [shared_name for shared_name in here if shared_name not in there]
        if only:
            shown = f"{what} {only[0]} is" if len(only) == 1 else f"{what}s {', '.join(only)} are"
            raise UsageError(f"{shown} only in {where}", advice=_ADVICE)


def _difference(ours: Station, theirs: Station, name: str) -> str:
    if ours.servers != theirs.servers:
        return f"has {format_count(ours.servers, 'server')} in the model and {theirs.servers} in {name}"
    return f"is {ours.discipline.value} in the model and {theirs.discipline.value} in {name}"


@dataclass(frozen=True, eq=False)
class Replicates:
    """The same system many times, each with resampled measurements.

    Attributes:
        changes: of each component in use, shape (n_replicates, n_used), see
            :attr:`Versions.used`.
        old_s, new_s: self times in seconds, shapes (n_replicates, n_components of that side).
    """

    changes: FloatArray
    old_s: FloatArray
    new_s: FloatArray


@dataclass(frozen=True, eq=False)
class Versions:
    """Both systems.

    Attributes:
        old_s, new_s: self times as predicted, shapes (n_components of that side,).
        changed: evidence of the components whose change is significant.
        used: evidence that the replicates draw from: on changed components, and on those that call none of
            them.
        mapping: between the components of both sides; None if there is only one model.
        new_index: name of a component of the new side to its position.
        replicates: the uncertainty.
    """

    old: Network
    new: Network
    old_s: FloatArray
    new_s: FloatArray
    changed: tuple[ComponentEvidence, ...]
    used: tuple[ComponentEvidence, ...]
    mapping: GraphMapping | None
    new_index: Mapping[str, int]
    replicates: Replicates

    @property
    def differ(self) -> bool:
        """Whether anything is known to have changed."""
        return bool(self.changed) or self.mapping is not None


def versions_of(
    old: Architecture, new: Architecture | None, evidence: TestEvidence, *, n_replicates: int, seed: int
) -> Versions:
    """Apply the results of the component tests to the system.

    Args:
        new: the model of the new version, if its calls changed. Components of both keep the old model's
            self times, changed by their tests; only components that are new have the new model's.
    """
    old_network = network_of(old)
    changed = tuple(component for component in evidence.components if component.deviation.significant)
    used = _find_used(old_network, changed, evidence.components)
    mapping = None if new is None else _map(old, new)
    own, carried = _carry(old, new, mapping)

    def apply(self_s: FloatArray, chosen: Sequence[ComponentEvidence], changes: FloatArray) -> FloatArray:
        tested = [
            MeasuredComponent(component_evidence.component, component_evidence.measures)
            for component_evidence in chosen
        ]
        return (self_s + self_changes(old_network.calls, old.self_s, tested, changes)) @ carried.T

    point = np.array([component_evidence.deviation.change for component_evidence in changed])
    rng = np.random.default_rng(seed)
    changes = (
        np.stack([_resample(component_evidence, n_replicates, rng) for component_evidence in used], axis=-1)
        if used
        else np.zeros((n_replicates, 0))
    )
    luck = rng.standard_normal((n_replicates, len(old.components)))
    old_s = _draw(old, old.self_s, luck)
    own_s = own if new is None else _draw(new, own, rng.standard_normal((n_replicates, len(own))))
    return Versions(
        old_network,
        old_network if new is None else network_of(new),
        old.self_s,
        np.maximum(own + apply(old.self_s, changed, point), 0.0),
        changed,
        used,
        mapping,
        (old if new is None else new).component_index,
        Replicates(changes, old_s, np.maximum(own_s + apply(old_s, used, changes), 0.0)),
    )


def _map(old: Architecture, new: Architecture) -> GraphMapping:
    """Map components; endpoints, which are the same on both sides, count as callers."""
    entries = [
        {
            f"endpoint {endpoint.name}": {call.to: call.times for call in endpoint.calls}
            for endpoint in side.endpoints
        }
        for side in (old, new)
    ]
    return map_graphs(edges_of(old) | entries[0], edges_of(new) | entries[1]).without(entries[0])


def _find_used(
    network: Network, changed: Sequence[ComponentEvidence], all_known: Sequence[ComponentEvidence]
) -> tuple[ComponentEvidence, ...]:
    """Return the evidence without callers of a changed component that show no change: their noise would
    cancel that change.
    """
    leads_to = reaches(network.calls)
    targets = [evidence.component for evidence in changed]
    return tuple(
        evidence
        for evidence in all_known
        if evidence.resamples and (evidence in changed or not leads_to[evidence.component, targets].any())
    )


def _resample(evidence: ComponentEvidence, count: int, rng: np.random.Generator) -> FloatArray:
    """Return changes by a bootstrap over replicates, shape (count,), widened for few replicates as Student's
    t.
    """
    means = []
    for values in (evidence.old, evidence.new):
        n = len(values)
        drawn = rng.choice(values, (count, n)).mean(axis=1)
        wider = np.sqrt(n / (n - 1)) * t.ppf(0.975, n - 1) / norm.ppf(0.975)
        means.append(np.maximum(values.mean() + (drawn - values.mean()) * wider, 1e-9))
    changes: FloatArray = means[1] / means[0] - 1
    return changes


def _draw(architecture: Architecture, self_s: FloatArray, luck: FloatArray) -> FloatArray:
    """Return self times with the error with which they were learned, shape (n_replicates, n_components).

    They are log-normal, with the mean that was learned: a time that is hardly known is still above 0.
    """
    spread = np.sqrt(np.log1p(_relative_error(architecture) ** 2))
    return np.asarray(self_s * np.exp(luck * spread - spread**2 / 2))


def _relative_error(architecture: Architecture) -> FloatArray:
    """Return the standard error of each self time as a share of it; 0 if the number of measured calls is
    unknown.
    """
    return np.array(
        [
            0.0 if component.n_samples is None else component.cv / np.sqrt(component.n_samples)
            for component in architecture.components
        ]
    )


def _carry(
    old: Architecture, new: Architecture | None, mapping: GraphMapping | None
) -> tuple[FloatArray, FloatArray]:
    """Return self times that only the new side has, (n_new,), and the old component of each other one,
    (n_new, n_old).
    """
    if new is None or mapping is None:
        return np.zeros(len(old.components)), np.eye(len(old.components))
    own, carried = new.self_s, np.zeros((len(new.components), len(old.components)))
    for pair in mapping.pairs:
        position = new.component_index[pair.new]
        own[position] = 0.0
        carried[position, old.component_index[pair.old]] = 1.0
    return own, carried
