"""Events of launches: planned, begun, ended, repeated, given up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from buto.collect.progress import Progress
from buto.errors import ButoError
from buto.runs import Run
from buto.runs.storage.place import Place


@dataclass(frozen=True, slots=True)
class LaunchesPlanned:
    """Launches are about to begin.

    Attributes:
        planned: by test, how many usable runs are wanted.
        at_most: tests that may need fewer runs.
        complete: by test, how many of them are already stored; a missing test has none.
        seed: of the random order of launches.
        commands: by test, its command line with secrets masked.
        at_once: how many programs run at the same time.
    """

    planned: Mapping[str, int]
    at_most: frozenset[str] = frozenset()
    complete: Mapping[str, int] = field(default_factory=dict)
    seed: int | None = None
    commands: Mapping[str, str] = field(default_factory=dict)
    at_once: int = 1


@dataclass(frozen=True, slots=True)
class WaitingForStore:
    """Another buto is measuring into the same store; this one waits until it ends."""

    store: Place


@dataclass(frozen=True, slots=True)
class LaunchStarted:
    """A launch begins.

    Attributes:
        number: the number of the usable run that it is for, from 1.
        planned: how many usable runs of this test are wanted.
        host: on which host of a cluster; empty without one.
    """

    test: str
    number: int
    planned: int
    host: str = ""


@dataclass(frozen=True, slots=True)
class LaunchProgressed:
    """Some time has passed in a launch.

    Attributes:
        test: its test; empty where only one launch goes on at a time.
        host: on which host of a cluster; empty without one.
    """

    progress: Progress
    test: str = ""
    host: str = ""


@dataclass(frozen=True, slots=True)
class RunStored:
    """A launch has ended and its run is in the store, usable or not."""

    run: Run


@dataclass(frozen=True, slots=True)
class LaunchRepeated:
    """A launch failed, and will be repeated later; ``host`` is where, empty without a cluster."""

    test: str
    error: ButoError
    host: str = ""


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A test is not launched any more; the other tests go on."""

    test: str
    error: ButoError


@dataclass(frozen=True, slots=True)
class LaunchesEnded:
    """The launches of the newest :class:`LaunchesPlanned` are over, complete or not."""


@dataclass(frozen=True, slots=True)
class EnoughRuns:
    """The training of an adaptive test has ended.

    Attributes:
        n_runs: how many usable runs there are.
        is_most: whether that is the largest number that training uses.
        last: how many of the last runs did not sharpen the oracle, if that ended the training.
    """

    test: str
    n_runs: int
    is_most: bool
    last: int


@dataclass(frozen=True, slots=True)
class Confirming:
    """A run of this test does not decide alone; more runs are launched, and all are judged together.

    Attributes:
        why: in a clause.
        runs: how many more.
    """

    test: str
    why: str
    runs: int


@dataclass(frozen=True, slots=True)
class TurnsBegin:
    """The program of the training and the present one are launched in random turns; these decide.

    Attributes:
        why: in a clause.
        n_each: how many runs of each.
    """

    test: str
    why: str
    n_each: int


@dataclass(frozen=True, slots=True)
class JvmMeasured:
    """Which JVMs the runs of a test measured: their main classes; ``others`` were seen and not measured."""

    test: str
    names: tuple[str, ...]
    others: tuple[str, ...]
