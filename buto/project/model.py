"""A test as it is configured: what to launch, how often, and how to judge it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct

from buto.engine.placement import ANY_HOST, HostLabels
from buto.errors import UsageError
from buto.judging import registry
from buto.judging.configuration import DEFAULT, settings_from
from buto.judging.effects import NEVER as NEVER_MATTERS
from buto.judging.effects import is_effect
from buto.judging.growth import ROUNDS
from buto.judging.need import MIB
from buto.judging.settings import Settings
from buto.measure import virtual_threads
from buto.measure.sources import chosen
from buto.measure.target import PROCESS, STOPPED_EXIT, LiveSet, MBeanSpec, SourceSpec, Target
from buto.measure.workload.model import Workload, workload_from
from buto.measure.workload.services import Service, service_from
from buto.programs.named import Revision
from buto.project.document import DataPath, expand, join
from buto.project.options import AUTO, NEVER, TEST
from buto.run.masking import Mask
from buto.run.units import format_seconds, parse_bytes, parse_seconds
from buto.run.window import PROGRAM_END, PROGRAM_START, Moment, Window, parse_moment

DEFAULT_RUNS = int(TEST["runs"].default)
DEFAULT_KEPT_BYTES = parse_bytes(TEST["keep"].default)
"""The largest program that training keeps."""

_NOT_REMEMBERED = (
    *("runs", "judge", "inputs", "keep", "explain", "growth", "program", "release", "budget", "limit"),
)
"""Keys that do not concern launching and measuring."""

BY_LOAD = "load"
"""Of ``growth``: a round is one load of the test."""

SOURCE_INTERVAL_S = 1.0
"""Between two readings of a source, if the test's interval is not longer."""

SOURCE_TIMEOUT_S = 1.0
"""The longest time that one reading of a source may take."""

SHORTEST_INTERVAL_S = 0.001
"""A snapshot takes some 50 microseconds; below a millisecond the sampler would measure itself."""

SHORTEST_LIVE_SET_S = 0.1


class InvalidValue(UsageError):
    """A value that the schema allows but that is not valid; ``at`` is its path."""

    def __init__(self, at: DataPath, message: str, advice: str | None = None) -> None:
        super().__init__(message, advice=advice)
        self.at = at


class NoGrowth(Struct, frozen=True):
    """That nothing may grow over the rounds of a program's work.

    Attributes:
        rounds: how many are counted, warm-up included.
        by_load: whether each round is one load of the test; otherwise it is what the program marks, or an
            equal share of what it allocates.
    """

    rounds: int = ROUNDS
    by_load: bool = False


@dataclass(frozen=True)
class TestConfig:
    """One test.

    Attributes:
        name: unique in a configuration; names the oracle's file and the directory of the runs.
        target: ready to be launched, with all variables replaced; without a command if none is known.
        written: as written, with variables, by the keys of a configuration. The oracle stores this, so
            that it is valid on other machines and contains no secret.
        runs: how many runs train an oracle, at most if it is adaptive.
        settings: how to judge.
        workload: the workload while the program is measured; None for none.
        adaptive: whether training ends when more runs no longer sharpen the oracle.
        services: run beside the program, in the order in which they start.
        window: the part of a run that is learned and judged; None for all of it.
        hosts: which hosts of a cluster may record it.
        inputs: shell patterns, from the configuration's directory, of the files that it depends on; empty
            if not specified.
        explains: whether a check that fails tells which code did it.
        no_growth: what a check also looks at; None if things may grow.
        keep_bytes: how large the program's files may be that training keeps; 0 for never.
        program: from which revision the old program is built, without a commit for that of the training; None
            to keep its files.
        release: a shell pattern of the tags that are releases; empty for none.
        budget: how much a property may change from one release to the next, by its full name or a pattern.
        limit_bytes: the largest peak of resident memory that a check allows; None for any.
    """

    __test__: ClassVar[bool] = False  # Otherwise pytest would collect the class as a test.

    name: str
    target: Target
    written: Mapping[str, Any]
    runs: int = DEFAULT_RUNS
    settings: Settings = DEFAULT
    workload: Workload | None = None
    adaptive: bool = False
    inputs: tuple[str, ...] = ()
    hosts: HostLabels = ANY_HOST
    services: tuple[Service, ...] = ()
    window: Window | None = None
    keep_bytes: int = DEFAULT_KEPT_BYTES
    explains: bool = False
    no_growth: NoGrowth | None = None
    program: Revision | None = None
    release: str = ""
    budget: Mapping[str, str] = field(default_factory=dict)
    limit_bytes: int | None = None

    def shares_launches_with(self, other: TestConfig) -> bool:
        """Return whether one launch serves both tests: only the window of its run tells them apart."""
        is_same = all(getattr(self, name) == getattr(other, name) for name in _OF_A_LAUNCH)
        return is_same and self.window != other.window


