"""Runs of the bed under unlike load: by the judge, by the method of the paper and by control charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import structs

from buto.judging.features import observations
from buto.judging.judge_settings import JudgeSettings
from buto.judging.readable import find_judged_properties
from buto.judging.verdict import Status, Verdict
from buto.oracle import Oracle, Settings, check, settings_from, train
from buto.oracle.check import AGENT_KEY
from buto_replications.bed.labels import BedRun, chosen, together

ALPHA = 0.125
"""One run in eight, because eight training runs cannot tell less from chance."""


def ignoring_agent(settings: Settings) -> JudgeSettings:
    """Return settings that judge runs which several versions of buto's agent recorded."""
    assert isinstance(settings, JudgeSettings)
    ignored = (*settings.metadata.ignored, AGENT_KEY)
    return replace(settings, metadata=structs.replace(settings.metadata, ignored=ignored))


JUDGE, SHANG = "judge", "shang"
"""The judge, which adjusts for the load, and the method of the paper."""

METHODS = (JUDGE, SHANG)
_JUDGE = ignoring_agent(settings_from({"alpha": ALPHA}))
_SHANG = settings_from({"method": "shang"})

ROLES = ("fault", "steady-fault", "other-load", "steady", "good")
"""In this order. All steady runs have the same load, which none of the good ones has."""

UNCHANGED_LOADS = ("other-load", "good")
"""Roles of unchanged runs whose load differs from that of the steady ones."""

STRETCHES = 30
DEVIATIONS = 3.0
VIOLATES = 0.1
"""A control chart flags a counter if a larger share of the checked stretches is outside its limits."""


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """One checked run.

    Attributes:
        flagged: number of counters that control charts flag, of ``charted``.
    """

    checked: BedRun
    verdicts: Mapping[str, Verdict]
    flagged: int
    charted: int


@dataclass(frozen=True, slots=True)
class ClusterComparison:
    """Runs that are checked by the same training runs.

    Attributes:
        trained: which runs those are, in words.
        checked_runs: one outcome for each checked run.
    """

    trained: str
    checked_runs: Sequence[CheckedRun]


def comparisons(runs: Sequence[BedRun], earlier: Sequence[BedRun]) -> Iterator[ClusterComparison]:
    """Yield what the good runs of a block make of its runs, and what earlier runs make of them.

    The last comparison is of unchanged runs by the steady ones of both blocks, which all have one load, as
    training runs usually do; one block has too few of them.

    Args:
        earlier: all runs of an earlier block; may be empty.
    """
    yield ClusterComparison("their own good runs", tuple(outcomes(runs, good_of(runs))))
    if not earlier:
        return
    yield ClusterComparison("the good runs of block 1", tuple(outcomes(runs, good_of(earlier))))
    steady = chosen([*earlier, *runs], environment="base", role="steady")
    unchanged = [run for run in runs if run.labels.role in UNCHANGED_LOADS]
    yield ClusterComparison("the steady runs of both blocks", tuple(outcomes(unchanged, steady)))


def good_of(runs: Sequence[BedRun]) -> tuple[BedRun, ...]:
    """Return the runs that train: the good ones of the base environment."""
    return chosen(runs, environment="base", role="good")


def checks(runs: Sequence[BedRun], good: Sequence[BedRun]) -> Iterator[tuple[BedRun, tuple[BedRun, ...]]]:
    """Yield each run of the base environment, with the good ones that check it: all, without itself.

    Args:
        runs: of a block.
        good: of the same block, or of an earlier one.
    """
    for role in ROLES:
        for bed_run in chosen(runs, environment="base", role=role):
            yield bed_run, tuple(run for run in good if run is not bed_run)


def outcomes(runs: Sequence[BedRun], good: Sequence[BedRun]) -> Iterator[CheckedRun]:
    trained = _train(good)
    for run, others in checks(runs, good):
        oracles = trained if len(others) == len(good) else _train(others)
        verdicts = {name: alone(check(oracle, together([run]))) for name, oracle in oracles.items()}
        yield CheckedRun(run, verdicts, *charts(others, run))


def alone(verdict: Verdict) -> Verdict:
    """Return the verdict on one run as if it could fail alone; two more runs were not recorded."""
    if not verdict.needs_more or verdict.p_value is None or verdict.alpha is None:
        return verdict
    _, *unread = verdict.reasons
    if verdict.p_value <= verdict.alpha:
        return replace(verdict, status=Status.REGRESSION, reasons=(), warnings=(*unread, *verdict.warnings))
    status = Status.INCONCLUSIVE if unread else Status.PASS
    return replace(verdict, status=status, reasons=tuple(unread))


def _train(runs: Sequence[BedRun]) -> dict[str, Oracle]:
    return {JUDGE: train(together(runs), _JUDGE), SHANG: train(together(runs), _SHANG)}


def charts(training: Sequence[BedRun], checked: BedRun) -> tuple[int, int]:
    """Return how many counters' control charts the checked run violates, and how many charts there are.

    A chart's limits are three deviations around the mean over all stretches of the training runs, as if the
    load were the same.
    """
    known = together(training)
    settings = _SHANG
    every = [*known.runs, checked.run]
    properties, _ = find_judged_properties(every, known.properties, settings)
    before = np.vstack([observations(run, properties, STRETCHES) for run in known])
    after = observations(checked.run, properties, STRETCHES)
    moving = np.ptp(np.vstack([before, after]), axis=0) > 0
    centre, reach = before.mean(axis=0), DEVIATIONS * before.std(axis=0)
    outside = (np.abs(after - centre) > reach).mean(axis=0) > VIOLATES
    return int((outside & moving).sum()), int(moving.sum())
