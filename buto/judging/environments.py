"""The environment of a run: what of its metadata makes it another machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from buto.judging.classifiers import MetadataSettings
from buto.run.model import FloatArray, IntArray, MetadataValue

Environment = Mapping[str, MetadataValue]
"""The components of an environment by name."""

LABELS = "environment.label."
"""What the user said of the environment: keys of metadata begin with this."""

COLLECTORS = "jvm.gc.collectors"
"""JVMs list their collectors in no certain order."""


def environment_of(metadata: Mapping[str, MetadataValue], settings: MetadataSettings) -> Environment:
    """Return the metadata that decide whether runs can be compared, sorted by name."""
    return {
        key: sort_list(metadata[key]) if key == COLLECTORS else metadata[key]
        for key in sorted(metadata)
        if settings.is_deciding(key) and metadata[key] == metadata[key]
    }


def sort_list(listed: MetadataValue) -> MetadataValue:
    """Return a text that lists names with these names sorted."""
    return ", ".join(sorted(listed.split(", "))) if isinstance(listed, str) else listed


def components_shared(environment: Environment, other: Environment) -> list[str]:
    """Return the names of the components that are equal in both environments."""
    return [key for key, value in environment.items() if key in other and other[key] == value]


def weights(shared: Sequence[float]) -> FloatArray:
    """Return the weight of each prior test, sum 1, from the number of components that it shares with the new
    test, or the sum of their weights: the length of its similarity vector. Equal weights if all are 0.
    """
    lengths = np.sqrt(np.array(shared, dtype=float))
    if not lengths.any():
        return np.full(len(lengths), 1 / max(1, len(lengths)))
    weighed: FloatArray = lengths / lengths.sum()
    return weighed


def environment_from(written: Mapping[str, MetadataValue]) -> Environment:
    """Return the components of an environment; raise TypeError if one is not a single value."""
    for key, value in written.items():
        if value is not None and not isinstance(value, str | int | float):
            raise TypeError(f"the component {key} of an environment must be text, a number, a bool or null")
    return {str(key): value for key, value in written.items()}


def environment_words(environment: Environment) -> str:
    """Return an environment as ``database=17, host.cores=2``."""
    listed = [f"{key.removeprefix(LABELS)}={value}" for key, value in environment.items()]
    return ", ".join(listed) or "unknown"


def group(environments: Sequence[Environment]) -> tuple[IntArray, tuple[Environment, ...]]:
    """Return the number of each test's environment, and the different environments."""
    different: list[Environment] = []
    for environment in environments:
        if environment not in different:
            different.append(environment)
    return np.array([different.index(environment) for environment in environments], dtype=np.int64), tuple(
        different
    )
