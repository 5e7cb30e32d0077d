"""What releases use, counted without buto."""

from __future__ import annotations

from pathlib import Path

import pytest

from beds.artefacts import BedError
from beds.releases.__main__ import CONFIRMED, confirm_all
from beds.releases.confirm import Confirmed, find_confirming
from beds.releases.counts import (
    MEASURES,
    N_LAUNCHES,
    Count,
    Move,
    count_releases,
    find_moves,
    parse_count,
)
from benchmark import records
from buto_replications.live.releases import ProgramRelease, ReplayedLibrary

WRITTEN = """\
5000 3 900 7
 num     #instances         #bytes  class name (module)
-------------------------------------------------------
   1:            90           9000  [B (java.base@17.0.1)
   2:            10            995  shop.Order
   3:             1              5  shop.Small
Total           101          10000
"""


def a_series(main: str) -> ReplayedLibrary:
    """Releases that need no jar."""
    versions = ("1.0", "1.1")
    return ReplayedLibrary(
        "clone", main, tuple(ProgramRelease(version, "2026-01-01", (), "") for version in versions)
    )


def test_a_histogram_is_read_down_to_a_hundredth_of_what_is_alive() -> None:
    count = parse_count("1.0", 2, WRITTEN)
    assert (count.release, count.launch, count.allocated, count.files) == ("1.0", 2, 5000, 7)
    assert (count.objects, count.live) == (101, 10000)
    assert count.by_class == {"[B": 9000, "shop.Order": 995}


def test_each_release_is_launched_so_often_and_what_is_done_stays(tmp_path: Path) -> None:
    series = a_series("live.clone.Clone")
    counts = list(count_releases(series, [], tmp_path))
    assert [(count.release, count.launch) for count in counts] == [
        (version, launch) for launch in range(N_LAUNCHES) for version in ("1.0", "1.1")
    ]
    for count in counts:
        assert 0 < count.live < count.allocated
        assert sum(count.by_class.values()) <= count.live
    left = list(count_releases(series, counts[:-1], tmp_path))
    assert [(count.release, count.launch) for count in left] == [("1.1", N_LAUNCHES - 1)]


def test_a_program_that_fails_is_not_counted(tmp_path: Path) -> None:
    with pytest.raises(BedError, match=r"clone 1\.0 failed"):
        list(count_releases(a_series("Missing"), [], tmp_path))


def make_counts(release: str, live: tuple[int, ...], orders: tuple[int, ...]) -> list[Count]:
    return [
        Count(release, launch, 1, 2, 3, 4, 5, kept, f"[B=9000 shop.Order={size}")
        for launch, (kept, size) in enumerate(zip(live, orders, strict=True))
    ]


def test_what_lies_apart_in_all_launches_has_moved() -> None:
    before = make_counts("1.0", (100, 101, 110), (10, 10, 10))
    after = make_counts("1.1", (111, 120, 130), (10, 30, 30))
    moves = {move.measure: move for move in find_moves(before, after)}
    assert set(moves) == {*MEASURES, "[B", "shop.Order"}
    assert {name for name, move in moves.items() if move.is_apart} == {"live"}
    assert moves["live"].share == pytest.approx(120 / 101 - 1)
    assert (moves["shop.Order"].old, moves["shop.Order"].new) == (10, 30)


@pytest.mark.parametrize(
    ("said", "measure", "old", "new", "is_confirmed"),
    [
        ("keeps 616 KiB more (+4 %, mostly int[])", "live", 100, 102, True),
        ("keeps 616 KiB more (+4 %, mostly int[])", "live", 100, 101, False),
        ("keeps 616 KiB more (+4 %)", "live", 100, 96, False),
        ("keeps 616 KiB more (+4 %)", "allocated", 100, 104, False),
        ("allocates 21 MiB more (3.5x)", "allocated", 100, 330, True),
        ("live objects -16 % (kept at the exit 281,395 → 234,763 objects)", "objects", 100, 85, True),
        ("8 more open files (22 → 30)", "files", 20, 28, True),
        ("starts 1 fewer thread (16 → 15)", "started", 14, 15, False),
        ("keeps 460 KiB more of byte[] (+12 %)", "[B", 100, 112, True),
        ("keeps 460 KiB less of HashMap$Node[] (-48 %)", "[Ljava.util.HashMap$Node;", 100, 53, True),
        ("keeps 618 KiB less of Node (-31 %)", "com.shop.Node", 100, 69, True),
        ("keeps 618 KiB less of Node (-31 %)", "com.shop.OtherNode", 100, 69, False),
        ("memory outside the heap +6.27 % (peak 26.5 → 28.1 MiB)", "live", 100, 106, False),
    ],
)
def test_a_finding_is_confirmed_by_half_of_its_share_in_its_direction(
    said: str, measure: str, old: float, new: float, is_confirmed: bool
) -> None:
    moves = [Move(measure, old, new, is_apart=True)]
    assert bool(find_confirming(said, moves)) is is_confirmed
    assert not find_confirming(said, [Move(measure, old, new, is_apart=False)])


def test_what_is_stored_of_the_replays_is_what_the_counts_confirm() -> None:
    assert records.read(CONFIRMED, Confirmed) == confirm_all()
