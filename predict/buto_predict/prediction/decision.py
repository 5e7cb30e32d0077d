"""From uncertain responses to a status for each endpoint, and what lets none pass or would decide it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, copysign, inf, isnan, log, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from buto.judging.verdict import Status
from buto.run.model import FloatArray
from buto.run.units import format_count, format_percent, format_rate
from buto_predict.calls import inclusive
from buto_predict.deviations import fewest, size_of
from buto_predict.listing import listed
from buto_predict.model import Measures
from buto_predict.network import Network
from buto_predict.prediction.model import (
    ComponentEvidence,
    ComponentTest,
    Interval,
    MoreNeeded,
    PredictionSettings,
    TestEvidence,
)
from buto_predict.prediction.responses import FEWEST_SIMULATED, Responses
from buto_predict.prediction.versions import Versions
from buto_predict.results.model import ComponentResult, Conditions

MOST_RATIO = 1.5
"""New mean over old one from which delta is not negligible if demands vary by up to their mean. Where they
vary more, single long requests decide the mean, and delta hardly sees a change."""

_MOST_MORE = 10_000
"""More repetitions than anybody would wait for."""

_LARGEST_RATIO = 1e3

MOST_WARMING = 0.1
"""Share of a test's processor time that the JVM's compiler may take: it makes changes look smaller."""


def too_high_load(versions: Versions, rates: FloatArray) -> str:
    """Return the reason with the next step; a station must be saturated before or after the change."""
    before, after = (
        network.saturation(self_s, rates) * float(rates.sum())
        for network, self_s in ((versions.old, versions.old_s), (versions.new, versions.new_s))
    )
    if before <= rates.sum():
        limit = format_rate(before)
        return f"the load is above saturation ({limit}) already before the change; try --load below {limit}"
    station = _saturate(versions.new, versions.new_s, rates)
    return f"not judged, because {station} after the change; try --load below {format_rate(after)}"


def _saturate(network: Network, self_s: FloatArray, rates: FloatArray) -> str:
    busy = network.utilisations(self_s, rates).tolist()
    names = [station.name for station, share in zip(network.stations, busy, strict=True) if share >= 1]
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} saturated"


@dataclass(frozen=True, slots=True)
class Decision:
    """The status of one endpoint, with delta's interval and the reasons in words."""

    status: Status
    delta_interval: Interval
    reasons: tuple[str, ...] = ()


def decide(versions: Versions, responses: Responses, endpoint: int, settings: PredictionSettings) -> Decision:
    """Judge one endpoint.

    It is a regression if all of delta's interval is at least the negligible size and something is known to
    have changed, a pass if all of it is below and the mean is not much larger, and else inconclusive.
    """
    if not responses.rates[endpoint] > 0:
        demands = (versions.old.demands(versions.old_s), versions.new.demands(versions.new_s))
        if np.allclose(demands[0][endpoint], demands[1][endpoint], rtol=1e-9, atol=0):
            return Decision(Status.PASS, (np.nan, np.nan), ("its load is 0",))
        reason = "its demand changes, but its load is 0; give it a load, or leave it out of the model"
        return Decision(Status.INCONCLUSIVE, (np.nan, np.nan), (reason,))
    low, high = responses.interval(endpoint, settings.alpha)
    saturated = [not np.isfinite(times[endpoint]) for times in (responses.old_s, responses.new_s)]
    delta = float(responses.delta[endpoint])
    if saturated[0] or isnan(delta):
        reason = (
            too_high_load(versions, responses.rates)
            if None in responses.single
            else "it is so rare that the simulation has none of its requests"
        )
        return Decision(Status.INCONCLUSIVE, (np.nan, np.nan), (reason,))
    simulating = responses.simulation_error(endpoint, settings.alpha)
    interval = tuple(
        delta + side * float(np.hypot(responses.delta_if(endpoint, ratio) - delta, simulating))
        for side, ratio in ((-1, low), (1, high))
    )
    bounded = (max(interval[0], -1.0), min(interval[1], 1.0))
    unknown = float(np.isnan(responses.ratios[:, endpoint]).mean())
    if unknown > settings.alpha / 2:
        often = f"in {format_percent(unknown)} of the replicates"
        reason = f"it is saturated before the change {often}, because the model is too uncertain"
        return Decision(Status.INCONCLUSIVE, bounded, (reason,))
    if saturated[1] and versions.differ:
        share = float(np.isinf(responses.ratios[:, endpoint]).mean())
        if share >= 1 - settings.alpha / 2:
            return Decision(Status.REGRESSION, (1.0, 1.0), ("it is saturated after the change",))
        reason = f"it is saturated after the change in {format_percent(share)} of the replicates"
        return Decision(Status.INCONCLUSIVE, (bounded[0], 1.0), (reason,))
    if bounded[0] >= settings.negligible and responses.n_simulated(endpoint) < FEWEST_SIMULATED:
        count = responses.n_simulated(endpoint)
        reason = f"it is so rare that the simulation has only {count} of its requests"
        return Decision(Status.INCONCLUSIVE, bounded, (reason,))
    if bounded[0] >= settings.negligible and versions.differ:
        reason = f"response times increase, {size_of(delta).value} effect"
        return Decision(Status.REGRESSION, bounded, (reason,))
    if bounded[1] < settings.negligible and high >= MOST_RATIO and versions.differ:
        reason = (
            f"the mean may increase by {format_percent(high - 1)}, although delta is negligible, because "
            "requests vary so much; is the variation (cv) of the model right?"
        )
        return Decision(Status.INCONCLUSIVE, bounded, (reason,))
    if bounded[1] < settings.negligible:
        return Decision(Status.PASS, bounded)
    known = f"delta is between {bounded[0]:.2f} and {bounded[1]:.2f}"
    reason = f"{known}; a regression begins at {settings.negligible}"
    return Decision(Status.INCONCLUSIVE, bounded, (reason,))


