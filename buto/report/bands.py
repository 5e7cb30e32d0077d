"""What a report draws of a property: curves of runs, the band that is expected, what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.properties import Property
from buto.runs import FloatArray
from buto.verdicts import Finding


@dataclass(frozen=True, eq=False, slots=True)
class Curve:
    """One property of one run, as it was judged (smoothed, if the oracle smooths).

    Attributes:
        times_s: shape (n,), increasing, seconds from the program's start.
        values: shape (n,), NaN where nothing could be read.
        run_id: the run that it belongs to.
    """

    times_s: FloatArray
    values: FloatArray
    run_id: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Band:
    """What the oracle expects of one property; arrays of shape (n,), NaN where it says nothing.

    Attributes:
        times_s: increasing, seconds from the program's start.
        lower, upper: the limits, both inside; infinite where there is none on that side.
        expected: the centre.
    """

    times_s: FloatArray
    lower: FloatArray
    expected: FloatArray
    upper: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Panel:
    """One property in one pair of axes.

    Attributes:
        reach: how far the checked runs are on their way to a finding, in the terms of what decides, see
            :meth:`buto.report.views.View.reach`; None where nothing was judged.
    """

    prop: Property
    training: Sequence[Curve] = ()
    checked: Sequence[Curve] = ()
    band: Band | None = None
    findings: Sequence[Finding] = ()
    reach: float | None = None

    @property
    def moves(self) -> bool:
        """Whether its value ever changes, from one run to another or within one; true without any curve."""
        columns = [curve.values for curve in (*self.training, *self.checked)]
        if not columns:
            return True
        values = np.concatenate(columns)
        known = values[np.isfinite(values)]
        return bool(known.size and np.ptp(known) > 0)
