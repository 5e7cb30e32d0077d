"""The lines that pytest shows while a program is launched; the clock is the test's."""

from __future__ import annotations

from buto.actions.events import LaunchesPlanned, LaunchProgressed, LaunchStarted
from buto.measure.progress import Progress
from buto.pytest_plugin.progress import EVERY_S, LaunchLines


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_short_test_shows_nothing_and_a_long_one_each_launch_that_is_due() -> None:
    lines: list[str] = []
    clock = Clock()
    show = LaunchLines(lines.append, clock)
    show(LaunchesPlanned({"shop": 10}, at_most=frozenset({"shop"})))
    for number in range(1, 7):
        show(LaunchStarted("shop", number, 10))
        clock.now_s += 0.4 * EVERY_S
    assert [line.partition(",")[0] for line in lines] == [
        "shop: run 4 of at most 10",
    ]
    show(LaunchStarted("shop", 7, 10))
    assert lines[1:] == ["shop: run 7 of at most 10, 24 s so far"]


def test_one_long_launch_shows_that_it_goes_on() -> None:
    lines: list[str] = []
    clock = Clock()
    show = LaunchLines(lines.append, clock)
    show(LaunchesPlanned({"shop": 1}))
    show(LaunchStarted("shop", 1, 1))
    for _ in range(4):
        clock.now_s += 0.6 * EVERY_S
        show(LaunchProgressed(Progress(0.0, 60.0, 5, "running"), "shop"))
    assert lines == ["shop: run 1 of 1, 12 s so far", "shop: run 1 of 1, 24 s so far"]
