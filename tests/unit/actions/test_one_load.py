"""A rate that is a range: what launches that are compared with each other have of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from buto.actions import collecting
from buto.actions.collecting import LaunchPlan
from buto.errors import MeasureError
from tests.support.processes.command import called

LOW, HIGH = 20, 2000


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[LaunchPlan]]:
    """What would be launched; nothing is."""
    seen: list[Sequence[LaunchPlan]] = []

    def collect(planned: Sequence[LaunchPlan], *given: Any, **named: Any) -> None:
        seen.append(planned)
        raise MeasureError("nothing is launched here")

    monkeypatch.setattr(collecting, "collect", collect)
    return seen


def configure(directory: Path) -> None:
    load = {"url": "http://127.0.0.1:1", "requests": {"get": {"path": "/"}}, "rate": f"{LOW}..{HIGH}"}
    test = {"command": "java -version", "workload": {"port": 1, "load": load, "stop": True}}
    document = {"version": 1, "tests": {"old": test, "new": test}}
    (directory / "buto.yaml").write_text(yaml.safe_dump(document))


def phases(plan: LaunchPlan) -> list[tuple[float, float | None]]:
    workload = plan.workload
    assert workload is not None
    assert workload.load is not None
    return [(phase.rate, phase.rate_to) for phase in workload.load.phases]


def test_programs_that_are_compared_have_one_load_in_all_launches(
    tmp_path: Path, plans: list[Sequence[LaunchPlan]]
) -> None:
    configure(tmp_path)
    assert called(tmp_path, "compare", "new", "--against", "old").returncode == 3
    [[old, new]] = plans
    assert phases(old) == phases(new)
    [(rate, rate_to)] = phases(new)
    assert LOW <= rate <= HIGH
    assert rate_to is None


def test_runs_that_are_recorded_draw_a_load_each(tmp_path: Path, plans: list[Sequence[LaunchPlan]]) -> None:
    configure(tmp_path)
    assert called(tmp_path, "record", "new").returncode == 3
    [[plan]] = plans
    assert phases(plan) == [(LOW, HIGH)]
