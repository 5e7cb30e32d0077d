"""One launch under Flight Recorder, from the start to the profile.

async-profiler runs beside Flight Recorder for native memory, and for processor time on Java 17. The
recordings are folded by a small Java program in a process of its own.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from msgspec import Struct

from buto.causes.class_files import DIRECTORY, loading_option, with_loaded
from buto.causes.flight_settings import (
    AT_MARK,
    BETWEEN_SAMPLES,
    TICK_S,
    JvmRecorder,
    bytes_between_samples,
    settings_text,
)
from buto.causes.profiles import Profile, ProfileKind, parse, with_profiler
from buto.causes.windowed import (
    ALL,
    Followed,
    WindowMarks,
    follow,
    is_measured,
)
from buto.errors import MeasureError, UsageError
from buto.measure import exits, quality
from buto.measure.hooks import LaunchHooks
from buto.measure.jvms import main_name
from buto.measure.launch import Launch
from buto.measure.private_directory import private_directory
from buto.measure.progress import OnTick
from buto.measure.recordings import OLDEST_JAVA, has_flight_recorder, run_reader
from buto.measure.target import Target
from buto.run.window import Window

_LIBRARY = "libasyncProfiler.so"
_PLACES = ("", _LIBRARY, f"lib/{_LIBRARY}")

_DOWNLOAD = "https://repo1.maven.org/maven2/tools/profiler/async-profiler/"


def profiler_options(place: Path, kinds: Collection[ProfileKind]) -> list[str]:
    """Return the options that load async-profiler; ``{recordings}`` stands for the directory of recordings.

    Args:
        place: its library, or the directory in which it was unpacked.

    Raises:
        UsageError: there is no such library.
    """
    library = next((path for path in map(place.joinpath, _PLACES) if path.is_file()), None)
    if library is None:
        raise UsageError(
            f"{place} is neither {_LIBRARY} nor a directory that has it", advice=f"get it from {_DOWNLOAD}"
        )
    wanted = ["start", "jfr"]
    wanted += ["event=ctimer", "interval=2ms"] if ProfileKind.CPU in kinds else []
    wanted += ["nativemem=4k"] if ProfileKind.NATIVE in kinds else []
    return [f"-agentpath:{os.path.abspath(library)}={','.join(wanted)},file={{recordings}}/profiler-%p.jfr"]


READING_S = 300.0
SILENCE_S = 30
"""A recording is given up after so long without an event: the JDK's parser can hang on damage."""


def read(recordings: Sequence[Path], between_samples: int = BETWEEN_SAMPLES) -> list[Profile]:
    """Return a profile of each recording; one that is damaged has what could be read, and why not more.

    Args:
        between_samples: bytes for which a kept object stands, see :func:`bytes_between_samples`.

    Raises:
        MeasureError: no Java can read them, or reading them does not end.
    """
    if not recordings:
        return []
    words = [str(SILENCE_S), str(between_samples), *map(str, recordings)]
    return run_reader("Main", words, parse, READING_S + SILENCE_S * len(recordings))


_PARTS = ".parts.jfr"
_CUT_OFF = "the JVM writes its recording once a second, so the end is missing, and no kept object is known"


