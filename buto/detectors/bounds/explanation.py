"""How the thesis's rule explains its verdicts."""

from __future__ import annotations

from buto.analysis.pipeline import PipelineSettings
from buto.detectors.explanation import Explanation
from buto.units import format_number
from buto.verdicts import Verdict


def explain(verdict: Verdict, pipeline: PipelineSettings) -> Explanation:
    """Return what made the bands, and when a value outside them counts."""
    several = ""
    if len(verdict.run_ids) > 1:
        several = f" Of the {len(verdict.run_ids)} runs, one decides."
    return Explanation(
        f"{verdict.n_training} {verdict.roles.known_runs} defined what is normal: from {_series(pipeline)}, "
        f"at each time point a band of {format_number(pipeline.deviations)} standard deviations around the "
        f"{pipeline.average} ({pipeline.bounds} bounds).",
        "A property differs if any of its points is outside the band. A run also differs if it has samples "
        f"at times that no training run reached, or other notifications than those.{several}",
    )


def _series(pipeline: PipelineSettings) -> str:
    if pipeline.smoothing == "none":
        return "the series as they were read"
    return f"series smoothed by the {pipeline.smoothing} of {pipeline.window} samples"
