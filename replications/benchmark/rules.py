"""Rules that decide from runs of an old and of a new release whether the new one uses more.

A rule is a function of old and new runs. It returns whether the new release is a regression, a p-value, which
is compared with :data:`ALPHA`, or a :class:`Said`. Each of these is what users of some tool do today, on the
counters that such users have.
"""

from __future__ import annotations

import importlib.util
import math
import runpy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from beds.artefacts import BedError
from buto.errors import JudgeError
from buto.judging.thesis.detector import THESIS, BoundsDetector
from buto.judging.verdict import Status
from buto.run.model import FloatArray, Run, run_set
from buto.run.properties import Kind, Role

ALPHA = 0.01


@dataclass(frozen=True, eq=False, slots=True)
class Use:
    """One run, as rules see it.

    Attributes:
        counts: one number for each counter: the last value of what only grows, the largest value of all else,
            and ``seconds``, the time from the start of the program to its end. Counters without a value in
            this run are left out.
        times: seconds since the start of the program, shape ``(n_samples,)``.
        series: the samples of each counter, shape ``(n_samples,)``; NaN where it could not be read.
        run: the whole run.
    """

    counts: Mapping[str, float]
    times: FloatArray
    series: Mapping[str, FloatArray]
    run: Run

    @classmethod
    def of(cls, run: Run) -> Use:
        counts = {"seconds": run.outcome.duration_s}
        series = {}
        for number, prop in enumerate(run.properties):
            samples = run.values[:, number]
            known = samples[np.isfinite(samples)]
            if prop.role is not Role.PROGRAM or not len(known):
                continue
            series[prop.name] = samples
            counts[prop.name] = float(known[-1] if prop.kind is Kind.COUNTER else known.max())
        return cls(counts, run.times_s, series, run)


@dataclass(frozen=True, slots=True)
class Said:
    """What a rule says that also launches the old program, or stops early.

    Attributes:
        launches: of both programs together.
    """

    fails: bool
    launches: int


Rule = Callable[[Sequence[Use], Sequence[Use]], bool | float | Said]


@dataclass(frozen=True, slots=True)
class Named:
    """A rule and what a table says of it.

    Attributes:
        short: a name of a few letters, for a list of rules.
        new: how many runs of the new release it looks at; buto's own rule launches as many as it needs.
        source: whose practice or formula it is.
    """

    name: str
    short: str
    rule: Rule
    new: int
    source: str

    def says(self, old: Sequence[Use], new: Sequence[Use]) -> Said:
        """Return whether the new runs, as many as the rule looks at, are called a regression.

        Raises:
            BedError: the rule returned NaN.
        """
        said = self.rule(old, new[: self.new])
        if isinstance(said, Said):
            return said
        if math.isnan(said):
            raise BedError(f"the rule {self.name} must return whether it fails, or a p-value, got NaN")
        fails = bool(said) if isinstance(said, bool | np.bool_) else bool(said <= ALPHA)
        return Said(fails, self.new)

    def fails(self, old: Sequence[Use], new: Sequence[Use]) -> bool:
        """Return whether the new runs are called a regression; as :meth:`says`."""
        return self.says(old, new).fails


def table(runs: Sequence[Use], names: Sequence[str]) -> FloatArray:
    """Return counts as an array of shape ``(n_runs, n_counters)``; NaN where a run lacks one."""
    return np.array([[run.counts.get(name, math.nan) for name in names] for run in runs])


def common(runs: Sequence[Use], names: Sequence[str] = ()) -> list[str]:
    """Return which counters all runs have; with names, only these.

    Time is not among them unless it is named, because a resource is what these rules are asked for.

    Raises:
        BedError: there is no such counter.
    """
    wanted = names or [name for name in runs[0].counts if name != "seconds"]
    in_all = [name for name in wanted if all(math.isfinite(run.counts.get(name, math.nan)) for run in runs)]
    if not in_all:
        raise BedError(f"no counter was read in all runs: {', '.join(names) or 'none'}")
    return in_all


