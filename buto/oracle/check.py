"""Checking: from an oracle and new runs to a verdict.

Here is also how two oracles of one test differ other than in numbers: program, judgement, environment.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from buto.errors import JudgeError
from buto.judging.classifiers import MetadataDifference, compare_metadata
from buto.judging.configuration import with_alpha
from buto.judging.monitor import Alarm
from buto.judging.procedure import N_CONFIRMING, N_FIRST, Do, Looked, Next, Procedure, Why
from buto.judging.protocol import Comparison, Reasoning
from buto.judging.settings import Settings
from buto.judging.verdict import Roles, Statement, Status, Verdict
from buto.oracle.model import Oracle
from buto.oracle.train import fewest_runs, train
from buto.run.model import BUSY_SHARE, Run, RunSet, run_set
from buto.run.names import metadata_texts
from buto.run.patterns import fits
from buto.run.window import cut_set_to_window
from buto.steps import Action, Advice, Step

METADATA_SOURCE = "metadata"

AGENT_KEY = "buto.probe"
"""The metadata key that names the version of what measures: the agent, or the worker of the JMX collector."""

LAST_BUILDS = Why.MONITOR.value

ELSEWHERE = (
    "an oracle of one environment cannot judge runs of another: check where it was trained, or train in "
    "this environment, which replaces the oracle unless it has another file"
)

NEWER_AGENT = (
    "only buto itself has changed since training: what measures now uses other classes and memory, so train "
    "again with the program as it was"
)

BUSIER = 0.1
"""A regression may be caused by others only if they load the cores by this much more than in training."""


class CheckedRuns(Struct, frozen=True, eq=False):
    """Runs with the verdict on them, which goes where they go, so that nobody judges them again.

    Attributes:
        oracle: what judged them; of two programs that were compared, what the runs of the other show.
        runs: valid or not, in the order of their start.
        verdict: on those that are valid.
        against: the usable runs of the other program; None if the runs were judged by an oracle.
        explained: how a comparison came to the verdict; None for the oracle's own words.
        alarm: of the monitor over builds, which wants turns; None without one.
    """

    oracle: Oracle
    runs: RunSet
    verdict: Verdict
    against: RunSet | None = None
    explained: Reasoning | None = None
    alarm: Alarm | None = None

    @property
    def reasoning(self) -> Reasoning:
        """How the verdict came about, in whole sentences."""
        return self.explained or self.oracle.fitted.explain(self.verdict)

    def with_steps(self, steps: tuple[Next, ...]) -> CheckedRuns:
        """Return the same, saying what the check has done so far."""
        return structs.replace(self, verdict=replace(self.verdict, steps=steps))

    def with_alarm(self, alarm: Alarm | None) -> CheckedRuns:
        """Return the same after the monitor over builds has looked at it.

        An alarm accuses nobody, but what would pass is not decided before turns.
        """
        looked = self.verdict.looked
        if alarm is None or looked is None:
            return self
        verdict = replace(self.verdict, looked=structs.replace(looked, is_alarmed=True))
        if verdict.status is Status.PASS:
            reason = f"{LAST_BUILDS}: turns decide"
            verdict = replace(verdict, status=Status.INCONCLUSIVE, reasons=(reason, *verdict.reasons))
        return structs.replace(self, verdict=verdict, alarm=alarm)

    def next_step(self, procedure: Procedure) -> Next:
        """Return what a check with these runs does next.

        A method with a rule of its own decides, but where it wants more runs after one, two more follow.
        """
        if self.verdict.looked is not None:
            return procedure.after_runs(self.verdict.looked)
        is_first = procedure.asked is None and len(self.runs.valid()) == N_FIRST
        if self.verdict.needs_more and is_first:
            return Next(Do.LAUNCH, Why.METHOD, N_CONFIRMING)
        return Next(_DECIDED[self.verdict.status], Why.METHOD)


_DECIDED = {Status.PASS: Do.PASS, Status.REGRESSION: Do.FAIL, Status.INCONCLUSIVE: Do.UNDECIDED}


def judge(oracle: Oracle, runs: Sequence[Run], first: CheckedRuns | None = None) -> CheckedRuns:
    """Judge runs, valid or not, once and for all.

    Args:
        first: the first of them as it was judged alone; None if it was not.

    Raises:
        JudgeError: no runs at all, or runs of another test.
    """
    every = run_set(runs)
    valid = every.valid()
    alone = None if first is None else first.verdict
    return CheckedRuns(oracle, every, check(oracle, valid if len(valid) else every, alone))


def compare(
    comparison: Comparison, old: RunSet, new: RunSet, test: str, roles: Roles | None = None
) -> CheckedRuns:
    """Judge the runs of a new program by those of an old one, valid or not.

    Args:
        test: what reports call the comparison.
        roles: what the two are called; None for the names of their tests.

    Raises:
        JudgeError: they cannot be compared.
    """
    verdict, explained = comparison.compare(old, new, roles)
    # For the charts only: it does not judge, so its warnings are dropped. Few runs of the old program are
    # enough to find no difference, and then those of the new one are as good.
    drawn = old.valid()
    if len(drawn) < fewest_runs(comparison.settings):
        drawn = run_set([replace(run, test=test) for run in (*drawn, *new.valid())])
    shown = replace(train(drawn, comparison.settings), test=test, warnings=())
    return CheckedRuns(shown, new, verdict, old.valid(), explained)


def check(oracle: Oracle, runs: RunSet, alone: Verdict | None = None) -> Verdict:
    """Judge one run, or several of the same program together; of a run with a window only that part.

    Inconclusive if no run is valid, or if the environment differs from the training runs' in a key that
    decides; then nothing else is compared, because the program may not be the cause. Training runs of several
    environments may tell what these change. Invalid runs beside valid ones are left out with a warning.

    Args:
        alone: the verdict on the first valid run, if it was judged before.

    Raises:
        JudgeError: no runs at all, or runs of another test.
    """
    if not len(runs):
        raise JudgeError("there is no run to check", advice=Advice(Step(Action.CHECK, oracle.test)))
    if runs.runs[0].test != oracle.test:
        raise JudgeError(
            f"a run of {runs.runs[0].test!r} cannot be checked by the oracle of {oracle.test!r}",
            advice=Advice(Step(Action.TRAIN, runs.runs[0].test)),
        )
    runs = cut_set_to_window(runs)
    valid = runs.valid()
    skipped = tuple(
        f"run {run.id} cannot be judged: {run.quality.describe()}" for run in runs if not run.quality.valid
    )
    if not len(valid):
        return _complete(Verdict(Status.INCONCLUSIVE, oracle.settings.method, reasons=skipped), oracle, runs)
    detector = oracle.detector
    metadata = detector.training_metadata if oracle.fitted.judges_environments else detector.metadata
    differences = {run.id: compare_metadata(oracle.environment, run.metadata, metadata) for run in valid}
    deciding = {
        run_id: [difference for difference in of_run if difference.deciding]
        for run_id, of_run in differences.items()
    }
    same_environment = not any(deciding.values())
    verdict = oracle.fitted.check(valid) if same_environment else _other_environment(oracle, deciding)
    typed = {run.id: str(run.metadata.get("buto.command", "")) for run in valid}
    others = dict.fromkeys(
        difference.describe()
        for run_id, of_run in differences.items()
        for difference in of_run
        if not difference.deciding and not _is_typed(difference, typed[run_id])
    )
    # What follows the machine accuses nobody by the rule of a check.
    is_own_rule = verdict.looked is None
    if is_own_rule and detector.exchangeable and verdict.status is Status.REGRESSION:
        verdict = _if_quiet(verdict, oracle, valid)
    verdict = replace(
        verdict,
        warnings=(*skipped, *verdict.warnings, *_clearing_note(oracle, verdict, valid, alone), *others),
    )
    return _complete(verdict, oracle, valid)


def at_alpha(oracle: Oracle, alpha: float) -> Oracle:
    """Return the same oracle with another alpha. Raise UsageError if it is not a share, or the detector has
    none.
    """
    return with_settings(oracle, with_alpha(oracle.settings, alpha))


def with_settings(oracle: Oracle, settings: Settings) -> Oracle:
    """Return the same oracle with other settings of its detector, of which none changes what it learned."""
    other = replace(oracle, settings=settings, strengths=None)
    return replace(other, fitted=other.detector.from_data(oracle.fitted.to_data()))


OF_PROGRAM = ("buto.jvm", "jvm.class.path", "system.property[java.class.path]")
"""Metadata that name the program."""


def _is_typed(difference: MetadataDifference, command: str) -> bool:
    """Return whether somebody has typed the program of which this says the name, which is then no news."""
    if difference.key not in OF_PROGRAM or not difference.observed:
        return False
    return all(Path(entry).name in command for entry in str(difference.observed).split(os.pathsep))


def _clearing_note(oracle: Oracle, verdict: Verdict, runs: RunSet, alone: Verdict | None) -> tuple[str, ...]:
    """Return a note on a pass if the first run alone was an outlier."""
    if verdict.status is not Status.PASS or verdict.p_value is None or len(runs) < 2:
        return ()
    alone = alone or oracle.fitted.check(RunSet(runs.runs[:1]))
    if alone.looked is None or alone.looked.first is None or not alone.looked.first.is_suspicious:
        return ()
    return (f"the first run was an outlier; with {len(runs) - 1} more it is ordinary",)


def _other_environment(oracle: Oracle, deciding: dict[str, list[MetadataDifference]]) -> Verdict:
    described = dict.fromkeys(difference.describe() for of_run in deciding.values() for difference in of_run)
    findings = {
        difference.key: Statement(METADATA_SOURCE, difference.key, run_id, text=difference.describe())
        for run_id, of_run in deciding.items()
        for difference in of_run
    }
    return Verdict(
        Status.INCONCLUSIVE,
        oracle.settings.method,
        findings=tuple(findings[key] for key in sorted(findings)),
        reasons=(*described, NEWER_AGENT if set(findings) == {AGENT_KEY} else ELSEWHERE),
        looked=Looked(len(deciding), is_elsewhere=True) if oracle.detector.settles_in_turns else None,
    )


def _if_quiet(verdict: Verdict, oracle: Oracle, runs: RunSet) -> Verdict:
    """Return a regression as it is on a quiet machine, with a warning on a busy one, and as inconclusive if
    most runs were made while others used clearly more of the cores than in any training run.
    """
    busy = [run for run in runs if run.quality.foreign_load > BUSY_SHARE]
    most = max((run.quality.foreign_load for run in busy), default=0.0)
    share = f"other processes used up to {most:.0%} of the cores during {len(busy)} of {len(runs)} runs"
    disturbances = (f"{share}: times may differ for that alone",) if busy else ()
    busier = [run for run in busy if run.quality.foreign_load > oracle.foreign_load + BUSIER]
    if 2 * len(busier) <= len(runs):
        return replace(verdict, warnings=(*disturbances, *verdict.warnings))
    # First, because a short report shows only the first reasons.
    why = (
        f"other processes used at most {oracle.foreign_load:.0%} of the cores in training, and clearly more "
        "now: check again on a quieter machine"
    )
    return replace(verdict, status=Status.INCONCLUSIVE, reasons=(why, *disturbances, *verdict.reasons))


def _complete(verdict: Verdict, oracle: Oracle, judged: RunSet) -> Verdict:
    return replace(
        verdict,
        warnings=(*verdict.warnings, *oracle.edits),
        run_ids=tuple(run.id for run in judged),
        n_training=verdict.n_training or len(oracle.run_ids),
        settings=oracle.settings.to_data(),
    )


VARIES = "not the same in all runs"
ENVIRONMENT = "environment"


class Changed(Struct, frozen=True):
    """A difference other than a number.

    Attributes:
        part: ``target``, ``judge``, ``runs`` or ``environment``.
        old, new: as text; None where an oracle does not have it.
        decides: whether runs of the old environment could not be judged by the new oracle.
    """

    part: str
    key: str
    old: str | None
    new: str | None
    decides: bool = False


def surroundings(old: Oracle, new: Oracle) -> tuple[Changed, ...]:
    """Return what has changed, keys that decide before other metadata.

    If the methods differ, only settings that both have are compared, and their names; of metadata, what
    neither ignores.
    """
    changed = [*_find_changed("target", old.target, new.target)]
    if len(old.run_ids) != len(new.run_ids):
        changed.append(Changed("runs", "number", str(len(old.run_ids)), str(len(new.run_ids))))
    judged = [oracle.settings.flat() for oracle in (old, new)]
    both = judged[0].keys() & judged[1].keys() if old.settings.method != new.settings.method else None
    changed += [change for change in _find_changed("judge", *judged) if both is None or change.key in both]
    environments = [
        {**oracle.environment.values, **dict.fromkeys(oracle.environment.varying, VARIES)}
        for oracle in (old, new)
    ]
    decides = new.metadata.is_deciding
    ignored = (*old.settings.metadata.ignored, *new.settings.metadata.ignored)
    of_environment = [
        structs.replace(change, decides=decides(change.key))
        for change in _find_changed(ENVIRONMENT, *environments)
        if not any(fits(change.key, pattern) for pattern in ignored)
    ]
    return (*changed, *sorted(of_environment, key=lambda difference: not difference.decides))


def _find_changed(part: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Changed]:
    for key in dict.fromkeys((*old, *new)):
        before, after = (_text(data[key]) if key in data else None for data in (old, new))
        if before is not None and after is not None and before != after and part == ENVIRONMENT:
            before, after = metadata_texts(key, before, after)
        if before != after:
            yield Changed(part, key, before, after)


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(_text, value))
    return str(value)
