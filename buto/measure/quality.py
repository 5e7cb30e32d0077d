"""Whether a run may be used: was it sampled as planned, and did the program end as expected?"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from buto.measure.exits import is_expected
from buto.measure.recording import Recording
from buto.measure.target import STOPPED_EXIT, Target
from buto.run.model import FloatArray, MetadataValue, Outcome, Problem, ProblemKind, Quality
from buto.run.properties import split_name

MAX_MISSED_SHARE = 0.2
MOST_MISSED = 2
MOST_MISSED_S = 0.5
"""A run is starved if it lacks more than all three: this share of its planned samples, so many, and so many
seconds of them. A short program has few, and one pause of the machine must not spoil its run: what accuses
it are totals, which are read at the exit."""

LEAST_IDLE = 0.01
LOADED_S = 10.0
"""A loaded system that is measured so long needs a larger idle share of the cores than LEAST_IDLE."""

MAX_GAP_INTERVALS = 10
MAX_GAP_S = 1.0
"""A gap that is longer than both, ten intervals and one second, makes a run starved. The same pause of the
machine must not spoil a run at 10 ms if it does not spoil one at 100 ms."""


class Sampling(Struct, frozen=True):
    """How well the samples cover the run.

    Attributes:
        missed_share: share of the planned samples that are missing.
        largest_gap_s: longest time between two samples.
        largest_unexplained_gap_s: the same, less the time in which the program was stopped.
        n_missed: how many of the planned samples are missing.
    """

    missed_share: float
    largest_gap_s: float
    largest_unexplained_gap_s: float
    n_missed: int

    def lacks_too_many(self, interval_s: float) -> bool:
        """Return whether so many samples are missing that the run is starved."""
        return (
            self.missed_share > MAX_MISSED_SHARE
            and self.n_missed > MOST_MISSED
            and self.n_missed * interval_s > MOST_MISSED_S
        )


def sampling(
    times_s: FloatArray,
    interval_s: float,
    pauses_s: FloatArray | None = None,
    duration_s: float | None = None,
) -> Sampling:
    """Compare the times of the samples with the planned interval.

    A gap of g seconds lacks ``round(g / interval) - 1`` samples. Pauses stop every thread, also the sampler.
    They are no reason to discard the run, so they are subtracted from the gaps.

    Args:
        times_s: shape (n_samples,), strictly increasing.
        interval_s: planned time between two samples, positive.
        pauses_s: shape (n_samples - 1,), time that the program was stopped between two samples.
        duration_s: from the program's start, time zero, to its end. For a collector that may start late or
            lose the program early: samples were planned for this whole time.
    """
    gaps = np.diff(times_s)
    unexplained = gaps if pauses_s is None else np.clip(gaps - pauses_s, 0.0, None)
    n_missed = np.maximum(np.rint(unexplained / interval_s) - 1, 0).sum()
    if duration_s is not None:
        n_missed += max(np.rint(times_s[0] / interval_s), 0)
        n_missed += max(np.rint((duration_s - times_s[-1]) / interval_s) - 1, 0)
    return Sampling(
        missed_share=float(n_missed / (n_missed + len(times_s))),
        largest_gap_s=float(gaps.max(initial=0.0)),
        largest_unexplained_gap_s=float(unexplained.max(initial=0.0)),
        n_missed=int(n_missed),
    )


def pauses_s(recording: Recording) -> FloatArray:
    """Return how long the program was stopped between two samples, shape (n_samples - 1,); 0 if unknown.

    By its garbage collector, or by the count of its live objects, which begins with a collection.
    Concurrent collectors count their cycles separately; cycles stop no thread and are left out.
    """
    collecting = np.zeros(len(recording.times_s()))
    counting = np.zeros(max(0, len(collecting) - 1))
    for prop in recording.columns:
        if prop.name.startswith("jvm.gc.time[") and not prop.name.endswith("Cycles]"):
            collecting += recording.series(prop.name)
        elif prop.name == "buto.live_set.time":
            # Each row has the time of the newest count, which followed the row where it first is.
            took_s = np.nan_to_num(recording.series(prop.name))
            counting = np.where(np.diff(took_s, prepend=0.0) != 0.0, took_s, 0.0)[:-1]
    return np.maximum(np.nan_to_num(np.diff(collecting)), counting)


def slow_beans(recording: Recording, sampled: Sampling, interval_s: float) -> tuple[Problem, ...]:
    """Return the problems of MBeans that answered so slowly that samples are missing.

    A slow MBean takes longer than the interval. The slowest are named, as few as explain half of the time
    without samples. If all of them together do not explain it, none is named: on a busy machine any MBean is
    slow at times.
    """
    if not sampled.lacks_too_many(interval_s):
        return ()
    half_s = sampled.n_missed * interval_s / 2
    slow = []
    for prop in recording.columns:
        metric, bean = split_name(prop.name)
        if metric != "buto.bean.time" or bean is None:
            continue
        times_s = recording.series(prop.name)
        answers_s = times_s[~np.isnan(times_s)]
        if len(answers_s) and np.median(answers_s) > interval_s:
            slow.append((float(answers_s.sum()), float(np.median(answers_s)), bean))
    explained_s, problems = 0.0, []
    for total_s, median_s, bean in sorted(slow, reverse=True):
        if explained_s >= half_s:
            break
        explained_s += total_s
        problems.append(slow_bean(bean, f"takes {median_s:.2f} s to answer, every {interval_s:g} s"))
    return tuple(problems) if explained_s >= half_s else ()


def slow_bean(bean: str, what: str) -> Problem:
    """Return the problem of an MBean that held up the sampling.

    Args:
        bean: its object name.
        what: it does, as ``did not answer for 3 s``.
    """
    return Problem(ProblemKind.SLOW_MBEAN, f"the MBean {bean} {what}")


def report_lost_notifications(n_lost: int) -> Problem:
    """Return the problem of a run that lacks so many notifications."""
    text = f"{n_lost} notifications were lost, because there were too many"
    return Problem(ProblemKind.LOST_NOTIFICATIONS, text)


def quality_of(
    target: Target,
    outcome: Outcome,
    sampled: Sampling,
    foreign_load: float,
    *,
    more: tuple[Problem, ...] = (),
    was_asked_to_end: bool = False,
) -> Quality:
    """Return the quality of a run, with all problems that make it invalid.

    Args:
        foreign_load: mean share of the visible cores that others used, NaN if unknown.
        more: problems found by the collector; listed before missing samples, which they may explain.
        was_asked_to_end: whether buto asked the program to end while it ran.
    """
    has_failed = any(problem.kind in _STOPPING for problem in more)
    expected_exit = STOPPED_EXIT if was_asked_to_end and has_failed else target.expected_exit
    of_outcome = _of_outcome(target.timeout_s, expected_exit, outcome, was_asked_to_end=was_asked_to_end)
    problems = [*of_outcome, *more, *find_starvation(target, sampled, foreign_load)]
    return Quality(tuple(problems), sampled.missed_share, sampled.largest_gap_s, foreign_load)


_STOPPING = (ProblemKind.WORKLOAD, ProblemKind.SERVICE)
"""Problems for which buto asks the program to end."""


def busy_host(idle_share: MetadataValue, duration_s: float) -> Problem | None:
    """Return the problem of a loaded system on a machine that had no idle time left; None if it had some.

    Without idle time requests wait for a core, and their latency is that of the machine.

    Args:
        idle_share: mean idle share of the visible cores, 0 to 1; anything but a number if unknown.
        duration_s: of the run; a shorter one than LOADED_S says too little.
    """
    if not isinstance(idle_share, float) or duration_s < LOADED_S or not idle_share < LEAST_IDLE:
        return None
    text = (
        f"the machine was busy all the time: {idle_share:.1%} of its cores were idle "
        f"(limit {LEAST_IDLE:.0%}), so this measures waiting for a core"
    )
    return Problem(ProblemKind.BUSY_HOST, text)


def _of_outcome(
    timeout_s: float, expected_exit: int, outcome: Outcome, *, was_asked_to_end: bool
) -> list[Problem]:
    if outcome.timed_out:
        return [Problem(ProblemKind.TIME_LIMIT, f"it was stopped at its time limit of {timeout_s:g} s")]
    if is_expected(expected_exit, outcome.exit_code, outcome.signal, was_asked_to_end=was_asked_to_end):
        return []
    if outcome.signal is not None:
        return [Problem(ProblemKind.SIGNAL, f"it was ended by signal {outcome.signal}")]
    if expected_exit == STOPPED_EXIT and not was_asked_to_end:
        text = f"it exited with code {outcome.exit_code} before it was asked to end"
    else:
        text = f"it exited with code {outcome.exit_code}, expected {expected_exit}"
    return [Problem(ProblemKind.EXIT_CODE, text)]


def find_starvation(target: Target, sampled: Sampling, foreign_load: float) -> list[Problem]:
    """Return the problems of a run, or of a profile, that lacks samples because the machine was busy."""
    if target.rounds is not None:
        # Rounds are read when they are over, and what is between them does not count.
        return []
    others = "" if np.isnan(foreign_load) else f"; other processes used {foreign_load:.0%} of the cores"
    texts = []
    if sampled.lacks_too_many(target.interval_s):
        texts.append(
            f"it was starved: {sampled.missed_share:.0%} of the planned samples are missing "
            f"(limit {MAX_MISSED_SHARE:.0%}){others}"
        )
    limit_s = max(MAX_GAP_S, MAX_GAP_INTERVALS * target.interval_s)
    if sampled.largest_unexplained_gap_s > limit_s:
        texts.append(
            f"it was starved: no sample for {sampled.largest_unexplained_gap_s:.1f} s "
            f"(limit {limit_s:g} s){others}"
        )
    return [Problem(ProblemKind.STARVED, text) for text in texts]