def more_needed(
    versions: Versions,
    responses: Responses,
    endpoint: int,
    name: str,
    settings: PredictionSettings,
    *,
    only_mean: bool = False,
) -> MoreNeeded:
    """Return how many more replicates of which component tests would decide an endpoint.

    The error of the log ratio of means must be smaller than its distance from the point where delta is just
    negligible, less what the simulation errs. Its variance is divided among the tests by a linear regression
    over the replicates; a test's part shrinks with more replicates. If the test with the largest part is not
    enough alone, all are repeated.

    Args:
        only_mean: delta is negligible, and the mean is what is undecided.
    """
    everything = tuple(test for evidence in versions.used for test in evidence.tests)
    replicate = versions.used[0].replicate if versions.used else "run"
    none = MoreNeeded(name, everything, replicate, None)
    ratios = responses.ratios[:, endpoint]
    finite = np.isfinite(ratios) & (ratios > 0)
    predicted = np.array([responses.old_s[endpoint], responses.new_s[endpoint]])
    if not versions.used or finite.sum() < len(ratios) / 2 or not np.isfinite(predicted).all():
        return none
    delta = float(responses.delta[endpoint])
    if isnan(delta) or responses.n_simulated(endpoint) < FEWEST_SIMULATED:
        return none
    # As in the decision, the errors of measurements and of the simulation are added as squares.
    away = settings.negligible - delta
    left = away**2 - responses.simulation_error(endpoint, settings.alpha) ** 2
    if left <= 0:
        return none
    at_point = predicted[1] / predicted[0]
    if only_mean:
        if at_point >= MOST_RATIO:
            return none
        deciding = MOST_RATIO
    else:
        deciding = _deciding_ratio(responses, endpoint, delta + copysign(sqrt(left), away))
    distance = abs(log(deciding / at_point))
    allowed = (distance / float(norm.ppf(1 - settings.alpha / 2))) ** 2
    parts, rest = _variances(versions, np.log(ratios[finite]), finite)
    top = int(np.argmax(parts))
    count = _repetitions(parts[top], rest + parts.sum() - parts[top], allowed, _size(versions, top))
    if count is not None:
        return MoreNeeded(name, versions.used[top].tests, versions.used[top].replicate, count)
    fewest_of_all = min(_size(versions, position) for position in range(len(parts)))
    return MoreNeeded(name, everything, replicate, _repetitions(parts.sum(), rest, allowed, fewest_of_all))


