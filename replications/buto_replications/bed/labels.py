"""Runs of the bed with their labels, and what of them may be published."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Literal

import numpy as np
from msgspec import structs

from buto.errors import BadFileError
from buto.run.model import MetadataValue, Run, RunSet, run_set
from buto.run.properties import Property, Role
from buto.run.window import WINDOW, cut_to_window
from buto_replications.dataset.archive import KEPT_METADATA

_STARTED = "jvm.uptime"
"""Metadata key: how long the JVM took to start, which the agent with the faults prolongs."""

KEPT = (*(key for key in KEPT_METADATA if key != _STARTED), "environment.*", "source.*", WINDOW)
"""Shell patterns of the metadata that is kept."""

AGENT_TRACES = (
    "jvm.class.count",
    "jvm.memory.non_heap.*",
    "jvm.memory.*[[]Metaspace]",
    "jvm.memory.*[[]Compressed Class Space]",
    "jvm.memory.*[[]Code*]",
    "metrics.jvm_classes_loaded_classes",
    "metrics.jvm_memory_*[[]area=nonheap,*]",
    "metrics.process_uptime_seconds",
)
"""Shell patterns of properties that tell whether the agent with the faults is there, whatever a fault does.

The agent brings some 1,400 classes, and runs without a woven fault do not have it.
"""

_DIRECTORIES = re.compile(r"(?<![\w/])/(?:[\w.+@-]+/)+")
"""The directories of a path in a text, such as an option of the JVM; not those of a URL."""

_FAULT = re.compile(r"-javaagent:faults-agent\.jar=\S* ?")
"""The option of the JVM that has the fault. Only the labels tell it, or a detector could read it."""

_NODE = re.compile(r"(?<=[\[,])node=[^,\]]*(?:,|(?=\]))")
"""A label of Keycloak's caches: the name of the machine and a number that differs in each run."""


def published(run: Run) -> Run:
    """Return a run's measured window without names of machines and without what tells a fault.

    Output and the cost of measuring are left out, too.

    Values are those of :func:`buto.run.window.cut_to_window`: time zero is the window's start, and counters
    count from there.
    """
    run = cut_to_window(run)
    columns = [
        number
        for number, prop in enumerate(run.properties)
        if prop.role is Role.PROGRAM and not _matches(prop.name, AGENT_TRACES)
    ]
    properties = tuple(_rename(run.properties[number]) for number in columns)
    values = np.ascontiguousarray(run.values[:, columns])
    missing = [bool(np.isnan(column).any()) for column in values.T]
    explained = {without_node(name): why for name, why in run.nan_reasons.items()}
    return replace(
        run,
        properties=properties,
        values=values,
        nan_reasons={
            prop.name: explained[prop.name]
            for prop, is_missing in zip(properties, missing, strict=True)
            if is_missing and prop.name in explained
        },
        metadata={
            key: _without_fault(without_directories(value))
            for key, value in run.metadata.items()
            if _matches(key, KEPT) and not key.startswith(PLANNED)
        },
        stdout=b"",
        stderr=b"",
        outputs={},
    )


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def without_node(name: str) -> str:
    """Return the name of a property without the label ``node``."""
    return _NODE.sub("", name).replace(",]", "]").replace("[]", "")


def without_directories(value: MetadataValue) -> MetadataValue:
    """Return a text with the last part of each path alone; any other value as it is."""
    return _DIRECTORIES.sub("", value) if isinstance(value, str) else value


def _without_fault(value: MetadataValue) -> MetadataValue:
    return _FAULT.sub("", value).rstrip() if isinstance(value, str) else value


def _rename(prop: Property) -> Property:
    return structs.replace(prop, name=without_node(prop.name))


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
        run
        for run in runs
        if all(value in (None, getattr(run.labels, name)) for name, value in wanted.items())
    )


def together(runs: Iterable[BedRun], test: str = "keycloak") -> RunSet:
    """Return runs as a set of one test, which a detector can learn or judge; each was a test of its own."""
    return run_set([replace(run.run, test=test) for run in runs])


def _text(run: Run, key: str) -> str:
    value = run.metadata.get(key)
    if value is None:
        raise BadFileError(
            f"the run {run.id} of {run.test} is no run of the bed: it has no {key}",
            advice="name a store of runs that the bed has recorded: replications/docs/bed-format.md",
        )
    return str(value)


PartName = Literal["tuning", "set apart", "long"]


class RunBlock(StrEnum):
    """A block of runs, recorded on one day from one plan and one seed."""

    TUNING = "tuning"
    """Block 1: whoever chooses or tunes a method uses these runs alone."""

    SET_APART = "set apart"
    """Block 2: used for final figures alone, once, when everything is chosen."""

    LONG = "long"
    """Block 3: runs of six minutes, in which rules can hold."""

    @property
    def directory(self) -> str:
        return self.value.replace(" ", "-")


PART_OF_BLOCK = {"1": RunBlock.TUNING, "2": RunBlock.SET_APART, "3": RunBlock.LONG}
"""By the label ``bed.block`` of a run."""
