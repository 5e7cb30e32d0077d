"""Programs with a known change: their manifest, their recorded launches, and draws of these."""

from __future__ import annotations

import gzip
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import yaml

from buto.errors import BadFileError, MeasureError
from buto.features.why.action import fly
from buto.features.why.explain import ranking_of
from buto.features.why.model import Places, Table, table_of
from buto.run.profiles import USUAL, Kind, Profile, parse, text_of

MODES = ("old", "new")

_PACKAGE = "buto.testprograms.changes"
_SERVERS = f"{_PACKAGE}.servers"
_TOGETHER = "together"
_KINDS: dict[str, tuple[Kind, ...]] = {
    "threads": (Kind.ALIVE, Kind.STARTED),
    "classes": (Kind.LOADED, Kind.CLASSES, Kind.RETENTION),
    "native": (Kind.BUFFERS,),
    "descriptors": (Kind.FILES, Kind.IO, Kind.BUFFERS),
}
"""What is recorded for findings about these, as :func:`buto.features.why.model.kinds_of` chooses it."""


@dataclass(frozen=True, slots=True)
class ChangedProgram:
    """A program that is launched as it was and with one change.

    Attributes:
        name: unique among all programs.
        kinds: the kinds of events that the change concerns; it is enough to find it in one.
        methods: class and method of the changed code, and methods and fields that lead to it as directly.
        words: by mode, what follows ``java``.
        places: by mode, the directory of its profiles; programs with one old program share that.
        group: whose table it is in.
    """

    name: str
    kinds: tuple[Kind, ...]
    methods: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    places: Mapping[str, Path]
    group: str


def read_manifests(
    paths: Sequence[Path], classes: str = ".", *, together: bool = False
) -> tuple[ChangedProgram, ...]:
    """Return the programs of manifests, ``programs: [{name, main, kind, method, old, new}]``.

    ``testprograms/changes.yaml`` is one, too: its programs are launched as they were and with the larger size
    of their change, each alone.

    Args:
        classes: the class path of the programs that do not name one.
        together: whether those of ``changes.yaml`` are also launched all in one program, one of them changed.

    Raises:
        BadFileError: a manifest cannot be read, or two programs have one name.
    """
    programs = [one for path in paths for one in _read(path, classes, together=together)]
    if len({one.name for one in programs}) < len(programs):
        names = ", ".join(map(str, paths))
        raise BadFileError(f"{names}: two programs have one name", advice="see docs/why.md")
    return tuple(programs)


def _read(path: Path, classes: str, *, together: bool) -> list[ChangedProgram]:
    try:
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
        if "programs" in written:
            return [_program(one, classes, path.stem) for one in written["programs"]]
        alone = [_alone(name, one, classes) for name, one in written.items()]
        return alone + ([_among(name, written, classes) for name in written] if together else [])
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise BadFileError(f"{path} is no manifest of programs: {error}", advice="see docs/why.md") from error


def _program(written: Mapping[str, Any], classes: str, group: str) -> ChangedProgram:
    words = {mode: tuple(map(str, _listed(written.get(mode, mode)))) for mode in MODES}
    if "main" in written:
        before = ("-Xmx256m", "-cp", classes, str(written["main"]))
        words = {mode: (*before, *arguments) for mode, arguments in words.items()}
    name = str(written["name"])
    kinds = dict.fromkeys(kind for word in _listed(written["kind"]) for kind in kinds_of(str(word)))
    methods = tuple(map(str, _listed(written["method"])))
    return ChangedProgram(name, tuple(kinds), methods, words, _places(name), group)


def _alone(name: str, written: Mapping[str, Any], classes: str) -> ChangedProgram:
    # Sizes as in replications/docs/testprograms.md; what is recorded needs some room of its own.
    before = ("-Xmn4m", "-Xmx32m", "-cp", classes, f"{_PACKAGE}.Program")
    words = {"old": (*before, f"{name}=base"), "new": (*before, f"{name}=large")}
    return ChangedProgram(name, *_change(written), words, _places(name), "alone")


def _among(name: str, programs: Mapping[str, Any], classes: str) -> ChangedProgram:
    before = ("-Xmn16m", "-Xmx256m", "-cp", classes, f"{_PACKAGE}.Program")
    old = [f"{each}=base" for each in programs]
    new = [f"{each}={'large' if each == name else 'base'}" for each in programs]
    places = {"old": Path(_TOGETHER, "old"), "new": Path(_TOGETHER, name)}
    words = {"old": (*before, *old), "new": (*before, *new)}
    return ChangedProgram(f"{name} among all", *_change(programs[name]), words, places, _TOGETHER)


def _change(written: Mapping[str, Any]) -> tuple[tuple[Kind, ...], tuple[str, ...]]:
    methods = [written["changed"], *_listed(written.get("also", []))]
    return kinds_of(str(written["kind"])), tuple(f"{_SERVERS}.{method}" for method in methods)


def kinds_of(word: str) -> tuple[Kind, ...]:
    """Return the kinds of event for a word of a manifest."""
    return _KINDS.get(word) or (Kind(word),)


def _places(name: str) -> dict[str, Path]:
    return {mode: Path(name, mode) for mode in MODES}


