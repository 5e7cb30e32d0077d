"""The bands of a bounds oracle for numbers of a whole run."""

from __future__ import annotations

from collections.abc import Iterator

from buto.analysis.pipeline import Model
from buto.classify.notifications import NotificationModel
from buto.detectors.bounds.findings import Point
from buto.detectors.levels import Level
from buto.properties import DURATION, Kind, Property

_MEANS, _TOTALS = 0, 1


def levels_of(
    model: Model, duration: Point | None, notifications: NotificationModel, deviations: float
) -> Iterator[Level]:
    """Yield the mean of each property, or of a counter its total; the duration; counts of notifications."""
    limits = model.summaries
    for column, prop in enumerate(model.properties):
        row, number = (_TOTALS, "total") if prop.kind is Kind.COUNTER else (_MEANS, "mean")
        expected, lower, upper = (
            float(side[row, column]) for side in (limits.expected, limits.lower, limits.upper)
        )
        yield Level.of_band(prop, number, (lower, expected, upper), deviations)
    if duration is not None:
        sides = duration.lower, duration.expected, duration.upper
        yield Level.of_band(DURATION, "mean", sides, deviations)
    for emitter in notifications.emitters:
        prop = Property(f"{emitter.type} from {emitter.source}", "{notification}")
        count = emitter.count
        expected, lower, upper = (float(side[0]) for side in (count.expected, count.lower, count.upper))
        yield Level.of_band(prop, "number", (lower, expected, upper), deviations)