_OF_A_LAUNCH = ("target", "workload", "services", "hosts", "inputs", "adaptive")
"""What a launch depends on, and whether its runs are judged while there are more."""


def build_test(
    name: str, written: Mapping[str, Any], directory: Path | None, environment: Mapping[str, str]
) -> TestConfig:
    """Build a test from plain data that follows the schema.

    Args:
        name: the test's name.
        written: keys as in a configuration.
        directory: base of a relative working directory, and where the command runs without one; None for the
            current directory.
        environment: where variables are looked up.

    Raises:
        InvalidValue: an unknown variable, or times that do not go together.
    """
    values = _Values(environment)
    mask = tuple(written.get("mask", ()))
    services = tuple(
        values.service(name, data, directory, mask) for name, data in written.get("services", {}).items()
    )
    timeout_s = values.seconds("timeout", written)
    interval_s = values.seconds("interval", written, parse_interval)
    if interval_s >= timeout_s:
        raise InvalidValue(
            ("interval",) if "interval" in written else ("timeout",),
            f"the interval must be shorter than the timeout of {format_seconds(timeout_s)}, "
            f"got {format_seconds(interval_s)}",
        )
    if "working-directory" in written:
        own = values.text(("working-directory",), written["working-directory"])
        directory = Path(own) if directory is None else directory / own
    workload = values.workload(written["workload"]) if "workload" in written else None
    window = workload.usual_window if workload is not None else None
    if "window" in written:
        window = values.window(written["window"])
    good_exit = STOPPED_EXIT if workload is not None and workload.stop else 0
    target = Target(
        command=values.command(("command",), written["command"]) if "command" in written else (),
        timeout_s=timeout_s,
        interval_s=interval_s,
        mbeans=tuple(_mbean(data) for data in written.get("mbeans", ())),
        collector=_collector(written),
        jvm=written.get("jvm"),
        directory=directory,
        environment={
            key: values.text(("environment", key), value)
            for key, value in written.get("environment", {}).items()
        },
        expected_exit=written.get("expect-exit", good_exit),
        mask=mask,
        labels=values.labels(written),
        sources=tuple(
            values.source(name, data or {}, interval_s) for name, data in written.get("sources", {}).items()
        ),
        live_set=values.live_set(written),
        isolates_home=written.get("isolate") == "home",
        counts_virtual_threads=written.get(virtual_threads.KEY) == "count",
    )
    if target.collector == PROCESS:
        _check_without_jvm(written, target)
    if target.live_set is not None and target.collector != "agent":
        raise InvalidValue(
            ("live-set",),
            "live-set must be off with the collector jmx: only the agent can hold the program's exit",
        )
    if target.counts_virtual_threads and target.collector != "agent":
        raise InvalidValue(
            (virtual_threads.KEY,),
            "virtual-threads must be never with the collector jmx: only the agent starts Flight Recorder",
        )
    no_growth = _no_growth(written["growth"]) if "growth" in written else None
    check_no_growth(no_growth, target, workload)
    remembered = {key: value for key, value in written.items() if key not in _NOT_REMEMBERED}
    adaptive = written.get("runs") == AUTO
    settings = values.settings(written.get("judge", {}))
    hosts, program = written.get("hosts", {}), written.get("program")
    tags = hosts.get("tag", ())
    return TestConfig(
        name,
        target,
        remembered,
        most_runs(settings) if adaptive else written.get("runs", DEFAULT_RUNS),
        settings,
        workload,
        adaptive,
        inputs=tuple(written.get("inputs", ())),
        hosts=HostLabels(
            hosts.get("name", ""), hosts.get("cpu", ""), (tags,) if isinstance(tags, str) else tuple(tags)
        ),
        services=services,
        window=window,
        keep_bytes=values.keep_bytes(written),
        explains=written.get("explain") == AUTO,
        no_growth=no_growth,
        program=Revision(program.get("revision", ""), program.get("build", "")) if program else None,
        release=written.get("release", ""),
        budget=values.budget(written),
        limit_bytes=values.limit_bytes(written),
    )


def _collector(written: Mapping[str, Any]) -> str:
    is_process = written.get("measure") == PROCESS
    return PROCESS if is_process else str(written.get("collector", "agent"))


