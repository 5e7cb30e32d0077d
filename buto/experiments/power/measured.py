"""What ``buto experiments run power`` measures: which methods, which changes, how often."""

from __future__ import annotations

from collections.abc import Mapping

from buto.detectors.bounds.settings import BandSettings
from buto.detectors.calibrated.settings import CALIBRATED, CALIBRATED_NEXT, gate_of
from buto.experiments.power.changes import SHARE, Change
from buto.experiments.power.trials import Plan

METHODS: Mapping[str, BandSettings] = {one.preset: one for one in (CALIBRATED, CALIBRATED_NEXT)}

CHANGES = (
    *(Change(1, size) for size in (2.0, 4.0, 6.0, 10.0)),
    *(Change(5, size) for size in (1.0, 2.0, 4.0)),
    *(Change(None, size) for size in (0.5, 1.0, 2.0)),
    *(Change(1, size, SHARE) for size in (0.05, 0.2)),
)

DESIGN_PLAN = Plan(divisions=6, ordered=1, changes=CHANGES)
CHECK_PLAN = Plan(divisions=4, ordered=1, changes=CHANGES)
"""The check part has twice as many variants."""

ALPHA = 0.01


def gates(n_training: int) -> dict[str, float]:
    """Return by method the gate with which it is used.

    Without a gate in the settings, a first run must surpass every training run.
    """
    smallest = 1 / (n_training + 1)
    return {name: smallest if gate_of(one) is None else gate_of(one) or 0.0 for name, one in METHODS.items()}
