"""Which classes grew, from histograms of known content."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from buto.judging.class_changes import MOST_CHANGES, class_changes, typical_histogram
from buto.run.model import ClassCount, ClassHistogram, Run
from tests.support.runs.signals import program_run

KIB = 1024


def histogram(total: int | None = None, point: str = "end", **sizes: int) -> ClassHistogram:
    """A histogram of objects of a KiB each; ``total`` is more if smaller classes are not listed."""
    counts = tuple(
        ClassCount(name, n, n * KIB) for name, n in sorted(sizes.items(), key=lambda pair: -pair[1])
    )
    listed = sum(class_count.size_bytes for class_count in counts)
    return ClassHistogram(1.0, point, sum(sizes.values()), total or listed, counts)


def run_with(*histograms: ClassHistogram) -> Run:
    return replace(program_run(1, 1), histograms=histograms)


def told(before: ClassHistogram | None, after: ClassHistogram | None) -> dict[str, tuple[int, int]]:
    return {change.name: (change.instances, change.size_bytes) for change in class_changes(before, after)}


def test_the_typical_histogram_has_the_median_of_each_class() -> None:
    runs = [run_with(histogram(A=1, B=9)), run_with(histogram(A=2, B=9)), run_with(histogram(A=50, C=1))]
    found = typical_histogram(runs)
    assert found is not None
    assert [
        (class_count.name, class_count.instances, class_count.size_bytes) for class_count in found.classes
    ] == [
        ("B", 9, 9 * KIB),
        ("A", 2, 2 * KIB),
    ]
    assert (found.instances, found.bytes) == (11, 11 * KIB)


def test_a_run_without_a_histogram_at_its_end_gives_none() -> None:
    whole = run_with(histogram(A=1))
    assert typical_histogram([]) is None
    assert typical_histogram([whole, run_with()]) is None
    assert typical_histogram([whole, run_with(histogram(A=1, point="period"))]) is None
    assert typical_histogram([run_with(histogram(A=1, point="period"), histogram(A=3))]) == structs.replace(
        histogram(A=3), time_s=1.0
    )


def test_changes_come_by_their_size_in_both_directions() -> None:
    before, after = (
        histogram(Same=5, Less=30, Gone=2, Session=1),
        histogram(Same=5, Less=10, Session=13, New=3),
    )
    assert told(before, after) == {
        "Less": (-20, -20 * KIB),
        "Session": (12, 12 * KIB),
        "New": (3, 3 * KIB),
        "Gone": (-2, -2 * KIB),
    }
    assert list(told(before, after)) == ["Less", "Session", "New", "Gone"]
    assert told(before, before) == told(None, after) == told(before, None) == {}


def test_a_class_below_the_end_of_a_cut_list_is_not_called_new() -> None:
    """The smaller classes of the first are not listed: one of four may have been there, one of nine not."""
    before = histogram(total=100 * KIB, Large=40, Small=5)
    assert told(before, histogram(Large=40, Small=5, Four=4, Nine=9)) == {"Nine": (9, 9 * KIB)}


def test_only_the_largest_changes_are_told() -> None:
    after = histogram(**{f"C{number}": number + 1 for number in range(2 * MOST_CHANGES)})
    found = told(histogram(), after)
    assert list(found) == [f"C{2 * MOST_CHANGES - 1 - place}" for place in range(MOST_CHANGES)]
