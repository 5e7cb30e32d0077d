"""What is found of runs of which only the features are known, before anything is decided."""

from __future__ import annotations

from buto.judging.evidence import Evidence, Ranked, could_not_be_read, distances
from buto.judging.fitted_judge import Weighed
from buto.judging.procedure import FirstLook
from buto.judging.rank import training_needed
from buto.judging.warnings import too_few
from buto.run.model import FloatArray

GUARANTEE = "rank alone, whatever the values are distributed like; runs need only be exchangeable"


def weigh_rows(
    evidence: Evidence, n_checked: int, alpha: float, mood: FloatArray | None = None
) -> Weighed[Ranked]:
    """Return what was found of runs of which only the features are known; it names no findings.

    Args:
        mood: see :func:`buto.judging.evidence.distances`.
    """
    n_training = len(evidence.values) - n_checked
    needed = training_needed(n_checked, alpha)
    is_too_few = alpha < evidence.mattering.significance.smallest
    farthest = distances(evidence, mood) if n_checked == 1 else None
    return Weighed(
        evidence,
        lambda ranked: (),
        GUARANTEE,
        FirstLook()
        if farthest is None
        else FirstLook(farthest.level, farthest.growth, quantity=farthest.quantity),
        evidence.exact.p_value,
        too_few=too_few(n_training, n_checked, alpha, needed) if is_too_few else "",
        runs_needed=needed,
        unread=could_not_be_read(evidence),
        warnings=could_not_be_read(evidence, usual=False),
    )
