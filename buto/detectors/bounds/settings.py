"""Settings of the method ``thesis``."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from buto.analysis.bounds import ALGORITHMS
from buto.analysis.pipeline import PipelineSettings
from buto.classify.metadata import MetadataSettings
from buto.detectors.settings import CHANGES_WITH_EACH_RUN, EVERYTHING, Settings
from buto.errors import UsageError

NAME = "thesis"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThesisSettings(Settings):
    """What a user may set: the algorithm of each stage from runs to bounds, and its parameters."""

    pipeline: PipelineSettings = field(default_factory=PipelineSettings)

    def with_value(self, key: str, value: Any) -> Self:
        name = key.replace("-", "_")
        if name in {one.name for one in fields(PipelineSettings)}:
            return replace(self, pipeline=replace(self.pipeline, **{name: value}))
        return Settings.with_value(self, key, value)

    def check(self, given: Collection[str]) -> None:
        for key in given:
            if not _applies(key.replace("-", "_"), self.pipeline):
                raise _not_of(key, self.pipeline.bounds)

    def own(self) -> dict[str, Any]:
        """Return its keys; of the bounds' parameters those that were given or have a default, and only where
        the algorithm has them."""
        return dict(_chosen(self.pipeline)) | Settings.own(self)


THESIS = ThesisSettings(method=NAME, metadata=MetadataSettings(CHANGES_WITH_EACH_RUN, EVERYTHING))
"""The best configuration of the thesis's chapter 5: S-20 with mean smoothing over 9 samples."""


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
        f"judge: thesis: {key} is no setting of bounds: {bounds}, but of {others}",
        advice=f"bounds: {bounds} goes with {known}; leave {key} out, or set bounds: {others}",
    )


def _key(name: str) -> str:
    return name.replace("_", "-")
