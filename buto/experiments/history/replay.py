"""Histories made from recorded runs: versions of a program, most of them good, on a baseline that drifts.

A group is one program in one configuration. Each of its versions is checked: by recorded runs of the program
itself in a good version, of a changed program in an abnormal one. All numbers of a version are multiplied by
its drift. Its baseline is the program's other runs with the drift of the version before.

The recorded runs of a group are divided into pools, and a version draws from one pool only. Folds do not
divide pools, so no recorded run is both learned from and judged in a group.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.detectors.history.columns import Columns
from buto.detectors.history.engine.examples import Examples
from buto.detectors.history.engine.models.model import BoolArray
from buto.detectors.history.known import LEVEL_SHARE, STILL, deviations
from buto.properties import Kind, Property
from buto.runs import FloatArray, Run

N_POOLS = 2

FEWEST_GOOD, FEWEST_CHANGED = 4, 2
"""Runs in a pool."""


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """Recorded runs of a program in one configuration, as rows of the same columns.

    Attributes:
        good: shape (n_runs, n_columns), of the program and of its accepted changes.
        changed: the same of each regression, by name.
        grain: shape (n_columns,), smallest meaningful differences.
    """

    name: str
    good: FloatArray
    changed: Mapping[str, FloatArray]
    grain: FloatArray


@dataclass(frozen=True, slots=True)
class Plan:
    """How large a history is.

    Attributes:
        versions: of each group.
        repeats: checks of a version.
        runs: of a check, which counts by their median.
        abnormal: share of the versions.
        drift: deviation of the logarithm of a column's factor, from one version to the next.
    """

    versions: int = 100
    repeats: int = 3
    runs: int = 3
    abnormal: float = 0.035
    drift: float = 0.005


@dataclass(frozen=True, eq=False, slots=True)
class History:
    """A history, and the same in units of the baseline's scatter.

    Attributes:
        deviating: targets are deviations, baselines are 0, and two columns more are the largest and the mean
            size of a row's deviations.
    """

    groups: tuple[str, ...]
    examples: Examples
    deviating: Examples


def columns_of(runs: Sequence[Run]) -> Columns:
    """Return the columns of the properties that any run has and that are no constants."""
    known: dict[str, Property] = {prop.name: prop for run in runs for prop in run.properties}
    return Columns(tuple(known[name] for name in sorted(known) if known[name].kind is not Kind.CONSTANT))


def group_of(name: str, columns: Columns, good: Sequence[Run], changed: Mapping[str, Sequence[Run]]) -> Group:
    """Return recorded runs as rows; what was not read is 0, in runs as in their baselines."""

    def rows(runs: Sequence[Run]) -> FloatArray:
        found: FloatArray = np.nan_to_num(np.array([columns.measure(run) for run in runs]))
        return found

    return Group(
        name, rows(good), {kind: rows(runs) for kind, runs in changed.items() if runs}, columns.grain(good)
    )


def replayed(groups: Sequence[Group], plan: Plan, seed: int) -> History:
    """Return the history of all groups; the same for the same seed."""
    random = np.random.default_rng(seed)
    abnormal = np.zeros((len(groups), plan.versions), dtype=bool)
    n_abnormal = round(plan.abnormal * abnormal.size)
    abnormal.flat[random.permutation(abnormal.size)[:n_abnormal]] = True
    parts = [
        _Replay(group, number, plan, random).part(abnormal[number]) for number, group in enumerate(groups)
    ]
    examples = _joined([part[0] for part in parts])
    return History(tuple(group.name for group in groups), examples, _joined([part[1] for part in parts]))


class _Replay:
    """The versions of one group."""

    def __init__(self, group: Group, number: int, plan: Plan, random: np.random.Generator) -> None:
        self._group, self._number, self._plan, self._random = group, number, plan, random
        self._good = self._pools(group.good)
        self._changed = {name: self._pools(rows) for name, rows in group.changed.items()}
        level = LEVEL_SHARE * np.abs(np.median(group.good, axis=0))
        scale = np.sqrt(group.good.var(axis=0) + group.grain**2 + level**2)
        self._scale = np.where(scale > 0, scale, STILL)

    def part(self, abnormal: BoolArray) -> tuple[Examples, Examples]:
        """Return the checks of all versions, and the same as deviations."""
        n_columns = self._group.good.shape[1]
        steps = self._random.normal(0, self._plan.drift, (len(abnormal) + 1, n_columns))
        drift = np.exp(steps.cumsum(axis=0))
        drawn = [
            self._checks(version % N_POOLS, bool(is_abnormal)) for version, is_abnormal in enumerate(abnormal)
        ]
        targets, baselines = (np.concatenate(one) for one in zip(*drawn, strict=True))
        version = np.arange(len(abnormal)).repeat(self._plan.repeats)
        targets, baselines = targets * drift[version + 1], baselines * drift[version]
        group = np.full(len(targets), self._number)
        configuration = self._number * N_POOLS + version % N_POOLS
        away = deviations(targets, baselines, self._scale * drift[version])
        rows = np.column_stack([away, np.abs(away).max(axis=1), np.abs(away).mean(axis=1)])
        return (
            Examples(targets, baselines, abnormal[version], group, configuration),
            Examples(rows, np.zeros_like(rows), abnormal[version], group, configuration),
        )

    def _checks(self, pool: int, abnormal: bool) -> tuple[FloatArray, FloatArray]:
        """Return the medians of the runs of some checks of a version, and of the runs of their baseline."""
        good = self._good[pool]
        kinds = [pools[pool] for pools in self._changed.values() if len(pools[pool])]
        shown = kinds[self._random.integers(len(kinds))] if abnormal else good
        targets, baselines = [], []
        for _ in range(self._plan.repeats):
            most = len(shown) if abnormal else len(shown) // 2
            chosen = self._random.permutation(len(shown))[: min(self._plan.runs, most)]
            others = good if abnormal else np.delete(good, chosen, axis=0)
            targets.append(np.median(shown[chosen], axis=0))
            baselines.append(np.median(others, axis=0))
        return np.array(targets), np.array(baselines)

    def _pools(self, rows: FloatArray) -> list[FloatArray]:
        order = self._random.permutation(len(rows))
        return [rows[order[pool::N_POOLS]] for pool in range(N_POOLS)]


def usable(groups: Sequence[Group]) -> Iterator[Group]:
    """Yield the groups that have enough good and changed runs in each pool."""
    for group in groups:
        largest = max(map(len, group.changed.values()), default=0)
        if len(group.good) >= FEWEST_GOOD * N_POOLS and largest >= FEWEST_CHANGED * N_POOLS:
            yield group


def _joined(parts: Sequence[Examples]) -> Examples:
    names = ("target", "baseline", "abnormal", "group", "configuration")
    return Examples(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))
