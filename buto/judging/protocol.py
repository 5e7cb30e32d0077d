"""What a detector is: it learns from runs, judges later ones, and says everything about itself.

Three methods of :class:`FittedDetector` and :class:`Detector` each are needed; all others are abilities with
a default that does nothing. A detector explains a verdict in plain values that every report can render. It
gives work that can be divided to a function of its caller; :func:`here` does it in place.
``docs/methods/detectors.md`` shows a whole detector.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from msgspec import Struct, structs

from buto.errors import JudgeError
from buto.judging.alarms import Selftest, Strengths
from buto.judging.classifiers import MetadataSettings
from buto.judging.readable import Level
from buto.judging.settings import Settings
from buto.judging.stored import COMMON, Key
from buto.judging.verdict import Roles, Verdict
from buto.judging.views import RunsView, View
from buto.run.labels import Past
from buto.run.model import Run, RunSet
from buto.steps import Advice, Setting

if TYPE_CHECKING:
    from buto.judging.beyond import Beyond
    from buto.judging.monitor import OverBuilds
    from buto.judging.procedure import Next, Procedure


class Section(Struct, frozen=True):
    """A part of a report that only this detector has.

    Attributes:
        title: of the section.
        text: sentences below the title; may be empty.
        columns: the heads of a table; empty where there is none.
        rows: the table's cells as text, each row as long as ``columns``.
    """

    title: str
    text: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


class Reasoning(Struct, frozen=True):
    """What a detector says of its own way to a verdict, in whole sentences.

    Attributes:
        learned: what it learned from the training runs.
        rule: by which rule it decides; may be empty.
        sections: what only this detector has to show.
    """

    learned: str
    rule: str = ""
    sections: tuple[Section, ...] = ()


Task = TypeVar("Task")
Result = TypeVar("Result")


class Share(Protocol):
    """Applies a function to tasks, anywhere; the results come in their order.

    Function, tasks and results are plain data of modules, which can travel to another process.
    """

    def __call__(self, function: Callable[[Task], Result], tasks: Iterable[Task], /) -> Iterable[Result]: ...


def here(function: Callable[[Task], Result], tasks: Iterable[Task], /) -> Iterable[Result]:
    """Apply a function to tasks in this process."""
    return map(function, tasks)


S = TypeVar("S", bound=Settings)


class AutoRuns(Struct, frozen=True):
    """Between which numbers of runs ``--runs auto`` ends.

    Attributes:
        last: training ends after this many runs in a row that have not sharpened the detector.
    """

    fewest: int
    most: int
    last: int


class FittedDetector(ABC):
    """A detector that has learned; judges and can be stored as plain data."""

    __slots__ = ()

    @abstractmethod
    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs together, at least one. JudgeError only for runs that allow no verdict."""

    @abstractmethod
    def to_data(self) -> dict[str, Any]:
        """Return plain numbers, texts, lists and dictionaries, for the oracle file."""

    @property
    def left_out(self) -> Mapping[str, str]:
        """Properties that are not judged, each with the reason."""
        return {}

    @property
    def judges_environments(self) -> bool:
        """Whether it says itself what a checked run of another environment than the training's means."""
        return False

    def with_mood(self, runs: Sequence[Run]) -> FittedDetector:
        """Return the same, knowing later runs of the program of the training, launched in turns that passed.

        They say in which mood the machine is now. What follows the machine is looked at beside them, too;
        what no machine moves is not.
        """
        return self

    def beyond_training(self, runs: RunSet) -> tuple[Beyond, ...]:
        """Return counters that no machine moves and that lie beyond training in all of these runs, in a
        direction for which a check may fail.
        """
        return ()

    def moved_by_machine(self, runs: RunSet) -> frozenset[str]:
        """Return counters that lie beyond training in all of these runs because the machine is busier."""
        return frozenset()

    def over_builds(self) -> OverBuilds | None:
        """Return what is compared over builds; None if runs of several builds cannot be compared."""
        return None

    def before(self, runs: RunSet) -> object | None:
        """Return what a comparison can know before old and new are launched in turns, in a form of its own.

        None if the runs say nothing of launches in turns, as those under another load.

        Args:
            runs: of the new program.
        """
        return None

    def training_warnings(self, runs: RunSet) -> tuple[str, ...]:
        """Return what a reader should know of the training runs: too few, or unlike each other.

        Args:
            runs: those that were learned from, in the order of their start.
        """
        return ()

    def levels(self) -> Iterable[Level]:
        """Return what is expected of a run as one number for each property, for summaries and reviews."""
        return ()

    def strengths(self, *, everything: bool, roughly: bool = False) -> Strengths:
        """Return the smallest changes that a check would detect, of the usual quantities or of all.

        Args:
            roughly: whether it is enough to say below which no change is detected, which takes less time.
        """
        return Strengths()

    def view(self, runs: Sequence[Run]) -> View:
        """Return what can be drawn; ``runs`` say which properties there are where the detector does not."""
        return RunsView(runs)

    def explain(self, verdict: Verdict) -> Reasoning:
        """Return how this verdict came about, in whole sentences."""
        return Reasoning(f"{verdict.n_training} {verdict.roles.known_runs} defined what is normal.")


