"""Read the sources of one run, each in a thread of its own, at fixed times of the run's clock.

Sources are read beside a program that buto launched or one that runs already, or once without a run, to show
what would be recorded now. A reading that takes too long is ended: a server that sends a byte now and then
would never exceed the limit of a single wait.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Self

from msgspec import Struct, structs

from buto.measure.hooks import AllHooks, LaunchHooks, MeasuredProgram
from buto.measure.private_directory import listening
from buto.measure.progress import Closeable
from buto.measure.recording import Recording
from buto.measure.samples import MAX_PROPERTIES
from buto.measure.sources.chosen import require, source
from buto.measure.sources.protocol import Reader, Source, SourceContext, SourceError
from buto.measure.target import SourceSpec
from buto.run.model import Problem, SourceState
from buto.run.properties import Better, Kind, Property, Role

READ_TIME = "buto.source.time"
CPU_TIME = "buto.source.cpu.time"
"""What reading a source costs: time per reading, and processor time of all readings of its thread."""

_RECENT_INTERVALS = 2.5
"""A source that was read well so shortly before the end worked to the end."""

_END_S = 1.0
"""How long a source may take beyond its time limit before it is left behind."""

FAILURES = (
    SourceError,
    OSError,
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RuntimeError,
)
"""What a reading may raise, also of a stranger's source."""


@contextmanager
def follow(surroundings: SourceContext, recording: Recording, specs: Sequence[SourceSpec]) -> Iterator[None]:
    """Read sources into a recording until the end of the block.

    Raises:
        UsageError: a package that a source needs is not installed.
    """
    for spec in specs:
        require(spec.kind)
    followers = [Follower(spec, source(spec.kind)(spec.settings), surroundings, recording) for spec in specs]
    for follower in followers:
        follower.start()
    try:
        yield
    finally:
        for follower in followers:
            follower.ask_to_end()
        asked = time.monotonic()
        for follower in followers:
            follower.wait_for_end(asked)


def add_sampling(hooks: LaunchHooks | None, specs: Sequence[SourceSpec]) -> LaunchHooks | None:
    """Return hooks that read the sources, too, while the program runs.

    Raises:
        UsageError: a package that a source needs is not installed.
    """
    for spec in specs:
        require(spec.kind)
    if not specs:
        return hooks
    return AllHooks((*([hooks] if hooks else []), SourceHooks(specs)))


class SourceHooks(LaunchHooks):
    """Launch hooks that read sources. One that failed is no problem of the run: its values are NaN."""

    def __init__(self, specs: Sequence[SourceSpec]) -> None:
        self._specs = specs
        self._held = ExitStack()

    def program_started(self, program: MeasuredProgram) -> None:
        self._held.enter_context(follow(program, program.recording, self._specs))

    def program_ended(self) -> tuple[Problem, ...]:
        self._held.close()
        return ()


