"""Where a call works: its store and its root, and the oracle of a test as the call finds it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from buto.measure.command_line import program_words
from buto.oracle import Oracle
from buto.programs.store import ProgramStore
from buto.run.cache import Stamp, stamp_of
from buto.run.masking import MASKED
from buto.run.model import COMMAND, Run
from buto.run.storage import Place
from buto.run.store import RunStore
from buto.run.window import Window, with_window


class Workspace(Struct, frozen=True):
    """Where a call keeps its runs and finds its files.

    Attributes:
        store: where runs, results, labels and programs are kept.
        root: the configuration's directory; without one, that of the oracles.
        base: the configuration's directory, to which its patterns are relative; None without one.
        windows: of each configured test, the part of its runs that counts now.
        oracle_of: from the name of a test to the file of its oracle; None where there is none.
        programs: where programs are kept; None for the store.
        limits: of each configured test, how much memory a run may need, bytes; None for any.
    """

    store: Place
    root: Path = Path()
    base: Path | None = None
    windows: Mapping[str, Window | None] = field(default_factory=dict)
    oracle_of: Callable[[str], Path] | None = None
    programs: Place | None = None
    limits: Mapping[str, int | None] = field(default_factory=dict)

    @property
    def kept(self) -> ProgramStore:
        return ProgramStore(self.store if self.programs is None else self.programs)

    @property
    def own_directories(self) -> tuple[Path, ...]:
        """Return the directories on this machine that buto writes, absolute: they belong to no program."""
        places = (self.store, self.programs)
        return tuple(place.absolute() for place in places if isinstance(place, Path))

    def base_of(self, test: str) -> Path | None:
        """Return the directory of the configuration that has a test; None if none has it."""
        return self.base if test in self.windows else None

    @property
    def runs(self) -> RunStore:
        return RunStore(self.store)

    def load(self, test: str, ids: Sequence[str]) -> list[Run]:
        """Return runs with the window that the configuration now has; with their own if it lacks the test."""
        runs = self.runs.load_set(test, ids)
        return [with_window(run, self.windows[test]) for run in runs] if test in self.windows else list(runs)


class KnownOracle(Struct, frozen=True, eq=False):
    """The oracle of a test, as a call finds it.

    Attributes:
        path: its file.
        command: what a call starts that names no command, with secrets masked; None if that is not known.
        stamp: of the file when it was read; None if it is not read again.
        read: reads the file again.
    """

    oracle: Oracle
    path: Path
    command: str | None = None
    stamp: Stamp | None = None
    read: Callable[[], KnownOracle] | None = None

    def current(self) -> KnownOracle:
        """Return the oracle as its file is now, which another buto may have written; raises as reading."""
        if self.read is None or self.stamp is None:
            return self
        now = stamp_of(self.path.resolve())
        return self if now is not None and now.value == self.stamp.value else self.read()

    def other_command(self, runs: Sequence[Run]) -> tuple[str, ...]:
        """Return the command of these runs, without its secrets, if a call that names none starts another.

        Empty, too, if the runs are of several commands.
        """
        commands = {run.metadata.get(COMMAND) for run in runs}
        text = commands.pop() if len(commands) == 1 else None
        is_other = self.command is not None and isinstance(text, str) and text != self.command
        return tuple(shlex.split(str(text))) if is_other else ()

    def describe_start(self, runs: Sequence[Run]) -> str:
        """Return how these runs were started, if with other arguments than the oracle's, as a clause.

        Files of a program have other places on other machines, and jars other versions: the arguments count,
        and the main class. Words with variables of a configuration or with a secret may be any.
        """
        trained, commands = self.oracle.target.get("command"), {run.metadata.get(COMMAND) for run in runs}
        text = commands.pop() if len(commands) == 1 else None
        if not isinstance(text, str) or not isinstance(trained, list):
            return ""
        now, before = (program_words(words) for words in (shlex.split(text), list(map(str, trained))))
        is_same = len(now) == len(before) and all(map(_is_alike, now, before))
        return "" if is_same else _differing(now, before)


def _is_alike(now: str, before: str) -> bool:
    """Return whether words of two commands may stand for the same on two machines."""
    if any(sign in word for word in (now, before) for sign in ("${", MASKED)):
        return True
    if now.endswith(".jar") and before.endswith(".jar"):
        return True
    return (os.path.basename(now) == os.path.basename(before)) if os.path.isabs(now) else now == before


def _differing(now: Sequence[str], before: Sequence[str]) -> str:
    """Return a clause with the words by which two commands differ, and the option that they belong to."""
    first = next((n for n, both in enumerate(zip(now, before, strict=False)) if not _is_alike(*both)), None)
    start = min(len(now), len(before)) if first is None else first
    n_end = 0
    while n_end < min(len(now), len(before)) - start and _is_alike(now[-1 - n_end], before[-1 - n_end]):
        n_end += 1
    if start and now[start - 1].startswith("-"):
        start -= 1
    shown, known = (shlex.join(words[start : len(words) - n_end]) for words in (now, before))
    return f"started with {shown or 'fewer arguments'}, and trained with {known or 'fewer arguments'}"
