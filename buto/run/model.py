"""One finished execution of a program, and sets of them. This module does not access files.

Besides samples and notifications a run has marks, its other sources, and histograms of classes. Why it
cannot be used is a kind that code decides by, and a text that people read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from buto.errors import JudgeError
from buto.run.display import Displayed
from buto.run.properties import Property
from buto.run.stored import Number

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
MetadataValue = str | int | float | bool | None

MOST_CLASSES = 500
"""Largest number of classes in one histogram."""

AT_END = "end"
"""The point of the histogram at the program's end."""


AFTER_ROUND = "round"
"""The mark, and the point of the histogram, after a round of the program's work."""

DUMP_MISSING = "buto.dump.missing"
"""Metadata key: why the heap was not dumped where that was wanted."""

ROUNDS_BY = "buto.rounds.by"
"""Metadata key: who said when a round was over."""

ROUNDS_SHARE = "buto.rounds.share"
"""Metadata key: how many bytes the program allocates in a round, where such a share makes one; else 0."""

ROUNDS_MARKED = "buto.rounds.marked"
"""Metadata key: how many rounds the program has marked, counted or not; missing if nobody listened."""


class Mark(Struct, frozen=True):
    """A moment of a run, in seconds from the program's start. Several may have the same name."""

    time_s: Number
    name: str
    text: str = ""


class SourceState(Struct, frozen=True):
    """A source of properties besides the measured JVM.

    Attributes:
        name: the first part of the names of its properties.
        kind: as it is registered, for example ``prometheus``.
        reason: why it gave nothing or stopped; empty if it worked to the end.
    """

    name: str
    kind: str
    reason: str = ""


class ClassCount(NamedTuple):
    """The live objects of one class; files have it as a row.

    Attributes:
        name: as in Java source, for example ``com.acme.Session`` or ``byte[]``.
        instances: number of objects.
        size_bytes: what they use themselves, without what they refer to.
    """

    name: str
    instances: int
    size_bytes: int


class ClassHistogram(Struct, frozen=True):
    """The live objects of a JVM at one moment, counted after a forced collection.

    Attributes:
        time_s: seconds from the program's start.
        point: ``end``, ``period``, or the name of a mark.
        instances, bytes: of all classes.
        classes: those that use the most bytes, the largest first; at most :data:`MOST_CLASSES`.
    """

    time_s: Number
    point: str
    instances: int
    bytes: int
    classes: tuple[ClassCount, ...] = ()


class ProblemKind(Enum):
    """What made a run invalid. The values are part of the run format: a new one raises its version."""

    TIME_LIMIT = "time-limit"
    """The program was stopped at its time limit."""

    SIGNAL = "signal"
    """A signal ended the program."""

    EXIT_CODE = "exit-code"
    """The program exited with another code than expected."""

    JVM_END = "jvm-end"
    """The measured JVM failed, and the command that started it did not report that."""

    WORKLOAD = "workload"
    """The workload or the test that drove the program failed."""

    SERVICE = "service"
    """One of the test's services ended before the program."""

    NO_WINDOW = "no-window"
    """The measured window cannot be found, because a mark or samples are missing."""

    BUSY_HOST = "busy-host"
    """The machine had no processor time left, so that a loaded system was measured by its queues."""

    STARVED = "starved"
    """Too many samples are missing, or there is too long a gap between two of them."""

    SLOW_MBEAN = "slow-mbean"
    """One of the program's MBeans held up the sampling."""

    UNREADABLE_MBEANS = "unreadable-mbeans"
    """The program's MBeans could not be read at all."""

    LOST_NOTIFICATIONS = "lost-notifications"
    """Notifications came faster than they could be kept."""

    LATE_START = "late-start"
    """The first sample was taken too long after the program's start."""

    EARLY_LOSS = "early-loss"
    """The agent or the JVM stopped answering before the program's end."""

    OPEN_PORT = "open-port"
    """The JMX port that was opened in the JVM could not be closed again."""

    BUTO_LOST = "buto-lost"
    """buto itself was killed while it recorded; the run was recovered from its journal."""

    OTHER = "other"
    """Not known: the run is of a version of the format that had no kinds."""


BAD_ENDS = frozenset(
    {
        ProblemKind.TIME_LIMIT,
        ProblemKind.SIGNAL,
        ProblemKind.EXIT_CODE,
        ProblemKind.JVM_END,
        ProblemKind.WORKLOAD,
        ProblemKind.SERVICE,
    }
)
"""The problems of a program that failed; the others are of the measurement."""


