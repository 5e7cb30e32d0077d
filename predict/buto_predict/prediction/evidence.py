"""The evidence of the component tests on each component."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from buto.errors import UsageError
from buto.run.model import FloatArray
from buto_predict.deviations import ALPHA, Deviation, deviation
from buto_predict.mapping import How, match
from buto_predict.model import Architecture, Measures
from buto_predict.results.model import ComponentResult, Pair, paired, resolved


@dataclass(frozen=True, slots=True)
class ComponentTest:
    """One component test, old against new.

    Attributes:
        component: the component that it tests; None if no component of the model could be found.
        how: why it is believed to test that one; None without a component.
        replicate: the name of one measurement: fork, run.
    """

    name: str
    component: str | None
    how: How | None
    replicate: str
    deviation: Deviation


@dataclass(frozen=True, eq=False)
class ComponentEvidence:
    """The evidence of all tests of one component.

    Attributes:
        component: its position in the old model.
        old, new: times of the replicates as shares of their test's old mean, shapes (n,) and (m,).
        deviation: of these; significant also if a single test is, by its share of alpha.
    """

    component: int
    tests: tuple[str, ...]
    measures: Measures
    replicate: str
    old: FloatArray
    new: FloatArray
    deviation: Deviation

    @property
    def resamples(self) -> bool:
        """Whether the scatter of the replicates is known."""
        return min(len(self.old), len(self.new)) >= 2


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence of all component tests.

    Attributes:
        tests: every test of both sides, also those without a component, and those that one side lacks.
        components: those with tests on both sides.
        pairs: the results of each test.
    """

    tests: tuple[ComponentTest, ...]
    components: tuple[ComponentEvidence, ...]
    pairs: tuple[Pair, ...]


def gather(
    architecture: Architecture,
    old: Sequence[ComponentResult],
    new: Sequence[ComponentResult],
    alpha: float = ALPHA,
) -> Evidence:
    """Combine the results of both sides.

    Raises:
        UsageError: a component is tested both with and without what it calls, so the times contradict.
    """
    pairs = paired(*resolved(old, new))
    olds = {pair.name: pair.old for pair in pairs if pair.old is not None}
    news = {pair.name: pair.new for pair in pairs if pair.new is not None}
    matched = match({pair.name: pair.result for pair in pairs}, architecture)
    empty = np.zeros(0)
    tests, groups, deviations = [], dict[str, list[str]](), dict[str, Deviation]()
    for pair in pairs:
        name = pair.name
        times = [side[name].times_s if name in side else empty for side in (olds, news)]
        found = matched.get(name)
        component, how = (None, None) if found is None else (found.benchmark.component, found.how)
        deviations[name] = deviation(times[0], times[1], alpha)
        tests.append(ComponentTest(name, component, how, pair.result.replicate, deviations[name]))
        if component is not None and all(len(side) for side in times):
            groups.setdefault(component, []).append(name)
    components = []
    for component, group in groups.items():
        measures = {(olds[name].measures or matched[name].benchmark.measures) for name in group}
        if len(measures) > 1:
            raise UsageError(
                f"the tests of {component!r} must all measure its inclusive or all its self time, got both: "
                + ", ".join(group),
                advice="leave out the tests of one kind",
            )
        means = [olds[name].times_s.mean() for name in group]
        pooled = [
            np.concatenate([side[name].times_s / mean for name, mean in zip(group, means, strict=True)])
            for side in (olds, news)
        ]
        components.append(
            ComponentEvidence(
                architecture.component_index[component],
                tuple(group),
                measures.pop(),
                olds[group[0]].replicate,
                pooled[0],
                pooled[1],
                _combined(pooled[0], pooled[1], [deviations[name] for name in group], alpha),
            )
        )
    return Evidence(tuple(tests), tuple(components), pairs)


def _combined(old: FloatArray, new: FloatArray, tests: Sequence[Deviation], alpha: float) -> Deviation:
    """Return the deviation of all tests of a component together, without losing a change of one of them."""
    if len(tests) == 1:
        # Exact p-values take time, and shares of the old mean have the same one.
        return replace(tests[0], old_s=float(old.mean()), new_s=float(new.mean()))
    together = deviation(old, new, alpha)
    single = any(one.at(alpha / len(tests)).significant for one in tests)
    return replace(together, significant=together.significant or single)
