"""Causes on real JVMs: the changed method named, ends that cut a recording off, hostile recordings."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from buto.causes import flight as launch
from buto.causes import flight as reader
from buto.causes.class_files import LOADED, class_path
from buto.causes.explain import explain
from buto.causes.flight import Flight, read, record_flight
from buto.causes.profiles import USUAL, Frame, Profile, ProfileKind
from buto.measure.jvms import find_installations
from buto.measure.target import Target
from buto.run.store import RunStore
from tests.support.processes.command import buto

MOST_EVENTS = 1_000_000
MOST_SIZE = 2_000_000
MOST_READER_RSS = 300 << 20
HEADER_SIZE = 68
CHECKPOINT = 1
"""Type of the events that have tables of constants; the only other one that is not the program's is 0."""
REFUSAL = "java.lang.IllegalStateException"
REFUSE = Frame("Shop", "refuse", is_users=True)
READ = """\
import pathlib, resource, sys
from buto.causes.flight import read
(profile,) = read([pathlib.Path(name) for name in sys.argv[1:]])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(profile.events, used.ru_utime, used.ru_maxrss)
"""


def java_of(release: int) -> str:
    found = [installation.java for installation in find_installations() if installation.major == release]
    if not found:
        pytest.skip(f"this machine has no Java {release}")
    return os.fspath(found[0])


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Copies of the recordings that a launch reads."""
    copies: list[Path] = []

    def reading(files: Collection[Path], *sizes: int) -> list[Profile]:
        for number, file in enumerate(files):
            copies.append(tmp_path / f"{number}.jfr")
            copies[-1].write_bytes(file.read_bytes())
        return read(list(files), *sizes)

    monkeypatch.setattr(launch, "read", reading)
    return copies


def flown(
    java: str,
    classes: Path,
    *arguments: str,
    kinds: Collection[ProfileKind] = USUAL,
    option: str = "-Xmx256m",
) -> Flight:
    command = (java, option, "-cp", os.fspath(classes), "Shop", *arguments)
    return record_flight(Target(command, timeout_s=300), kinds)


def methods(profile: Profile, kind: ProfileKind) -> set[str]:
    stacks = [stack for stack in profile.stacks if stack.kind is kind]
    return {frame.name for stack in stacks for frame in profile.users_frames(stack)[:1]}


def amount(profile: Profile, kind: ProfileKind, method: str) -> float:
    found = [(stack, profile.users_frames(stack)[:1]) for stack in profile.stacks if stack.kind is kind]
    return sum(stack.weight for stack, frames in found if [frame.name for frame in frames] == [method])


def loaded_classes(profile: Profile) -> set[str]:
    return set(profile.facts[LOADED].split())


@pytest.mark.all
def test_the_method_that_keeps_more_is_named_with_its_holder_and_nothing_is_stored(
    tmp_path: Path, classes: Path
) -> None:
    shop = ["java", "-Xmx256m", "-cp", os.fspath(classes), "Shop"]
    kinds = ("--kinds", "retention,classes", "--json", "why.json", "--html", "why.html")
    words = (
        "old",
        *kinds,
        "--",
        *shop,
        "old",
        "collected",
        "0",
        "--against",
        "new",
        "--",
        *shop,
        "new",
        "collected",
        "0",
    )
    done = buto(tmp_path, "why", *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("CAUSE  old: Shop.remember allocates what is kept more\n")
    first = json.loads((tmp_path / "why.json").read_text())["kinds"][0]["found"][0]
    assert (first["method"], first["type"], first["held_by"]) == ("Shop.remember", "byte[]", "Shop.SEEN")
    assert first["file"] == "Shop.java"
    assert "HashMap" in first["path"]
    assert first["new"] > 5 * first["old"]
    assert RunStore(tmp_path / ".buto").tests() == []
    assert not (tmp_path / "oracles").exists()


@pytest.mark.all
def test_java_25_tells_of_processor_time_and_of_each_buffer(
    classes: Path, kept: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    flight = flown(java_of(25), classes, "new", "collected", "100")
    profile = flight.profile
    assert loaded_classes(profile) & {"Shop", "Shop$Part", "Called"} == {"Shop", "Shop$Part"}
    assert "Shop.lambda$price" in methods(profile, ProfileKind.CPU)
    assert "Shop.page" in methods(profile, ProfileKind.ALLOCATION)
    buffers = [stack for stack in profile.stacks if stack.kind is ProfileKind.BUFFERS]
    assert sum(stack.weight for stack in buffers) >= 50
    assert "Shop.reserve" in methods(profile, ProfileKind.BUFFERS)
    thrown = [stack for stack in profile.stacks if stack.kind is ProfileKind.EXCEPTIONS]
    assert sum(stack.weight for stack in thrown if profile.users_frames(stack)[:1] == (REFUSE,)) == 100
    assert (
        amount(profile, ProfileKind.FILES, "Shop.leave")
        > 3 * amount(profile, ProfileKind.FILES, "Shop.look")
        > 0
    )
    assert (
        amount(profile, ProfileKind.FILES, "Shop.leave")
        > 3 * amount(profile, ProfileKind.FILES, "Shop.send")
        > 0
    )
    # Fifteen of twenty loaders are garbage.
    defined, loaded = (
        amount(profile, kind, "Shop$Loader.part") for kind in (ProfileKind.CLASSES, ProfileKind.LOADED)
    )
    assert defined >= 20
    assert defined - loaded == 15
    assert profile.classes["byte[]"].size > 1e6
    assert len(profile.ticks_ms) > 5
    assert flight.size < MOST_SIZE
    monkeypatch.setattr(reader, "SILENCE_S", 4)
    _hostile(kept[0])


def _hostile(recording: Path) -> None:
    """What is no recording, and a recording that is damaged anywhere, is a sentence and no crash."""
    whole = recording.read_bytes()
    damaged = [b"", b"no recording", whole[: len(whole) // 2]]
    damaged += [*_endless(whole), whole[:100] + bytes(5000) + whole[5100:]]
    damaged += [
        whole[:at] + b"\xff" * 64 + whole[at + 64 :] for at in range(200, len(whole), len(whole) // 6)
    ]
    files = [recording.with_name(f"damaged-{number}.jfr") for number in range(len(damaged))]
    for file, content in zip(files, damaged, strict=True):
        file.write_bytes(content)
    *broken, last = read([*files, recording])
    assert all(profile.failure for profile in broken[:5])
    assert broken[4].events <= last.events
    assert last.failure == ""
    assert "Shop.refuse" in methods(last, ProfileKind.EXCEPTIONS)


def _endless(whole: bytes) -> list[bytes]:
    """Recordings in which an event has a negative size, which leads back to what is before it.

    In one that is an event without a type of its own, so that no event follows; in the other the same event
    follows without end.
    """
    first = second = HEADER_SIZE
    kinds = (CHECKPOINT, CHECKPOINT)
    while min(kinds) <= CHECKPOINT:
        first, second = second, second + _number(whole, second)[0]
        kinds = (kinds[1], _number(whole, _number(whole, second)[1])[0])
    quiet = bytes([2, CHECKPOINT]) + _negative(2)
    again = _negative(second - first)
    return [
        whole[: second - 2] + quiet + whole[second - 2 + len(quiet) :],
        whole[:second] + again + whole[second + len(again) :],
    ]


def _negative(size: int) -> bytes:
    """Return how a recording begins an event of the size, which is negated, and without a type of its own."""
    bits = (1 << 64) - size
    return bytes([*(bits >> (7 * place) & 0x7F | 0x80 for place in range(8)), bits >> 56, CHECKPOINT])


def _number(whole: bytes, place: int) -> tuple[int, int]:
    """Return a number of a recording, seven bits in each byte, and the place behind it."""
    number, bits = whole[place] & 0x7F, 7
    while whole[place] >= 0x80:
        place += 1
        number += (whole[place] & 0x7F) << bits
        bits += 7
    return number, place + 1


@pytest.mark.all
@pytest.mark.parametrize("end", ["halt", "kill"])
def test_a_program_that_never_exits_leaves_what_was_written(classes: Path, end: str) -> None:
    flight = flown("java", classes, "old", end, "0", kinds=[ProfileKind.ALLOCATION])
    assert "Shop.page" in methods(flight.profile, ProfileKind.ALLOCATION)
    assert "the end is missing" in flight.ending
    # Of the classes beside it, it has loaded what it has used.
    assert loaded_classes(flight.profile) & {"Shop", "Shop$Part", "Called"} == {"Shop"}


@pytest.mark.all
def test_relative_class_paths_go_from_where_the_jvm_ran(classes: Path) -> None:
    """No event tells where that is; read from here, old and new would have the classes that lie here."""
    script = "exec java -Xmx256m -cp . Shop old collected 0"
    targets = (
        Target(("sh", "-c", f"cd {shlex.quote(str(classes))}; {script}"), timeout_s=300),
        Target(("sh", "-c", script), timeout_s=300, directory=classes),
    )
    for target in targets:
        facts = record_flight(target, [ProfileKind.RETENTION]).profile.facts
        assert str(classes / "Shop.class") in class_path(facts)[1]


@pytest.mark.all
def test_under_zgc_a_sentence_tells_that_kept_objects_are_few_and_no_class_is_unloaded(classes: Path) -> None:
    kinds = [ProfileKind.RETENTION, ProfileKind.LOADED]
    flight = flown("java", classes, "new", "exit", "0", kinds=kinds, option="-XX:+UseZGC")
    explanation = explain([flight.profile], [flight.profile], kinds, test="shop", names=("old", "new"))
    assert all(any("ZGC" in text for text in causes.remarks) for causes in explanation.kinds)


@pytest.mark.all
def test_a_million_events_are_read_in_bounded_time_and_memory(classes: Path, kept: list[Path]) -> None:
    flight = flown("java", classes, "old", "exit", str(MOST_EVENTS), kinds=[ProfileKind.EXCEPTIONS])
    thrown = sum(stack.weight for stack in flight.profile.stacks if stack.type == REFUSAL)
    # In a process of its own, whose only child is the reader.
    done = subprocess.run(
        [sys.executable, "-c", READ, *map(str, kept)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    events, cpu_s, rss_kib = map(float, done.stdout.split())
    assert events > 0.9 * MOST_EVENTS
    assert thrown > 0.9 * MOST_EVENTS
    assert cpu_s / (events / 1e5) < 10.0
    assert rss_kib * 1024 < MOST_READER_RSS
