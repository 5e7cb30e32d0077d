"""Settings of detectors that have bands; the presets ``sustained`` and ``thesis`` of the bounds oracle."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from buto.analysis.bounds import ALGORITHMS
from buto.analysis.pipeline import PipelineSettings
from buto.classify.metadata import MetadataSettings
from buto.detectors.bounds.keys import KEYS
from buto.detectors.settings import (
    CHANGES_WITH_EACH_RUN,
    EVERYTHING,
    USUAL_METADATA,
    Settings,
)
from buto.errors import UsageError

BOUNDS = "bounds"
OF_RANK = ("alpha", "fail_on", "minimum_effect")
"""Fields that mean something only to a detector with a p-value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BandSettings(Settings):
    """Settings of a detector that has bands.

    Attributes:
        pipeline: from runs to bounds.
        outside_share: share of a property's compared points that must be beyond the same
            limit to make a finding; 0: any point does.
        outside_model: ``fail`` makes samples at times outside the model a finding; ``ignore`` does not.
        summaries: whether each property's mean over the run, and a counter's last value, are judged, too.
        duration: whether the run's duration is judged.
        runs_outside: with several runs to check, ``any`` of them or ``most`` must show a finding.
        notifications: ``strict`` (each difference is a finding, and training runs must agree) or
            ``sustained`` (how many there are, and whether an ``outside_share`` of them is out of time).
        alpha: share of checks of an unchanged program that may fail.
        fail_on: ``any`` change, or only one for the ``worse``.
        minimum_effect: shell patterns of properties and the smallest change that counts, a quantity in
            the property's unit or a share of its level as ``5%``.
    """

    pipeline: PipelineSettings
    outside_share: float
    outside_model: str
    summaries: bool
    duration: bool
    runs_outside: str
    notifications: str
    alpha: float = 0.01
    fail_on: str = "any"
    minimum_effect: Mapping[str, str] = field(default_factory=dict)

    def with_value(self, key: str, value: Any) -> Self:
        name = key.replace("-", "_")
        if key == "minimum-effect":
            return replace(self, minimum_effect={name: str(size) for name, size in value.items()})
        if name in {one.name for one in fields(PipelineSettings)}:
            return replace(self, pipeline=replace(self.pipeline, **{name: value}))
        if name in _OWN:
            return replace(self, **{name: value})
        return Settings.with_value(self, key, value)

    def check(self, given: Collection[str]) -> None:
        for key in given:
            if not _applies(key.replace("-", "_"), self.pipeline):
                raise _not_of(key, self.pipeline.bounds)

    def to_data(self) -> dict[str, Any]:
        """Return the keys that the detector has; of the bounds' parameters those that were given or have a
        default, and only where the algorithm has them."""
        common = Settings.to_data(self)
        own = {_key(name): getattr(self, name) for name in _OWN}
        own["minimum-effect"] = dict(self.minimum_effect)
        ranked = {_key(name): own.pop(_key(name)) for name in OF_RANK}
        begin = {key: common.pop(key) for key in ("preset", "detector")}
        if self.detector != BOUNDS:
            return begin | ranked | common
        known = common | own | dict(_chosen(self.pipeline))
        return begin | {key.name: known[key.name] for key in KEYS if key.name in known}


_OWN = tuple(
    one.name
    for one in fields(BandSettings)
    if one.name != "pipeline" and one.name not in {common.name for common in fields(Settings)}
)

THESIS = BandSettings(
    preset="thesis",
    detector="bounds",
    pipeline=PipelineSettings(),
    outside_share=0.0,
    outside_model="fail",
    summaries=False,
    duration=False,
    cost=False,
    runs_outside="any",
    metadata=MetadataSettings(CHANGES_WITH_EACH_RUN, EVERYTHING),
    notifications="strict",
)
"""The best configuration of the thesis's chapter 5: S-20 with mean smoothing over 9 samples."""

SUSTAINED = BandSettings(
    preset="sustained",
    detector="bounds",
    pipeline=PipelineSettings(
        shrink_window=True,
        support=0.6,
        floor=True,
        level_share=0.003,
        small_sample=True,
        deviations=4.0,
    ),
    outside_share=0.33,
    outside_model="ignore",
    summaries=True,
    duration=True,
    cost=False,
    runs_outside="most",
    metadata=USUAL_METADATA,
    notifications="sustained",
)
"""The thesis's rule with departures against false alarms; ``docs/methods/judging.md`` says why."""


PRESETS: Mapping[str, BandSettings] = {one.preset: one for one in (SUSTAINED, THESIS)}


def _chosen(pipeline: PipelineSettings) -> Iterator[tuple[str, Any]]:
    for one in fields(pipeline):
        value = getattr(pipeline, one.name)
        if value is not None and _applies(one.name, pipeline):
            yield _key(one.name), value


def _applies(name: str, pipeline: PipelineSettings) -> bool:
    """Return whether the chosen bounds use a setting; true for all that are not parameters of bounds."""
    return name in ALGORITHMS[pipeline.bounds].parameters or not _bounds_with(name)


def _bounds_with(name: str) -> tuple[str, ...]:
    return tuple(bounds for bounds, algorithm in ALGORITHMS.items() if name in algorithm.parameters)


def _not_of(key: str, bounds: str) -> UsageError:
    others = " or ".join(_bounds_with(key.replace("-", "_")))
    known = ", ".join(_key(name) for name in ("average", "deviations", *ALGORITHMS[bounds].parameters))
    return UsageError(
        f"judge: {key} is no setting of bounds: {bounds}, but of {others}",
        advice=f"bounds: {bounds} goes with {known}; leave {key} out, or set bounds: {others}",
    )


def _key(name: str) -> str:
    return name.replace("_", "-")