def shared(
    old: Sequence[Use], new: Sequence[Use], names: Sequence[str] = ()
) -> tuple[FloatArray, FloatArray]:
    """Return the counts that all runs have, of old and new runs; as :func:`common`."""
    in_all = common([*old, *new], names)
    return table(old, in_all), table(new, in_all)


def smallest(p_values: FloatArray, *, correction: str) -> float:
    """Return the smallest corrected p-value of many counters; 1 if there is none.

    Args:
        p_values: NaN where a counter never varies.
        correction: ``bonferroni``, or ``bh`` for Benjamini and Hochberg's.
    """
    known = np.sort(p_values[np.isfinite(p_values)])
    if not len(known):
        return 1.0
    if correction == "bonferroni":
        return float(min(1.0, known[0] * len(known)))
    return float(min(1.0, (known * len(known) / np.arange(1, len(known) + 1)).min()))


def mann_whitney(correction: str) -> Rule:
    """Return the Mann-Whitney test of each counter, more than before, corrected for their number."""

    def rule(old: Sequence[Use], new: Sequence[Use]) -> float:
        before, after = shared(old, new)
        found = stats.mannwhitneyu(after, before, alternative="greater", axis=0)
        return smallest(np.atleast_1d(found.pvalue), correction=correction)

    return rule


def welch(correction: str) -> Rule:
    """Return Welch's t-test of each counter, more than before, corrected for their number.

    A counter that never varies but has another value is certain.
    """

    def rule(old: Sequence[Use], new: Sequence[Use]) -> float:
        before, after = shared(old, new)
        still = (np.ptp(before, axis=0) == 0) & (np.ptp(after, axis=0) == 0)
        if (still & (after[0] > before[0])).any():
            return 0.0
        before, after = before[:, ~still], after[:, ~still]
        if not before.shape[1]:
            return 1.0
        found = stats.ttest_ind(after, before, equal_var=False, alternative="greater", axis=0)
        return smallest(np.atleast_1d(found.pvalue), correction=correction)

    return rule


MEMORY = (
    "jvm.memory.allocated",
    "jvm.memory.heap.used",
    "jvm.gc.count[PS Scavenge]",
    "process.memory.usage",
    "jvm.cpu.time",
    "jvm.thread.count",
    "jvm.class.loaded",
)
"""What dashboards and typed limits are usually about."""


def limit(share: float, *, best: bool) -> Rule:
    """Return a limit of so much more than one earlier run, or than the least of all earlier runs."""

    def rule(old: Sequence[Use], new: Sequence[Use]) -> bool:
        before, after = shared(old, new, MEMORY)
        base = before.min(axis=0) if best else before[-1]
        return bool((after[0] > base * (1 + share)).any())

    return rule


JFRUNIT = (
    "jvm.memory.allocated",
    "jvm.gc.count[PS Scavenge]",
    "jvm.memory.heap.used",
    "process.memory.usage",
)
"""What JfrUnit, QuickPerf and pytest-memray assert: allocation, collections, peak heap and peak RSS."""


def typed(old: Sequence[Use], new: Sequence[Use]) -> bool:
    """A limit that somebody typed: a fifth above the most that was seen."""
    before, after = shared(old, new, JFRUNIT)
    return bool((after[0] > before.max(axis=0) * 1.2).any())


def bencher(old: Sequence[Use], new: Sequence[Use]) -> bool:
    """Bencher's t-test: a new value above mean + t(.99, n - 1) standard deviations of the earlier ones."""
    before, after = shared(old, new, ("seconds", *MEMORY))
    quantile = stats.t.ppf(0.99, len(before) - 1)
    return bool((after[0] > before.mean(axis=0) + quantile * before.std(axis=0, ddof=1)).any())


