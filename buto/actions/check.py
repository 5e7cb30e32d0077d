"""Checking: launch tests, or take stored runs, and judge them by their oracles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from buto.actions.advice import Door, next_steps, settings_warning, worded
from buto.actions.case import Case, checked
from buto.actions.events import Judged, OnEvent, Told, Warned, ignore
from buto.actions.git import divided
from buto.actions.hooks import EXPLAINED, JUDGED
from buto.actions.outcome import Outcome, concluded, failed, keep
from buto.actions.project import NO_OVERRIDES, Overrides, Project
from buto.actions.record import complete, describe, sharing
from buto.actions.stored import Known, Site, stored_runs, training_run_s, training_runs
from buto.actions.turns import (
    Dispute,
    Settled,
    by_oracle,
    most_turns,
    occasion,
    settled_by_turns,
    stored_turns,
)
from buto.errors import ButoError, StorageError
from buto.judging.alarms import N_CHECKED
from buto.judging.verdict import Status
from buto.oracle import Checked, Oracle
from buto.project.model import TestConfig
from buto.report.check_report import check_report
from buto.report.panels import NO_RUNS
from buto.report.result import LeftOut, Result, reported
from buto.run.model import Run, run_set
from buto.run.units import format_count, format_seconds
from buto.steps import Action, Step


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """What to check.

    Attributes:
        names: tests; empty for all of the configuration.
        overrides: what this call specifies of them.
        runs: how many runs to judge together; None for one, and two more if it does not pass.
        from_runs: stored runs to judge instead of launching, as :func:`stored_runs` has it.
        changed_since: a git revision; tests whose inputs have not changed since are left out.
        with_training: whether the report shows the training runs, which take time to load.
    """

    names: tuple[str, ...]
    overrides: Overrides = NO_OVERRIDES
    runs: int | None = None
    from_runs: str | None = None
    changed_since: str | None = None
    with_training: bool = False


@worded
def check(project: Project, request: CheckRequest, on_event: OnEvent = ignore) -> Outcome:
    """Judge tests by their oracles. If one test cannot be judged, the others still are.

    Returns:
        A result for each test; it is also in the history.

    Raises:
        UsageError, BadFileError: see :class:`Project`.
        StorageError: the store cannot be written.
        Interrupted: Ctrl-C; runs that are complete stay.
    """
    action = Action.CHECK
    overrides = request.overrides
    names = project.names(request.names, action, overrides)
    names, left_out = divided(project, names, request.changed_since, on_event)
    every = [project.known(name, action, overrides.alpha) for name in names]
    for known in every:
        ours = project.configured(known.oracle.test)
        if ours is not None:
            warn_of_settings(project.door, known.oracle, ours, overrides.alpha, on_event)
    tests: list[TestConfig] = []
    if request.from_runs is None:
        tests = [project.test(known.oracle.test, action, overrides, known.oracle) for known in every]
    checking = _Checking(
        project.site(), every, tests, request.runs, request.from_runs, request.with_training, left_out
    )
    return checking.carried_out(on_event)


@dataclass(frozen=True, eq=False, slots=True)
class _Checking:
    """What a request means in its project, with all that launches and verdicts need.

    Attributes:
        known: the oracles of the tests.
        tests: how to launch them, in the same order; empty if stored runs are judged.
        runs, from_runs, with_training: see :class:`CheckRequest`.
        left_out: see :class:`Outcome`.
    """

    site: Site
    known: Sequence[Known]
    tests: Sequence[TestConfig]
    runs: int | None
    from_runs: str | None
    with_training: bool
    left_out: Sequence[LeftOut] | None

    def carried_out(self, on_event: OnEvent) -> Outcome:
        """Launch the tests or load their runs, judge them, and return the outcome."""
        if self.from_runs is None:
            pairs = zip(self.tests, self.known, strict=True)
            cases = [checked(test, known, self.runs) for test, known in pairs]
            _tell_what_is_ahead(self.site, cases, on_event)
            cases = complete(self.site, cases, on_event)
            settled = settled_by_turns(self.site, _disputes(cases), on_event)
            results = [
                finished(
                    self.site,
                    case,
                    on_event,
                    with_training=self.with_training,
                    settled=settled.get(case.name),
                )
                for case in cases
            ]
        else:
            stored = [stored_runs(self.site, known.oracle.test, self.from_runs) for known in self.known]
            how = (None, on_event, self.from_runs, self.with_training)
            results = [
                _result(self.site, known, runs, partial(by_oracle, known.oracle, runs), *how)
                for known, runs in zip(self.known, stored, strict=True)
            ]
        outcome = replace(concluded(Action.CHECK, results), left_out=self.left_out)
        keep(self.site, outcome, on_event)
        return outcome


def _tell_what_is_ahead(site: Site, cases: Sequence[Case], on_event: OnEvent) -> None:
    """Say which launches follow at least and at most, and how long they take if the training runs tell."""
    ahead = [(case, case.known.oracle) for case, *_ in sharing(cases) if case.known is not None]
    if not ahead:
        return
    runs, more = ahead[0][0].planned, N_CHECKED - 1 if ahead[0][0].confirms else 0
    turns = [most_turns(known) for _, known in ahead]
    steps = [
        format_count(runs, "run"),
        f"{more} more if it looks different" if more else "",
        f"then old and new in turns, at most {max(turns)} + {max(turns)} runs" if any(turns) else "",
    ]
    took_s = [training_run_s(site, known) for _, known in ahead]
    known_s = [one for one in took_s if one is not None]
    if len(known_s) == len(took_s):
        least_s = runs * sum(known_s)
        most_s = sum((runs + more + 2 * n) * one_s for n, one_s in zip(turns, known_s, strict=True))
        steps.append(f"about {format_seconds(least_s)} to {format_seconds(most_s)}, as long as in training")
    one = ahead[0][1].test if len(ahead) == 1 else ""
    each = "" if one else f"{len(ahead)} programs, of each "
    on_event(Told(one, each + ", ".join(filter(None, steps))))


def _disputes(cases: Sequence[Case]) -> list[Dispute]:
    """Return the tests whose runs do not decide."""
    judged = [(case, case.checked) for case in cases if case.failure is None and case.checked is not None]
    found = [(case.test, checked, occasion(checked)) for case, checked in judged]
    return [Dispute(test, checked, why) for test, checked, why in found if why is not None]


def finished(
    site: Site,
    case: Case,
    on_event: OnEvent,
    *,
    with_training: bool = False,
    settled: Settled | None = None,
) -> Result:
    """Report the verdict on the runs of a case and what they measured, or why they cannot be judged.

    Args:
        settled: see :func:`decide`.
    """
    assert case.known is not None
    # A test that starts its program itself may start another one each time.
    test = None if case.is_driven else case.test
    return _result(site, case.known, case.runs, case.judged, test, on_event, None, with_training, settled)


def _result(
    site: Site,
    known: Known,
    runs: Sequence[Run],
    judge: Callable[[], Checked],
    test: TestConfig | None,
    on_event: OnEvent,
    from_runs: str | None,
    with_training: bool,
    settled: Settled | None = None,
) -> Result:
    try:
        result = decide(
            site,
            known,
            judge(),
            on_event,
            test=test,
            from_runs=from_runs,
            with_training=with_training,
            settled=settled,
        )
    except StorageError:
        raise
    except ButoError as error:
        return failed(site, known.oracle.test, known.path, runs, error, on_event)
    describe(site.door, known.oracle.test, run_set(runs).valid(), on_event)
    return result


def decide(
    site: Site,
    known: Known,
    checked: Checked,
    on_event: OnEvent = ignore,
    *,
    test: TestConfig | None = None,
    from_runs: str | None = None,
    with_training: bool = False,
    settled: Settled | None = None,
) -> Result:
    """Report the verdict on the runs of a test.

    Before the test fails, and where its oracle cannot judge this environment, the program of the training and
    the present one are launched in random turns if ``test`` says how, and these decide.

    Args:
        checked: the runs as the oracle judged them.
        test: how to launch the present program; None for runs that are judged as they are, by the turns
            that were stored with them unless they were named.
        from_runs: the name of these runs in advice; None for those of the newest check.
        with_training: see :class:`CheckRequest`.
        settled: what turns decided; None if they were not launched yet.
    """
    first, why, steps = checked.runs, occasion(checked), None
    if why is not None and test is not None:
        if settled is None:
            settled = settled_by_turns(site, [Dispute(test, checked, why)], on_event)[test.name]
        if settled.failure is not None:
            raise settled.failure
        checked, steps = settled.checked, settled.steps
    elif why is not None and from_runs is None:
        checked = stored_turns(site, checked, why) or checked
    if from_runs is not None and checked.against is not None:
        from_runs = ",".join(checked.verdict.run_ids)
    added = JUDGED(known.oracle.test, on_event, site, checked)
    explained = []
    if test is not None and test.explains and _is_accused(checked):
        explained = EXPLAINED(test.name, on_event, site, test, known.oracle, checked, on_event)
    command = known.other_command(checked.runs.runs)
    again = Step(Action.CHECK, known.oracle.test, command=command)
    if steps is None:
        helpful = tuple(step for one in added for step in one.steps)
        steps = next_steps(known.oracle, checked.verdict, from_runs, more=helpful, command=command)
    report = check_report(
        checked,
        training_runs(site, known.oracle) if with_training and checked.against is None else NO_RUNS,
        made=datetime.now(UTC),
        oracle_path=known.path,
        again=site.door.step(again),
        next_steps=[site.door.step(step) for step in steps],
        likes=tuple(like for one in added for like in one.likes),
        first=first,
        causes=tuple(cause for causes in explained for cause in causes),
    )
    result = reported(report, known.path)
    on_event(Judged(result))
    return result


def _is_accused(checked: Checked) -> bool:
    return checked.verdict.status is Status.REGRESSION and not checked.verdict.is_welcome


def warn_of_settings(
    door: Door, known: Oracle, test: TestConfig, alpha: float | None, on_event: OnEvent
) -> None:
    """Report settings of a test that differ from those with which its oracle was trained."""
    warning = settings_warning(known, test.settings, alpha, door)
    if warning is not None:
        on_event(Warned(test.name, warning))
