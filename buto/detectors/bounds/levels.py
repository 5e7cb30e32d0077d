"""The bounds of a model as one band for each property."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from buto.analysis.pipeline import Model
from buto.classify.notifications import NotificationModel
from buto.detectors.levels import Level
from buto.properties import Kind, Property


def levels_of(model: Model, notifications: NotificationModel, deviations: float) -> Iterator[Level]:
    """Yield of each gauge the mean band over time, of each counter the last one; numbers of notifications."""
    bounds = model.bounds
    for column, prop in enumerate(model.properties):
        sides = np.array([side[:, column] for side in (bounds.lower, bounds.expected, bounds.upper)])
        known = sides[:, ~np.isnan(sides).any(axis=0)]
        if not known.size:
            continue
        total = prop.kind is Kind.COUNTER
        lower, expected, upper = (known[:, -1] if total else known.mean(axis=1)).tolist()
        yield Level.of_band(prop, "total" if total else "mean", (lower, expected, upper), deviations)
    for emitter in notifications.emitters:
        prop = Property(f"{emitter.type} from {emitter.source}", "{notification}")
        number = float(len(emitter.sequences))
        yield Level.of_band(prop, "number", (number, number, number), deviations)