def otava(old: Sequence[Use], new: Sequence[Use]) -> bool:
    """Change points of Apache Otava, with its defaults, at the first new run or after it.

    Raises:
        BedError: Otava is not installed.
    """
    if importlib.util.find_spec("otava") is None:
        raise BedError("Apache Otava is not installed; type: pip install --no-deps apache-otava")
    from otava.series import AnalysisOptions, Metric, Series

    before, after = shared(old, new, ("seconds", *MEMORY))
    both = np.vstack([before, after])
    names = [str(number) for number in range(both.shape[1])]
    series = Series(
        "pair",
        None,
        list(range(len(both))),
        {name: Metric() for name in names},
        {name: both[:, number].tolist() for number, name in enumerate(names)},
        {},
    )
    found = series.analyze(AnalysisOptions()).change_points
    return any(
        point.index >= len(before) and point.mean_after() > point.mean_before()
        for points in found.values()
        for point in points
    )


def peass(old: Sequence[Use], new: Sequence[Use]) -> float:
    """Peass looks at time only: the Mann-Whitney test of whole launches."""
    before, after = shared(old, new, ("seconds",))
    return float(stats.mannwhitneyu(after[:, 0], before[:, 0], alternative="greater").pvalue)


def jmh(old: Sequence[Use], new: Sequence[Use]) -> bool:
    """What readers of JMH do: the intervals of 99.9 % of both mean times do not overlap."""
    before, after = (side[:, 0] for side in shared(old, new, ("seconds",)))
    half = [
        stats.t.ppf(0.9995, len(times) - 1) * times.std(ddof=1) / math.sqrt(len(times))
        for times in (before, after)
    ]
    return bool(after.mean() - half[1] > before.mean() + half[0])


def thesis(old: Sequence[Use], new: Sequence[Use]) -> bool:
    """The thesis's rule, as ``judge: {method: thesis}``; what cannot be judged is no regression."""
    try:
        fitted = BoundsDetector(THESIS).fit(run_set([use.run for use in old]))
        return fitted.check(run_set([new[0].run])).status is Status.REGRESSION
    except JudgeError:
        return False


RULES = (
    Named("thesis", "th", thesis, 1, "the thesis, chapter 4"),
    Named("Mann-Whitney, Bonferroni", "mw", mann_whitney("bonferroni"), 9, "each counter"),
    Named("Mann-Whitney, Benjamini-Hochberg", "mwh", mann_whitney("bh"), 9, "each counter"),
    Named("Welch, Bonferroni", "we", welch("bonferroni"), 9, "each counter"),
    Named("Welch, Benjamini-Hochberg", "weh", welch("bh"), 9, "each counter"),
    Named("+5 % over one run", "5", limit(0.05, best=False), 1, "seven counters"),
    Named("+10 % over one run", "10", limit(0.10, best=False), 1, "seven counters"),
    Named("+25 % over one run", "25", limit(0.25, best=False), 1, "seven counters"),
    Named("+5 % over the best of ten", "b5", limit(0.05, best=True), 1, "seven counters"),
    Named("+10 % over the best of ten", "b10", limit(0.10, best=True), 1, "seven counters"),
    Named("+25 % over the best of ten", "b25", limit(0.25, best=True), 1, "seven counters"),
    Named("Bencher's t-test", "be", bencher, 1, "seven counters and time"),
    Named("Apache Otava", "ot", otava, 9, "seven counters and time"),
    Named("typed limits", "ty", typed, 1, "JfrUnit, QuickPerf, pytest-memray: four counters"),
    Named("Peass", "pe", peass, 9, "time only"),
    Named("JMH", "jmh", jmh, 9, "time only"),
)


def of_file(path: Path, new: int = 9) -> Named:
    """Return the rule of a file: its function ``rule``. The name is that of the file.

    Raises:
        BedError: there is no such file, or it has no such function.
    """
    if not path.is_file():
        raise BedError(f"{path} does not exist")
    found = runpy.run_path(str(path)).get("rule")
    if not callable(found):
        raise BedError(f"{path} must define rule(old, new)")
    return Named(path.stem, path.stem, found, new, str(path))
