"""From judged clusters to findings and sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.detectors.regression_models.judging import Judged
from buto.properties import Kind, Property
from buto.units import format_percent
from buto.verdicts import Direction, Finding, effect_of

SOURCE = "shang"

NAMED = 3
"""So many other counters of a cluster are named."""

SHARE_NAMED = 0.1
"""If more of the observations lie beyond those of training, a warning says so."""

SHARE_BEYOND = 0.5
"""If more of them do, a cluster whose model is right by chance makes no pass."""


def differs(cluster: Judged, threshold: float, measure: str) -> bool:
    """Return whether a cluster's error is above the threshold and larger than that of every training run."""
    error = cluster.new.by(measure)
    return error > threshold and error > _usual(cluster, measure)


def finding_of(
    cluster: Judged, properties: Sequence[Property], run_id: str, threshold: float, measure: str
) -> Finding:
    """Return the finding of a cluster that differs; it names the target, its error, and the predictors."""
    target = properties[cluster.target]
    direction = Direction.MORE if cluster.measured > cluster.expected else Direction.LESS
    rate = target.kind is Kind.COUNTER
    error = cluster.new.by(measure)
    return Finding(
        SOURCE,
        target.name,
        run_id,
        direction,
        effect_of(target.better, direction),
        target.unit,
        cluster.measured,
        expected=cluster.expected,
        severity=float(min(error / threshold, 1e9)),
        measure="rate per second" if rate else "mean",
        text=_text(cluster, properties, measure),
    )


def beyond_training(clusters: Sequence[Judged], properties: Sequence[Property]) -> tuple[str, ...]:
    """Return a sentence for each cluster whose model is used where training has not been."""
    return tuple(
        f"{properties[one.target].name} is predicted from values beyond those of the training runs in "
        f"{format_percent(one.extrapolated)} of the observations: another load, or another program"
        for one in clusters
        if one.extrapolated > SHARE_NAMED
    )


def _text(cluster: Judged, properties: Sequence[Property], measure: str) -> str:
    names = [properties[one].name for one in cluster.predictors]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    basis = f"predicted from {', '.join(names[:NAMED])}{more}" if names else "predicted as its mean"
    sentence = (
        f"{basis}, it is off by {_percent(cluster.new.absolute)} (signed {_percent(cluster.new.signed)}); "
        f"training runs by at most {_percent(_usual(cluster, measure))}"
    )
    if cluster.new.undefined:
        sentence += f"; it is 0 and was predicted not to be in {format_percent(cluster.new.undefined)}"
    return sentence


def _usual(cluster: Judged, measure: str) -> float:
    return max((one.by(measure) for one in cluster.usual), default=0.0)


def _percent(share: float) -> str:
    return format_percent(share) if np.isfinite(share) else "any factor"
