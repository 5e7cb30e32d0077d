"""The part of a recorded run that the data set keeps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from buto.run.model import MetadataValue, Run
from buto.run.properties import Property, Role
from buto.run.window import WINDOW, measured
from buto_replications.bed.labels import PLANNED
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

    Values are those of :func:`buto.run.window.measured`: time zero is the window's start, and counters count
    from there.
    """
    run = measured(run)
    columns = [
        number
        for number, prop in enumerate(run.properties)
        if prop.role is Role.PROGRAM and not _matches(prop.name, AGENT_TRACES)
    ]
    properties = tuple(_renamed(run.properties[number]) for number in columns)
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


def _renamed(prop: Property) -> Property:
    return replace(prop, name=without_node(prop.name))
