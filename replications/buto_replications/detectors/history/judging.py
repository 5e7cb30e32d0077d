"""Judge rows: what the past says of a check, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from buto.judging.settings import Settings
from buto.run.model import FloatArray
from buto_replications.detectors.history.known import deviations
from buto_replications.detectors.history.learning import Judge, p_value, validity_row


@dataclass(frozen=True, eq=False, slots=True)
class Judged:
    """What the past says of the runs of a check, by their median.

    Attributes:
        score: log odds to be bad; None if no run is labelled bad.
        p_value: share of held-out good checks with such a score; None likewise.
        distance: to the nearest labelled run.
        is_invalid: whether most runs look like runs that were labelled invalid.
        good_needed: how many more good checks, all with lower scores, could make this a regression.
    """

    score: float | None
    p_value: float | None
    distance: float
    is_invalid: bool
    good_needed: int = 0


def judged(
    judge: Judge, values: FloatArray, disturbances: Sequence[tuple[float, float]], settings: Settings
) -> Judged:
    """Judge runs together.

    Args:
        values: shape (n_runs, n_columns), finite.
        disturbances: of each run, see :class:`buto_replications.detectors.history.known.Row`.
    """
    distance = float(np.median(judge.distances(values)))
    away = deviations(values, judge.expected, judge.scale)
    invalid = False
    if judge.validity is not None:
        rows = np.array([validity_row(*one) for one in zip(away, disturbances, strict=True)])
        invalid = bool(np.median(judge.validity.scores(rows)) > 0)
    if judge.engine is None:
        return Judged(None, None, distance, invalid)
    score = float(np.median(judge.scores(values, settings)))
    higher = int(np.count_nonzero(judge.held_out >= score))
    # The smallest number of good checks of which so few are a share of alpha.
    needed = ceil((1 + higher) / settings.values["alpha"] - 1e-9) - 1
    return Judged(
        score, p_value(score, judge.held_out), distance, invalid, max(0, needed - len(judge.held_out))
    )