class Flight(Struct, frozen=True):
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
    kinds: Collection[ProfileKind],
    on_tick: OnTick | None = None,
    hooks: LaunchHooks | None = None,
    more_options: Collection[str] = (),
    window: Window = ALL,
    allocated: float | None = None,
) -> Flight:
    """Launch a program once under Flight Recorder.

    Nothing of it is stored, and no agent of buto's is loaded: what the recorder costs must not look like a
    run.

    Args:
        window: the part that is recorded. If it has the program's end, the JVM also writes what it has at the
            end of the workload, in case that it halts.
        more_options: further options of the JVM, in which ``{recordings}`` stands for a directory.
        allocated: bytes that a run allocates, so that there are neither few samples nor too many; None if not
            known. Programs that are compared need the same.

    Raises:
        MeasureError: the program cannot be started or fails, or there is no recording of it.
        StorageError: the temporary directory cannot be written.
    """
    with private_directory() as directory:
        recordings, repository = directory / "recordings", directory / "repository"
        recordings.mkdir()
        repository.mkdir()
        settings = directory / "settings.jfc"
        settings.write_text(settings_text(kinds))
        more = [option.replace("{recordings}", str(recordings)) for option in more_options]
        size = bytes_between_samples(kinds, allocated)
        recorder = JvmRecorder(kinds, settings, recordings, repository, window, size)
        marks = WindowMarks(window, recorder)
        options = [*recorder.options(), loading_option(directory), *more]
        with follow(target, directory, options, marks, hooks, on_tick, "profiling") as ended:
            files = list_recordings(recordings, repository)
            if not files and marks.missing in (window.start.mark, window.end.mark):
                raise MeasureError(
                    f"its window {window} cannot be profiled: there was no mark {marks.missing!r}"
                    f"\n{ended.launch.quote()}",
                    advice="give the test a window whose marks its workload sets, or window: {from: main}",
                )
            how = _how(ended)
            if not how and any(path.name.endswith(_PARTS) for path in files):
                how = f"it did not run its exit hooks, as after Runtime.halt: {_CUT_OFF}"
            measured = _measure(ended.launch, read(files, size), timed_out=ended.timed_out)
            # No event tells where the JVM ran.
            facts = {**measured.facts, DIRECTORY: ended.directory}
            profile = replace(measured, facts=with_loaded(facts, directory))
        recorded = sum(path.stat().st_size for path in files)
        starved = _find_starved(profile, target, ended.foreign_load)
        return Flight(profile, starved, how, ended.ending.used.cpu_s, recorded)


def list_recordings(recordings: Path, repository: Path) -> list[Path]:
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
    launch = ended.launch
    # A script that is asked to end leaves its JVM behind, which ends in order.
    is_left = launch.was_asked_to_end and not launch.line.direct
    if ended.ending.signal is not None and not is_left:
        return f"it was ended by signal {ended.ending.signal}: {_CUT_OFF}"
    return ""


def _measure(launch: Launch, profiles: list[Profile], *, timed_out: bool) -> Profile:
    """Return the profile of the JVM to measure; raise MeasureError if there is none."""
    named = [profile for profile in profiles if "version" in profile.facts or profile.stacks]
    wanted = [profile for profile in named if is_measured(launch, profile.facts.get("program", ""))]
    if not wanted:
        if profiles and not named:
            raise MeasureError(
                "the program was killed or halted before the JVM had written any of its recording, "
                f"which it does once a second\n{launch.quote()}",
                advice="give it more work, or let it return from main",
            )
        raise _no_recording(
            launch, [main_name(profile.facts.get("program", "")) for profile in named], timed_out
        )
    return _join(wanted)


def _join(profiles: list[Profile]) -> Profile:
    """Return the profile with the most events, which is that of the program behind short-lived helpers.

    What async-profiler recorded of the same JVM replaces what Flight Recorder has of the same kind.
    """
    recorded = [profile for profile in profiles if profile.ticks_ms]
    chosen = max(recorded or profiles, key=lambda profile: profile.events)
    others = [
        profile
        for profile in profiles
        if profile not in recorded and profile.facts.get("pid") == chosen.facts.get("pid")
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


def _find_starved(profile: Profile, target: Target, foreign_load: float) -> str:
    """Return why a profile is starved by the rule for runs, from the times of the recorder's own ticks."""
    times_s = np.array(profile.ticks_ms, dtype=np.float64) / 1000
    times_s = times_s[np.append(True, np.diff(times_s) > 0)] if len(times_s) else times_s
    if len(times_s) < 2:
        return ""
    sampled = quality.sampling(times_s - times_s[0], TICK_S)
    ticking = replace(target, interval_s=TICK_S)
    problems = quality.find_starvation(ticking, sampled, foreign_load)
    return problems[0].text if problems else ""
