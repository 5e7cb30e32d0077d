"""One launch under Flight Recorder, from the start to the profile.

async-profiler runs beside Flight Recorder for native memory, and for processor time on Java 17. The
recordings are folded by a small Java program in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from buto import jars
from buto.errors import MeasureError, UsageError
from buto.measure import account, exits, quality
from buto.measure.flight_settings import TICK_S, jvm_options, settings_text
from buto.measure.hooks import HookCaller, LaunchHooks
from buto.measure.host import LoadMeter
from buto.measure.jvms import first_installation, is_wanted, local_jvm, main_name, own_environment
from buto.measure.launch import Ending, Launch, TimeLimit
from buto.measure.private_directory import private_directory
from buto.measure.progress import OnTick, Progress
from buto.measure.recording import Recording
from buto.measure.target import Target
from buto.run.profiles import Kind, Profile, parse, with_profiler
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


_TICK_S = 0.1
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
) -> Flight:
    """Launch a program once under Flight Recorder.

    Nothing of it is stored, and no agent of buto's is loaded: what the recorder costs must not look like a
    run.

    Args:
        more_options: further options of the JVM, in which ``{recordings}`` stands for a directory.

    Raises:
        MeasureError: the program cannot be started or fails, or there is no recording of it.
        StorageError: the temporary directory cannot be written.
    """
    with private_directory() as directory:
        places = [directory / name for name in ("recordings", "repository")]
        for place in places:
            place.mkdir()
        settings = directory / "settings.jfc"
        settings.write_text(settings_text(kinds))
        more = [option.replace("{recordings}", str(places[0])) for option in more_options]
        options = [*jvm_options(kinds, settings, *places), *more]
        load, begun = LoadMeter(), Recording("profile")
        with (
            Launch(target, directory, options) as launch,
            HookCaller(hooks, launch, begun) as hook_caller,
        ):
            timed_out = _followed(launch, begun, hook_caller, hooks is not None, on_tick)
            failed = hook_caller.end()
            foreign_load = load.foreign_load(hook_caller.cpu_s())
            launch.end_all()
            ending = launch.poll()
            assert ending is not None
            if failed:
                raise MeasureError(
                    f"{failed[0].text}\n{launch.quote()}",
                    advice="correct the services or the workload of this test: a check would fail, too",
                )
            how = _checked_ending(launch, ending, timed_out=timed_out)
            files = recorded_files(*places)
            if not how and any(path.name.endswith(_PARTS) for path in files):
                how = f"it did not run its exit hooks, as after Runtime.halt: {_CUT_OFF}"
            profile = _measured(launch, read(files), timed_out=timed_out)
        size = sum(path.stat().st_size for path in files)
        return Flight(profile, _starved(profile, target, foreign_load), how, ending.cpu_s, size)


def recorded_files(recordings: Path, repository: Path) -> list[Path]:
    """Return the recordings of all JVMs of a launch.

    A JVM that exits writes one file. Of one that was halted or killed there are parts in the repository, in a
    directory of its own; joined they are a recording, too.
    """
    whole = sorted(path for path in recordings.iterdir() if path.is_file() and path.stat().st_size)
    for own in sorted(path for path in repository.iterdir() if path.is_dir()):
        parts = sorted(path for path in own.glob("*.jfr") if path.stat().st_size)
        if parts:
            joined = recordings / f"{own.name}{_PARTS}"
            with joined.open("wb") as file:
                for part in parts:
                    file.write(part.read_bytes())
            whole.append(joined)
    return whole


def _followed(
    launch: Launch, begun: Recording, hook_caller: HookCaller, has_hooks: bool, on_tick: OnTick | None
) -> bool:
    """Follow a launch to its end; return whether its time limit has passed."""
    limit = TimeLimit(launch)
    while not launch.is_finished():
        if launch.poll() is None:
            launch.wait(_TICK_S)
        else:
            # The command has ended and left processes behind, of which one may be the program.
            account.wait_for_end(launch.members(), _TICK_S)
        limit.enforce()
        launch.trim_outputs()
        if has_hooks and begun.zero_ns is None:
            pid = _started(launch)
            if pid is not None:
                begun.zero_ns = time.monotonic_ns()
                hook_caller.start(pid)
        if on_tick is not None:
            elapsed_s = (time.monotonic_ns() - launch.started_ns) * 1e-9
            on_tick(Progress(elapsed_s, launch.target.timeout_s, 0, "profiling"))
    return limit.has_passed


def _started(launch: Launch) -> int | None:
    """Return the process id of the JVM to measure, once its program starts."""
    for pid in launch.members():
        jvm = local_jvm(pid)
        if jvm is not None and jvm.is_ready and _is_measured(launch, jvm.command):
            return pid
    return None


def _is_measured(launch: Launch, command: str) -> bool:
    pattern = launch.target.jvm
    return (launch.line.direct and pattern is None) or is_wanted(command, pattern)


def _checked_ending(launch: Launch, ending: Ending, *, timed_out: bool) -> str:
    """Return what to say of a program that did not exit; raise MeasureError for another exit code."""
    if timed_out:
        return f"it was stopped at its time limit of {launch.target.timeout_s:g} s"
    if ending.signal is not None:
        return f"it was ended by signal {ending.signal}: {_CUT_OFF}"
    if ending.exit_code != launch.target.expected_exit:
        not_created = exits.jvm_not_created(launch)
        if not_created is not None:
            raise not_created
        raise MeasureError(
            f"the program exited with code {ending.exit_code}, expected {launch.target.expected_exit}"
            f"\n{launch.quote()}",
            advice=f"see whether it runs by itself: {launch.mask.command(launch.target.command)}",
        )
    return ""


def _measured(launch: Launch, profiles: list[Profile], *, timed_out: bool) -> Profile:
    """Return the profile of the JVM to measure; raise MeasureError if there is none."""
    named = [one for one in profiles if "version" in one.facts or one.stacks]
    wanted = [one for one in named if _is_measured(launch, one.facts.get("program", ""))]
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
