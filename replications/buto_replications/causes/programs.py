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

from buto.causes.action import fly
from buto.causes.explain import ranking_of
from buto.causes.model import Places, SumTable, table_of
from buto.causes.profiles import USUAL, Profile, ProfileKind, parse, text_of
from buto.errors import BadFileError, MeasureError

MODES = ("old", "new")

_PACKAGE = "buto.testprograms.changes"
_SERVERS = f"{_PACKAGE}.servers"
_TOGETHER = "together"
_KINDS: dict[str, tuple[ProfileKind, ...]] = {
    "threads": (ProfileKind.ALIVE, ProfileKind.STARTED),
    "classes": (ProfileKind.LOADED, ProfileKind.CLASSES, ProfileKind.RETENTION),
    "native": (ProfileKind.BUFFERS,),
    "descriptors": (ProfileKind.FILES, ProfileKind.IO, ProfileKind.BUFFERS),
}
"""What is recorded for findings about these, as :func:`buto.causes.model.kinds_of` chooses it."""


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
    kinds: tuple[ProfileKind, ...]
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
    programs = [program for path in paths for program in _read(path, classes, together=together)]
    if len({program.name for program in programs}) < len(programs):
        names = ", ".join(map(str, paths))
        raise BadFileError(f"{names}: two programs have one name", advice="see docs/why.md")
    return tuple(programs)


def _read(path: Path, classes: str, *, together: bool) -> list[ChangedProgram]:
    try:
        written = yaml.safe_load(path.read_text(encoding="utf-8"))
        if "programs" in written:
            return [_program(program, classes, path.stem) for program in written["programs"]]
        alone = [_alone(name, program, classes) for name, program in written.items()]
        return alone + ([_among(name, written, classes) for name in written] if together else [])
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise BadFileError(f"{path} is no manifest of programs: {error}", advice="see docs/why.md") from error


def _program(written: Mapping[str, Any], classes: str, group: str) -> ChangedProgram:
    words = {mode: tuple(map(str, _list(written.get(mode, mode)))) for mode in MODES}
    if "main" in written:
        before = ("-Xmx256m", "-cp", classes, str(written["main"]))
        words = {mode: (*before, *arguments) for mode, arguments in words.items()}
    name = str(written["name"])
    kinds = dict.fromkeys(kind for word in _list(written["kind"]) for kind in kinds_of(str(word)))
    methods = tuple(map(str, _list(written["method"])))
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


def _change(written: Mapping[str, Any]) -> tuple[tuple[ProfileKind, ...], tuple[str, ...]]:
    methods = [written["changed"], *_list(written.get("also", []))]
    return kinds_of(str(written["kind"])), tuple(f"{_SERVERS}.{method}" for method in methods)


def kinds_of(word: str) -> tuple[ProfileKind, ...]:
    """Return the kinds of event for a word of a manifest."""
    return _KINDS.get(word) or (ProfileKind(word),)


def _places(name: str) -> dict[str, Path]:
    return {mode: Path(name, mode) for mode in MODES}


def _list(written: Any) -> list[Any]:
    return written if isinstance(written, list) else [written]


_FEW = 3


@dataclass(frozen=True, slots=True)
class FoundShares:
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
class AlarmShares:
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
    of_change: Sequence[ProfileKind],
    methods: Sequence[str],
    kinds: Sequence[ProfileKind],
    *,
    pairs: int,
    draws: int,
    seed: int,
) -> FoundShares:
    """Draw so many launches of each program, without replacement within a draw.

    Args:
        of_change: the kinds that the change concerns; the best rank in one of them counts.
        methods: the changed code, as methods and fields that hold objects; any of them counts.
        kinds: the kinds that are looked at, with those of the change.
    """
    if min(len(old), len(new)) < pairs:
        return FoundShares(0, nan, nan, nan, nan, nan)
    source = np.random.default_rng(seed)
    of_kinds = [_Drawn.of(old, new, kind, methods) for kind in dict.fromkeys((*of_change, *kinds))]
    concerned = [kind for kind in of_kinds if kind.kind in of_change]
    others = [kind for kind in of_kinds if kind.kind not in of_change]
    hits = np.zeros(5)
    for _ in range(draws):
        before = source.choice(len(old), pairs, replace=False)
        after = source.choice(len(new), pairs, replace=False)
        looks = [drawn.looked_at(before, after) for drawn in concerned]
        rank = min(look.rank for look in looks)
        hits += (
            rank == 0,
            rank < _FEW,
            any(look.names_it for look in looks),
            any(look.names_another for look in looks),
            any(drawn.looked_at(before, after).names_another for drawn in others),
        )
    return FoundShares(draws, *(float(share) for share in hits / draws))


