"""Labels: what was planned for a recorded run, beside the run.

The recorded runs have two parts: one to choose methods with, and one that chooses nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from buto.errors import BadFileError
from buto.run.model import Run, RunSet, run_set

ENVIRONMENT = "environment.name"
PLANNED = "environment.label.bed."
"""Metadata of a recorded run with the plan's words begin with this."""

NO_FAULT = "none"


@dataclass(frozen=True, slots=True)
class Labels:
    """The plan's words for one run.

    Attributes:
        environment: where it ran, such as ``base``.
        role: what it is for, such as ``good`` or ``fault``.
        fault: which fault was on; :data:`NO_FAULT` if none was.
        load: the requests that arrived.
    """

    environment: str
    role: str
    fault: str
    load: str


@dataclass(frozen=True, eq=False, slots=True)
class BedRun:
    """A recorded run and its labels.

    Attributes:
        run: an ordinary run. Its metadata describe the environment, but do not tell the fault.
        labels: what a detector must not see.
    """

    run: Run
    labels: Labels


def labels_of(run: Run) -> Labels:
    """Return the labels that the bed gave to a run.

    Raises:
        BadFileError: it lacks one, so it is no run of the bed.
    """
    return Labels(
        environment=_text(run, ENVIRONMENT),
        role=_text(run, PLANNED + "role"),
        fault=_text(run, PLANNED + "fault"),
        load=_text(run, PLANNED + "load"),
    )


def block_of(run: Run) -> str:
    """Return the number of the block that a run was recorded in; raises as :func:`labels_of`."""
    return _text(run, PLANNED + "block")


def chosen(
    runs: Iterable[BedRun],
    *,
    environment: str | None = None,
    role: str | None = None,
    fault: str | None = None,
    load: str | None = None,
) -> tuple[BedRun, ...]:
    """Return the runs with these labels, in their order; None: any."""
    wanted = {"environment": environment, "role": role, "fault": fault, "load": load}
    return tuple(
        one
        for one in runs
        if all(value in (None, getattr(one.labels, name)) for name, value in wanted.items())
    )


def together(runs: Iterable[BedRun], test: str = "keycloak") -> RunSet:
    """Return runs as a set of one test, which a detector can learn or judge; each was a test of its own."""
    return run_set([replace(one.run, test=test) for one in runs])


def _text(run: Run, key: str) -> str:
    value = run.metadata.get(key)
    if value is None:
        raise BadFileError(
            f"the run {run.id} of {run.test} is no run of the bed: it has no {key}",
            advice="name a store of runs that the bed has recorded: replications/docs/bed-format.md",
        )
    return str(value)


PartName = Literal["tuning", "set apart"]


class Part(StrEnum):
    """A block of runs, recorded on one day from one plan and one seed."""

    TUNING = "tuning"
    """Block 1: whoever chooses or tunes a method uses these runs alone."""

    SET_APART = "set apart"
    """Block 2: used for final figures alone, once, when everything is chosen."""

    @property
    def directory(self) -> str:
        """The name of its directory in a data set."""
        return self.value.replace(" ", "-")


PART_OF_BLOCK = {"1": Part.TUNING, "2": Part.SET_APART}
"""By the label ``bed.block`` of a run."""
