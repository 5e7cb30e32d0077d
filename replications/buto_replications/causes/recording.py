"""Profile every program in both modes, in rounds of random order, in as many sessions as needed."""

from __future__ import annotations

import gzip
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from buto.actions.why import fly
from buto.errors import MeasureError
from buto.run.profiles import USUAL, Profile, parse, text_of
from buto_replications.causes.programs import MODES, ChangedProgram

TIMEOUT_S = 600.0
_SUFFIX = ".stacks.gz"


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch to profile.

    Attributes:
        java: the ``java`` command.
        place: the file of its profile.
    """

    java: str
    program: ChangedProgram
    mode: str
    place: Path


def planned(
    programs: Sequence[ChangedProgram], javas: dict[str, str], data: Path, launches: dict[str, int], seed: int
) -> list[Launch]:
    """Return the launches that are not stored yet, in rounds of random order.

    Args:
        javas: by a name, such as ``17``, the ``java`` command.
        launches: by mode, how many of each program.
    """
    source = random.Random(seed)
    order: dict[Path, Launch] = {}
    for number in range(max(launches.values())):
        block = [
            Launch(java, program, mode, place_of(data, name, program, mode) / f"{number}{_SUFFIX}")
            for name, java in javas.items()
            for program in programs
            for mode in MODES
            if number < launches[mode]
        ]
        source.shuffle(block)
        # Programs that share an old program launch it once for all.
        order |= {one.place: one for one in block}
    return [one for place, one in order.items() if not place.exists()]


def place_of(data: Path, java: str, program: ChangedProgram, mode: str) -> Path:
    """Return the directory with the profiles of a program in one mode on one Java."""
    return data / java / program.places[mode]


def record(launches: Sequence[Launch], deadline_s: float, on_each: Callable[[Launch, str], None]) -> int:
    """Profile and store launches until the deadline; return how many were stored.

    A launch that fails or does not exit in order is reported and left out; the next session tries it again.

    Args:
        deadline_s: of ``time.monotonic()``; no launch begins after it.
        on_each: called with each launch and what went wrong; empty if nothing did.
    """
    n_stored = 0
    for one in launches:
        if time.monotonic() >= deadline_s:
            break
        try:
            flight = fly((one.java, *one.program.words[one.mode]), TIMEOUT_S, USUAL)
        except MeasureError as error:
            on_each(one, error.message)
            continue
        if flight.ending:
            on_each(one, flight.ending)
            continue
        # Starved ones count: pairs are drawn at random, so they disturb old and new programs alike.
        facts = {"cpu_s": str(flight.cpu_s), "size": str(flight.size), "starved": flight.starved}
        profile = replace(flight.profile, facts={**flight.profile.facts, **facts})
        one.place.parent.mkdir(parents=True, exist_ok=True)
        one.place.write_bytes(gzip.compress(text_of([profile]).encode("utf-8", "surrogatepass"), mtime=0))
        n_stored += 1
        on_each(one, "")
    return n_stored


def stored(place: Path) -> list[Profile]:
    """Return the profiles of a directory, in the order of their launches."""
    files = sorted(place.glob(f"*{_SUFFIX}"), key=lambda path: int(path.name.partition(".")[0]))
    return [parse(gzip.decompress(path.read_bytes()).decode("utf-8", "surrogatepass"))[0] for path in files]
