"""How runs are judged: the presets, and settings from a configuration's ``judge``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from buto.analysis.bounds import ALGORITHMS, AVERAGES, PROCESS_NOISES, PROPAGATIONS, WEIGHTINGS
from buto.analysis.matching import MATCHERS
from buto.analysis.pipeline import PipelineSettings
from buto.analysis.smoothing import SMOOTHERS
from buto.analysis.timepoints import GENERATORS
from buto.classify.metadata import MetadataSettings
from buto.detectors.effects import is_effect
from buto.errors import UsageError

CHANGES_WITH_EACH_RUN = (
    "jvm.start.time",
    "jvm.uptime",
    "process.*",
    "host.load.*",
    "system.load.*",
    "buto.jvms.others",
    "buto.command",
    "buto.commit",
    "system.property?sun.java.command?",
    "buto.left_over.*",
    "buto.hsperfdata.*",
    "buto.purpose",
    "buto.session",
)

SAID_ELSEWHERE = ("system.property*", "jvm.memory.pool[[]*")
"""Some hundred lines that repeat what other keys say, or concern nobody: not kept by default."""

DECIDING_METADATA = (
    "jvm.vm.*",
    "jvm.spec.*",
    "jvm.input.arguments",
    "jvm.memory.heap.*",
    "jvm.gc.collectors",
    "system.processors",
    "host.arch",
    "host.cores",
    "host.cores.quota",
    "host.cpu.model",
    "buto.collector",
    "buto.probe",
    "buto.interval",
)
"""What makes two runs incomparable: which JVM, how it was told to run, on how much of a machine, and what
was loaded to measure it, which uses classes and memory of its own."""

EVERYTHING = ("*",)

SMALLEST_ALPHA = 0.0005
"""One in as many choices of runs as the calibrated oracle looks at."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All that decides a verdict, apart from the runs.

    Attributes:
        preset: which preset these settings began as.
        detector: a name in :data:`buto.detectors.registry.DETECTORS`.
        pipeline: from runs to bounds.
        outside_share: share of a property's compared points that must lie beyond one and the same
            limit to make a finding; 0: any point does.
        outside_model: ``fail`` makes samples at times outside the model a finding; ``ignore`` does not.
        summaries: whether each property's mean over the run, and a counter's last value, are judged, too.
        duration: whether the run's duration is judged.
        cost: whether properties of role COST are judged.
        runs_outside: with several runs to check, ``any`` of them or ``most`` must show a finding.
        metadata: which keys decide whether runs can be compared, and which are ignored.
        notifications: ``strict`` (each difference is a finding, and training runs must agree) or
            ``sustained`` (how many there are, and whether an ``outside_share`` of them is out of time).
        alpha: share of checks of an unchanged program that may fail.
        fail_on: ``any`` change, or only one for the ``worse``.
        minimum_effect: shell patterns of properties and the smallest change that counts, a quantity in
            the property's unit or a share of its level as ``5%``.
    """

    preset: str
    detector: str
    pipeline: PipelineSettings
    outside_share: float
    outside_model: str
    summaries: bool
    duration: bool
    cost: bool
    runs_outside: str
    metadata: MetadataSettings
    notifications: str
    alpha: float = 0.01
    fail_on: str = "any"
    minimum_effect: Mapping[str, str] = field(default_factory=dict)

    def to_data(self) -> dict[str, Any]:
        """By the keys of a configuration's ``judge``, those that the detector looks at; of the bounds'
        parameters those that were said or have a default, and only where the algorithm looks at them."""
        data: dict[str, Any] = {}
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, PipelineSettings):
                data |= {_key(name): part for name, part in _said(value)}
            elif isinstance(value, MetadataSettings):
                data |= {"metadata-ignored": list(value.ignored), "metadata-deciding": list(value.deciding)}
            else:
                data[_key(one.name)] = value
        data["minimum-effect"] = dict(self.minimum_effect)
        return {key: data[key] for key in KEYS if key in data and _looks_at(self.detector, key)}


THESIS = Settings(
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

SUSTAINED = Settings(
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
    metadata=MetadataSettings((*CHANGES_WITH_EACH_RUN, *SAID_ELSEWHERE), DECIDING_METADATA),
    notifications="sustained",
)
"""The thesis's rule with departures against false alarms; ``docs/judging.md`` says why each is there."""

CALIBRATED = replace(SUSTAINED, preset="calibrated", detector="calibrated")
"""One p-value for a check, over all properties and times: :mod:`buto.detectors.calibrated`. The bounds of
``sustained`` are drawn, and say when a change began."""

PRESETS = {settings.preset: settings for settings in (CALIBRATED, SUSTAINED, THESIS)}
DEFAULT = CALIBRATED


def settings_from(judge: Mapping[str, Any]) -> Settings:
    """Settings from a configuration's ``judge`` (or :meth:`Settings.to_data`).

    A preset (default ``calibrated``) and what departs from it.

    Raises:
        UsageError: an unknown key or name, a value out of range, or a parameter of other bounds than the
            chosen ones; the message says which.
    """
    preset = judge.get("preset", DEFAULT.preset)
    if preset not in tuple(PRESETS):
        raise _wrong("preset", preset, " or ".join(PRESETS))
    settings = PRESETS[preset]
    for key, value in judge.items():
        if key not in KEYS:
            raise UsageError(f"judge: unknown key {key!r}", advice=f"known are: {', '.join(KEYS)}")
        expected, accepts = KEYS[key]
        if not accepts(value):
            raise _wrong(key, value, expected)
        settings = _with(settings, key, value)
    for key in judge:
        if not _looks_at(settings.detector, key):
            raise _not_of_detector(key, settings)
        if not _applies(key.replace("-", "_"), settings.pipeline):
            raise _not_of(key, settings.pipeline.bounds)
    return settings