class Problem(Struct, frozen=True):
    """One reason why a run cannot be used. Code decides by the kind, never by the words of the text."""

    kind: ProblemKind
    text: str


PURPOSE = "buto.purpose"
"""Metadata key: the command that a run was recorded for."""

SESSION = "buto.session"
"""Metadata key: id of the first run of a test that the same command recorded. Runs that share it were judged
together."""

RUN_QUEUE = "host.load.run_queue"
"""Metadata key: how long the program's threads waited for a core, in seconds; None if not known."""

ASSUMED = "process.assumed"
"""Metadata key of a run in turns: why the places of old and new are not alike. Missing if they are."""

BASE = "process.base"
"""Metadata key of a run in turns: what the old program was, where it was not that of the training."""

BASE_COMMIT = "process.base.commit"
"""Metadata key beside it: the commit of that program; empty if it is not known."""

BASE_BUDGET = "process.base.budget"
"""Metadata key beside it, if that program is of a release: the budgets since then by property, as JSON."""

IN_TURNS = "process.turns"
"""Metadata key: of runs that were launched in turns with those of another program, how many launches of each
their order has, and the seed with which it was drawn: ``10:48151623``, or ``10:48151623:exactly`` if a user
asked for this number, and none was to decide earlier. Runs that share it belong together."""

EXACTLY = "exactly"
"""The last part of that."""

PROGRAM = "process.program"
"""The metadata key of the checksum over the program's files."""

INPUT_READ = "process.stdin.read"
"""The metadata key that says whether the program has read its standard input, which is empty."""

COLLECTOR = "buto.collector"
"""The metadata key of what recorded the run."""

COMMIT = "buto.commit"
"""Metadata key: git's commit in the directory where the command was started, with ``+dirty`` appended if
files differed; None if not known."""

EXECUTABLE = "process.executable.path"
"""Metadata key: the file that a command without a JVM executes, absolute."""

COMMAND = "buto.command"
"""The metadata key of the program's command, without its secrets."""

WORKER = "buto.worker"
"""Metadata key: the name of the host that recorded a run for a cluster; missing without a cluster."""

JOURNAL = "journal"
"""Source of the last sample of a recovered run, see Outcome."""


