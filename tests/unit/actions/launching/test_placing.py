"""Where the next runs of a test may be recorded."""

from __future__ import annotations

import pytest

from buto.engine.placement import HostLabels, Placement, placement
from buto.project.model import build_test
from buto.run.model import WORKER

EARLIER = {
    "host.cpu.model": "EPYC",
    "host.cores": 4,
    "host.kernel": "6.1",
    "jvm.vm.version": "17.0.15",
    WORKER: "a",
}


def test_runs_that_are_judged_together_come_from_one_class_of_hosts() -> None:
    test = build_test("x", {"command": "java", "hosts": {"tag": "fast"}}, None, {})
    where = placement(test.hosts, test.settings, EARLIER, "x y")
    assert where.required == {"host.cpu.model": "EPYC", "host.cores": 4}
    assert (where.host, where.group, where.spread) == ("a", "x y", False)
    assert where.labels == HostLabels(tags=("fast",))
    assert where.like == EARLIER


def test_a_first_run_may_come_from_anywhere() -> None:
    test = build_test("x", {"command": "java"}, None, {})
    assert placement(test.hosts, test.settings, {}) == Placement()


@pytest.mark.parametrize("method", ["calibrated", "thesis"])
def test_runs_of_like_machines_stay_together(method: str) -> None:
    written = {"command": "java", "judge": {"method": method}}
    alike = build_test("x", written, None, {})
    assert not placement(alike.hosts, alike.settings, EARLIER).spread
