"""One launch under Flight Recorder, from the start to the profile.

async-profiler runs beside Flight Recorder for native memory, and for processor time on Java 17. The
recordings are folded by a small Java program in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from buto import jars
from buto.errors import MeasureError, UsageError
from buto.measure import exits, quality
from buto.measure.class_files import loading_option, with_loaded
from buto.measure.flight_settings import AT_MARK, TICK_S, JvmRecorder, settings_text
from buto.measure.hooks import LaunchHooks
from buto.measure.jvms import first_installation, main_name, own_environment
from buto.measure.launch import Launch
from buto.measure.private_directory import private_directory
from buto.measure.progress import OnTick
from buto.measure.target import Target
from buto.measure.windowed import (
    ALL,
    Followed,
    WindowMarks,
    followed,
    is_measured,
)
from buto.run.profiles import Kind, Profile, parse, with_profiler
from buto.run.window import Window
from buto.steps import Action, Advice, Step

_LIBRARY = "libasyncProfiler.so"
_PLACES = ("", _LIBRARY, f"lib/{_LIBRARY}")

_DOWNLOAD = "https://repo1.maven.org/maven2/tools/profiler/async-profiler/"


def profiler_options(place: Path, kinds: Collection[Kind]) -> list[str]:
    """Return the options that load async-profiler; ``{recordings}`` stands for the directory of recordings.

    Args:
        place: its library, or the directory in which it was unpacked.

    Raises:
        UsageError: there is no such library.
    """
    found = next((path for path in map(place.joinpath, _PLACES) if path.is_file()), None)
    if found is None:
        raise UsageError(
            f"{place} is neither {_LIBRARY} nor a directory that has it", advice=f"get it from {_DOWNLOAD}"
        )
    wanted = ["start", "jfr"]
    wanted += ["event=ctimer", "interval=2ms"] if Kind.CPU in kinds else []
    wanted += ["nativemem=4k"] if Kind.NATIVE in kinds else []
    return [f"-agentpath:{os.path.abspath(found)}={','.join(wanted)},file={{recordings}}/profiler-%p.jfr"]


OLDEST_JAVA = 17
READING_S = 300.0
SILENCE_S = 30
"""A recording is given up after so long without an event: the JDK's parser can hang on damage."""

_MODULE = "jdk.jfr"
_OPTIONS = (
    # The parser holds all stacks of a part of a recording; the heap grows only as far as it must.
    "-Xmx1g",
    "-Xss2m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Xshare:auto",
)


def read(recordings: Sequence[Path]) -> list[Profile]:
    """Return a profile of each recording; one that is damaged has what could be read, and why not more.

    Raises:
        MeasureError: no Java can read them, or reading them does not end.
    """
    if not recordings:
        return []
    reader = ["-cp", str(jars.path(jars.JFR)), "buto.probes.jfr.Main", str(SILENCE_S)]
    limit_s = READING_S + SILENCE_S * len(recordings)
    try:
        done = subprocess.run(
            [str(reading_java()), *_OPTIONS, *reader, *map(str, recordings)],
            env=own_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=limit_s,
            check=False,
        )
        return parse(done.stdout.decode("utf-8", "replace"))
    except subprocess.TimeoutExpired as error:
        raise _unreadable(f"took longer than {limit_s:g} s", b"") from error
    except (OSError, ValueError) as error:
        raise _unreadable(f"failed: {error}", b"" if isinstance(error, OSError) else done.stderr) from error


@cache
def reading_java() -> Path:
    """Return the first ``java`` of this machine that can read recordings; MeasureError if there is none."""
    purpose = f"reading recordings needs Java {OLDEST_JAVA} or newer with the module {_MODULE}"
    return first_installation(OLDEST_JAVA, purpose, has_flight_recorder).java


def has_flight_recorder(java: Path) -> bool:
    """Return whether a Java has Flight Recorder, by its file ``release``; true if unknown."""
    try:
        release = (java.resolve().parent.parent / "release").read_text(errors="replace")
    except OSError:
        return True
    modules = next((line for line in release.splitlines() if line.startswith("MODULES=")), None)
    return modules is None or _MODULE in modules.partition("=")[2].strip('"').split()


def _unreadable(why: str, printed: bytes) -> MeasureError:
    printed_text = printed.decode(errors="replace").strip()
    return MeasureError(
        f"the reader of recordings {why}{f': {printed_text}' if printed_text else ''}",
        advice=Advice("see whether this Java works: ", Step(Action.DOCTOR)),
    )


_PARTS = ".parts.jfr"
_CUT_OFF = "the JVM writes its recording once a second, so the end is missing, and no kept object is known"


@dataclass(frozen=True, slots=True)
class Flight:
    """A profiled launch.

    Attributes:
        starved: why the profile should be repeated, as in runs; empty if it need not.
        ending: what a reader should know of the program's end; empty if it exited as expected.
        cpu_s: processor time of the program with all that recording costs.
        size: bytes of the recording.
    """

    profile: Profile
    starved: str
    ending: str
    cpu_s: float
    size: int


