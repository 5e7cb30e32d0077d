"""Settings of the ensemble detector: the presets ``ensemble`` and ``foo``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase

from buto.detectors.ensemble.mining import Thresholds
from buto.detectors.ensemble.model import Judging, Learning
from buto.detectors.ensemble.voting import Environment
from buto.detectors.keys import ALPHA, COMMON, choice, patterns, positive, share, truth, whole
from buto.detectors.settings import ALSO_JUDGED, EVERYTHING, Settings
from buto.runs import MetadataValue

DETECTOR = "ensemble"

SUPPORT, CONFIDENCE, CHANGE = "rule-support", "rule-confidence", "confidence-change"
MOST, RESOLUTION = "rules-each", "bin-resolution"
RANGES, CONSISTENT = "range-rules", "consistent-rules"
VOTING, ENVIRONMENT, INTERVAL = "voting", "environment", "rule-interval"
STACKING, BAGGING = "stacking", "bagging"

COLLECTORS = "jvm.gc.collectors"

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
    preset="foo",
    detector=DETECTOR,
    values={
        SUPPORT: 0.3,
        CONFIDENCE: 0.9,
        CHANGE: 0.2,
        MOST: 5,
        RESOLUTION: 0.1,
        RANGES: True,
        CONSISTENT: True,
        VOTING: STACKING,
        ENVIRONMENT: COMPONENTS,
    },
)
"""The parameters of Foo and others (2015). The resolution, the range rules and that rules must be
consistent are buto's own: without them runs of a few seconds cannot be judged."""

ENSEMBLE = replace(
    FOO,
    preset=DETECTOR,
    values={
        **FOO.values,
        ENVIRONMENT: [
            *(key for key in COMPONENTS if key != "jvm.vm.version"),
            "jvm.spec.version",
            "system.processors",
        ],
        ALPHA.name: 0.05,
        ALSO_JUDGED: list(EVERYTHING),
    },
)
"""buto's own: the score of a whole test decides, and rules explain it. All that was recorded counts, because
what is exact on one machine often is the same on another. Two updates of one JDK are one environment."""

PRESETS: Mapping[str, Settings] = {one.preset: one for one in (ENSEMBLE, FOO)}

KEYS = (
    share(SUPPORT, "Of ensemble: smallest share of the intervals of a prior test in which a rule holds."),
    share(
        CONFIDENCE, "Of ensemble: smallest share of the intervals with a rule's premise in which it holds."
    ),
    share(CHANGE, "Of ensemble: drop of a rule's confidence (1 - cosine similarity) that violates it."),
    whole(MOST, "Of ensemble: largest number of rules of one counter's bin.", 1, 1000, example=5),
    share(
        RESOLUTION, "Of ensemble: smallest difference that counts, as a share of the counter's largest value."
    ),
    truth(RANGES, "Of ensemble: whether it is a rule that a counter stays in the range of a prior test."),
    truth(CONSISTENT, "Of ensemble: whether a rule must hold in all prior tests of its environment."),
    choice(VOTING, "Of ensemble: whether like environments have more weight.", STACKING, BAGGING),
    patterns(ENVIRONMENT, "Of ensemble: metadata that make an environment: shell patterns for the keys."),
    ALPHA,
    patterns(
        ALSO_JUDGED,
        "Recorded properties that are judged beside the usual ones: shell patterns; default none.",
    ),
    positive(INTERVAL, "Of ensemble: seconds of an interval; default: the time between samples.", example=5),
    *COMMON,
)


def judges_whole_tests(settings: Settings) -> bool:
    """Return whether the score of a whole test decides: there is an alpha. If not, each rule decides."""
    return ALPHA.name in settings.values


def learning_of(settings: Settings) -> Learning:
    """Return how prior tests are learned from."""
    values = settings.values
    return Learning(
        Thresholds(values[SUPPORT], values[CONFIDENCE], most=values[MOST]),
        values[RESOLUTION],
        values[CHANGE] if values[CONSISTENT] else None,
    )


def judging_of(settings: Settings) -> Judging:
    """Return how new tests are judged."""
    values = settings.values
    return Judging(values[CHANGE], values[VOTING] == STACKING, values[RANGES])


def environment_of(metadata: Mapping[str, MetadataValue], settings: Settings) -> Environment:
    """Return the components of a run's environment, sorted by name.

    JVMs list their collectors in no certain order, so they are sorted, too.
    """
    chosen = settings.values[ENVIRONMENT]
    return {
        key: _sorted(metadata[key]) if key == COLLECTORS else metadata[key]
        for key in sorted(metadata)
        if any(fnmatchcase(key, pattern) for pattern in chosen) and metadata[key] == metadata[key]
    }


def _sorted(listed: MetadataValue) -> MetadataValue:
    return ", ".join(sorted(listed.split(", "))) if isinstance(listed, str) else listed
