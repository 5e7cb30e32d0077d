"""How the bounds oracle explains its verdicts."""

from __future__ import annotations

from buto.analysis.pipeline import PipelineSettings
from buto.detectors.bounds.settings import BandSettings
from buto.detectors.explanation import Explanation
from buto.units import format_number, format_percent
from buto.verdicts import Verdict


def explain(verdict: Verdict, settings: BandSettings) -> Explanation:
    """Return what made the bands, and when a value outside them counts."""
    pipeline = settings.pipeline
    least = ", with a smallest width" if pipeline.floor else ""
    few = ", wider the fewer runs there are" if pipeline.small_sample else ""
    band = f"a band of {width(pipeline)} ({pipeline.bounds} bounds{least}{few})"
    known = f"{verdict.n_training} {verdict.roles.known_runs}"
    return Explanation(
        f"{known} defined what is normal: from {series(pipeline)}, at each time point {band}.",
        _rule(verdict, settings),
    )


def series(pipeline: PipelineSettings) -> str:
    """Return which series the bands are made of, in words."""
    if pipeline.smoothing == "none":
        return "the series as they were read"
    return f"series smoothed by the {pipeline.smoothing} of {pipeline.window} samples"


def width(pipeline: PipelineSettings) -> str:
    """Return how wide a band is, in words."""
    return f"{format_number(pipeline.deviations)} standard deviations around the {pipeline.average}"


def _rule(verdict: Verdict, settings: BandSettings) -> str:
    share, n_judged = settings.outside_share, len(verdict.run_ids)
    points = f"{format_percent(share)} of its points are" if share else "any of its points is"
    rule = f"A property differs if {points} beyond the same limit"
    if settings.summaries:
        rule += ", or if its mean over the run, or a counter's last value, is outside its own band"
    if settings.duration:
        rule += "; the same holds for the run's duration and the number and times of notifications"
    if n_judged > 1:
        most = "more than half" if settings.runs_outside == "most" else "one"
        rule += f". Of the {n_judged} runs, {most} must show it in the same direction"
    return f"{rule}."