def record_flight(
    target: Target,
    kinds: Collection[Kind],
    on_tick: OnTick | None = None,
    hooks: LaunchHooks | None = None,
    more_options: Collection[str] = (),
    window: Window = ALL,
) -> Flight:
    """Launch a program once under Flight Recorder.

    Nothing of it is stored, and no agent of buto's is loaded: what the recorder costs must not look like a
    run.

    Args:
        window: the part that is recorded. If it has the program's end, the JVM also writes what it has at the
            end of the workload, in case that it halts.
        more_options: further options of the JVM, in which ``{recordings}`` stands for a directory.

    Raises:
        MeasureError: the program cannot be started or fails, or there is no recording of it.
        StorageError: the temporary directory cannot be written.
    """
    with private_directory() as directory:
        recordings, repository = directory / "recordings", directory / "repository"
        recordings.mkdir()
        repository.mkdir()
        settings = directory / "settings.jfc"
        settings.write_text(settings_text(kinds, window))
        more = [option.replace("{recordings}", str(recordings)) for option in more_options]
        recorder = JvmRecorder(kinds, settings, recordings, repository, window)
        marks = WindowMarks(window, recorder)
        options = [*recorder.options(), loading_option(directory), *more]
        with followed(target, directory, options, marks, hooks, on_tick, "profiling") as ended:
            files = recorded_files(recordings, repository)
            if not files and marks.missing in (window.start.mark, window.end.mark):
                raise MeasureError(
                    f"its window {window} cannot be profiled: there was no mark {marks.missing!r}"
                    f"\n{ended.launch.quote()}",
                    advice="give the test a window whose marks its workload sets, or window: {from: main}",
                )
            how = _how(ended)
            if not how and any(path.name.endswith(_PARTS) for path in files):
                how = f"it did not run its exit hooks, as after Runtime.halt: {_CUT_OFF}"
            measured = _measured(ended.launch, read(files), timed_out=ended.timed_out)
            profile = replace(measured, facts=with_loaded(measured.facts, directory))
        size = sum(path.stat().st_size for path in files)
        starved = _starved(profile, target, ended.foreign_load)
        return Flight(profile, starved, how, ended.ending.cpu_s, size)


def recorded_files(recordings: Path, repository: Path) -> list[Path]:
    """Return the recordings of all JVMs of a launch.

    A JVM that exits writes one file. Of one that was halted or killed there is what it wrote at the end of
    its window; else parts in the repository, in a directory of its own: joined they are a recording, too.
    """
    whole = sorted(path for path in recordings.iterdir() if path.is_file() and path.stat().st_size)
    if recordings / AT_MARK in whole:
        return whole
    for own in sorted(path for path in repository.iterdir() if path.is_dir()):
        parts = sorted(path for path in own.glob("*.jfr") if path.stat().st_size)
        if parts:
            joined = recordings / f"{own.name}{_PARTS}"
            with joined.open("wb") as file:
                for part in parts:
                    file.write(part.read_bytes())
            whole.append(joined)
    return whole


def _how(ended: Followed) -> str:
    """Return what to say of a program that did not exit; empty if it did."""
    if ended.timed_out:
        return f"it was stopped at its time limit of {ended.launch.target.timeout_s:g} s"
    if ended.ending.signal is not None:
        return f"it was ended by signal {ended.ending.signal}: {_CUT_OFF}"
    return ""


def _measured(launch: Launch, profiles: list[Profile], *, timed_out: bool) -> Profile:
    """Return the profile of the JVM to measure; raise MeasureError if there is none."""
    named = [one for one in profiles if "version" in one.facts or one.stacks]
    wanted = [one for one in named if is_measured(launch, one.facts.get("program", ""))]
    if not wanted:
        if profiles and not named:
            raise MeasureError(
                "the program was killed or halted before the JVM had written any of its recording, "
                f"which it does once a second\n{launch.quote()}",
                advice="give it more work, or let it return from main",
            )
        raise _no_recording(launch, [main_name(one.facts.get("program", "")) for one in named], timed_out)
    return _joined(wanted)


def _joined(profiles: list[Profile]) -> Profile:
    """Return the profile with the most events, which is that of the program behind short-lived helpers.

    What async-profiler recorded of the same JVM replaces what Flight Recorder has of the same kind.
    """
    recorded = [one for one in profiles if one.ticks_ms]
    chosen = max(recorded or profiles, key=lambda one: one.events)
    others = [
        one for one in profiles if one not in recorded and one.facts.get("pid") == chosen.facts.get("pid")
    ]
    return with_profiler(chosen, others[0]) if recorded and others else chosen


def _no_recording(launch: Launch, others: list[str], timed_out: bool) -> MeasureError:
    if any(others):
        return exits.no_jvm(launch, others, timed_out=timed_out)
    java = Path(launch.line.arguments[0])
    if launch.line.direct and not has_flight_recorder(java):
        why = f"{java} has no Flight Recorder: its runtime lacks the module jdk.jfr"
    else:
        why = (
            "the program left no recording: it needs Java "
            f"{OLDEST_JAVA} or newer with the module jdk.jfr, in an environment that keeps JAVA_TOOL_OPTIONS"
        )
    return MeasureError(
        f"{why}\n{launch.quote()}",
        advice="launch it with a complete JDK for this question; checks do not need one",
    )


def _starved(profile: Profile, target: Target, foreign_load: float) -> str:
    """Return why a profile is starved by the rule for runs, from the times of the recorder's own ticks."""
    times_s = np.array(profile.ticks_ms, dtype=np.float64) / 1000
    times_s = times_s[np.append(True, np.diff(times_s) > 0)] if len(times_s) else times_s
    if len(times_s) < 2:
        return ""
    sampled = quality.sampling(times_s - times_s[0], TICK_S)
    ticking = replace(target, interval_s=TICK_S)
    problems = quality.starved(ticking, sampled, foreign_load)
    return problems[0].text if problems else ""
