"""Training: from runs to an oracle."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from buto.analysis.class_changes import typical_histogram
from buto.classify.metadata import MetadataModel, MetadataSettings, learn_metadata
from buto.detectors import registry
from buto.detectors.judge import DEFAULT
from buto.detectors.protocol import AutoRuns
from buto.detectors.settings import Settings
from buto.errors import JudgeError
from buto.oracle.mbeans import never_recorded
from buto.oracle.model import Oracle
from buto.runs import ClassHistogram, Run, RunSet, run_set
from buto.runs.labels import Past
from buto.runs.masking import Mask
from buto.runs.window import measured, measured_set
from buto.steps import Action, Advice, Setting, Step
from buto.units import format_count

FEWEST_RUNS = 3
"""With fewer runs, a deviation means almost nothing."""

MOST_CLASSES = 100
"""Classes in an oracle's histogram, so that the file stays small."""


def train(
    runs: RunSet,
    settings: Settings = DEFAULT,
    *,
    target: Mapping[str, Any] | None = None,
    pasts: Sequence[Past] = (),
) -> Oracle:
    """Learn an oracle from the runs of one test.

    Args:
        runs: all of them valid; the order does not matter. Of a run with a window only that part counts.
        target: plain data of how the program is started, to be kept in the oracle without its secrets.
        pasts: labelled runs of this test and of others, for a detector that learns from labels.

    Raises:
        JudgeError: an invalid run, fewer than three runs, runs without samples, runs of several environments
            for a detector that does not learn them, or nothing that can be judged.
    """
    _refuse_unusable(runs, min(FEWEST_RUNS, fewest_runs(settings)))
    runs = measured_set(run_set(runs.runs))
    detector = registry.detector(settings.method)(settings)
    environment = learn_metadata([run.metadata for run in runs], detector.training_metadata)
    fitted = detector.fit_with_past(runs, [_measured(past) for past in pasts])
    loads = [run.quality.foreign_load for run in runs if not math.isnan(run.quality.foreign_load)]
    return Oracle(
        test=runs.runs[0].test,
        settings=settings,
        run_ids=tuple(sorted(run.id for run in runs)),
        environment=environment,
        fitted=fitted,
        target=_masked(target or {}),
        foreign_load=round(max(loads, default=math.nan), 4),
        classes=_classes(runs),
        warnings=(
            *_warnings(runs, environment, detector.metadata),
            *fitted.training_warnings(runs),
            *never_recorded(target or {}, runs),
        ),
    )


def _measured(past: Past) -> Past:
    return replace(past, runs=tuple(map(measured, past.runs)))


def _classes(runs: RunSet) -> ClassHistogram | None:
    typical = typical_histogram(runs.runs)
    return None if typical is None else replace(typical, classes=typical.classes[:MOST_CLASSES])


def _masked(target: Mapping[str, Any]) -> dict[str, Any]:
    masked: dict[str, Any] = Mask(target.get("mask", ())).data(target)
    return masked


def fewest_runs(settings: Settings) -> int:
    """Return how many valid runs these settings need at least."""
    return registry.detector(settings.method)(settings).needed_runs()


def learns_from_labels(settings: Settings) -> bool:
    """Return whether these settings make use of labelled runs."""
    return registry.detector(settings.method).learns_from_labels


def auto_runs(settings: Settings) -> AutoRuns | None:
    """Return between which numbers of runs training ends by itself; None if the detector cannot tell."""
    return registry.detector(settings.method).auto


def enough_runs(runs: RunSet, settings: Settings) -> bool:
    """Return whether more runs than these would not sharpen the oracle. Raise JudgeError if they cannot be
    judged.
    """
    return registry.detector(settings.method)(settings).enough_runs(measured_set(runs))


def _refuse_unusable(runs: RunSet, fewest: int) -> None:
    invalid = [run for run in runs if not run.quality.valid]
    if invalid:
        listed = "; ".join(f"{run.id}: {run.quality.describe()}" for run in invalid)
        raise JudgeError(
            f"{format_count(len(invalid), 'run')} of {len(runs)} cannot train an oracle: {listed}",
            advice=Advice("record new ones, or leave them out: ", *_deleted(invalid)),
        )
    empty = [run.id for run in runs if not _has_samples(run)]
    if empty:
        raise JudgeError(
            f"no samples in {', '.join(empty)}",
            advice=Advice("leave them out: ", *_deleted([run for run in runs if not _has_samples(run)])),
        )
    if len(runs) < fewest:
        raise JudgeError(
            f"an oracle needs at least {fewest} valid runs, and here {_there_are(len(runs))}",
            advice=Advice("10 are a good number, 5 are enough for large changes: ", Setting("runs", "10")),
        )


def _warnings(runs: RunSet, environment: MetadataModel, settings: MetadataSettings) -> tuple[str, ...]:
    ids = [run.id for run in runs]
    repeated = sorted({one for one in ids if ids.count(one) > 1})
    warnings = [f"run {one} is in the training set more than once" for one in repeated]
    # What a detector says of several environments, it says itself.
    varying = [key for key in environment.varying if not settings.is_deciding(key)]
    if varying:
        warnings.append(f"not the same in all training runs: {', '.join(varying)}")
    return tuple(warnings)


def _deleted(runs: Sequence[Run]) -> list[str | Step]:
    """Return the steps that delete these runs, with commas between them."""
    steps = [Step(Action.DELETE_RUN, run.test, run_id=run.id) for run in runs]
    return [part for step in steps for part in ("; ", step)][1:]


def _has_samples(run: Run) -> bool:
    return run.n_samples > 0


def _there_are(number: int) -> str:
    return "is one" if number == 1 else f"are {number}" if number else "are none"