class Follower:
    """Reads one source during one run."""

    def __init__(
        self, spec: SourceSpec, kind: Source, surroundings: SourceContext, recording: Recording
    ) -> None:
        self._spec = spec
        self._kind = kind
        self._surroundings = surroundings
        self._recording = recording
        self._track = recording.track(spec.name, spec.interval_s, from_first=True)
        self._cost = cost_properties(spec.name)
        self._track.add_columns([*self._cost])
        self._names: dict[str, str] = {}
        self._late: set[str] = set()
        self._explained: set[str] = set()
        self._settled = math.inf
        self._failure = ""
        self._good = -math.inf
        self._is_complete = False
        self._end = threading.Event()
        # A daemon, because a source that hangs must not keep buto from ending.
        self._thread = threading.Thread(target=self._follow, name=f"buto-source-{spec.name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def ask_to_end(self) -> None:
        self._end.set()

    def wait_for_end(self, asked: float) -> None:
        """Wait until the last reading is over, for its time limit; then leave a hanging source behind.

        Args:
            asked: when it was asked to end, ``time.monotonic``.
        """
        self._thread.join(max(0.0, asked + self._spec.timeout_s + _END_S - time.monotonic()))
        if self._thread.is_alive():
            self._failure = f"it did not answer within {self._spec.timeout_s:g} s"
        elif not self._is_complete:
            self._failure = "it failed with an error that no source should raise"
        elif asked - self._good < _RECENT_INTERVALS * self._spec.interval_s:
            # What fails while the program ends has not failed.
            self._failure = ""
        self._track.close(self._failure)
        self._recording.add_source(SourceState(self._spec.name, self._spec.kind, self._failure))
        if self._late:
            self._recording.metadata[f"source.{self._spec.name}.names.late"] = len(self._late)

    def _follow(self) -> None:
        with self._kind.open(self._surroundings, self._spec.interval_s, self._spec.timeout_s) as reader:
            self._announce(reader, reader.names())
            begun, n_due = time.monotonic(), 0
            while not self._end.wait(begun + n_due * self._spec.interval_s - time.monotonic()):
                self._read(reader)
                n_due = max(n_due + 1, math.ceil((time.monotonic() - begun) / self._spec.interval_s))
            # The state at the end; what has gone with the program is no failure.
            self._read(reader, last=True)
        self._is_complete = True

    def _read(self, reader: Reader, *, last: bool = False) -> None:
        begun_ns = time.monotonic_ns()
        values: Mapping[str, float] = {}
        taken_ns: int | None = None
        why_not = ""
        try:
            values = reader.read()
            taken_ns = reader.taken_ns()
            if len(values) > MAX_PROPERTIES:
                raise SourceError(f"it has {len(values)} numbers, more than {MAX_PROPERTIES}")
            self._learn(reader, values)
            self._explain(reader.reasons())
        except FAILURES as error:
            if last:
                return
            values, why_not = {}, reason_of(error)
        self._failure = "" if values else why_not
        if values:
            self._good = time.monotonic()
        ended_ns = time.monotonic_ns()
        kept = {full: values[name] for name, full in self._names.items() if name in values}
        if not why_not and len(kept) < len(self._names):
            why_not = reader.why_missing()
        cost = {self._cost[0].name: (ended_ns - begun_ns) * 1e-9, self._cost[1].name: time.thread_time()}
        # What was read lies between the question and the answer, if it has no time of its own.
        self._track.add((begun_ns + ended_ns) // 2 if taken_ns is None else taken_ns, kept | cost, why_not)

    def _explain(self, reasons: Mapping[str, str]) -> None:
        for name in reasons.keys() & self._names.keys() - self._explained:
            self._explained.add(name)
            self._recording.add_reason(self._names[name], reasons[name])

    def _learn(self, reader: Reader, values: Mapping[str, float]) -> None:
        """Make columns of names that are new, as long as new ones are accepted."""
        new = [name for name in values if name not in self._names]
        if not new:
            return
        now = time.monotonic()
        if math.isinf(self._settled):
            self._settled = now + self._kind.settle_s
            described = {f"source.{self._spec.name}.{key}": value for key, value in reader.metadata().items()}
            self._recording.metadata.update(described)
        elif now > self._settled:
            self._late.update(new[: MAX_PROPERTIES - len(self._late)])
            return
        self._announce(reader, new)

    def _announce(self, reader: Reader, names: Sequence[str]) -> None:
        room = MAX_PROPERTIES - len(self._names)
        properties = []
        for name in names[:room]:
            prop = prefix(self._spec.name, reader.property(name))
            self._names[name] = prop.name
            properties.append(prop)
        self._track.add_columns(properties)


def prefix(source_name: str, prop: Property) -> Property:
    """Return a property of a source with the source's name before its own."""
    return structs.replace(prop, name=f"{source_name}.{prop.name}")


def cost_properties(source_name: str) -> tuple[Property, Property]:
    """Return the two properties of what it costs to read a source."""
    return (
        Property(f"{READ_TIME}[{source_name}]", "s", Kind.GAUGE, Role.COST, 0.0, better=Better.LOWER),
        Property(f"{CPU_TIME}[{source_name}]", "s", Kind.COUNTER, Role.COST, 0.0, better=Better.LOWER),
    )


def reason_of(error: BaseException) -> str:
    return error.message if isinstance(error, SourceError) else f"{type(error).__name__}: {error}"


class RunningProgram(Struct, frozen=True):
    """A program that runs already, or none.

    Attributes:
        pid: of its JVM; None without one.
    """

    pid: int | None

    def members(self) -> list[int]:
        # Here, because it takes a while to import, and most sources do not need it.
        import psutil

        if self.pid is None:
            return []
        try:
            return [self.pid, *(child.pid for child in psutil.Process(self.pid).children(recursive=True))]
        except psutil.NoSuchProcess as error:
            raise SourceError(f"there is no process {self.pid}") from error

    def ports(self) -> tuple[int, ...]:
        return () if self.pid is None else listening(self.pid)


class ReadingLimit(Closeable):
    """Calls a function in another thread if its ``with`` block is not left in time.

    Args:
        abort: makes what the block waits for fail; called at most once.

    Attributes:
        has_passed: whether it was called.
    """

    def __init__(self, limit_s: float, abort: Callable[[], None]) -> None:
        self._abort = abort
        self._begun = time.monotonic()
        self._passed = threading.Event()
        self._timer = threading.Timer(limit_s, self._pass)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def close(self) -> None:
        self._timer.cancel()

    @property
    def has_passed(self) -> bool:
        return self._passed.is_set()

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self._begun

    def _pass(self) -> None:
        self._passed.set()
        self._abort()


class DryReading(Struct, frozen=True):
    """What one source gave.

    Attributes:
        numbers: its properties with their values, by name.
        took_s: time for the reading.
        reason: why there are none, or not all; empty if all is well.
    """

    numbers: tuple[tuple[Property, float], ...]
    took_s: float
    reason: str = ""


def read_once(spec: SourceSpec, surroundings: SourceContext) -> DryReading:
    """Read a source once. A failure is a reason, as in a run.

    Raises:
        UsageError: a package that the source needs is not installed.
    """
    require(spec.kind)
    begun = time.monotonic()
    with source(spec.kind)(spec.settings).open(surroundings, spec.interval_s, spec.timeout_s) as reader:
        try:
            values = reader.read()
        except FAILURES as error:
            return DryReading((), time.monotonic() - begun, reason_of(error))
        numbers = [
            (prefix(spec.name, reader.property(name)), value)
            for name, value in values.items()
            if not math.isnan(value)
        ]
        is_whole = values.keys() >= set(reader.names())
        reason = "" if is_whole else reader.why_missing()
    return DryReading(
        tuple(sorted(numbers, key=lambda reading: reading[0].name)), time.monotonic() - begun, reason
    )
