"""A verdict names the hosts that recorded its runs."""

from __future__ import annotations

import pytest

from buto.report import words
from buto.report.environment import EnvironmentRow, Likeness
from buto.run.model import WORKER


@pytest.mark.parametrize(
    ("likeness", "expected", "observed", "said"),
    [
        (Likeness.SAME, "a", ("a", "a"), "a"),
        (Likeness.DIFFERS, "a", ("b",), "b; training: a"),
        (Likeness.DIFFERS, None, ("b", "a", "b"), "a, b; training: none"),
        (Likeness.DIFFERS, "a", (None,), "none; training: a"),
        (Likeness.VARIES, "a", ("a",), "a; training: several"),
    ],
)
def test_hosts_of_both_sides(
    likeness: Likeness, expected: str | None, observed: tuple[str | None, ...], said: str
) -> None:
    rows = [EnvironmentRow(WORKER, likeness, expected, observed)]
    assert words.hosts(rows, "training") == said


def test_without_a_cluster_there_is_nothing_to_say() -> None:
    assert words.hosts([EnvironmentRow("host.name", Likeness.SAME, "a", ("a",))], "training") == ""
