"""Findings as a frame: a row for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from buto.verdicts import Verdict

if TYPE_CHECKING:
    import pandas as pd


def findings(verdict: Verdict) -> pd.DataFrame:
    """Return the findings of a verdict, worst first as there, and then what is noted.

    Returns:
        A frame with the columns of :class:`buto.verdicts.Finding`: source, subject, run_id, direction,
        effect, unit, measure and text as ``string``, the enumerations by their values; observed, lower,
        upper, expected, at_s, window_start_s, window_end_s, outside_share, severity and evidence as
        ``float64``, NaN where the detector gives no number; and noted as ``bool``, false for a finding.
        ``frame.attrs`` has the verdict's ``status``,
        ``detector``, ``p_value`` and ``alpha``.
    """
    import pandas as pd

    every = (*verdict.findings, *verdict.noted)
    windows = [one.window_s or (None, None) for one in every]
    texts = {
        "source": [one.source for one in every],
        "subject": [one.subject for one in every],
        "run_id": [one.run_id for one in every],
        "direction": [one.direction.value for one in every],
        "effect": [one.effect.value for one in every],
        "unit": [one.unit for one in every],
        "measure": [one.measure for one in every],
    }
    numbers = {
        "observed": [one.observed for one in every],
        "lower": [one.lower for one in every],
        "upper": [one.upper for one in every],
        "expected": [one.expected for one in every],
        "at_s": [one.at_s for one in every],
        "window_start_s": [start for start, _ in windows],
        "window_end_s": [end for _, end in windows],
        "outside_share": [one.outside_share for one in every],
        "severity": [one.severity for one in every],
        "evidence": [one.evidence for one in every],
    }
    frame = pd.DataFrame(
        {
            **{name: pd.Series(column, dtype="string") for name, column in texts.items()},
            **{name: pd.Series(column, dtype="float64") for name, column in numbers.items()},
            "text": pd.Series([one.text for one in every], dtype="string"),
            "noted": pd.Series([False] * len(verdict.findings) + [True] * len(verdict.noted), dtype="bool"),
        }
    )
    frame.attrs.update(
        status=verdict.status.value, detector=verdict.detector, p_value=verdict.p_value, alpha=verdict.alpha
    )
    return frame
