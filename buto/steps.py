"""What to do next, as values that every room may name; each front end puts them into its own words."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import Self

from msgspec import Struct

EXAMPLE = ("java", "-cp", "app.jar", "com.acme.Main")
"""A command that stands for the user's own."""


class Action(Enum):
    """What buto can be asked to do; the values are the words of the command line."""

    TRAIN = "train"
    CHECK = "check"
    ACCEPT = "accept"
    RECORD = "record"
    COMPARE = "compare"
    BISECT = "bisect"
    WHY = "why"
    GROW = "grow"
    SIZE = "size"
    PLOT = "plot"
    REPORT = "report"
    SELFTEST = "selftest"
    RELEASE = "release"
    LABEL = "label"
    SHOW_RUN = "runs show"
    LIST_RUNS = "runs list"
    DELETE_RUN = "runs delete"
    ATTACH = "attach"
    DOCTOR = "doctor"
    SCHEMA = "schema"


class Step(Struct, frozen=True):
    """One thing to do next, with what was specified for this call.

    Attributes:
        test: what it is about, of SCHEMA the schema; empty where it is about all.
        runs: how many runs to launch; None for the default.
        from_runs: which stored runs to take instead of launching, see
            :func:`buto.actions.stored.load_stored_runs`.
        run_id: of SHOW_RUN and DELETE_RUN, the run.
        against: of COMPARE and WHY, the second program.
        revisions: of BISECT, the good and the bad revision; of COMPARE and WHY, the old and the new one.
        label: of LABEL, what the newest runs are; empty to show the labels.
        build: of COMPARE and WHY, the command that builds a revision.
        release: of RELEASE, its name; of CHECK, that of the one since which the sum is judged.
        only: of ACCEPT, the one property whose change is meant.
        profile: of TRAIN, whether a profile of the program is stored, too.
        command: the program's command to show, if none was specified and there is no configuration.
        plain: whether only the project's files go with it, and nothing that was specified of the test.
        why: what it is for, in a clause; empty where that is plain.
    """

    action: Action
    test: str = ""
    runs: int | None = None
    from_runs: str | None = None
    run_id: str | None = None
    against: str | None = None
    revisions: tuple[str, ...] = ()
    label: str = ""
    build: str | None = None
    profile: bool = False
    release: str = ""
    only: str = ""
    command: tuple[str, ...] = ()
    plain: bool = False
    why: str = ""

    def words(self) -> list[str]:
        """Return the command with the test and the run, without what was specified for this call."""
        about = [word for word in (self.test, self.run_id) if word]
        if self.action is Action.BISECT:
            about += self.revisions
        else:
            about += ["--against", self.against] if self.against else []
            about += ["--revisions", *self.revisions] if self.revisions else []
            about += ["--build", self.build] if self.build else []
        about += ["last", self.label] if self.label else []
        about += [self.release] if self.release and self.action is Action.RELEASE else []
        about += ["--release"] if self.release and self.action is Action.CHECK else []
        about += ["--only", self.only, "--reason", "TEXT"] if self.only else []
        about += ["--profile"] if self.profile else []
        # A run that is deleted on advice is most often one that trained the oracle.
        forced = ["--with-training"] if self.action is Action.DELETE_RUN else []
        return ["buto", *self.action.value.split(), *about, *forced]

    def __str__(self) -> str:
        return shlex.join(self.words())


class Setting(Struct, frozen=True):
    """A key of a test's configuration, with the value that it might have; without any, its name is meant."""

    key: str
    value: str = ""

    def __str__(self) -> str:
        return f"--{self.key} {shlex.quote(self.value)}" if self.value else f"--{self.key}"


class Usage(Struct, frozen=True):
    """Where a user reads how an action is called."""

    action: Action

    def __str__(self) -> str:
        return f"buto {self.action.value} --help"


class Configuration(Struct, frozen=True):
    """The place where a user configures tests."""

    def __str__(self) -> str:
        return "buto.yaml"


Part = str | Step | Setting | Usage | Configuration | Path
"""Of a text: plain words, or what each front end writes in its own way."""


class Advice(str):
    """A text that names steps and settings; by itself in the words of the command line, without options.

    Args:
        parts: the text in parts; of one that is such a text, its parts.
        fact: what the advice is on; it precedes the advice, with a semicolon between them.

    Attributes:
        parts: the whole text in parts, for a front end to put into its own words.
        fact: without the advice, for files that users of every front end read; empty if there is only advice.
    """

    __slots__ = ("fact", "parts")
    parts: tuple[Part, ...]
    fact: str

    def __new__(cls, *parts: Part, fact: str = "") -> Self:
        whole = (f"{fact}; ", *parts) if fact else parts
        text = super().__new__(cls, "".join(map(str, whole)))
        nested = (part.parts if isinstance(part, Advice) else (part,) for part in whole)
        text.parts, text.fact = tuple(chain.from_iterable(nested)), fact
        return text

    @property
    def remedy(self) -> Advice:
        """The advice without the fact."""
        return Advice(*self.parts[1:]) if self.fact else self

    def in_words(self, write: Callable[[Part], str]) -> str:
        """Return the text with each of its parts as it is written by a front end."""
        return "".join(map(write, self.parts))


def isolation(fact: str) -> Advice:
    """Return the advice to give each launch a home of its own, on a fact: that launches share one."""
    own = "to give each launch a home and a temporary directory of its own: "
    return Advice(own, Setting("isolate", "home"), fact=fact)
