"""Compare the environments of the training runs and the checked runs, key by key."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct

from buto.judging.classifiers import MetadataDifference, compare_metadata
from buto.oracle import Oracle
from buto.run.model import MetadataValue, RunSet
from buto.run.names import metadata_text


class Likeness(Enum):
    """How a key of the checked runs compares with that of the training runs, most important first."""

    DECIDES = "differs, so the runs cannot be compared"
    DIFFERS = "differs, but does not prevent a comparison"
    SAME = "equal"
    VARIES = "varies among the runs compared with"
    IGNORED = "not compared"


class EnvironmentRow(Struct, frozen=True):
    """One metadata key.

    Attributes:
        expected: as text, of all training runs, or of one where it is not compared; None if there is none.
        observed: as text, one for each checked run; None where a run has none.
    """

    key: str
    likeness: Likeness
    expected: str | None
    observed: tuple[str | None, ...]


def environment_rows(oracle: Oracle, checked: RunSet, training: RunSet) -> tuple[EnvironmentRow, ...]:
    """Return a row for every key of either side, different ones first, then by key.

    Args:
        training: the stored training runs, for keys that the oracle does not keep.
    """
    learned = oracle.environment
    beside: Mapping[str, MetadataValue] = training.runs[0].metadata if len(training) else {}
    expected = {**beside, **learned.values}
    differences: dict[str, MetadataDifference] = {
        difference.key: difference
        for run in checked
        for difference in compare_metadata(learned, run.metadata, oracle.metadata)
    }

    def text(values: Mapping[str, MetadataValue], key: str) -> str | None:
        return metadata_text(key, values[key]) if key in values else None

    def likeness(key: str) -> Likeness:
        if key in differences:
            return Likeness.DECIDES if differences[key].deciding else Likeness.DIFFERS
        if key in learned.values:
            return Likeness.SAME
        return Likeness.VARIES if key in learned.varying else Likeness.IGNORED

    keys = sorted(set(expected).union(*(run.metadata for run in checked)))
    rows = [
        EnvironmentRow(
            key, likeness(key), text(expected, key), tuple(text(run.metadata, key) for run in checked)
        )
        for key in keys
    ]
    order = {likeness: place for place, likeness in enumerate(Likeness)}
    return tuple(sorted(rows, key=lambda row: order[row.likeness]))
