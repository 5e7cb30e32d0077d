"""The parts of the experiment: the trials of each, and what carries one out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from buto_replications.live import builds, clone, outside
from buto_replications.live.calls import EqualTrial
from buto_replications.live.elsewhere import MOVES
from buto_replications.live.journal import TRAIN, CommandEntry
from buto_replications.live.load import CHANGING, QUIET, STEADY
from buto_replications.live.programs import BEDS, PROGRAMS
from buto_replications.live.trained import CarryOut, check_elsewhere, check_subjects
from buto_replications.live.ways import CLASS_PATH, subjects

WANTED = 30
"""Launches of each arm of a placebo."""

MOST_PLACEBOS = 8
"""Checks of a subject whose arms have not enough launches before; one has at least four of each."""


def _always(trial: EqualTrial, earlier: Sequence[CommandEntry]) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class LivePart:
    """One question.

    Attributes:
        asks: the question, in a line.
        trials: all of them, in the order of their definition.
        carry_out: see :data:`CarryOut`.
        begins_anew: whether each trial has a directory of its own, in place of each subject.
        is_needed: whether a trial is still needed after the earlier entries of the part.
        in_order: whether trials are carried out in the order of their definition, in place of a random one.
    """

    asks: str
    trials: tuple[EqualTrial, ...]
    carry_out: CarryOut
    begins_anew: bool = False
    is_needed: Callable[[EqualTrial, Sequence[CommandEntry]], bool] = _always
    in_order: bool = False

    def directory(self, trial: EqualTrial, data: Path) -> Path:
        """Return the directory in which a trial is carried out."""
        words = [trial.subject, *([trial.condition, str(trial.number)] if self.begins_anew else [])]
        return data.joinpath(trial.part, *(word.replace(" ", "-") for word in words))

    def is_done(self, trial: EqualTrial, earlier: Sequence[CommandEntry]) -> bool:
        """Return whether the check of a trial has ended, or cannot begin because its training failed."""

        def ends(entry: CommandEntry) -> bool:
            is_same = (entry.subject, entry.condition, entry.number) == key
            if entry.action != TRAIN:
                return is_same
            is_ours = is_same if self.begins_anew else entry.subject == trial.subject
            return is_ours and entry.exit_code != 0

        key = (trial.subject, trial.condition, trial.number)
        return any(map(ends, earlier))


def _trials(part: str, names: Iterable[str], conditions: Iterable[str], times: int) -> tuple[EqualTrial, ...]:
    every = product(names, conditions, range(times))
    return tuple(EqualTrial(part, name, condition, number) for name, condition, number in every)


def _lacks_launches(trial: EqualTrial, earlier: Sequence[CommandEntry]) -> bool:
    """Return whether the arms of a subject have too few launches together."""
    mine = [entry for entry in earlier if entry.subject == trial.subject]
    return min(sum(len(entry.old) for entry in mine), sum(len(entry.new) for entry in mine)) < WANTED


def _anew(carry_out: Callable[[EqualTrial, Path, Path], Iterator[CommandEntry]]) -> CarryOut:
    def carry_out_alone(
        trial: EqualTrial, directory: Path, cache: Path, earlier: Sequence[CommandEntry]
    ) -> Iterator[CommandEntry]:
        return carry_out(trial, directory, cache)

    return carry_out_alone


_EVERY = subjects(PROGRAMS)
_BEDS = subjects(BEDS)
_NAMES = tuple(subject.name for subject in _EVERY)
_BED_NAMES = tuple(subject.name for subject in _BEDS)
_LOADS = (QUIET, STEADY, CHANGING)
_MOVED = (*PROGRAMS, *BEDS[:4])

PLACEBO, TURNS, CHAIN = "placebo", "turns", "chain"
OUTSIDE, ELSEWHERE, CLONE = "outside", "elsewhere", "clone"
BED, BED_TURNS = "beds", "beds-turns"
BUILDS = "builds"

PARTS: dict[str, LivePart] = {
    PLACEBO: LivePart(
        "do the arms of turns differ, when both hold one program?",
        _trials(PLACEBO, _NAMES, (QUIET,), MOST_PLACEBOS),
        check_subjects(_EVERY, forced=True),
        is_needed=_lacks_launches,
    ),
    TURNS: LivePart(
        "how often do turns accuse a program that did not change?",
        _trials(TURNS, _NAMES, _LOADS, 2),
        check_subjects(_EVERY, forced=True),
    ),
    CHAIN: LivePart(
        "how often does a check fail a program that did not change, and what does it cost?",
        _trials(CHAIN, _NAMES, (QUIET, CHANGING), 4),
        check_subjects(_EVERY),
    ),
    OUTSIDE: LivePart(
        "does a check pass when something changed that the program reads?",
        _trials(OUTSIDE, outside.CHANGES, (QUIET,), 3),
        _anew(outside.carry_out),
        begins_anew=True,
    ),
    ELSEWHERE: LivePart(
        "does an unchanged program fail on one core, with another heap, with another JDK?",
        _trials(ELSEWHERE, (f"{each.name}/{place}" for each in _MOVED for place in MOVES), (QUIET,), 1),
        check_elsewhere(_MOVED, CLASS_PATH),
    ),
    CLONE: LivePart(
        "what does a check say first in a fresh clone, when the program regressed?",
        _trials(CLONE, clone.REGRESSIONS, clone.CONDITIONS, 5),
        _anew(clone.carry_out),
        begins_anew=True,
    ),
    BED: LivePart(
        "the question of chain, on programs of a third of a second",
        _trials(BED, _BED_NAMES, (QUIET, CHANGING), 6),
        check_subjects(_BEDS),
    ),
    BED_TURNS: LivePart(
        "the question of turns, on programs of a third of a second",
        _trials(BED_TURNS, _BED_NAMES, _LOADS, 4),
        check_subjects(_BEDS, forced=True),
    ),
    BUILDS: LivePart(
        "how often does the monitor over builds start turns of a program that did not change?",
        builds.builds_of(BUILDS, BEDS),
        builds.check_builds(BEDS),
        in_order=True,
    ),
}
"""By name."""