_OF_A_JVM = ("collector", "jvm", "mbeans", "growth")
"""Keys that say something of a JVM."""


def _check_without_jvm(written: Mapping[str, Any], target: Target) -> None:
    """Raise InvalidValue for a key that needs a JVM, in a test that measures a process without one."""
    wrong = [key for key in _OF_A_JVM if key in written]
    wrong += ["explain"] if written.get("explain") == AUTO else []
    wrong += [] if target.live_set is None else ["live-set"]
    wrong += ["virtual-threads"] if target.counts_virtual_threads else []
    if wrong:
        raise InvalidValue(
            (wrong[0],), f"{wrong[0]} is of a JVM, and measure: process measures a command without one"
        )


def _no_growth(data: str | Mapping[str, Any]) -> NoGrowth:
    given: Mapping[str, Any] = {} if isinstance(data, str) else data
    return NoGrowth(given.get("rounds", ROUNDS), given.get("by") == BY_LOAD)


def check_no_growth(wanted: NoGrowth | None, target: Target, workload: Workload | None) -> None:
    """Raise InvalidValue if a test cannot be counted in the rounds that are wanted."""
    if wanted is None:
        return
    if target.collector != "agent":
        raise InvalidValue(
            ("growth",), f"growth needs the collector agent, got {target.collector}: only it counts rounds"
        )
    if wanted.by_load and workload is None:
        raise InvalidValue(("growth", "by"), "growth by load needs a workload, whose load is repeated")


def most_runs(settings: Settings) -> int:
    """Return the largest number of runs of adaptive training; a default if it is not possible."""
    auto = registry.detector(settings.method).auto
    return DEFAULT_RUNS if auto is None else auto.most


def parse_live_set(text: str) -> LiveSet | None:
    """Parse when to count the live objects: ``off``, ``end``, ``marks``, or a time from one to the next.

    Raises:
        UsageError: it is none of these, or a time below 100 ms.
    """
    known = {"off": None, "end": LiveSet(), "marks": LiveSet(at_marks=True)}
    if text in known:
        return known[text]
    try:
        period_s = parse_seconds(text)
    except UsageError as error:
        raise UsageError(
            f"live-set must be off, end, marks or a time, got {text!r}", advice="live-set: off"
        ) from error
    if period_s < SHORTEST_LIVE_SET_S:
        raise UsageError(
            f"live-set must be at least {format_seconds(SHORTEST_LIVE_SET_S)}, got {text}: each time, the "
            "whole heap is collected"
        )
    return LiveSet(period_s)


def parse_interval(text: str) -> float:
    """Parse the time between two samples, in seconds; UsageError if it is not a time or too short."""
    interval_s = parse_seconds(text)
    if interval_s < SHORTEST_INTERVAL_S:
        raise UsageError(f"interval: {text} is shorter than {format_seconds(SHORTEST_INTERVAL_S)}")
    return interval_s


@contextmanager
def _at(*at: str | int, before: str = "") -> Iterator[None]:
    """Turn an error about a value into one that has its path, unless it already has one."""
    try:
        yield
    except InvalidValue:
        raise
    except UsageError as error:
        raise InvalidValue(at, f"{before}{error.message}", error.advice) from error


