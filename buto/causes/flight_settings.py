"""Flight Recorder: which events are recorded for which kinds, and what the JVM is told for that."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from buto.causes.profiles import ProfileKind
from buto.causes.windowed import ALL, begins_with_jvm
from buto.measure.diagnostic_command import run_command
from buto.run.window import PROGRAM_END, Window

TICK_S = 0.1
"""Interval of the event that shows whether the recorder, and so the program, was starved."""

BETWEEN_SAMPLES = 16 << 10
"""Size of a thread's allocation buffer, bytes, where nothing else decides it: each full one is a sample."""

_SMALLEST, _LARGEST_BUFFER = 2 << 10, 256 << 10
"""A program that repeats itself allocates at the same few sites whenever a buffer is full; with small buffers
they are most of its sites. The JVM refuses to start with larger ones than half a region of a small heap."""

_MOST_SAMPLES = 200_000
"""Of allocations in one launch, each of which costs some five microseconds."""


def bytes_between_samples(kinds: Collection[ProfileKind], allocated: float | None) -> int:
    """Return the size of a thread's allocation buffer, a power of two.

    All full buffers are recorded. A throttle would leave out some of them, and the recorder then counts what
    it left out for the method that comes next: in a program that works in bursts, for the same one each time.

    Args:
        allocated: bytes that a run of the program allocates; None if not known.
    """
    if allocated is None:
        return BETWEEN_SAMPLES
    # A kept object costs more: the way to it is looked for, and its stack is held until then.
    size = BETWEEN_SAMPLES if _keeps(kinds) else _SMALLEST
    while size < _LARGEST_BUFFER and allocated / size > _MOST_SAMPLES:
        size *= 2
    return size


_DEPTH = 256
_KEPT_OBJECTS = 16384
"""With fewer, a small leak is lost among what lives for ever anyway."""

_LARGEST = "64m"
"""Of the recording of a program that runs for long; older parts are dropped then."""

_CHUNK = "2m"
"""Of the parts of a recording. The reader holds all stacks of a part, with tables for each frame."""

_NAME = "buto"
"""Of the recording, in the JVM."""

AT_MARK = "window.jfr"
"""The file that is written at the end of the window."""

_WITHIN_S = 120.0
"""For one command. Paths to the roots of many kept objects take time."""

_STACK = {"enabled": "true", "stackTrace": "true"}
_ALL = {**_STACK, "threshold": "0 ms"}

_ALWAYS: Mapping[str, Mapping[str, str]] = {
    "jdk.JVMInformation": {"enabled": "true", "period": "beginChunk"},
    "jdk.InitialSystemProperty": {"enabled": "true", "period": "beginChunk"},
    "jdk.GCConfiguration": {"enabled": "true", "period": "beginChunk"},
    "jdk.JavaThreadStatistics": {"enabled": "true", "period": f"{round(TICK_S * 1000)} ms"},
    "jdk.GCHeapSummary": {"enabled": "true"},
}

_COUNTED = {"enabled": "true", "period": "500 ms"}
"""It also forces a collection, without which no kept object is told of and no class is unloaded."""

_RESERVING = "java.nio.Bits::reserveMemory;sun.nio.ch.FileChannelImpl::map"
_OPENING = (
    "java.io.FileCleanable::register;sun.nio.fs.UnixChannelFactory::open;"
    "java.lang.ProcessImpl::newFileDescriptor;java.io.FileDescriptor::close"
)
"""What the JDK calls once for each file of streams and of channels, and for each pipe to a process. The
reader knows these names, too."""

_EVENTS: Mapping[ProfileKind, Mapping[str, Mapping[str, str]]] = {
    ProfileKind.ALLOCATION: {
        "jdk.ObjectAllocationSample": {**_STACK, "throttle": "off"},
        # The first sample of a thread also counts what it allocated before the recording.
        "jdk.ThreadAllocationStatistics": {"enabled": "true", "period": "beginChunk"},
    },
    ProfileKind.RETENTION: {
        "jdk.OldObjectSample": {**_STACK, "cutoff": "infinity"},
        "jdk.ObjectCount": _COUNTED,
    },
    ProfileKind.CPU: {
        # Java 17 has the first only; the reader prefers the second, which also sees native code.
        "jdk.ExecutionSample": {"enabled": "true", "period": "2 ms"},
        "jdk.CPUTimeSample": {**_STACK, "throttle": "2ms"},
        "jdk.CPUTimeSamplesLost": {"enabled": "true"},
    },
    ProfileKind.STARTED: {"jdk.ThreadStart": _STACK},
    ProfileKind.ALIVE: {"jdk.ThreadStart": _STACK, "jdk.ThreadEnd": {"enabled": "true"}},
    ProfileKind.CLASSES: {"jdk.ClassDefine": _STACK},
    ProfileKind.LOADED: {
        "jdk.ClassDefine": _STACK,
        "jdk.ClassUnload": {"enabled": "true"},
        "jdk.ObjectCount": _COUNTED,
    },
    ProfileKind.BUFFERS: {
        "jdk.MethodTrace": {**_ALL, "filter": _RESERVING},
        "jdk.OldObjectSample": {**_STACK, "cutoff": "infinity"},
        "jdk.DirectBufferStatistics": {"enabled": "true", "period": "1 s"},
    },
    ProfileKind.FILES: {"jdk.MethodTrace": {**_ALL, "filter": _OPENING}},
    ProfileKind.EXCEPTIONS: {
        "jdk.JavaExceptionThrow": {**_STACK, "throttle": "off"},
        "jdk.JavaErrorThrow": _STACK,
    },
    ProfileKind.LOCKS: {"jdk.JavaMonitorEnter": {**_STACK, "threshold": "1 ms"}},
    ProfileKind.IO: {
        f"jdk.{name}": {**_ALL, "throttle": "off"}
        for name in ("FileRead", "FileWrite", "SocketRead", "SocketWrite")
    },
    ProfileKind.NATIVE: {},
}

