"""The bed of real tools: its draw and its sums are as written, and truth follows from counts as stated."""

from __future__ import annotations

from dataclasses import replace

import pytest

from beds.tools import catalogue
from beds.tools.__main__ import COUNTED, _upper
from beds.tools.truth import Count, missing, truths
from benchmark import records

TOOL = catalogue.Tool("sorter", ("org.acme:sorter",), ("1.0", "1.1"), "org.acme.Main", ())
ROUNDS = 5


def counts(release: str, **more: float) -> list[Count]:
    """Five runs of a release, some measures of which are multiplied or, of threads, raised."""
    runs = []
    for number in range(ROUNDS):
        count = Count(
            "sorter", release, number, 10**8 + number, 10**7 + number, 6, 9, 1500, 8, 3, 1.0, 10**8, 2.0
        )
        for name, value in more.items():
            known = getattr(count, name)
            count = replace(
                count, **{name: known + value if name in ("left", "files") else int(known * value)}
            )
        runs.append(count)
    return runs


@pytest.mark.parametrize(
    ("change", "changes", "is_known"),
    [
        ({}, set(), True),
        ({"allocated": 1.08}, {"allocated"}, True),
        ({"allocated": 0.9, "live": 1.07}, {"allocated", "live"}, True),
        ({"allocated": 1.03}, set(), False),
        ({"left": 1}, {"left"}, True),
        ({"classes": 1.1}, set(), False),
        ({"classes": 1.05}, set(), True),
        ({"classes": 1.2}, {"classes"}, True),
        ({"cpu_s": 3.0, "resident": 2.0}, set(), True),
    ],
)
def test_what_is_true_follows_from_the_counts(
    change: dict[str, float], changes: set[str], is_known: bool
) -> None:
    (found,) = truths(TOOL, [*counts("1.0"), *counts("1.1", **change)])
    assert (set(found.changes), found.is_known) == (changes, is_known)


def test_a_change_that_one_run_does_not_show_is_none() -> None:
    after = counts("1.1", allocated=1.5)
    after[2] = replace(after[2], allocated=10**8)
    (found,) = truths(TOOL, [*counts("1.0"), *after])
    assert (found.changes, found.is_known) == ({}, False)


def test_what_was_counted_is_not_counted_again() -> None:
    known = counts("1.0")[:3]
    left = missing([TOOL], known, ROUNDS)
    assert len(left) == 2 * ROUNDS - 3
    assert {(release, number) for _, release, number in left}.isdisjoint(
        {("1.0", trial_number) for trial_number in range(3)}
    )


def test_the_written_draw_is_that_of_the_seed_and_every_jar_has_a_sum() -> None:
    tools = catalogue.tools()
    assert len(tools) >= 12
    assert catalogue.halves() == {name: half for half, names in catalogue.draw().items() for name in names}
    for tool in tools.values():
        assert len(tool.releases) >= 4
        for release in tool.releases:
            for coordinate in tool.coordinates(release):
                assert len(catalogue.artefact(coordinate).sha256) == 64


def test_what_was_counted_is_of_the_tools() -> None:
    for count in records.read(COUNTED, Count):
        assert count.release in catalogue.tools()[count.tool].releases
        assert min(count.allocated, count.live, count.left, count.classes) > 0


def test_the_upper_limit_of_a_share_is_that_of_clopper_and_pearson() -> None:
    """Of none in n it is 1 - .05 ** (1 / n)."""
    assert _upper([False] * 9) == pytest.approx(1 - 0.05 ** (1 / 9), abs=1e-9)
    assert _upper([True] * 3) == 1.0
    assert _upper([True, *[False] * 19]) == pytest.approx(0.2161, abs=1e-4)