def with_alpha(settings: Settings, alpha: float) -> Settings:
    """The same settings at another alpha. UsageError if it is no share, or bounds judge, which have none."""
    return settings_from({**settings.to_data(), "alpha": alpha})


def _looks_at(detector: str, key: str) -> bool:
    return key in ALWAYS or (key in OF_CALIBRATED) == (detector == CALIBRATED.detector)


def _not_of_detector(key: str, settings: Settings) -> UsageError:
    presets = [one.preset for one in PRESETS.values() if _looks_at(one.detector, key)]
    return UsageError(
        f"judge: {key} is no setting of the preset {settings.preset}",
        advice=f"it goes with preset: {' or '.join(presets)}",
    )


def _said(pipeline: PipelineSettings) -> Iterator[tuple[str, Any]]:
    for one in fields(pipeline):
        value = getattr(pipeline, one.name)
        if value is not None and _applies(one.name, pipeline):
            yield one.name, value


def _applies(name: str, pipeline: PipelineSettings) -> bool:
    """Whether the chosen bounds look at a setting; true for all that are no parameters of bounds."""
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


def _with(settings: Settings, key: str, value: Any) -> Settings:
    name = key.replace("-", "_")
    if key == "metadata-ignored":
        return replace(settings, metadata=replace(settings.metadata, ignored=tuple(value)))
    if key == "metadata-deciding":
        return replace(settings, metadata=replace(settings.metadata, deciding=tuple(value)))
    if key == "minimum-effect":
        return replace(settings, minimum_effect={name: str(size) for name, size in value.items()})
    if name in {one.name for one in fields(PipelineSettings)}:
        return replace(settings, pipeline=replace(settings.pipeline, **{name: value}))
    return replace(settings, **{name: value})


def _key(name: str) -> str:
    return name.replace("_", "-")


def _wrong(key: str, value: object, expected: str) -> UsageError:
    return UsageError(f"judge: {key}: {value!r} is not {expected}")


_Rule = tuple[str, Callable[[Any], bool]]


def _one_of(*names: str) -> _Rule:
    return " or ".join(names), lambda value: value in names


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TRUTH: _Rule = ("true or false", lambda value: isinstance(value, bool))
_SHARE: _Rule = ("a share from 0 to 1", lambda value: _number(value) and 0 <= value <= 1)
_POSITIVE: _Rule = ("a positive number", lambda value: _number(value) and 0 < value < float("inf"))
_ODD: _Rule = ("an odd number of samples", lambda value: type(value) is int and value > 0 and value % 2 == 1)


def _whole(low: int, high: int) -> _Rule:
    return (
        f"a whole number from {low} to {high}",
        lambda value: type(value) is int and low <= value <= high,
    )


_LEVEL: _Rule = (
    f"a share of checks from {SMALLEST_ALPHA:g} to 0.5",
    lambda value: _number(value) and SMALLEST_ALPHA <= value <= 0.5,
)

_EFFECTS: _Rule = (
    "a mapping from shell patterns of properties to quantities (64KiB, 3, 5%)",
    lambda value: isinstance(value, Mapping) and all(is_effect(str(size)) for size in value.values()),
)

_PATTERNS: _Rule = (
    "a list of shell patterns",
    lambda value: isinstance(value, list | tuple) and all(isinstance(one, str) for one in value),
)

KEYS: dict[str, _Rule] = {
    "preset": _one_of(*PRESETS),
    "detector": _one_of("bounds", "calibrated"),
    "alpha": _LEVEL,
    "fail-on": _one_of("any", "worse"),
    "minimum-effect": _EFFECTS,
    "smoothing": _one_of(*SMOOTHERS),
    "window": _ODD,
    "shrink-window": _TRUTH,
    "time-points": _one_of(*GENERATORS),
    "support": _SHARE,
    "floor": _TRUTH,
    "level-share": _SHARE,
    "small-sample": _TRUTH,
    "bounds": _one_of(*ALGORITHMS),
    "average": _one_of(*AVERAGES),
    "deviations": _POSITIVE,
    "process-noise": _one_of(*PROCESS_NOISES),
    "particles": _whole(2, 100_000),
    "iterations": _whole(1, 1000),
    "resample": _SHARE,
    "propagate": _one_of(*PROPAGATIONS),
    "weighting": _one_of(*WEIGHTINGS),
    "seed": _whole(0, 2**32 - 1),
    "matching": _one_of(*MATCHERS),
    "outside-share": _SHARE,
    "outside-model": _one_of("fail", "ignore"),
    "summaries": _TRUTH,
    "duration": _TRUTH,
    "cost": _TRUTH,
    "runs-outside": _one_of("any", "most"),
    "metadata-ignored": _PATTERNS,
    "metadata-deciding": _PATTERNS,
    "notifications": _one_of("strict", "sustained"),
}

ALWAYS = ("preset", "detector", "cost", "metadata-ignored", "metadata-deciding")
"""Keys that every detector looks at."""

OF_CALIBRATED = ("alpha", "fail-on", "minimum-effect")
"""Keys that only the calibrated detector looks at; all others are of the bounds."""