_NEEDS_SAMPLES = {ProfileKind.ALLOCATION, ProfileKind.RETENTION, ProfileKind.BUFFERS}


def settings_text(kinds: Collection[ProfileKind]) -> str:
    """Return the settings file (``.jfc``) for these kinds."""
    events: dict[str, Mapping[str, str]] = dict(_ALWAYS)
    for kind in kinds:
        for name, of in _EVENTS[kind].items():
            events[name] = _join(events.get(name, {}), of)
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *_document(events), ""])


class JvmRecorder:
    """What a JVM is told so that it records: by its options, and by diagnostic commands in its window.

    Args:
        settings: a file with :func:`settings_text`.
        recordings: a directory, in which each JVM writes a file as it exits if that belongs to its window.
        repository: a directory for parts of recordings, which stay there if a JVM does not exit in order.
        between_samples: see :func:`bytes_between_samples`.
    """

    def __init__(
        self,
        kinds: Collection[ProfileKind],
        settings: Path,
        recordings: Path,
        repository: Path,
        window: Window = ALL,
        between_samples: int = BETWEEN_SAMPLES,
    ) -> None:
        self._kinds = kinds
        self._between_samples = between_samples
        self._repository = repository
        self._at_once = begins_with_jvm(window)
        # Without paths there is no object at all in the recording.
        self._paths = {"path-to-gc-roots": "true"} if _keeps(kinds) else {}
        self._file = recordings / AT_MARK
        self._recording = {
            "name": _NAME,
            "settings": settings,
            "disk": "true",
            "maxsize": _LARGEST,
            **self._paths,
        }
        if window.end.mark == PROGRAM_END:
            self._recording |= {"filename": recordings, "dumponexit": "true"}

    def options(self) -> list[str]:
        """Return the options with which a JVM records, or can be asked to."""
        kinds = self._kinds
        # At the end of each part the JVM looks for the way to each old object, which takes seconds.
        parts = "" if _keeps(kinds) else f",maxchunksize={_CHUNK}"
        recorder = f"stackdepth={_DEPTH},old-object-queue-size={_KEPT_OBJECTS}{parts}"
        buffers = [f"-XX:TLABSize={self._between_samples}", "-XX:-ResizeTLAB"]
        sampled = buffers if _NEEDS_SAMPLES & set(kinds) else []
        # Without it, samples of a method that is inlined count for its callers.
        exact = (
            ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"] if ProfileKind.CPU in kinds else []
        )
        start = ",".join(f"{key}={value}" for key, value in self._recording.items())
        return [
            f"-XX:FlightRecorderOptions={recorder},repository={self._repository}",
            *([f"-XX:StartFlightRecording={start}"] if self._at_once else []),
            "-Xlog:jfr+startup=error",
            *sampled,
            *exact,
        ]

    def start(self, pid: int) -> None:
        """Begin the recording; raises as :class:`Asked`."""
        self._ask(pid, "JFR.start", self._recording)

    def end(self, pid: int) -> None:
        """Have the JVM write what it has recorded; raises as :class:`Asked`."""
        if _keeps(self._kinds):
            # What is younger than the last collection is no kept object to the recorder.
            run_command(pid, "GC.run", _WITHIN_S)
        self._ask(pid, "JFR.dump", {"name": _NAME, **self._paths, "filename": self._file})

    def _ask(self, pid: int, command: str, options: Mapping[str, object]) -> None:
        words = [f'{key}="{value}"' for key, value in options.items()]
        run_command(pid, " ".join([command, *words]), _WITHIN_S)


def _join(settings: Mapping[str, str], other: Mapping[str, str]) -> Mapping[str, str]:
    """Return the settings of an event that two kinds need; the methods of both are traced."""
    filters = [of["filter"] for of in (settings, other) if "filter" in of]
    return (
        {**settings, **other, "filter": ";".join(dict.fromkeys(filters))}
        if filters
        else {**settings, **other}
    )


def _keeps(kinds: Collection[ProfileKind]) -> bool:
    return any("jdk.OldObjectSample" in _EVENTS[kind] for kind in kinds)


def _document(events: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    yield '<configuration version="2.0" label="buto" provider="buto">'
    for name, settings in events.items():
        yield f"  <event name={quoteattr(name)}>"
        for key, value in settings.items():
            yield f"    <setting name={quoteattr(key)}>{value}</setting>"
        yield "  </event>"
    yield "</configuration>"
