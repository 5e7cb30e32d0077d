"""Launching under Flight Recorder, as far as no JVM is needed."""

from __future__ import annotations

import os
import xml.etree.ElementTree as Xml
from collections.abc import Collection
from pathlib import Path

import pytest

from buto.causes import flight, flight_settings, windowed
from buto.causes.class_files import LOADED, with_loaded
from buto.causes.flight import has_flight_recorder, list_recordings, profiler_options, record_flight
from buto.causes.flight_settings import JvmRecorder, bytes_between_samples, settings_text
from buto.causes.profiles import USUAL, ProfileKind
from buto.causes.windowed import ALL
from buto.errors import MeasureError
from buto.measure.hooks import MeasuredProgram
from buto.measure.target import Target
from buto.run.model import Problem
from buto.run.window import Moment, Window
from tests.support.profiles import profile


def java_in(home: Path, script: str, modules: str = "java.base") -> str:
    """A script named ``java`` in a runtime that lists its modules."""
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\n{script}\n")
    java.chmod(0o755)
    (home / "release").write_text(f'JAVA_VERSION="21"\nMODULES="{modules}"\n')
    return os.fspath(java)


def options(kinds: Collection[ProfileKind], window: Window = ALL) -> str:
    return " ".join(JvmRecorder(kinds, Path("s"), Path("o"), Path("r"), window).options())


def test_settings_are_a_document_with_the_events_of_each_kind() -> None:
    for kinds in ([kind] for kind in ProfileKind):
        events = {element.get("name") for element in Xml.fromstring(settings_text(kinds)).iter("event")}
        assert "jdk.JavaThreadStatistics" in events
    every = Xml.fromstring(settings_text(USUAL))
    assert {"jdk.ObjectAllocationSample", "jdk.OldObjectSample", "jdk.CPUTimeSample", "jdk.MethodTrace"} <= {
        element.get("name") for element in every.iter("event")
    }
    traced = every.find(".//event[@name='jdk.MethodTrace']/setting[@name='filter']")
    assert traced is not None
    assert traced.text is not None
    assert {"java.nio.Bits::reserveMemory", "java.io.FileDescriptor::close"} <= set(traced.text.split(";"))
    # What a throttle leaves out counts for the next sample of the thread: of bursts, for the same code.
    throttle = every.find(".//event[@name='jdk.ObjectAllocationSample']/setting[@name='throttle']")
    assert throttle is not None
    assert throttle.text == "off"
    # A server that runs for hours writes no more than this.
    assert "maxsize=64m" in options(USUAL)
    cpu = options([ProfileKind.CPU])
    assert "TLABSize" not in cpu
    assert "path-to-gc-roots" not in cpu
    kept = options([ProfileKind.RETENTION])
    assert "-XX:TLABSize=16384" in kept
    assert "path-to-gc-roots=true" in kept
    # What begins later is not begun by options, and what ends earlier is not written at the exit.
    assert "StartFlightRecording" not in options(USUAL, Window(Moment("load.start")))
    assert "filename" not in options(USUAL, Window(end=Moment("load.end")))


@pytest.mark.parametrize(
    ("kinds", "allocated", "size"),
    [
        ([ProfileKind.ALLOCATION], None, 16 << 10),
        ([ProfileKind.ALLOCATION], 1e6, 2 << 10),
        ([ProfileKind.ALLOCATION], 1e9, 8 << 10),
        ([ProfileKind.ALLOCATION, ProfileKind.RETENTION], 1e6, 16 << 10),
        ([ProfileKind.ALLOCATION, ProfileKind.RETENTION], 1e10, 64 << 10),
        ([ProfileKind.ALLOCATION], 1e15, 256 << 10),
    ],
)
def test_a_program_that_allocates_more_is_sampled_more_rarely(
    kinds: list[ProfileKind], allocated: float | None, size: int
) -> None:
    assert bytes_between_samples(kinds, allocated) == size
    words = JvmRecorder(kinds, Path("s"), Path("o"), Path("r"), ALL, size).options()
    assert f"-XX:TLABSize={size}" in words


