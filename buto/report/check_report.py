"""Everything that a report of one check shows, collected once; renderers decide nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from buto.judging.alarms import Strength
from buto.judging.class_changes import ClassChange, class_changes, typical_histogram
from buto.judging.protocol import Reasoning
from buto.judging.story import Order, Story, story_of, tell
from buto.judging.verdict import Roles, Status, Verdict
from buto.judging.views import ClusterView
from buto.oracle import CheckedRuns, Oracle
from buto.report import words
from buto.report.environment import EnvironmentRow, environment_rows
from buto.report.growth import GrowthReport
from buto.report.likeness import Like
from buto.report.panels import NO_RUNS, Charted, beside, costs_of, panels_of, stride_of
from buto.report.strength import detectable
from buto.run.model import RunSet
from buto.run.units import format_count, format_seconds
from buto.run.window import cut_set_to_window


@dataclass(frozen=True, slots=True)
class CodeCause:
    """A method that profiled launches of both programs named, or found most likely.

    Attributes:
        sentence: what it uses more of, where it is, and what changed in it.
        tier: ``cause`` if it is named, else ``most likely``.
        kind: of event, as ``allocation``.
        method: class and method.
        file, line: where it is; empty and 0 if not known.
        code: ``new``, ``changed`` or ``echo``; empty if it is not known what changed.
        unit: of the amounts.
        old, new: means over the launches.
        sure: how likely it is that this one did it, 0 to 1.
        commit: short name and subject of the commit that changed it; empty if it is not known.
        diff: the changed lines of the source next to it; empty if they are not known.
    """

    sentence: str
    tier: str
    kind: str
    method: str
    file: str
    line: int
    code: str
    unit: str
    old: float
    new: float
    sure: float
    commit: str = ""
    diff: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CheckReport(Charted):
    """One check, for renderers. ``checked`` also has runs that could not be judged.

    Attributes:
        verdict: the answer, with every number that decides.
        reasoning: how the detector came to the verdict, in its own words.
        oracle_path: the oracle's file; None for one that was trained only for this comparison.
        unjudged: properties that are not judged, each with the reason.
        environment: metadata of both sides, differences first.
        oracle_warnings: warnings from training.
        again: the command that repeats it; empty if there is none.
        classes: whose live objects changed, the largest change first; empty if a side was recorded without.
        likes: labelled runs of the past in which about the same changed, the nearest first.
        clusters: of the findings, where the detector has clusters.
        strengths: of a pass, the smallest changes that a check detects; empty if the detector knows none.
        first: the runs with which the check began; others may have decided.
        causes: of a regression that was explained, the methods that did it, the likeliest first.
        growth: whether something grows in every round; None if nobody looked, or it is not known.
        trailers: of a check that fails, the lines with which a commit says that all this is meant; empty if
            no such lines would let it pass.
    """

    verdict: Verdict
    reasoning: Reasoning
    oracle_path: Path | None
    training_ids: tuple[str, ...]
    unjudged: Mapping[str, str]
    environment: tuple[EnvironmentRow, ...]
    oracle_warnings: tuple[str, ...] = ()
    again: str = ""
    next_steps: tuple[str, ...] = ()
    order: Order = Order.MEANING
    classes: tuple[ClassChange, ...] = ()
    likes: tuple[Like, ...] = ()
    clusters: tuple[ClusterView, ...] = ()
    strengths: tuple[Strength, ...] = ()
    first: RunSet = NO_RUNS
    causes: tuple[CodeCause, ...] = ()
    growth: GrowthReport | None = None
    trailers: tuple[str, ...] = ()

    @property
    def detectable(self) -> str:
        """Of a pass, one line on which changes a check would have detected; else empty."""
        return detectable(self.strengths)

    @property
    def cost(self) -> str:
        """How often programs were launched for it, and for how long, as ``13 launches, 52 s``."""
        beside = self.training if self.verdict.compares_programs else NO_RUNS
        runs = {run.id: run for some in (self.first, self.checked, beside) for run in some}
        took = format_seconds(sum(run.outcome.duration_s for run in runs.values()))
        return f"{format_count(len(runs), 'launch')}, {took}"

    @property
    def roles(self) -> Roles:
        return self.verdict.roles

    @property
    def story(self) -> Story:
        """The findings as a story, without those that the reasons state."""
        verdict = self.verdict
        return story_of(replace(verdict, findings=words.list_findings(verdict)), self.order)

    @property
    def noted(self) -> Story:
        """What is certain and smaller than the size that matters, in the same way."""
        return tell(self.verdict.noted, self.order)

    def sort_by(self, order: Order) -> CheckReport:
        """Return the same report with its findings, and the panels of these, in another order."""
        changes = (*story_of(self.verdict, order).findings, *tell(self.verdict.noted, order).findings)
        rank = {finding.subject: place for place, finding in reversed(list(enumerate(changes)))}
        panels = sorted(self.panels, key=lambda panel: rank.get(panel.prop.name, len(changes)))
        return replace(self, order=order, panels=tuple(panels))


def check_report(
    checked: CheckedRuns,
    training: RunSet = NO_RUNS,
    *,
    made: datetime,
    oracle_path: Path | None = None,
    again: str = "",
    next_steps: Sequence[str] = (),
    likes: tuple[Like, ...] = (),
    first: RunSet = NO_RUNS,
    causes: tuple[CodeCause, ...] = (),
    growth: GrowthReport | None = None,
    trailers: tuple[str, ...] = (),
) -> CheckReport:
    """Return the report of a check, or of a comparison.

    Args:
        checked: with runs that are valid or not; only those that the verdict names are drawn.
        training: those of the oracle's training runs that are still in the store; of a comparison the runs
            of the other program are taken.
        made: an aware time.
        again, likes, first, causes, growth, trailers: see :class:`CheckReport`.
    """
    oracle, verdict = checked.oracle, checked.verdict
    runs, training = cut_set_to_window(checked.runs), cut_set_to_window(checked.against or training)
    judged = [run for run in runs if run.id in verdict.run_ids and run.quality.valid]
    view = oracle.fitted.view((*training, *judged))
    changes, noted = story_of(verdict).findings, tell(verdict.noted).findings
    return CheckReport(
        test=oracle.test,
        verdict=verdict,
        reasoning=checked.reasoning,
        made=made,
        oracle_path=oracle_path,
        checked=runs,
        training=training,
        training_ids=oracle.run_ids,
        panels=(
            *panels_of(view, training.runs, judged, changes, noted, verdict.reach),
            *beside(view, training.runs, judged),
        ),
        costs=costs_of(training.runs, runs.runs),
        unjudged=dict(view.left_out),
        environment=environment_rows(oracle, runs, training),
        emitters=view.emitters,
        oracle_warnings=oracle.warnings,
        again=again,
        trailers=trailers,
        next_steps=tuple(next_steps),
        reach_of=view.reach_of,
        stride=stride_of(training, runs),
        smoothing=view.smoothing,
        clusters=view.clusters(judged, verdict.findings),
        classes=class_changes(
            oracle.classes if checked.against is None else typical_histogram(training.runs),
            typical_histogram(judged),
        ),
        likes=likes,
        causes=causes,
        growth=growth,
        strengths=_strengths(verdict, oracle),
        first=first,
    )


def _strengths(verdict: Verdict, oracle: Oracle) -> tuple[Strength, ...]:
    """Return what a check by this oracle detects if it has passed a program.

    That takes seconds where training has not found it, or found it with other settings.
    """
    if verdict.status is not Status.PASS or verdict.compares_programs:
        return ()
    if oracle.strengths is not None:
        return oracle.strengths
    return oracle.fitted.strengths(everything=False).found
