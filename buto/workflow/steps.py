"""What to do next, as a value; each door (command line, pytest, Python) says it in its own words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

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
    PLOT = "plot"
    REPORT = "report"
    SELFTEST = "selftest"
    SHOW_RUN = "show"
    LIST_RUNS = "list"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do next, with what was specified for this call.

    Attributes:
        test: what it is about; empty where it is about all.
        runs: how many runs to launch; None for the default.
        from_runs: which stored runs to take instead of launching, see
            :func:`buto.workflow.project.stored.stored_runs`.
        run_id: of SHOW_RUN, the run.
        against: of COMPARE, the second program.
        command: the program's command to show, if none was specified and there is no configuration.
        plain: whether nothing else that was specified for this call goes with it.
        why: what it is for, in a clause; empty where that is plain.
    """

    action: Action
    test: str = ""
    runs: int | None = None
    from_runs: str | None = None
    run_id: str | None = None
    against: str | None = None
    command: tuple[str, ...] = ()
    plain: bool = False
    why: str = ""


class Door(Protocol):
    """How a user came here, for texts that name what the user can write next.

    Attributes:
        configuration: what says how tests are measured and judged, as ``buto.yaml``.
    """

    @property
    def configuration(self) -> str: ...

    def step(self, step: Step) -> str:
        """Return a step as the user writes it, complete and quoted."""

    def setting(self, key: str, value: str) -> str:
        """Return a key of a test's configuration with a value, as ``--runs 10`` or ``runs=10``."""

    def name(self, key: str) -> str:
        """Return what a key of a test's configuration is called, as ``--oracle``."""

    def usage(self, action: Action) -> str:
        """Return where the user reads what an action takes."""

    def path(self, path: Path) -> str:
        """Return a path as the user would write it."""
