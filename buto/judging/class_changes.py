"""Which classes have more or fewer live objects in some runs than in others."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from buto.run.model import AT_END, ClassCount, ClassHistogram, Run

MOST_CHANGES = 20
FEWEST_BYTES = 1024
"""Smaller changes are not worth a line."""

NOTHING = ClassCount("", 0, 0)


class ClassChange(Struct, frozen=True):
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


_GENERATED = re.compile(r"\$\$.*|/0x[0-9a-f]+.*|(?<=Proxy)\d+$|(?<=Accessor)\d+$", re.DOTALL)
"""What the JDK and libraries add to the names of classes that they make while a program runs."""

PRIMITIVE = frozenset({"boolean", "byte", "char", "short", "int", "long", "float", "double"})


_OF, _AT_END = "live objects of ", " at the end"


def class_feature(name: str) -> str:
    """Return the name of the feature that is the bytes of a class's live objects."""
    return f"{_OF}{name}{_AT_END}"


def class_of(feature: str) -> str:
    """Invert :func:`class_feature`."""
    return feature.removeprefix(_OF).removesuffix(_AT_END)


def family_of(name: str) -> str:
    """Return what classes have in common between which objects may change without any more being kept.

    That is the name of the outermost class, without its package, which may have been renamed, without what
    generated classes add, and without the brackets of an array. Arrays of primitive values are families of
    their own.
    """
    element = name.rstrip("[]")
    if element in PRIMITIVE:
        return name
    simple = _GENERATED.sub("", element).rpartition(".")[2].strip("$")
    return simple.partition("$")[0] or element


def histogram_at_end(run: Run) -> ClassHistogram | None:
    """Return the histogram at the program's end; None if it has none."""
    return next((histogram for histogram in reversed(run.histograms) if histogram.point == AT_END), None)


def typical_histogram(runs: Sequence[Run]) -> ClassHistogram | None:
    """Return the medians of the histograms at the end, class by class, the largest first.

    A class that a run does not list counts as zero there. None if a run has no histogram at its end.
    """
    histograms = [histogram_at_end(run) for run in runs]
    known = [histogram for histogram in histograms if histogram is not None]
    if not known or len(known) < len(histograms):
        return None
    # Imported here, because few runs have histograms.
    from statistics import median_low

    by_name = [{count.name: count for count in histogram.classes} for histogram in known]
    names = dict.fromkeys(name for class_counts in by_name for name in class_counts)
    counts = (
        ClassCount(
            name,
            median_low(class_counts.get(name, NOTHING).instances for class_counts in by_name),
            median_low(class_counts.get(name, NOTHING).size_bytes for class_counts in by_name),
        )
        for name in names
    )
    return ClassHistogram(
        time_s=median_low(histogram.time_s for histogram in known),
        point=AT_END,
        instances=median_low(histogram.instances for histogram in known),
        bytes=median_low(histogram.bytes for histogram in known),
        classes=tuple(
            sorted(
                (class_count for class_count in counts if class_count.instances),
                key=lambda class_count: (-class_count.size_bytes, class_count.name),
            )
        ),
    )


def class_changes(before: ClassHistogram | None, after: ClassHistogram | None) -> tuple[ClassChange, ...]:
    """Return the largest changes by bytes, at most MOST_CHANGES; none unless both histograms are there.

    Histograms list the largest classes only. A class that only one of them lists counts as zero in the other,
    and is left out if it is no larger than the smallest class of the other list.
    """
    if before is None or after is None:
        return ()
    ours, theirs = ({count.name: count for count in histogram.classes} for histogram in (before, after))
    changes = [
        ClassChange(name, ours.get(name, NOTHING), theirs.get(name, NOTHING)) for name in {**theirs, **ours}
    ]
    least = max(_smallest(before), _smallest(after))
    large = [
        change
        for change in changes
        if abs(change.size_bytes) >= FEWEST_BYTES
        and (change.name in ours.keys() & theirs.keys() or _largest(change) > least)
    ]
    return tuple(sorted(large, key=lambda change: (-abs(change.size_bytes), change.name))[:MOST_CHANGES])


def _smallest(histogram: ClassHistogram) -> int:
    """Return the bytes of the smallest class in a list that does not have all classes; else 0."""
    listed = sum(class_count.size_bytes for class_count in histogram.classes)
    is_cut = histogram.classes and listed < histogram.bytes
    return histogram.classes[-1].size_bytes if is_cut else 0


def _largest(change: ClassChange) -> int:
    return max(change.before.size_bytes, change.after.size_bytes)
