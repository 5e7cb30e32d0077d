"""Training: from runs to an oracle, with warnings of what its user should know.

One warning is of MBeans that were requested but never recorded: most often, a name was mistyped. An A/A test
of the detector shows whether an oracle keeps its promise on unchanged programs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import structs

from buto.errors import JudgeError
from buto.judging import registry
from buto.judging.alarms import Selftest
from buto.judging.class_changes import typical_histogram
from buto.judging.classifiers import MetadataModel, MetadataSettings, learn_metadata
from buto.judging.configuration import DEFAULT
from buto.judging.protocol import AutoRuns, Share, here
from buto.judging.settings import Settings
from buto.oracle.model import COMMIT_NAME, Oracle
from buto.run.labels import Past
from buto.run.masking import Mask
from buto.run.model import COMMIT, ClassHistogram, Run, RunSet, run_set
from buto.run.patterns import fits
from buto.run.units import format_count
from buto.run.window import cut_set_to_window, cut_to_window
from buto.steps import Action, Advice, Setting, Step

_RECORDED = re.compile(r"mbean\[(.*?)\](?:/(.*))?", re.DOTALL)
_KEY = re.compile(r'(?:"(?:\\.|[^"\\])*"|[^,"])+', re.DOTALL)


def never_recorded(target: Mapping[str, Any], runs: RunSet) -> tuple[str, ...]:
    """Return a sentence for each pattern that matched nothing in any run, else for each of its attributes
    without a number.

    Args:
        target: of its ``mbeans`` the keys ``name`` and ``attributes`` are looked at.
    """
    sentences = []
    beans = set(_beans(runs))
    for rule in target.get("mbeans", ()):
        pattern = rule["name"]
        if not any(matches(pattern, bean) for bean in beans):
            sentences.append(
                f"the pattern {pattern!r} gave nothing in any run: no MBean matches it, or none with numbers"
            )
            continue
        for attribute in rule.get("attributes", ()):
            why = _why_unread(pattern, attribute, runs)
            if why is not None:
                sentences.append(f"attribute {attribute} of {pattern} was never read: {why}")
    return tuple(sentences)


def matches(pattern: str, name: str) -> bool:
    """Return whether an object name fits a pattern, by the rules of ``javax.management.ObjectName``."""
    domain, _, keys = pattern.partition(":")
    domain_of_name, _, keys_of_name = name.partition(":")
    wanted, present = set(_KEY.findall(keys)), set(_KEY.findall(keys_of_name))
    is_open = "*" in wanted
    wanted.discard("*")
    return (
        _fits(domain, domain_of_name)
        and all(any(_fits(key, present_name) for present_name in present) for key in wanted)
        and (is_open or len(wanted) == len(present))
    )


def _fits(pattern: str, text: str) -> bool:
    return fits(text, pattern.replace("[", "[[]"))


def _beans(runs: RunSet) -> Iterator[str]:
    for run in runs:
        for name in (*run.column_of, *run.metadata):
            if recorded := _RECORDED.fullmatch(name):
                yield recorded[1]
        yield from (notification.source for notification in run.notifications)


def _why_unread(pattern: str, attribute: str, runs: RunSet) -> str | None:
    """Return one of the reasons that the runs give; None if any run has a number of the attribute."""
    why = "there is none of that name"
    for run in runs:
        for name, column in run.column_of.items():
            recorded = _RECORDED.fullmatch(name)
            if recorded and _is_of(recorded[2], attribute) and matches(pattern, recorded[1]):
                if math.isfinite(run.smallest_read(column)):
                    return None
                why = run.nan_reasons.get(name, why)
    return why


def _is_of(member: str | None, attribute: str) -> bool:
    """Return whether a member, as ``Stats.hits`` or ``Rows[key].size``, is an attribute or part of it."""
    member = member or ""
    return member == attribute or member.startswith((f"{attribute}.", f"{attribute}["))


FEWEST_RUNS = 3
"""With fewer runs, a deviation means almost nothing."""

MOST_CLASSES = 100
"""Classes in an oracle's histogram, so that the file stays small."""


