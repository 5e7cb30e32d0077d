"""All that a report of one check shows, put together once; renderers decide nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from buto.classify.notifications import Emitter
from buto.detectors.explanation import Explanation
from buto.detectors.views import OF_BAND, RunsView, Smoothing
from buto.oracle import Oracle
from buto.properties import Role
from buto.report.environment import EnvironmentRow, environment_rows
from buto.report.panels import Panel, panels_of
from buto.runs import Run, RunSet
from buto.runs.long import drawn_stride
from buto.verdicts import Roles, Verdict

NO_RUNS = RunSet(())


@dataclass(frozen=True, eq=False, slots=True)
class CheckReport:
    """One check, for renderers.

    Attributes:
        test: its name.
        verdict: the answer; every number that judges is from here.
        explanation: how the detector came to the verdict, in its own words.
        made: when the report was put together; aware.
        oracle_path: the oracle's file; None for one that was learned for this comparison alone.
        checked: the runs that were judged, and beside them those that could not be.
        training: those of the training runs that are at hand; may be empty.
        training_ids: all of them.
        panels: one for each property that is judged, by how much speaks for a change: those with findings
            in the verdict's order, then by their reach.
        reach_of: what a panel's reach is a share of, for behind a percentage.
        costs: what measuring cost, as it was read; not judged unless the settings say so.
        unjudged: properties that are not judged, each with the reason.
        environment: metadata side by side, what differs first.
        emitters: notifications that are expected, with their times.
        oracle_warnings: what training left out.
        next_steps: commands to type next.
        stride: of the samples of the runs each so manieth is drawn; 1 unless they are too many to hold.
        smoothing: how the curves are smoothed; None if they are not.
        bands_decide: whether the bands decide, or only illustrate.
    """

    test: str
    verdict: Verdict
    explanation: Explanation
    made: datetime
    oracle_path: Path | None
    checked: RunSet
    training: RunSet
    training_ids: tuple[str, ...]
    panels: tuple[Panel, ...]
    costs: tuple[Panel, ...]
    unjudged: Mapping[str, str]
    environment: tuple[EnvironmentRow, ...]
    emitters: tuple[Emitter, ...] = ()
    oracle_warnings: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    reach_of: str = OF_BAND
    stride: int = 1
    smoothing: Smoothing | None = None
    bands_decide: bool = True

    @property
    def roles(self) -> Roles:
        """What the judged and the known runs are called."""
        return self.verdict.roles


def check_report(
    verdict: Verdict,
    oracle: Oracle,
    checked: RunSet,
    training: RunSet = NO_RUNS,
    *,
    made: datetime,
    oracle_path: Path | None = None,
    next_steps: Sequence[str] = (),
    explanation: Explanation | None = None,
) -> CheckReport:
    """Put a report together.

    Args:
        verdict: what ``buto.oracle.check`` said of ``checked``.
        checked: valid or not; only those that the verdict names are drawn.
        training: those of the oracle's training runs that the store still has.
        made: an aware time.
        explanation: of a verdict that the oracle did not give; None for the oracle's own.
    """
    judged = [run for run in checked if run.id in verdict.run_ids and run.quality.valid]
    view = oracle.fitted.view((*training, *judged))
    return CheckReport(
        test=oracle.test,
        verdict=verdict,
        explanation=explanation or oracle.fitted.explain(verdict),
        made=made,
        oracle_path=oracle_path,
        checked=checked,
        training=training,
        training_ids=oracle.run_ids,
        panels=panels_of(view, training.runs, judged, verdict.findings),
        costs=_costs(training.runs, checked.runs),
        unjudged=dict(view.left_out),
        environment=environment_rows(oracle, checked, training),
        emitters=view.emitters,
        oracle_warnings=oracle.warnings,
        next_steps=tuple(next_steps),
        reach_of=view.reach_of,
        stride=max((drawn_stride(run) for run in (*training, *checked)), default=1),
        smoothing=view.smoothing,
        bands_decide=view.bands_decide,
    )


def _costs(training: Sequence[Run], checked: Sequence[Run]) -> tuple[Panel, ...]:
    view = RunsView((*checked, *training))
    drawn = panels_of(view, training, checked)
    return tuple(panel for panel in drawn if panel.prop.role is Role.COST)