def _listed(written: Any) -> list[Any]:
    return written if isinstance(written, list) else [written]


_FEW = 3


@dataclass(frozen=True, slots=True)
class Found:
    """How often the changed method was found, in shares of the draws.

    Attributes:
        first, in_three: the changed method was the first, or among the first three methods of its kind.
        named: it was named as a cause.
        wrong: another method of its kind was named.
        elsewhere: a method was named in a kind that the change does not concern.
    """

    draws: int
    first: float
    in_three: float
    named: float
    wrong: float
    elsewhere: float


@dataclass(frozen=True, slots=True)
class Alarms:
    """How often anything was named although nothing changed, in shares of the draws.

    Attributes:
        any_kind: a method of any kind was named.
        one_kind: the largest share of a single kind.
    """

    draws: int
    any_kind: float
    one_kind: float


def found_in(
    old: Sequence[Profile],
    new: Sequence[Profile],
    of_change: Sequence[Kind],
    methods: Sequence[str],
    kinds: Sequence[Kind],
    *,
    pairs: int,
    draws: int,
    seed: int,
) -> Found:
    """Draw so many launches of each program, without replacement within a draw.

    Args:
        of_change: the kinds that the change concerns; the best rank in one of them counts.
        methods: the changed code, as methods and fields that hold objects; any of them counts.
        kinds: the kinds that are looked at, with those of the change.
    """
    if min(len(old), len(new)) < pairs:
        return Found(0, nan, nan, nan, nan, nan)
    source = np.random.default_rng(seed)
    of_kinds = [_Drawn.of(old, new, kind, methods) for kind in dict.fromkeys((*of_change, *kinds))]
    concerned = [one for one in of_kinds if one.kind in of_change]
    others = [one for one in of_kinds if one.kind not in of_change]
    hits = np.zeros(5)
    for _ in range(draws):
        before = source.choice(len(old), pairs, replace=False)
        after = source.choice(len(new), pairs, replace=False)
        found = [one.looked_at(before, after) for one in concerned]
        rank = min(one.rank for one in found)
        hits += (
            rank == 0,
            rank < _FEW,
            any(one.names_it for one in found),
            any(one.names_another for one in found),
            any(one.looked_at(before, after).names_another for one in others),
        )
    return Found(draws, *(float(share) for share in hits / draws))


def alarms_in(
    unchanged: Sequence[Profile], kinds: Sequence[Kind], *, pairs: int, draws: int, seed: int
) -> Alarms:
    """Draw two groups of launches of one unchanged program."""
    if len(unchanged) < 2 * pairs:
        return Alarms(0, nan, nan)
    source = np.random.default_rng(seed)
    of_kinds = [_Drawn.of(unchanged, unchanged, kind, ()) for kind in kinds]
    hits = np.zeros(len(kinds))
    n_any = 0
    for _ in range(draws):
        chosen = source.choice(len(unchanged), 2 * pairs, replace=False)
        named = [one.looked_at(chosen[:pairs], chosen[pairs:]).names_another for one in of_kinds]
        hits += named
        n_any += any(named)
    return Alarms(draws, n_any / draws, float(hits.max(initial=0.0)) / draws)


@dataclass(frozen=True, slots=True)
class _Look:
    """What one draw shows in one kind: the place of the changed code among methods, and what is named."""

    rank: int
    names_it: bool
    names_another: bool


@dataclass(frozen=True)
class _Drawn:
    """The sums of all launches in one kind, from which launches are drawn by their places.

    Attributes:
        leads: whether each unit leads to the changed code, shape (n_units,).
        methods: a number for the method of each unit, shape (n_units,).
    """

    kind: Kind
    table: Table
    leads: npt.NDArray[np.bool_]
    methods: npt.NDArray[np.intp]

    @classmethod
    def of(cls, old: Sequence[Profile], new: Sequence[Profile], kind: Kind, methods: Sequence[str]) -> _Drawn:
        table = table_of(old, new, kind)
        names = [unit.frame.name for unit in table.units]
        leads = [
            name in methods or unit.holder in methods for name, unit in zip(names, table.units, strict=True)
        ]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        return cls(
            kind, table, np.array(leads, np.bool_), np.array([numbers[name] for name in names], np.intp)
        )

    def looked_at(self, old: Places, new: Places) -> _Look:
        """Compare some launches of the old and the new program, by their places."""
        ranking = ranking_of(self.table.of_launches(old, new), self.kind)
        leads = self.leads[ranking.places]
        at = int(leads.argmax()) if leads.any() else None
        rank = sys.maxsize if at is None else len(np.unique(self.methods[ranking.places[:at]]))
        named = ranking.is_cause
        return _Look(rank, bool((named & leads).any()), bool((named & ~leads).any()))


TIMEOUT_S = 600.0
_SUFFIX = ".stacks.gz"


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch to profile.

    Attributes:
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
    files = sorted(place.glob(f"*{_SUFFIX}"), key=lambda path: int(path.name.partition(".")[0]))
    return [parse(gzip.decompress(path.read_bytes()).decode("utf-8", "surrogatepass"))[0] for path in files]
