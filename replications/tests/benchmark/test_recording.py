"""The cells of the benchmark, and which runs they want."""

from __future__ import annotations

import math

import pytest

from beds import rounds
from beds.rounds import Wanted
from benchmark.recording import CELLS, MOST_FOREIGN
from buto.measure.target import Target
from buto.run.model import Quality
from buto.run.store import RunStore


@pytest.mark.parametrize(("cell", "counts"), [("17-quiet", False), ("17-load", True)])
def test_a_run_beside_other_programs_does_not_count_on_a_quiet_machine(cell, counts):
    assert CELLS[cell].counts(Quality(foreign_load=MOST_FOREIGN + 0.01)) is counts
    assert CELLS[cell].counts(Quality(foreign_load=MOST_FOREIGN))
    assert CELLS[cell].counts(Quality(foreign_load=math.nan))


def test_a_run_that_does_not_count_is_recorded_again(tmp_path):
    source = tmp_path / "Short.java"
    source.write_text("class Short { public static void main(String[] words) {} }")
    wanted = {"short@parallel": Wanted(Target(("java", str(source))), 1, 0)}

    for refused in (1, 2):
        assert rounds.record(wanted, tmp_path / "runs", 1, 0, counts=lambda quality: False) == {}
        assert len(RunStore(tmp_path / "runs").summaries("short@parallel")) == refused
    rounds.record(wanted, tmp_path / "runs", 1, 0)
    assert len(RunStore(tmp_path / "runs").summaries("short@parallel")) == 2
