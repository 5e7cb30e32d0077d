"""Settings of Flight Recorder: which events are recorded for which kinds, and the JVM options for that."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from buto.run.profiles import Kind

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
    Kind.ALLOCATION: {"jdk.ObjectAllocationSample": {**_STACK, "throttle": "1000/s"}},
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


def settings_text(kinds: Collection[Kind]) -> str:
    """Return the settings file (``.jfc``) for these kinds."""
    events: dict[str, Mapping[str, str]] = dict(_ALWAYS)
    for kind in kinds:
        for name, of in _EVENTS[kind].items():
            events[name] = _joined(events.get(name, {}), of)
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *_document(events), ""])


def jvm_options(kinds: Collection[Kind], settings: Path, recordings: Path, repository: Path) -> list[str]:
    """Return the options with which a JVM records.

    Args:
        settings: a file with :func:`settings_text`.
        recordings: a directory, in which each JVM writes a file as it exits.
        repository: a directory for parts of recordings, which stay there if a JVM does not exit in order.
    """
    start = f"settings={settings},filename={recordings},disk=true,dumponexit=true,maxsize={_LARGEST}"
    # Without paths there is no object at all in the recording.
    paths = ",path-to-gc-roots=true" if _keeps(kinds) else ""
    recorder = f"stackdepth={_DEPTH},old-object-queue-size={_KEPT_OBJECTS},repository={repository}"
    size = BETWEEN_SAMPLES if _keeps(kinds) else BETWEEN_ALLOCATIONS
    small = [f"-XX:TLABSize={size}", "-XX:-ResizeTLAB"] if _NEEDS_SAMPLES & set(kinds) else []
    # Without it, samples of a method that is inlined count for its callers.
    exact = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"] if Kind.CPU in kinds else []
    return [
        f"-XX:FlightRecorderOptions={recorder}",
        f"-XX:StartFlightRecording={start}{paths}",
        "-Xlog:jfr+startup=error",
        *small,
        *exact,
    ]


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