def _variances(versions: Versions, logs: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, float]:
    """Return how much each test adds to the variance of the log ratio, and how much else there is, mostly of
    the model's self times.
    """
    causes = versions.replicates.changes[kept]
    causes = causes - causes.mean(axis=0)
    centred = logs - logs.mean()
    slopes = np.linalg.lstsq(causes, centred, rcond=None)[0]
    return (slopes * causes.std(axis=0)) ** 2, float(np.var(centred - causes @ slopes))


def _repetitions(part: float, rest: float, allowed: float, size: int) -> int | None:
    if rest >= allowed:
        return None
    more = size * (part / (allowed - rest) - 1)
    return None if more > _MOST_MORE else max(1, ceil(more))


def _size(versions: Versions, position: int) -> int:
    evidence = versions.used[position]
    return min(len(evidence.old), len(evidence.new))


def _deciding_ratio(responses: Responses, endpoint: int, delta: float) -> float:
    """Return the ratio of means at which delta is this large."""

    def above(ratio: float) -> float:
        return responses.delta_if(endpoint, ratio) - delta

    if above(_LARGEST_RATIO) < 0:
        return inf
    return float(brentq(above, 1 / _LARGEST_RATIO, _LARGEST_RATIO, xtol=1e-6))


def warnings_of(evidence: TestEvidence, versions: Versions) -> tuple[str, ...]:
    """Return warnings of tests that one side lacks, that failed before the change or ran on another JVM, and
    of components without a counterpart.
    """
    warnings = []
    for side, lacking in (
        ("old", [test.name for test in evidence.tests if not test.deviation.n_old]),
        ("new", [test.name for test in evidence.tests if not test.deviation.n_new]),
    ):
        if lacking:
            warnings.append(f"no {side} result of {listed(lacking)}")
    for failures, tests in failures_of("old", ((pair.name, pair.old) for pair in evidence.pairs)).items():
        warnings.append(f"{listed(tests)} {failures}")
    warnings += _other_jvms(evidence)
    warnings += _warming(evidence)
    if versions.mapping is not None and versions.mapping.only_old:
        warnings.append(f"only in the old model: {', '.join(versions.mapping.only_old)}")
    if versions.mapping is not None and versions.mapping.only_new:
        warnings.append(f"only in the new model: {', '.join(versions.mapping.only_new)}")
    return tuple(warnings)


def failures_of(side: str, results: Iterable[tuple[str, ComponentResult | None]]) -> dict[str, list[str]]:
    """Return the names of tests that failed, by how often, as ``failed in 2 of 6 new runs``."""
    names = defaultdict(list)
    for name, result in results:
        if result is not None and result.failed:
            count = format_count(result.failed + len(result.times_s), f"{side} {result.replicate}")
            names[f"failed in {result.failed} of {count}"].append(name)
    return names


def _other_jvms(evidence: TestEvidence) -> Iterator[str]:
    names = defaultdict(list)
    for pair in evidence.pairs:
        if pair.old is not None and pair.new is not None and pair.old.jvms and pair.new.jvms:
            old, new = (" and ".join(sorted(result.jvms)) for result in (pair.old, pair.new))
            if old != new:
                names[old, new].append(pair.name)
    for (old, new), tests in names.items():
        yield f"old ran on {old}, new on {new}: {listed(tests)}"


def _warming(evidence: TestEvidence) -> Iterator[str]:
    for pair in evidence.pairs:
        share = max(result.warming for result in (pair.old, pair.new) if result is not None)
        if share > MOST_WARMING:
            yield (
                f"the JVM's compiler took {format_percent(share)} of the time of {pair.name}, so a change "
                "looks smaller than it is: let the test make more calls, or give it a window"
            )