def train(
    runs: RunSet,
    settings: Settings = DEFAULT,
    *,
    target: Mapping[str, Any] | None = None,
    pasts: Sequence[Past] = (),
) -> Oracle:
    """Learn an oracle from the runs of one test.

    Args:
        runs: all of them valid; the order does not matter. Of a run with a window only that part counts.
        target: plain data of how the program is started, to be kept in the oracle without its secrets.
        pasts: labelled runs of this test and of others, for a detector that learns from labels.

    Raises:
        JudgeError: an invalid run, fewer than three runs, runs without samples, runs of several environments
            for a detector that does not learn them, or nothing that can be judged.
    """
    _refuse_unusable(runs, min(FEWEST_RUNS, fewest_runs(settings)))
    runs = cut_set_to_window(run_set(runs.runs))
    detector = registry.detector(settings.method)(settings)
    environment = learn_metadata([run.metadata for run in runs], detector.training_metadata)
    cut = [structs.replace(past, runs=tuple(map(cut_to_window, past.runs))) for past in pasts]
    fitted = detector.fit_with_past(runs, cut)
    loads = [run.quality.foreign_load for run in runs if not math.isnan(run.quality.foreign_load)]
    return Oracle(
        test=runs.runs[0].test,
        settings=settings,
        run_ids=tuple(sorted(run.id for run in runs)),
        environment=environment,
        fitted=fitted,
        target=Mask((target or {}).get("mask", ())).data(target or {}),
        foreign_load=round(max(loads, default=math.nan), 4),
        classes=_classes(runs),
        commit=_commit(runs),
        warnings=(
            *_warnings(runs, environment, detector.metadata),
            *fitted.training_warnings(runs),
            *never_recorded(target or {}, runs),
        ),
    )


def _commit(runs: RunSet) -> str:
    commits = {run.metadata.get(COMMIT) for run in runs}
    commit = commits.pop() if len(commits) == 1 else None
    return commit if isinstance(commit, str) and COMMIT_NAME.fullmatch(commit) else ""


def _classes(runs: RunSet) -> ClassHistogram | None:
    typical = typical_histogram(runs.runs)
    return None if typical is None else structs.replace(typical, classes=typical.classes[:MOST_CLASSES])


def fewest_runs(settings: Settings) -> int:
    """Return how many valid runs these settings need at least."""
    return registry.detector(settings.method)(settings).needed_runs()


def learns_from_labels(settings: Settings) -> bool:
    """Return whether these settings make use of labelled runs."""
    return registry.detector(settings.method).learns_from_labels


def auto_runs(settings: Settings) -> AutoRuns | None:
    """Return between which numbers of runs training ends by itself; None if the detector cannot tell."""
    return registry.detector(settings.method).auto


def enough_runs(runs: RunSet, settings: Settings) -> bool:
    """Return whether more runs than these would not sharpen the oracle. Raise JudgeError if they cannot be
    judged.
    """
    return registry.detector(settings.method)(settings).enough_runs(cut_set_to_window(runs))


def _refuse_unusable(runs: RunSet, fewest: int) -> None:
    invalid = [run for run in runs if not run.quality.valid]
    if invalid:
        listed = "; ".join(f"{run.id}: {run.quality.describe()}" for run in invalid)
        raise JudgeError(
            f"{format_count(len(invalid), 'run')} of {len(runs)} cannot train an oracle: {listed}",
            advice=Advice("record new ones, or leave them out: ", *_steps_that_delete(invalid)),
        )
    empty = [run for run in runs if not run.n_samples]
    if empty:
        raise JudgeError(
            f"no samples in {', '.join(run.id for run in empty)}",
            advice=Advice("leave them out: ", *_steps_that_delete(empty)),
        )
    if len(runs) < fewest:
        raise JudgeError(
            f"an oracle needs at least {fewest} valid runs, and here {_there_are(len(runs))}",
            advice=Advice("10 are a good number, 5 are enough for large changes: ", Setting("runs", "10")),
        )


def _warnings(runs: RunSet, environment: MetadataModel, settings: MetadataSettings) -> tuple[str, ...]:
    ids = [run.id for run in runs]
    repeated = sorted({run_id for run_id in ids if ids.count(run_id) > 1})
    warnings = [f"run {digest} is in the training set more than once" for digest in repeated]
    # What a detector says of several environments, it says itself.
    varying = [key for key in environment.varying if not settings.is_deciding(key)]
    if varying:
        warnings.append(f"not the same in all training runs: {', '.join(varying)}")
    return tuple(warnings)


def _steps_that_delete(runs: Sequence[Run]) -> list[str | Step]:
    """Return the steps that delete these runs, with commas between them."""
    steps = [Step(Action.DELETE_RUN, run.test, run_id=run.id) for run in runs]
    return [part for step in steps for part in ("; ", step)][1:]


def _there_are(number: int) -> str:
    return "is one" if number == 1 else f"are {number}" if number else "are none"


def promises_alarm_rate(oracle: Oracle) -> bool:
    """Return whether the oracle's detector promises a share of false alarms, which :func:`selftest` can
    measure.
    """
    return oracle.detector.promises_alarm_rate


def selftest(oracle: Oracle, runs: RunSet, n_training: int, share: Share = here) -> Selftest:
    """Judge runs of an unchanged program by one another, as the oracle judges.

    Args:
        runs: valid ones, in the order of their start.
        n_training: how many train each oracle.
        share: has the work done, here or elsewhere.

    Raises:
        JudgeError: there are too few runs, or the detector promises nothing.
    """
    return oracle.detector.selftest(cut_set_to_window(runs), n_training, share)
