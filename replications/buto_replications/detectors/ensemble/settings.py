"""Settings of the method ``foo``, and its view of the runs: how many of the votes each counter has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase

import numpy as np

from buto.judging.environments import COLLECTORS, Environment, sort_list
from buto.judging.settings import ALSO_JUDGED, Settings
from buto.judging.stored import (
    COMMON,
    Key,
    choice,
    is_number,
    number,
    patterns,
    positive,
    share,
    truth,
    whole,
)
from buto.judging.views import RunsView
from buto.run.model import FloatArray, MetadataValue, Run
from buto.run.properties import Property
from buto_replications.detectors.ensemble.mining import Thresholds
from buto_replications.detectors.ensemble.rules import Judging, Learning

SUPPORT, CONFIDENCE, CHANGE = "rule-support", "rule-confidence", "confidence-change"
MOST, FEWEST, RESOLUTION = "rules-each", "rule-intervals", "bin-resolution"
RANGES, CONSISTENT = "range-rules", "consistent-rules"
VOTING, ENVIRONMENT, INTERVAL = "voting", "environment", "rule-interval"
COMPONENT_WEIGHTS = "component-weights"
WORK, DEVIATIONS, MACHINES = "work", "prior-deviations", "machine-factor"
STACKING, BAGGING = "stacking", "bagging"

COMPONENTS = [
    "environment.label.*",
    "host.arch",
    "host.cores",
    "host.cores.quota",
    "host.cpu.model",
    COLLECTORS,
    "jvm.memory.heap.max",
    "jvm.vm.name",
    "jvm.vm.version",
]
"""Metadata that make an environment, unless the configuration names others."""

FOO = Settings(
    method="foo",
    values={
        SUPPORT: 0.3,
        CONFIDENCE: 0.9,
        CHANGE: 0.2,
        MOST: 5,
        FEWEST: 1,
        RESOLUTION: 0.1,
        RANGES: True,
        CONSISTENT: True,
        VOTING: STACKING,
        ENVIRONMENT: COMPONENTS,
        COMPONENT_WEIGHTS: {},
        WORK: [],
        DEVIATIONS: 0.0,
        MACHINES: False,
    },
)
"""The parameters of Foo and others (2015). The resolution, the range rules and that rules must be
consistent are buto's own: without them runs of a few seconds cannot be judged."""


def _numbers_by_pattern(name: str, description: str) -> Key:
    """Return a key with a mapping from shell patterns to finite numbers that are not negative."""
    expected = "shell patterns, each with a number from 0 to 1000"
    schema = {
        "title": expected,
        "description": description,
        "type": "object",
        "additionalProperties": {"type": "number", "minimum": 0, "maximum": MOST_WEIGHT},
        "examples": [{"environment.label.database": 3}],
    }
    return Key(name, schema, _are_weights, expected)


def _are_weights(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(pattern, str) and is_number(weight) and 0 <= weight <= MOST_WEIGHT
        for pattern, weight in value.items()
    )


MOST_WEIGHT = 1000

KEYS: tuple[Key, ...] = (
    share(SUPPORT, "Smallest share of the intervals of a prior test in which a rule holds."),
    share(CONFIDENCE, "Smallest share of the intervals with a rule's premise in which it holds."),
    share(CHANGE, "Drop of a rule's confidence (1 - cosine similarity) that violates it."),
    whole(MOST, "Largest number of rules of one counter's bin.", 1, 1000, example=5),
    whole(FEWEST, "Smallest number of intervals in which a rule holds.", 1, 1000, example=29),
    share(RESOLUTION, "Smallest difference that counts, as a share of the counter's largest value."),
    number(
        DEVIATIONS,
        "Smallest difference that counts for rules, in standard deviations of the prior tests.",
        0,
        100,
        title="a number from 0 to 100",
        example=4,
    ),
    truth(MACHINES, "Whether rules divide times by a factor of the machine that explains them."),
    patterns(WORK, "What counts the work, such as answered requests; growth is scaled to the usual amount."),
    truth(RANGES, "Whether it is a rule that a counter stays in the range of a prior test."),
    truth(CONSISTENT, "Whether a rule must hold in all prior tests of its environment."),
    choice(VOTING, "Whether like environments have more weight.", STACKING, BAGGING),
    patterns(ENVIRONMENT, "Metadata that make an environment: shell patterns for the keys."),
    _numbers_by_pattern(
        COMPONENT_WEIGHTS,
        "How much it counts for likeness that a component is shared: numbers by shell pattern. The first "
        "pattern that matches counts; a component without one counts 1.",
    ),
    patterns(
        ALSO_JUDGED,
        "Recorded properties that are judged beside the usual ones: shell patterns; default none.",
    ),
    positive(INTERVAL, "Seconds of an interval; default: the time between samples.", example=5),
    *COMMON,
)


def learning_of(settings: Settings) -> Learning:
    values = settings.values
    return Learning(
        Thresholds(values[SUPPORT], values[CONFIDENCE], most=values[MOST], fewest=values[FEWEST]),
        values[RESOLUTION],
        values[CHANGE] if values[CONSISTENT] else None,
        values[DEVIATIONS],
        values[MACHINES],
    )


def judging_of(settings: Settings) -> Judging:
    values = settings.values
    chosen = tuple(values[COMPONENT_WEIGHTS].items())
    return Judging(values[CHANGE], values[VOTING] == STACKING, values[RANGES], chosen)


def environment_of(metadata: Mapping[str, MetadataValue], settings: Settings) -> Environment:
    """Return the components of a run's environment, sorted by name.

    JVMs list their collectors in no certain order, so they are sorted, too.
    """
    chosen = settings.values[ENVIRONMENT]
    return {
        key: sort_list(metadata[key]) if key == COLLECTORS else metadata[key]
        for key in sorted(metadata)
        if any(fnmatchcase(key, pattern) for pattern in chosen) and metadata[key] == metadata[key]
    }


class EnsembleView(RunsView):
    """The judged counters of the runs, and the votes against each.

    Args:
        judged: the counters that are judged.
        votes: gives the share of the votes against each judged counter in a run, shape (n,).
    """

    reach_of = "of the votes that flag it"
    bands_decide = False

    def __init__(
        self, runs: Sequence[Run], judged: Sequence[Property], votes: Callable[[Run], FloatArray]
    ) -> None:
        super().__init__(runs)
        self.properties, self._votes = tuple(judged), votes

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        """Return the share of the votes against each counter, median over the runs; 1 is half of them."""
        if not runs:
            return np.full(len(self.properties), np.nan)
        reach: FloatArray = np.median([self._votes(run) for run in runs], axis=0) / 0.5
        return reach