def undecided_tests(
    versions: Versions, evidence: TestEvidence, settings: PredictionSettings
) -> tuple[str, ...]:
    """Return why component tests allow no pass: nothing was compared, results that cannot be compared or are
    lost, too few replicates, or slower tests whose change has no place in the model.
    """
    compared = [test for test in evidence.tests if test.deviation.n_old and test.deviation.n_new]
    reasons = [*_unlike(evidence), *_find_failed(evidence)]
    if compared:
        reasons += _find_lost(evidence, versions)
    elif evidence.tests or versions.mapping is None:
        reasons.insert(0, "no component test has results on both sides, so nothing was compared")
    reasons += _too_few([test for test in compared if not test.deviation.enough], fewest(settings.alpha))
    reasons += _without_component(compared)
    reasons += [
        f"{listed(component_evidence.tests)} became slower "
        f"({format_percent(component_evidence.deviation.change)}), but the tested "
        "component takes 0 s in the model"
        for component_evidence in _timeless(versions)
        if component_evidence.deviation.delta > 0
    ]
    return tuple(reasons)


def _unlike(evidence: TestEvidence) -> Iterator[str]:
    names = defaultdict(list)
    for pair in evidence.pairs:
        if pair.old is not None and pair.other is not None:
            old, new = pair.old.conditions, pair.other.conditions
            names[f"old was measured {_way(old, new)}, new {_way(new, old)}"].append(pair.old.name)
    for difference, tests in names.items():
        yield f"{listed(tests)}: {difference}; measure both in the same way"


def _way(conditions: Conditions, other: Conditions) -> str:
    """Return in words which conditions are not the other's."""
    if conditions.mode is None:
        return "by another tool"
    parts = [f"in mode {conditions.mode}"] if conditions.mode != other.mode else []
    if conditions.threads is not None and conditions.threads != other.threads:
        parts.append(f"with {format_count(conditions.threads, 'thread')}")
    return " ".join(parts)


def _find_failed(evidence: TestEvidence) -> Iterator[str]:
    for failures, tests in failures_of("new", ((pair.name, pair.new) for pair in evidence.pairs)).items():
        yield f"{listed(tests)} {failures}"


def _find_lost(evidence: TestEvidence, versions: Versions) -> Iterator[str]:
    """Yield the tests of components that were not measured any more, unless the new version lacks these."""
    kept = None if versions.mapping is None else versions.mapping.new_of
    lost = [
        test.name
        for test, pair in zip(evidence.tests, evidence.pairs, strict=True)
        if test.deviation.n_old and not test.deviation.n_new
        if pair.other is None and (pair.new is None or not pair.new.failed)
        if test.component is not None and (kept is None or test.component in kept)
    ]
    if lost:
        verb = "has" if len(lost) == 1 else "have"
        yield f"{listed(lost)} {verb} old results but no new ones; run the tests of the new version again"


def _too_few(tests: Sequence[ComponentTest], needed: int) -> Iterator[str]:
    for replicate in dict.fromkeys(test.replicate for test in tests):
        few = [test for test in tests if test.replicate == replicate]
        known = [(test.deviation.n_old, test.deviation.n_new) for test in few]
        old, new = map(min, zip(*known, strict=True))
        counts = f"{'' if len(set(known)) == 1 else 'at least '}{old} old, {new} new"
        who = f"{few[0].name} has" if len(few) == 1 else f"{len(few)} tests have"
        example = "" if len(few) == 1 else f", such as {few[0].name}"
        step = f"run JMH with -f {needed + 1}" if replicate == "fork" else "give the results of more runs"
        yield f"{who} too few {replicate}s ({counts}; {needed} are needed on each side){example}: {step}"


def _without_component(tests: Sequence[ComponentTest]) -> Iterator[str]:
    slower = [
        f"{test.name} ({format_percent(test.deviation.change)})"
        for test in tests
        if test.component is None and test.deviation.significant and test.deviation.delta > 0
    ]
    if slower:
        it, its, plural = ("it", "its", "") if len(slower) == 1 else ("them", "their", "s")
        yield (
            f"{listed(slower)} became slower, but the model has no component for {it}; "
            f"name {its} component{plural} under benchmarks in architecture.yaml"
        )


def _timeless(versions: Versions) -> list[ComponentEvidence]:
    """Return the changed components that requests call and that take no time in the model: no relative
    change of them changes anything.
    """
    whole_s = inclusive(versions.old.calls, versions.old_s)
    called = versions.old.weights.sum(axis=(0, 1)) > 0
    return [
        evidence
        for evidence in versions.changed
        if called[evidence.component]
        and (versions.old_s if evidence.measures is Measures.SELF else whole_s)[evidence.component] == 0
    ]