@pytest.mark.parametrize(("kind", "forced"), [(ProfileKind.RETENTION, ["GC.run"]), (ProfileKind.CPU, [])])
def test_at_the_end_of_a_window_kept_objects_are_told_apart_from_garbage(
    monkeypatch: pytest.MonkeyPatch, kind: ProfileKind, forced: list[str]
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(flight_settings, "run_command", lambda pid, command, within_s: asked.append(command))
    JvmRecorder([kind], Path("s"), Path("o"), Path("r"), Window(Moment("load.start"))).end(1)
    assert asked[:-1] == forced
    assert asked[-1].startswith("JFR.dump")


def test_a_runtime_without_flight_recorder_is_named(tmp_path: Path) -> None:
    java = java_in(tmp_path / "small", "exit 0")
    assert not has_flight_recorder(Path(java))
    assert has_flight_recorder(Path(java_in(tmp_path / "whole", "exit 0", "java.base jdk.jfr")))
    with pytest.raises(MeasureError, match=r"lacks the module jdk\.jfr") as caught:
        record_flight(Target((java, "Main")), [ProfileKind.CPU])
    assert "complete JDK" in (caught.value.advice or "")


def test_services_beside_a_profile_are_no_load_by_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known_s: list[float] = []

    class Meter:
        def foreign_load(self, known: float = 0.0) -> float:
            known_s.append(known)
            return 0.0

    class Beside:
        """Services that use seven seconds of processor time."""

        def __init__(self) -> None:
            self._cpu_s = iter((2.0, 9.0))

        def program_started(self, program: MeasuredProgram) -> None:
            pass

        def program_ended(self) -> tuple[Problem, ...]:
            return ()

        def cpu_s(self) -> float:
            return next(self._cpu_s)

    monkeypatch.setattr(windowed, "LoadMeter", Meter)
    with pytest.raises(MeasureError, match="Flight Recorder"):
        record_flight(
            Target((java_in(tmp_path / "small", "exit 0"), "Main")), [ProfileKind.CPU], hooks=Beside()
        )
    assert known_s == [7.0]


def test_a_program_that_fails_is_no_profile(tmp_path: Path) -> None:
    java = java_in(tmp_path, "echo broken >&2; exit 3", "jdk.jfr")
    with pytest.raises(MeasureError, match="exited with code 3, expected 0") as caught:
        record_flight(Target((java, "Main")), [ProfileKind.CPU])
    assert "broken" in caught.value.message


def test_a_command_without_a_recording_says_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(MeasureError, match="needs Java 17 or newer"):
        record_flight(Target(("true",)), [ProfileKind.CPU])


@pytest.mark.parametrize(
    ("window", "missing"),
    [(Window(Moment("warm")), "warm"), (Window(end=Moment("load.end")), "load.end")],
)
def test_a_window_whose_mark_does_not_come_is_named(tmp_path: Path, window: Window, missing: str) -> None:
    java = java_in(tmp_path, "exit 0", "jdk.jfr")
    with pytest.raises(MeasureError, match=f"cannot be profiled: there was no mark '{missing}'"):
        record_flight(Target((java, "Main")), [ProfileKind.CPU], window=window)


def test_parts_of_a_killed_jvm_are_joined_in_order(tmp_path: Path) -> None:
    recordings, repository = tmp_path / "out", tmp_path / "repository"
    own = repository / "2026_11_22_1"
    own.mkdir(parents=True)
    recordings.mkdir()
    (recordings / "empty.jfr").touch()
    (own / "2.jfr").write_bytes(b"two")
    (own / "1.jfr").write_bytes(b"one")
    (joined,) = list_recordings(recordings, repository)
    assert joined.read_bytes() == b"onetwo"


def test_a_starved_profile_follows_the_rule_for_runs() -> None:
    target = Target(("java",), interval_s=5.0)
    steady = profile(ticks_ms=tuple(range(0, 5000, 100)))
    gap = profile(ticks_ms=(*range(0, 2000, 100), *range(4000, 5000, 100)))
    assert flight._find_starved(steady, target, 0.0) == ""
    assert "starved" in flight._find_starved(gap, target, 0.5)
    assert flight._find_starved(profile(), target, 0.5) == ""


def test_async_profiler_is_found_in_its_directory(tmp_path: Path) -> None:
    library = tmp_path / "lib" / "libasyncProfiler.so"
    library.parent.mkdir()
    library.touch()
    (option,) = profiler_options(tmp_path, [ProfileKind.NATIVE, ProfileKind.CPU])
    assert option.startswith(f"-agentpath:{library}=start,")
    assert "nativemem" in option
    assert "event=ctimer" in option


def test_what_a_launch_loads_is_what_its_own_jvm_wrote(tmp_path: Path) -> None:
    lines = (
        "java.lang.Object source: shared objects file",
        "java.sql.Driver source: jrt:/java.sql",
        "com.acme.Shop source: file:/shop/classes/",
        "com.acme.Shop$1 source: jar:nested:/shop.jar/!BOOT-INF/classes/!/",
        "com.acme.Shop$$Lambda/0x00007f8e3c003000 source: com.acme.Shop",
    )
    (tmp_path / "loaded-7").write_text("".join(f"{line}\n" for line in lines))
    (tmp_path / "loaded-8").write_text("")
    assert with_loaded({"pid": "7"}, tmp_path) == {
        "pid": "7",
        LOADED: "com.acme.Shop com.acme.Shop$# java.lang.Object",
    }
    for other in ({"pid": "8"}, {"pid": "9"}, {}):
        assert with_loaded(other, tmp_path) == other
