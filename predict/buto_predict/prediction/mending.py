"""Which component is worth mending first."""

from __future__ import annotations

import numpy as np

from buto.runs import FloatArray
from buto_predict.model import Architecture
from buto_predict.prediction.model import Mending, Settings
from buto_predict.prediction.versions import Versions


def mending(
    versions: Versions, architecture: Architecture, rates: FloatArray, settings: Settings
) -> tuple[Mending, ...]:
    """Return what undoing the change of each component would gain, for components whose self time certainly
    became longer; largest gain first.

    Self times are compared, so a caller is not blamed for what it calls.
    """
    now_s = _mean(versions, versions.new_s, rates)
    found = []
    for one in versions.changed:
        name = architecture.components[one.component].name
        position = _position(versions, architecture, one.component)
        if position is None:
            continue
        change_s = versions.new_s[position] - versions.old_s[one.component]
        drawn = versions.replicates
        low, high = np.quantile(
            drawn.new_s[:, position] - drawn.old_s[:, one.component],
            [settings.alpha / 2, 1 - settings.alpha / 2],
        )
        if low <= 0:
            continue
        mended = versions.new_s.copy()
        mended[position] = versions.old_s[one.component]
        mended_s = _mean(versions, mended, rates)
        gain_s = 0.0 if np.isinf(mended_s) else now_s - mended_s
        found.append(Mending(name, gain_s, mended_s, float(change_s), (float(low), float(high))))
    return tuple(sorted(found, key=lambda one: (-one.gain_s, one.component)))


def _mean(versions: Versions, self_s: FloatArray, rates: FloatArray) -> float:
    """Return the mean response time of a request, over all endpoints that receive any."""
    responses = versions.new.mean_responses(self_s, rates)
    return float(np.average(responses[rates > 0], weights=rates[rates > 0]))


def _position(versions: Versions, architecture: Architecture, component: int) -> int | None:
    """Return the position in the new model of a component of the old one."""
    if versions.mapping is None:
        return component
    new = versions.mapping.new_of.get(architecture.components[component].name)
    return None if new is None else versions.new_index[new]
