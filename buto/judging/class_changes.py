"""Which classes have more or fewer live objects in some runs than in others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from buto.run.model import AT_END, ClassCount, ClassHistogram, Run

MOST_CHANGES = 20
FEWEST_BYTES = 1024
"""Smaller changes are not worth a line."""

NOTHING = ClassCount("", 0, 0)


@dataclass(frozen=True, slots=True)
class ClassChange:
    """The live objects of one class, typically before and after.

    Attributes:
        before, after: of the known and of the new runs; zeros if the class was not listed.
    """

    name: str
    before: ClassCount
    after: ClassCount

    @property
    def instances(self) -> int:
        """How many more objects there are."""
        return self.after.instances - self.before.instances

    @property
    def size_bytes(self) -> int:
        """How many more bytes they use."""
        return self.after.size_bytes - self.before.size_bytes


def histogram_at_end(run: Run) -> ClassHistogram | None:
    """Return the histogram at the program's end; None if it has none."""
    return next((one for one in reversed(run.histograms) if one.point == AT_END), None)


def typical_histogram(runs: Sequence[Run]) -> ClassHistogram | None:
    """Return the medians of the histograms at the end, class by class, the largest first.

    A class that a run does not list counts as zero there. None if a run has no histogram at its end.
    """
    found = [histogram_at_end(run) for run in runs]
    known = [one for one in found if one is not None]
    if not known or len(known) < len(found):
        return None
    # Imported here, because few runs have histograms.
    from statistics import median_low

    by_name = [{count.name: count for count in one.classes} for one in known]
    names = dict.fromkeys(name for one in by_name for name in one)
    counts = (
        ClassCount(
            name,
            median_low(one.get(name, NOTHING).instances for one in by_name),
            median_low(one.get(name, NOTHING).size_bytes for one in by_name),
        )
        for name in names
    )
    return ClassHistogram(
        time_s=median_low(one.time_s for one in known),
        point=AT_END,
        instances=median_low(one.instances for one in known),
        bytes=median_low(one.bytes for one in known),
        classes=tuple(
            sorted((one for one in counts if one.instances), key=lambda one: (-one.size_bytes, one.name))
        ),
    )


def class_changes(before: ClassHistogram | None, after: ClassHistogram | None) -> tuple[ClassChange, ...]:
    """Return the largest changes by bytes, at most MOST_CHANGES; none unless both histograms are there.

    Histograms list the largest classes only. A class that only one of them lists counts as zero in the other,
    and is left out if it is no larger than the smallest class of the other list.
    """
    if before is None or after is None:
        return ()
    ours, theirs = ({count.name: count for count in one.classes} for one in (before, after))
    changes = [
        ClassChange(name, ours.get(name, NOTHING), theirs.get(name, NOTHING)) for name in {**theirs, **ours}
    ]
    least = max(_smallest(before), _smallest(after))
    large = [
        one
        for one in changes
        if abs(one.size_bytes) >= FEWEST_BYTES
        and (one.name in ours.keys() & theirs.keys() or _largest(one) > least)
    ]
    return tuple(sorted(large, key=lambda one: (-abs(one.size_bytes), one.name))[:MOST_CHANGES])


def _smallest(histogram: ClassHistogram) -> int:
    """Return the bytes of the smallest class in a list that does not have all classes; else 0."""
    listed = sum(one.size_bytes for one in histogram.classes)
    is_cut = histogram.classes and listed < histogram.bytes
    return histogram.classes[-1].size_bytes if is_cut else 0


def _largest(change: ClassChange) -> int:
    return max(change.before.size_bytes, change.after.size_bytes)
