"""Flight Recorder: which events are recorded for which kinds, and what the JVM is told for that."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from buto.measure.diagnostic_command import run_command
from buto.measure.windowed import ALL, begins_with_jvm
from buto.run.profiles import Kind
from buto.run.window import PROGRAM_END, Window

TICK_S = 0.1
"""Interval of the event that shows whether the recorder, and so the program, was starved."""

BETWEEN_SAMPLES = "16k"
"""Size of a thread's allocation buffer: with larger ones there are too few samples of allocations. The reader
of recordings knows this size, too."""

BETWEEN_ALLOCATIONS = "2k"
"""The same where no kept objects are recorded, each of which costs a stack. A program that repeats itself
allocates at the same few sites whenever a buffer is full; with small buffers they are most of its sites."""

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

_SAMPLES = "jdk.ObjectAllocationSample"

_RATE_OF_BURSTS = "10000/s"
"""Of samples of allocations in the window of a service. What is above the limit counts for the next sample of
the thread, which is what each burst begins with: waiting for a request, and its buffers."""

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

_EVENTS: Mapping[Kind, Mapping[str, Mapping[str, str]]] = {
    Kind.ALLOCATION: {_SAMPLES: {**_STACK, "throttle": "1000/s"}},
    Kind.RETENTION: {
        "jdk.OldObjectSample": {**_STACK, "cutoff": "infinity"},
        "jdk.ObjectCount": _COUNTED,
    },
    Kind.CPU: {
        # Java 17 has the first only; the reader prefers the second, which also sees native code.
        "jdk.ExecutionSample": {"enabled": "true", "period": "2 ms"},
        "jdk.CPUTimeSample": {**_STACK, "throttle": "2ms"},
        "jdk.CPUTimeSamplesLost": {"enabled": "true"},
    },
    Kind.STARTED: {"jdk.ThreadStart": _STACK},
    Kind.ALIVE: {"jdk.ThreadStart": _STACK, "jdk.ThreadEnd": {"enabled": "true"}},
    Kind.CLASSES: {"jdk.ClassDefine": _STACK},
    Kind.LOADED: {
        "jdk.ClassDefine": _STACK,
        "jdk.ClassUnload": {"enabled": "true"},
        "jdk.ObjectCount": _COUNTED,
    },
    Kind.BUFFERS: {
        "jdk.MethodTrace": {**_ALL, "filter": _RESERVING},
        "jdk.OldObjectSample": {**_STACK, "cutoff": "infinity"},
        "jdk.DirectBufferStatistics": {"enabled": "true", "period": "1 s"},
    },
    Kind.FILES: {"jdk.MethodTrace": {**_ALL, "filter": _OPENING}},
    Kind.EXCEPTIONS: {"jdk.JavaExceptionThrow": {**_STACK, "throttle": "off"}, "jdk.JavaErrorThrow": _STACK},
    Kind.LOCKS: {"jdk.JavaMonitorEnter": {**_STACK, "threshold": "1 ms"}},
    Kind.IO: {
        f"jdk.{name}": {**_ALL, "throttle": "off"}
        for name in ("FileRead", "FileWrite", "SocketRead", "SocketWrite")
    },
    Kind.NATIVE: {},
}

_NEEDS_SAMPLES = {Kind.ALLOCATION, Kind.RETENTION, Kind.BUFFERS}


def settings_text(kinds: Collection[Kind], window: Window = ALL) -> str:
    """Return the settings file (``.jfc``) for these kinds, in a window."""
    events: dict[str, Mapping[str, str]] = dict(_ALWAYS)
    for kind in kinds:
        for name, of in _EVENTS[kind].items():
            events[name] = _joined(events.get(name, {}), of)
    samples = events.get(_SAMPLES)
    if samples is not None and not begins_with_jvm(window):
        events[_SAMPLES] = {**samples, "throttle": _RATE_OF_BURSTS}
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *_document(events), ""])


class JvmRecorder:
    """What a JVM is told so that it records: by its options, and by diagnostic commands in its window.

    Args:
        settings: a file with :func:`settings_text`.
        recordings: a directory, in which each JVM writes a file as it exits if that belongs to its window.
        repository: a directory for parts of recordings, which stay there if a JVM does not exit in order.
    """

    def __init__(
        self, kinds: Collection[Kind], settings: Path, recordings: Path, repository: Path, window: Window
    ) -> None:
        self._kinds = kinds
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
        size = BETWEEN_ALLOCATIONS if self._at_once and not _keeps(kinds) else BETWEEN_SAMPLES
        small = [f"-XX:TLABSize={size}", "-XX:-ResizeTLAB"] if _NEEDS_SAMPLES & set(kinds) else []
        # Without it, samples of a method that is inlined count for its callers.
        exact = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"] if Kind.CPU in kinds else []
        start = ",".join(f"{key}={value}" for key, value in self._recording.items())
        return [
            f"-XX:FlightRecorderOptions={recorder},repository={self._repository}",
            *([f"-XX:StartFlightRecording={start}"] if self._at_once else []),
            "-Xlog:jfr+startup=error",
            *small,
            *exact,
        ]

    def start(self, pid: int) -> None:
        """Begin the recording; raises as :class:`Asked`."""
        self._ask(pid, "JFR.start", self._recording)

    def end(self, pid: int) -> None:
        """Have the JVM write what it has recorded; raises as :class:`Asked`."""
        self._ask(pid, "JFR.dump", {"name": _NAME, **self._paths, "filename": self._file})

    def _ask(self, pid: int, command: str, options: Mapping[str, object]) -> None:
        words = [f'{key}="{value}"' for key, value in options.items()]
        run_command(pid, " ".join([command, *words]), _WITHIN_S)


def _joined(one: Mapping[str, str], other: Mapping[str, str]) -> Mapping[str, str]:
    """Return the settings of an event that two kinds need; the methods of both are traced."""
    filters = [of["filter"] for of in (one, other) if "filter" in of]
    return {**one, **other, "filter": ";".join(dict.fromkeys(filters))} if filters else {**one, **other}


def _keeps(kinds: Collection[Kind]) -> bool:
    return any("jdk.OldObjectSample" in _EVENTS[kind] for kind in kinds)


def _document(events: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    yield '<configuration version="2.0" label="buto" provider="buto">'
    for name, settings in events.items():
        yield f"  <event name={quoteattr(name)}>"
        for key, value in settings.items():
            yield f"    <setting name={quoteattr(key)}>{value}</setting>"
        yield "  </event>"
    yield "</configuration>"
