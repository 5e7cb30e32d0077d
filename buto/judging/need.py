"""How much memory does a program need? A bound from equal runs, and the search for its smallest heap.

**The bound.** Of a hundred runs at most one shall need more. The largest of n runs is exceeded by the next
one with chance 1/(n + 1), so ten runs alone show no more than one in eleven; a distribution-free bound for
one in a hundred needs 299 runs. Peaks of equal runs differ by a percent or so, nearly as a product of many
small causes, so their logarithms are taken as normal. The bound is the one-sided tolerance bound

    exp(m + k s),   k such that m + k s is above the 99 % quantile with confidence 95 %

with mean m and standard deviation s of n logarithms. Where runs are nearly alike, s of ten of them is often
far too small, for the next may take another chunk of the allocator; s counts as at least FLOOR, and so the
bound is at least 4 % above the mean of ten runs. ``replications/beds/sizes.py`` counts on recorded runs how
many exceed it.

**Outside the heap.** All memory that the heap has held was touched, and stays resident. What is resident
beyond that is at most what is outside the heap: free pages of the heap are in it, so it is an upper limit. A
heap of another size then needs that size and this.

**The smallest heap.** Halving, by the logarithm, between the live objects, which are too small a heap, and
the heap that the program took. A size is *enough* if the program gets through and its processor time rises by
less than RISE against launches with the heap as it was, one of these beside each launch. A pair of launches
differs by the noise of both; more pairs follow until the rise is certainly on one side of RISE, or there are
MOST_PAIRS.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from math import erf, exp, isfinite, lgamma, log, log1p, sqrt

import numpy as np
from msgspec import Struct, structs

from buto.errors import JudgeError
from buto.judging.readable import HEAP_MAX
from buto.judging.verdict import LIMIT, Difference, Direction, Effect
from buto.run.model import FloatArray, Run
from buto.run.properties import COMMAND_PEAK, split_name
from buto.run.units import format_bytes
from buto.steps import Action, Advice, Step

CONTENT = 0.99
"""Share of runs that need at most the bound."""

CONFIDENCE = 0.95
FLOOR = 0.01
"""The least standard deviation of the logarithm of a peak."""

FEWEST_RUNS = 5
"""The bound of four is seven standard deviations above their mean, which says little."""

RISE = 0.05
"""Of processor time, from which on a heap is too small."""

MOST_SIZES = 5
MOST_PAIRS = 3
MOST_LAUNCHES = 1 + 2 * MOST_SIZES * MOST_PAIRS

_CERTAIN = 1.645
"""Standard errors from which on a rise is on one side of RISE."""

_HALF = 1.96
"""Standard errors of half a 95 % interval."""

_CLOSE = 1.12
"""A ratio of two heaps below which nobody minds the difference."""

LEAST_WORK = 0.95
"""A program that allocates less than this share of what it did has not done its work."""

_LEAST_NOISE = 0.01

MIB = 1 << 20
_STEP = 2 * MIB
"""Collectors round the heap to such a size."""

_ARGUMENTS = "jvm.input.arguments"
_PRETOUCH = "-XX:+AlwaysPreTouch"
_XMX = re.compile(r"(?:-Xmx|-XX:MaxHeapSize=)(\d+)([kKmMgGtT]?)")
_XMS = re.compile(r"(?:-Xms|-XX:InitialHeapSize=)(\d+)([kKmMgGtT]?)")

PEAK = "process.memory.peak"
"""Of a JVM; that of a command without one is ``command.memory.peak``."""

RESIDENT = "process.memory.usage"
_SOON_S = 1.0

_NODES = 801
"""Of the integral for the tolerance factor; it is then exact to eight digits from five runs on."""

_SPARE_SURVIVORS = ("PS Survivor Space", "Survivor Space")
"""Pools of which there are two, and the JVM counts one."""


class Footprint(Struct, frozen=True):
    """What one run used at most; bytes, and NaN for what could not be read.

    Attributes:
        peak: resident memory of the process.
        heap: what the heap held, with garbage.
        committed: how large the heap was, as ``-Xmx`` counts it.
        live: live objects at the end.
        outside: what was resident beyond what the heap had held.
        metaspace, code, direct: parts of that.
        threads: how many threads, those of the JVM included.
        cpu_s: processor time.
        allocated: bytes allocated in the whole run.
    """

    peak: float
    heap: float
    committed: float
    live: float
    outside: float
    metaspace: float
    code: float
    direct: float
    threads: float
    cpu_s: float
    allocated: float


def peak_of(run: Run) -> float:
    """Return the most memory of the process that was resident; NaN if it could not be read.

    That is what the kernel kept, or the largest sample of a run that has only those.
    """
    peak = np.fmax(_most(_series(run, PEAK)), _most(_series(run, COMMAND_PEAK)))
    return float(np.fmax(peak, _most(_series(run, RESIDENT))))


def footprint_of(run: Run) -> Footprint:
    """Return what a run used at most, from its start to its end."""
    used, resident = _series(run, "jvm.memory.heap.used"), _series(run, RESIDENT)
    peak, heap = peak_of(run), _most(used)
    if _PRETOUCH in str(run.metadata.get(_ARGUMENTS, "")).split():
        # All of it was touched, whatever it holds.
        used = _series(run, "jvm.memory.heap.committed")
    beyond = float(np.fmax(_most(resident - _find_held(run, used)), peak - _most(used)))
    spare = _sum_of_most(run, "jvm.memory.committed", _SPARE_SURVIVORS)
    return Footprint(
        peak,
        heap,
        _most(_series(run, "jvm.memory.heap.committed")) + spare,
        _most(_series(run, "jvm.memory.heap.live")),
        beyond,
        _sum_of_most(run, "jvm.memory.used", ("Metaspace", "Compressed Class Space")),
        _sum_of_most(run, "jvm.memory.used", ("Code",)),
        _sum_of_most(run, "jvm.buffer.memory.used", ("direct",)),
        _most(_series(run, "process.thread.count")),
        _last(_series(run, "jvm.cpu.time")),
        _last(_series(run, "jvm.memory.allocated")),
    )


def heap_limit(run: Run) -> float:
    """Return how large the heap may be by the options of a run, as ``-Xmx`` counts it; NaN if not known."""
    known = str(run.metadata.get(HEAP_MAX, ""))
    return _option(run, _XMX, float(known) if known.isdecimal() else float("nan"))


def initial_heap(run: Run) -> float:
    """Return how large the heap is at first by the options of a run; NaN if they say nothing of it."""
    return _option(run, _XMS, float("nan"))


def _option(run: Run, option: re.Pattern[str], usual: float) -> float:
    words = str(run.metadata.get(_ARGUMENTS, "")).split()
    given = [match for word in words if (match := option.fullmatch(word))]
    if not given:
        return usual
    number, unit = given[-1].groups()
    return float(number) * 1024.0 ** "bkmgt".index(unit.lower() or "b")


def _find_held(run: Run, used: FloatArray) -> FloatArray:
    """Return for each sample the most that the heap has held by then, or held soon after.

    What it holds is full just before a collection, which samples miss; one of the next ones comes near.
    """
    if not len(used):
        return used
    soon = np.searchsorted(run.times_s, run.times_s + _SOON_S, side="right") - 1
    return np.fmax.accumulate(used)[soon]


def _series(run: Run, name: str) -> FloatArray:
    return run.series(name) if name in run.column_of else np.full(run.n_samples, np.nan)


def _most(values: FloatArray) -> float:
    return float(np.fmax.reduce(values, initial=np.nan))


def _last(values: FloatArray) -> float:
    read = values[~np.isnan(values)]
    return float(read[-1]) if len(read) else float("nan")


def _sum_of_most(run: Run, metric: str, instances: Sequence[str]) -> float:
    """Return the sum over the instances that begin so, each at its largest; 0 if there is none."""
    named = ((name, split_name(name)) for name in run.column_of)
    columns = [
        name
        for name, (of, instance) in named
        if of == metric and (instance or "").startswith(tuple(instances))
    ]
    return float(np.nansum([_most(run.series(name)) for name in columns]))


class Need(Struct, frozen=True):
    """What a program needs, from some runs of it; bytes.

    Attributes:
        runs: what each run used.
        most: at most one of a hundred runs needs more.
        heap, metaspace, code, direct: parts of the peak in the mean run.
        rest: of that, what none of these is: threads, the JVM, libraries, garbage that no sample saw.
        reserve: what is added to the mean peak, because runs differ.
        outside: at most one of a hundred runs needs more outside the heap.
        committed: at most one of a hundred runs has a larger heap; not above what is allowed.
        allowed: how large the heap may be by the options; NaN if not known.
    """

    runs: tuple[Footprint, ...]
    most: float
    heap: float
    metaspace: float
    code: float
    direct: float
    rest: float
    reserve: float
    outside: float
    committed: float
    allowed: float

    @property
    def peaks(self) -> tuple[float, ...]:
        return tuple(run.peak for run in self.runs)

    @property
    def threads(self) -> float:
        return _most(np.array([run.threads for run in self.runs]))

    @property
    def live(self) -> float:
        """The most that was alive at the end of a run; NaN if that was not counted."""
        return _most(np.array([run.live for run in self.runs]))

    @property
    def cpu_noise(self) -> float:
        """Standard deviation of the logarithm of processor time."""
        times = np.array([run.cpu_s for run in self.runs])
        times = times[times > 0]
        spread = float(np.log(times).std(ddof=1)) if len(times) > 1 else 0.0
        return max(_LEAST_NOISE, spread)


def need_of(runs: Sequence[Run]) -> Need:
    """Return what a program needs.

    Args:
        runs: usable runs of one program with one set of options.

    Raises:
        JudgeError: there are too few runs, or their memory could not be read.
    """
    if len(runs) < FEWEST_RUNS:
        test = runs[0].test if runs else ""
        raise JudgeError(
            f"{len(runs)} runs tell too little of how much memory is needed: {FEWEST_RUNS} do",
            advice=Advice("record as many: ", Step(Action.RECORD, test, runs=FEWEST_RUNS)),
        )
    footprints = tuple(footprint_of(run) for run in runs)
    without = [
        run
        for run, footprint in zip(runs, footprints, strict=True)
        if not isfinite(footprint.peak + footprint.heap)
    ]
    if without:
        why = without[0].nan_reasons.get(RESIDENT, "the run does not have it")
        raise JudgeError(
            f"the memory of the process is not known of the run {without[0].id}: {why}",
            advice=Advice("see it: ", Step(Action.SHOW_RUN, without[0].test, run_id=without[0].id)),
        )
    means = {
        name: float(np.mean([getattr(footprint, name) for footprint in footprints]))
        for name in ("peak", "heap", "outside", "metaspace", "code", "direct")
    }
    most = upper_bound([footprint.peak for footprint in footprints])
    inside = sum(means[name] for name in ("heap", "metaspace", "code", "direct"))
    reserve = most - means["peak"]
    allowed = _most(np.array([heap_limit(run) for run in runs]))
    return Need(
        footprints,
        most,
        means["heap"],
        means["metaspace"],
        means["code"],
        means["direct"],
        max(0.0, means["peak"] - inside),
        reserve,
        means["outside"] + reserve,
        float(np.fmin(allowed, upper_bound([footprint.committed for footprint in footprints]))),
        allowed,
    )


def upper_bound(values: Sequence[float]) -> float:
    """Return what at most a share 1 - CONTENT of further values exceeds, with confidence CONFIDENCE.

    Args:
        values: at least two, above 0.
    """
    logs = np.log(values)
    spread = max(FLOOR, float(logs.std(ddof=1)))
    return exp(float(logs.mean()) + tolerance_factor(len(values)) * spread)


@cache
def tolerance_factor(n: int, content: float = CONTENT, confidence: float = CONFIDENCE) -> float:
    """Return k of a one-sided normal tolerance bound of n values.

    With a standard deviation of s times the true one, the mean of n values plus k s is above the quantile z
    with chance Phi((k s - z) sqrt(n)); s (n - 1)^(1/2) has a chi distribution of n - 1 degrees of freedom.
    """
    z = _quantile(content)
    degrees = n - 1
    s = np.linspace(1e-4, 1 + 10 / sqrt(2 * degrees), _NODES)
    density = np.exp(
        (degrees - 1) * np.log(s)
        - degrees * s**2 / 2
        + degrees / 2 * log(degrees)
        - (degrees / 2 - 1) * log(2)
        - lgamma(degrees / 2)
    )
    weights = density * (s[1] - s[0])

    def share_reached(k: float) -> float:
        return float(weights @ [_normal((k * chi - z) * sqrt(n)) for chi in s])

    low, high = z, 100.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if share_reached(middle) < confidence else (low, middle)
    return high


def _normal(x: float) -> float:
    return (1 + erf(x / sqrt(2))) / 2


def _quantile(share: float) -> float:
    low, high = -10.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _normal(middle) < share else (low, middle)
    return high


class HeapTrial(Struct, frozen=True):
    """What is known of one size of the heap.

    Attributes:
        heap: bytes.
        rises: of each pair of launches, the logarithm of how many times as much processor time it took.
        failure: why the program does not get through with it, as a clause; empty if it does.
    """

    heap: int
    rises: tuple[float, ...] = ()
    failure: str = ""

    @property
    def rise(self) -> float:
        """By which share processor time rises; NaN without a pair of launches."""
        return exp(float(np.mean(self.rises))) - 1 if self.rises else float("nan")

    def half_interval(self, noise: float) -> float:
        """Return half of the 95 % interval of the rise."""
        return _HALF * noise * sqrt(2 / len(self.rises)) if self.rises else float("nan")

    def is_enough(self, noise: float) -> bool | None:
        """Return whether the heap is enough; None if more launches have to tell.

        Args:
            noise: standard deviation of the logarithm of processor time, of one launch.
        """
        if self.failure:
            return False
        n_pairs = len(self.rises)
        if not n_pairs:
            return None
        beyond = float(np.mean(self.rises)) - log1p(RISE)
        margin = _CERTAIN * noise * sqrt(2 / n_pairs)
        if beyond > margin:
            return False
        if beyond <= -margin:
            return True
        return beyond < 0 if n_pairs >= MOST_PAIRS else None


class Search(Struct, frozen=True):
    """The search for the smallest heap that is enough.

    Attributes:
        enough, too_small: bytes; the answer is between them.
        noise: standard deviation of the logarithm of processor time, of one launch.
        trials: those that are decided, in their order.
    """

    enough: int
    too_small: int
    noise: float
    trials: tuple[HeapTrial, ...] = ()

    def next_heap(self) -> int | None:
        """Return the size to try next; None if the answer is close enough, or enough was tried."""
        if len(self.trials) >= MOST_SIZES or self.enough <= _CLOSE * self.too_small:
            return None
        middle = round(sqrt(self.enough * self.too_small) / _STEP) * _STEP
        return middle if self.too_small < middle < self.enough else None

    def after(self, trial: HeapTrial) -> Search:
        """Return the search after a trial that is decided."""
        trials = (*self.trials, trial)
        if trial.is_enough(self.noise):
            return structs.replace(self, enough=trial.heap, trials=trials)
        return structs.replace(self, too_small=trial.heap, trials=trials)

    @property
    def chosen(self) -> HeapTrial | None:
        """The trial of the smallest heap that is enough; None if that is the heap as it was."""
        return next((trial for trial in self.trials if trial.heap == self.enough), None)


def search_below(need: Need) -> Search:
    """Return the search for a heap smaller than the one that the program has."""
    live = need.live if isfinite(need.live) else 0.0
    return Search(whole_mib(need.committed), max(_STEP, int(live)), need.cpu_noise)


def whole_mib(size: float) -> int:
    """Return a size in bytes rounded up to a MiB."""
    return -int(-size // MIB) * MIB


def outside_of(need: Need, launched: Sequence[Footprint] = ()) -> float:
    """Return what at most one of a hundred runs needs outside a heap, bytes.

    Args:
        launched: with this heap; empty for the heap as it is. Of a small heap, which is often full, less
            counts as outside that is not. By how much runs differ is known of the need.
    """
    if not launched:
        return need.outside
    reserve = need.reserve / (need.most - need.reserve) * max(footprint.peak for footprint in launched)
    return max(footprint.outside for footprint in launched) + reserve


def container_limit(heap: int, outside: float) -> int:
    """Return the limit for a container, bytes, whole MiB: the whole heap, and what is outside."""
    return whole_mib(heap + outside)


def limit_finding(runs: Sequence[Run], limit: int) -> Difference | None:
    """Return the finding that a run needs more than its test allows, of the run that needs most.

    A run whose memory could not be read needs nothing here.
    """
    peaks = {run.id: peak for run in runs if (peak := peak_of(run)) > limit}
    if not peaks:
        return None
    worst = max(peaks, key=lambda run_id: peaks[run_id])
    needs, allowed = format_bytes(peaks[worst]), format_bytes(limit)
    if needs == allowed:
        needs, allowed = f"{peaks[worst]:.0f} B", f"{limit} B"
    return Difference(
        LIMIT,
        PEAK,
        worst,
        Direction.MORE,
        Effect.WORSE,
        severity=peaks[worst] / limit,
        unit="By",
        observed=peaks[worst],
        upper=float(limit),
        text=f"needs {needs}, limit {allowed}",
    )
