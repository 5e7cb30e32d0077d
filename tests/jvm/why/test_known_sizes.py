"""Sizes of programs that allocate and keep what is known: sums of samples beside the truth, on two JVMs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from buto.causes.flight import read, record_flight
from buto.causes.flight_settings import JvmRecorder, settings_text
from buto.causes.kept import at_the_end
from buto.causes.profiles import Profile, ProfileKind
from buto.measure.jvms import find_installations
from buto.measure.target import Target
from buto.run.window import Moment, Window

WITHIN = 0.1
"""The stated error of a sum of some megabytes, as docs/why.md has it."""


@pytest.fixture(params=[17, 25])
def java(request: pytest.FixtureRequest) -> str:
    found = [one.java for one in find_installations() if one.major == request.param]
    if not found:
        pytest.skip(f"this machine has no Java {request.param}")
    return os.fspath(found[0])


def sums(profile: Profile, kind: ProfileKind) -> dict[str, float]:
    """Bytes by the topmost method of the program's own."""
    found: dict[str, float] = {}
    for stack in profile.stacks:
        frames = profile.users_frames(stack)
        if stack.kind is kind and frames and frames[0].owner == "Bursts":
            found[frames[0].method] = found.get(frames[0].method, 0.0) + stack.weight
    return found


@pytest.mark.all
@pytest.mark.parametrize(
    "kinds", [(ProfileKind.ALLOCATION,), (ProfileKind.ALLOCATION, ProfileKind.RETENTION)]
)
@pytest.mark.parametrize("allocated", [None, 60e6])
def test_a_program_that_allocates_in_bursts_has_the_sums_that_it_allocates(
    java: str, classes: Path, kinds: tuple[ProfileKind, ...], allocated: float | None
) -> None:
    target = Target((java, "-Xmx256m", "-cp", os.fspath(classes), "Bursts", "bursts"), timeout_s=300)
    found = sums(record_flight(target, kinds, allocated=allocated).profile, ProfileKind.ALLOCATION)
    truth = {"make": 20.8e6, "medium": 20.32e6, "large": 20.032e6, "huge": 20.0032e6}
    assert {name: found[name] for name in truth} == pytest.approx(truth, rel=WITHIN)


@pytest.mark.all
def test_what_a_thread_allocated_before_the_window_is_no_part_of_it(
    java: str, classes: Path, tmp_path: Path
) -> None:
    recordings, repository, settings = tmp_path / "out", tmp_path / "parts", tmp_path / "s.jfc"
    recordings.mkdir()
    repository.mkdir()
    settings.write_text(settings_text([ProfileKind.ALLOCATION]))
    recorder = JvmRecorder(
        [ProfileKind.ALLOCATION], settings, recordings, repository, Window(Moment("load.start"))
    )
    command = [java, *recorder.options(), "-cp", os.fspath(classes), "Bursts", "late"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        assert "ready\n" in program.stdout
        recorder.start(program.pid)
        program.stdin.write("go\n")
        program.stdin.flush()
        assert program.wait(120) == 0
    (profile,) = read(sorted(recordings.iterdir()))
    # Before it, 52 MB were allocated.
    assert sums(profile, ProfileKind.ALLOCATION) == pytest.approx({"medium": 5.08e6}, rel=WITHIN)


@pytest.mark.all
def test_kept_memory_is_that_of_the_end_whatever_was_kept_before(java: str, classes: Path) -> None:
    target = Target((java, "-Xmx256m", "-cp", os.fspath(classes), "Bursts", "kept"), timeout_s=300)
    kinds = (ProfileKind.RETENTION, ProfileKind.ALLOCATION)
    profile = record_flight(target, kinds).profile
    (held,) = at_the_end([profile])
    found = sums(held, ProfileKind.RETENTION)
    # Those of the loop that waits for the recorder are few.
    found.pop("collections", None)
    assert found == pytest.approx({"keepLarge": 5.008e6, "keepHuge": 5.0008e6}, rel=WITHIN)
    assert sums(profile, ProfileKind.RETENTION)["keepLarge"] > 3 * found["keepLarge"]
