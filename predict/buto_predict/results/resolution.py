"""Times that are shorter than the clock of their tool can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from buto_predict.results.model import ComponentResult

UNRESOLVED_S = 0.25e-3
"""For a time of 0 in a report of whole milliseconds: it was below half of one, a quarter on average."""


def resolved(
    old: Sequence[ComponentResult], new: Sequence[ComponentResult]
) -> tuple[tuple[ComponentResult, ...], tuple[ComponentResult, ...]]:
    """Return both sides with times above 0.

    Tests whose times are all 0 on both sides are left out, because nothing is known of them. If only some
    are 0, none is dropped: the mean of the others would be too large, and a slowdown from 0 would be lost.
    """
    known = {one.name for one in (*old, *new) if (one.times_s > 0).any() or not len(one.times_s)}
    old_side, new_side = (
        tuple(
            replace(one, times_s=np.where(one.times_s > 0, one.times_s, UNRESOLVED_S))
            for one in side
            if one.name in known
        )
        for side in (old, new)
    )
    return old_side, new_side