class Notification(Struct, frozen=True):
    """One JMX notification.

    Attributes:
        time_s: seconds from the program's start at which it was emitted, by the target's clock.
        source: object name of the emitting MBean.
        sequence: serial number of the emitter.
    """

    time_s: Number
    type: str
    source: str
    sequence: int
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an execution ended.

    Attributes:
        exit_code: of the process; None if a signal or the time limit ended it, or if buto was only attached
            to the JVM.
        signal: number of the signal that ended it, else None.
        timed_out: whether buto ended it at its time limit.
        duration_s: from the program's start to its last sample or to the process's end.
        last_sample: source of the last row: ``agent`` (the exit hook), ``push`` (no hook could run),
            ``hsperfdata`` (the JVM's performance counters), ``jmx``, ``wait4`` (the end of a process), or
            :data:`JOURNAL` (buto itself was lost, and its journal had this sample; the end of the program is
            not known).
    """

    exit_code: int | None
    signal: int | None = None
    timed_out: bool = False
    duration_s: Number = 0.0
    last_sample: str = "agent"

    @property
    def harness_lost(self) -> bool:
        """Whether buto died before the program's end and the run was recovered."""
        return self.last_sample == JOURNAL

    def describe(self) -> str:
        """Return the outcome in words, for messages."""
        if self.harness_lost:
            return "was still running when buto was lost"
        if self.timed_out:
            return "was stopped at its time limit"
        if self.signal is not None:
            return f"was ended by signal {self.signal}"
        if self.exit_code is None:
            return "was left running"
        return f"exited with code {self.exit_code}"


BUSY_SHARE = 0.2
"""Of the cores; if others use more during a run, it differs visibly from an undisturbed one."""


class Quality(Struct, frozen=True):
    """Whether a run can be used, and what disturbed it.

    Attributes:
        problems: why the run is invalid; empty for a valid one. An invalid run never trains an oracle and is
            never judged: it is neither pass nor regression.
        missed_share: share of the planned samples that are missing.
        largest_gap_s: longest time between two samples.
        foreign_load: mean share of the visible cores that other processes used, NaN if unknown.
    """

    problems: tuple[Problem, ...] = ()
    missed_share: Number = 0.0
    largest_gap_s: Number = 0.0
    foreign_load: Number = float("nan")

    @property
    def valid(self) -> bool:
        return not self.problems

    def describe(self) -> str:
        """Return the texts of the problems in one line; empty for a valid run."""
        return "; ".join(problem.text for problem in self.problems)


@dataclass(frozen=True, eq=False)
class Run(Displayed):
    """One finished execution.

    Attributes:
        id: unique in a store; ids sort by time of start.
        test: name of the test that the run belongs to.
        properties: one for each column of ``values``.
        times_s: shape (n_samples,), strictly increasing seconds from the program's own start
            (``main``); the first may lie slightly before it and so be negative.
        values: shape (n_samples, n_properties), in each property's unit. NaN: could not be read.
        nan_reasons: by name of a property with NaN, why it could not be read.
        notifications: sorted by time.
        metadata: environment and configuration, as text, numbers and truth values.
        outcome: how the execution ended.
        quality: whether the run can be used.
        stdout, stderr: output of the program; the store cuts each to a limit.
        marks: sorted by time.
        sources: of properties besides the JVM, in the order of the configuration.
        histograms: of the classes of live objects, sorted by time.
        outputs: by name, what each service of the test printed; cut like the program's.
    """

    id: str
    test: str
    properties: tuple[Property, ...]
    times_s: FloatArray
    values: FloatArray
    outcome: Outcome
    notifications: tuple[Notification, ...] = ()
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    nan_reasons: Mapping[str, str] = field(default_factory=dict)
    quality: Quality = Quality()
    stdout: bytes = b""
    stderr: bytes = b""
    marks: tuple[Mark, ...] = ()
    sources: tuple[SourceState, ...] = ()
    histograms: tuple[ClassHistogram, ...] = ()
    outputs: Mapping[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.times_s), len(self.properties)):
            raise ValueError(
                f"run {self.id}: values have shape {self.values.shape}, expected "
                f"({len(self.times_s)}, {len(self.properties)})"
            )
        if not np.isfinite(self.times_s).all() or not (np.diff(self.times_s) > 0).all():
            raise ValueError(f"run {self.id}: sample times do not increase")
        if len(self.column_of) != len(self.properties):
            raise ValueError(f"run {self.id}: two properties have the same name")
        self.values.setflags(write=False)
        self.times_s.setflags(write=False)

    def __repr__(self) -> str:
        return (
            f"<Run {self.id} of {self.test}: {self.n_samples} samples of {len(self.properties)} properties>"
        )

    @cached_property
    def column_of(self) -> Mapping[str, int]:
        """Column number by name of property."""
        return {prop.name: column for column, prop in enumerate(self.properties)}

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.times_s)

    def smallest_read(self, column: int) -> float:
        """Return the smallest magnitude in a column; NaN if no value could be read."""
        return float(np.fmin.reduce(np.abs(self.values[:, column]), initial=np.nan))

    def series(self, name: str) -> FloatArray:
        """Return the values of one property, shape (n_samples,); KeyError for an unknown name."""
        return self.values[:, self.column_of[name]]


@dataclass(frozen=True, eq=False)
class RunSet(Displayed):
    """Runs of one test that may be judged together, in the order of their start."""

    runs: tuple[Run, ...]

    def __post_init__(self) -> None:
        names = {run.test for run in self.runs}
        if len(names) > 1:
            raise JudgeError(f"runs of different tests cannot be put together: {', '.join(sorted(names))}")

    def __repr__(self) -> str:
        tests = ", ".join(dict.fromkeys(run.test for run in self.runs))
        return f"<RunSet of {len(self)} runs of {tests}>" if self.runs else "<RunSet without runs>"

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def valid(self) -> RunSet:
        """Return only the valid runs."""
        return RunSet(tuple(run for run in self.runs if run.quality.valid))

    @cached_property
    def properties(self) -> tuple[Property, ...]:
        """Every property of any run, in the order of first appearance."""
        seen: dict[str, Property] = {}
        for run in self.runs:
            for prop in run.properties:
                seen.setdefault(prop.name, prop)
        return tuple(seen.values())


def run_set(runs: Sequence[Run]) -> RunSet:
    """Return runs as a set, sorted by id, which is the order of their start."""
    return RunSet(tuple(sorted(runs, key=lambda run: run.id)))