class Comparison(ABC):
    """Judges two programs by runs of both, without an oracle.

    Attributes:
        settings: with which the two are judged.
        alpha: share of comparisons of equal programs that may find a difference.
        fewest: smallest number of runs of each that can show a difference.
        most: number of runs of each after which no more are launched.
        procedure: the rule by which launches end.
    """

    settings: Settings
    alpha: float
    fewest: int
    most: int
    procedure: Procedure

    @property
    def is_exact(self) -> bool:
        """Whether all are launched, because a user asked for their number."""
        return not self.procedure.bets

    @abstractmethod
    def order(self, seed: int) -> tuple[bool, ...]:
        """Return in which order both are launched, true for the second; each order is as likely."""

    @abstractmethod
    def next_step(self, first: RunSet, second: RunSet) -> Next:
        """Return what follows after these valid runs in turns; asked after each launch."""

    @abstractmethod
    def compare(self, first: RunSet, second: RunSet, roles: Roles | None = None) -> tuple[Verdict, Reasoning]:
        """Judge the second program by the first, and say how; runs may be valid or not.

        Args:
            roles: what the two are called; None for the names of their tests.

        Raises:
            JudgeError: the runs are too few, or cannot be compared.
        """


class Detector(ABC, Generic[S]):
    """Learns from runs and judges later ones."""

    name: ClassVar[str]
    """The name of its method in configurations and oracle files."""

    defaults: ClassVar[Settings]
    """All its settings, where a configuration says nothing else."""

    keys: ClassVar[Sequence[Key]] = COMMON
    """Its keys in a configuration's ``judge``, below its name."""

    fewest_runs: ClassVar[int] = 3
    """It cannot learn from fewer valid runs."""

    exchangeable: ClassVar[bool] = True
    """Whether runs must come from the same machine under the same load. If so, runs of another environment
    are refused, and a regression on a machine that was busier than in training is inconclusive."""

    learns_environments: ClassVar[bool] = False
    """Whether training runs may be of several environments; it judges those of each among themselves."""

    auto: ClassVar[AutoRuns | None] = None
    """Set where :meth:`enough_runs` knows when more runs would not sharpen the detector."""

    settles_in_turns: ClassVar[bool] = False
    """Whether old and new are launched in random turns before a check fails, if the old program is kept."""

    promises_alarm_rate: ClassVar[bool] = False
    """Whether it promises a share of false alarms, which :meth:`selftest` can measure."""

    learns_from_labels: ClassVar[bool] = False
    """Whether :meth:`fit_with_past` makes use of labelled runs, which then are loaded for it."""

    def __init__(self, settings: S) -> None:
        self.settings = settings

    @property
    def metadata(self) -> MetadataSettings:
        """Which keys of metadata decide whether runs can be judged: none if runs need not be alike."""
        return self.settings.metadata if self.exchangeable else self._without_deciding

    @property
    def training_metadata(self) -> MetadataSettings:
        """Which keys must be equal in all training runs."""
        return self._without_deciding if self.learns_environments else self.metadata

    @property
    def _without_deciding(self) -> MetadataSettings:
        return structs.replace(self.settings.metadata, deciding=())

    def needed_runs(self) -> int:
        """Return how many valid runs these settings need at least."""
        return self.fewest_runs

    @abstractmethod
    def fit(self, runs: RunSet) -> FittedDetector:
        """Learn from valid runs of one test. JudgeError when they cannot be learned from."""

    def fit_with_past(self, runs: RunSet, pasts: Sequence[Past]) -> FittedDetector:
        """Learn as :meth:`fit` does, knowing labelled runs of this test and of others, valid or not."""
        return self.fit(runs)

    @abstractmethod
    def from_data(self, data: Mapping[str, Any]) -> FittedDetector:
        """Return the inverse of ``to_data``; BadFileError for data of another shape."""

    def n_values(self, data: Mapping[str, Any]) -> int:
        """Return how many numbers the data stand for, where a short file may stand for many.

        KeyError, TypeError or ValueError for data of another shape.
        """
        return 0

    def enough_runs(self, runs: RunSet) -> bool:
        """Return whether more runs than these, all valid, would not sharpen the detector."""
        return self.auto is None or len(runs) >= self.auto.most

    def selftest(self, runs: RunSet, n_training: int, share: Share = here) -> Selftest:
        """Judge unchanged runs by one another. JudgeError if they are too few, or nothing is promised.

        Args:
            share: has the work done, if it is much.
        """
        advice = Advice("train by the default method: ", Setting("method", "calibrated"))
        raise JudgeError(f"{self.name} promises no rate of false alarms", advice=advice)