def alarms_in(
    unchanged: Sequence[Profile], kinds: Sequence[ProfileKind], *, pairs: int, draws: int, seed: int
) -> AlarmShares:
    """Draw two groups of launches of one unchanged program."""
    if len(unchanged) < 2 * pairs:
        return AlarmShares(0, nan, nan)
    source = np.random.default_rng(seed)
    of_kinds = [_Drawn.of(unchanged, unchanged, kind, ()) for kind in kinds]
    hits = np.zeros(len(kinds))
    n_any = 0
    for _ in range(draws):
        chosen = source.choice(len(unchanged), 2 * pairs, replace=False)
        named = [kind.looked_at(chosen[:pairs], chosen[pairs:]).names_another for kind in of_kinds]
        hits += named
        n_any += any(named)
    return AlarmShares(draws, n_any / draws, float(hits.max(initial=0.0)) / draws)


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

    kind: ProfileKind
    table: SumTable
    leads: npt.NDArray[np.bool_]
    methods: npt.NDArray[np.intp]

    @classmethod
    def of(
        cls, old: Sequence[Profile], new: Sequence[Profile], kind: ProfileKind, methods: Sequence[str]
    ) -> _Drawn:
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
class ProfiledLaunch:
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
) -> list[ProfiledLaunch]:
    """Return the launches that are not stored yet, in rounds of random order.

    Args:
        javas: by a name, such as ``17``, the ``java`` command.
        launches: by mode, how many of each program.
    """
    source = random.Random(seed)
    order: dict[Path, ProfiledLaunch] = {}
    for number in range(max(launches.values())):
        block = [
            ProfiledLaunch(java, program, mode, place_of(data, name, program, mode) / f"{number}{_SUFFIX}")
            for name, java in javas.items()
            for program in programs
            for mode in MODES
            if number < launches[mode]
        ]
        source.shuffle(block)
        # Programs that share an old program launch it once for all.
        order |= {launch.place: launch for launch in block}
    return [launch for place, launch in order.items() if not place.exists()]


def place_of(data: Path, java: str, program: ChangedProgram, mode: str) -> Path:
    return data / java / program.places[mode]


def record(
    launches: Sequence[ProfiledLaunch], deadline_s: float, on_each: Callable[[ProfiledLaunch, str], None]
) -> int:
    """Profile and store launches until the deadline; return how many were stored.

    A launch that fails or does not exit in order is reported and left out; the next session tries it again.

    Args:
        deadline_s: of ``time.monotonic()``; no launch begins after it.
        on_each: called with each launch and what went wrong; empty if nothing did.
    """
    n_stored = 0
    for launch in launches:
        if time.monotonic() >= deadline_s:
            break
        try:
            flight = fly((launch.java, *launch.program.words[launch.mode]), TIMEOUT_S, USUAL)
        except MeasureError as error:
            on_each(launch, error.message)
            continue
        if flight.ending:
            on_each(launch, flight.ending)
            continue
        # Starved ones count: pairs are drawn at random, so they disturb old and new programs alike.
        facts = {"cpu_s": str(flight.cpu_s), "size": str(flight.size), "starved": flight.starved}
        profile = replace(flight.profile, facts={**flight.profile.facts, **facts})
        launch.place.parent.mkdir(parents=True, exist_ok=True)
        launch.place.write_bytes(gzip.compress(text_of([profile]).encode("utf-8", "surrogatepass"), mtime=0))
        n_stored += 1
        on_each(launch, "")
    return n_stored


def stored(place: Path) -> list[Profile]:
    files = sorted(place.glob(f"*{_SUFFIX}"), key=lambda path: int(path.name.partition(".")[0]))
    return [parse(gzip.decompress(path.read_bytes()).decode("utf-8", "surrogatepass"))[0] for path in files]