class _Values(Struct, frozen=True):
    """Reads values; its errors name the value."""

    environment: Mapping[str, str]

    def text(self, at: DataPath, value: str | float | bool) -> str:
        with _at(*at):
            expanded = expand(value if isinstance(value, str) else json.dumps(value), self.environment)
            if "\0" in expanded:
                raise UsageError(f"{value!r} must not have a null character")
            return expanded

    def seconds(
        self, key: str, written: Mapping[str, Any], parse: Callable[[str], float] = parse_seconds
    ) -> float:
        with _at(key):
            return parse(str(written.get(key, TEST[key].default)))

    def live_set(self, written: Mapping[str, Any]) -> LiveSet | None:
        usual = "end" if _collector(written) == "agent" else "off"
        with _at("live-set"):
            return parse_live_set(str(written.get("live-set", usual)))

    def keep_bytes(self, written: Mapping[str, Any]) -> int:
        keep = str(written.get("keep", TEST["keep"].default))
        if keep == NEVER:
            return 0
        with _at("keep"):
            try:
                size = parse_bytes(keep)
            except UsageError as error:
                raise UsageError(f"keep: {error.message}, or {NEVER}", advice=error.advice) from error
            if not size:
                raise UsageError(f"keep must be a size above 0, or {NEVER}, got {keep}")
            return size

    def limit_bytes(self, written: Mapping[str, Any]) -> int | None:
        if "limit" not in written:
            return None
        with _at("limit"):
            try:
                limit = parse_bytes(str(written["limit"]))
            except UsageError as error:
                raise UsageError(f"limit: {error.message}", advice=error.advice) from error
            if limit < MIB or str(written["limit"]).strip().isdecimal():
                raise UsageError(
                    f"limit must be a size with a unit, of at least 1 MiB, got {written['limit']}",
                    advice=f"write {_guess_limit(written['limit'])}",
                )
            return limit

    def budget(self, written: Mapping[str, Any]) -> dict[str, str]:
        budget = {name: str(size) for name, size in written.get("budget", {}).items()}
        for name, size in budget.items():
            if not is_effect(size) or size == NEVER_MATTERS:
                raise InvalidValue(("budget", name), f"{size!r} is no size such as 5%, 20ms or 512KiB")
        return budget

    def settings(self, judge: Mapping[str, Any]) -> Settings:
        with _at("judge"):
            return settings_from(judge)

    def workload(self, data: Mapping[str, Any]) -> Workload:
        at = ("workload",)
        with _at(*at):
            return workload_from(data, partial(self.text, at), partial(self.command, (*at, "command")))

    def labels(self, written: Mapping[str, Any]) -> dict[str, str]:
        with _at("labels"):
            configured = {
                key: self.text(("labels", key), value) for key, value in written.get("labels", {}).items()
            }
            return join(configured, self.environment)

    def window(self, data: Mapping[str, Any]) -> Window:
        def moment(key: str, usual: str) -> Moment:
            with _at("window", key):
                return parse_moment(str(data.get(key, usual)))

        return Window(moment("from", PROGRAM_START), moment("to", PROGRAM_END))

    def service(self, name: str, data: Any, directory: Path | None, mask: tuple[str, ...]) -> Service:
        at: DataPath = ("services", name)

        def text(within: DataPath, value: str | float | bool) -> str:
            return self.text((*at, *within), value)

        def command(within: DataPath, value: str | list[Any]) -> tuple[str, ...]:
            return self.command((*at, *within), value)

        with _at(*at):
            return service_from(name, data, directory, text, command, mask)

    def source(self, name: str, data: Mapping[str, Any], interval_s: float) -> SourceSpec:
        at: DataPath = ("sources", name)
        kind = data.get("kind", name)
        settings = {
            key: self.expand((*at, key), value)
            for key, value in data.items()
            if key not in ("kind", "interval", "timeout")
        }
        with _at(*at, before=f"the source {name}: "):
            own = {key: parse_seconds(str(data[key])) for key in ("interval", "timeout") if key in data}
            chosen.source(kind)(settings)
        usual_s = max(SOURCE_INTERVAL_S, interval_s)
        return SourceSpec(
            name, kind, settings, own.get("interval", usual_s), own.get("timeout", SOURCE_TIMEOUT_S)
        )

    def expand(self, at: DataPath, value: Any) -> Any:
        """Return data with the variables of its texts replaced; ${port} stays, it is known later."""
        if isinstance(value, str):
            return self.text(at, value.replace("${port}", "$${port}"))
        if isinstance(value, list):
            return [self.expand((*at, place), part) for place, part in enumerate(value)]
        if isinstance(value, dict):
            return {key: self.expand((*at, key), part) for key, part in value.items()}
        return value

    def command(self, at: DataPath, written: str | list[Any]) -> tuple[str, ...]:
        """Return the words of a command. Split first, then expand: a value with a blank stays one word."""
        try:
            words = shlex.split(written) if isinstance(written, str) else written
        except ValueError as error:
            shown = Mask().text(str(written))
            raise InvalidValue(at, f"command: {str(error).lower()} in {shown!r}") from error
        if not words or not words[0]:
            raise InvalidValue(at, "command must not be empty", advice="command: [java, ...]")
        is_text = isinstance(written, str)
        return tuple(self.text(at if is_text else (*at, index), word) for index, word in enumerate(words))


def _guess_limit(written: object) -> str:
    """Return the limit that a user may have meant: a number without a unit is of bytes, or else of MiB."""
    text = str(written).strip()
    n_bytes = int(text) if text.isdecimal() else 0
    return f"limit: {-(-n_bytes // MIB) if n_bytes >= MIB else n_bytes or 512}MiB"


def _mbean(data: Mapping[str, Any]) -> MBeanSpec:
    return MBeanSpec(
        pattern=data["name"],
        attributes=tuple(data.get("attributes", ())),
        metadata=tuple(data.get("metadata", ())),
        notifications=data.get("notifications", True),
    )
