"""One execution of a program, finished and frozen, and sets of them. No files here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from buto.display import Displayed
from buto.errors import JudgeError
from buto.properties import Property
from buto.runs.problems import Problem

FloatArray = npt.NDArray[np.float64]
MetadataValue = str | int | float | bool | None

PURPOSE = "buto.purpose"
"""Metadata key: the command that a run was recorded for."""

SESSION = "buto.session"
"""Metadata key: id of the first run of a test that the same command recorded; those that share it were
judged together."""

COMMIT = "buto.commit"
"""Metadata key: what git had checked out where the command was started, ``+dirty`` behind it if files
differed from that; None where nobody knows."""

JOURNAL = "journal"
"""Where the last sample of a recovered run comes from, see Outcome."""


@dataclass(frozen=True, slots=True)
class Notification:
    """One JMX notification.

    Attributes:
        time_s: seconds from the program's start at which it was emitted, by the target's clock.
        source: object name of the emitting MBean.
        sequence: the emitter's own serial number.
    """

    time_s: float
    type: str
    source: str
    sequence: int
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an execution ended.

    Attributes:
        exit_code: what the process returned; None when a signal or the time limit ended it, and for a
            JVM that was only attached to.
        signal: the number of the signal that ended it, else None.
        timed_out: buto ended it because its time limit had passed.
        duration_s: from the program's start to its last sample or to the process's end.
        last_sample: where the last row comes from: ``agent`` (the exit hook), ``push`` (no hook
            could run), ``hsperfdata`` (the JVM's held performance counters), ``jmx``, or :data:`JOURNAL`:
            buto itself was lost, and this is what its journal had. How the program ended nobody saw.
    """

    exit_code: int | None
    signal: int | None = None
    timed_out: bool = False
    duration_s: float = 0.0
    last_sample: str = "agent"

    @property
    def harness_lost(self) -> bool:
        """Whether buto died before the program's end, and the run was recovered."""
        return self.last_sample == JOURNAL

    def describe(self) -> str:
        """In words, for messages."""
        if self.harness_lost:
            return "was still running when buto was lost"
        if self.timed_out:
            return "was stopped at its time limit"
        if self.signal is not None:
            return f"was ended by signal {self.signal}"
        if self.exit_code is None:
            return "was left running"
        return f"exited with code {self.exit_code}"


@dataclass(frozen=True, slots=True)
class Quality:
    """Whether a run may be used, and what disturbed it.

    Attributes:
        problems: why the run is invalid; empty for a valid one. An invalid run never trains an
            oracle and is never judged: it is neither pass nor regression.
        missed_share: share of the planned samples that are missing.
        largest_gap_s: longest time between two samples.
        foreign_load: mean share of the visible cores that other processes used, NaN if unknown.
    """

    problems: tuple[Problem, ...] = ()
    missed_share: float = 0.0
    largest_gap_s: float = 0.0
    foreign_load: float = float("nan")

    @property
    def valid(self) -> bool:
        return not self.problems

    def describe(self) -> str:
        """The problems' texts in one line; empty for a valid run."""
        return "; ".join(problem.text for problem in self.problems)


@dataclass(frozen=True, eq=False)
class Run(Displayed):
    """One finished execution.

    Attributes:
        id: unique in a store; sorts by time of start.
        test: name of the test that the run belongs to.
        properties: one for each column of ``values``.
        times_s: shape (n_samples,), strictly increasing seconds from the program's own start
            (``main``); the first may lie slightly before it and so be negative.
        values: shape (n_samples, n_properties), in each property's unit. NaN: could not be read.
        nan_reasons: property name to why it could not be read, for columns with NaN.
        notifications: in the order of their time.
        metadata: environment and configuration, as text, numbers and truth values.
        outcome: how it ended.
        quality: whether it may be used.
        stdout, stderr: what the program printed, each cut to a stated size at the store's door.
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
        """Property name to column number."""
        return {prop.name: column for column, prop in enumerate(self.properties)}

    @property
    def n_samples(self) -> int:
        """How many samples were taken."""
        return len(self.times_s)

    def smallest_read(self, column: int) -> float:
        """The smallest magnitude among the values of a column, NaN where nothing was ever read."""
        return float(np.fmin.reduce(np.abs(self.values[:, column]), initial=np.nan))

    def series(self, name: str) -> FloatArray:
        """The values of one property, shape (n_samples,); KeyError for an unknown name."""
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
        """Only the runs that may be used."""
        return RunSet(tuple(run for run in self.runs if run.quality.valid))

    @cached_property
    def properties(self) -> tuple[Property, ...]:
        """Every property that any run has, in order of first appearance."""
        seen: dict[str, Property] = {}
        for run in self.runs:
            for prop in run.properties:
                seen.setdefault(prop.name, prop)
        return tuple(seen.values())


def run_set(runs: Sequence[Run]) -> RunSet:
    """A set in the order of start, which is the order of the ids."""
    return RunSet(tuple(sorted(runs, key=lambda run: run.id)))
