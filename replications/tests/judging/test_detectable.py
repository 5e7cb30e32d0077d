"""What a check is said to detect, on recorded runs in which just that is planted."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

import numpy as np
import pytest

from buto.judging.judge_settings import CALIBRATED
from buto.judging.procedure import N_CHECKED, N_TURNS
from buto.judging.selfknowledge.strength import CAUGHT_SHARE
from buto.report.strength import that_matter
from buto.run.model import Run
from buto.run.properties import Kind
from buto_replications.dataset import archive
from buto_replications.judging.checks import N_TRAINING, CachingJudge, TurnRuns


@pytest.fixture(scope="module")
def recorded() -> dict[str, list[Run]]:
    """The usable runs of the programs that have most."""
    every = archive.load(archive.RECORDED, "parallel")
    usable = {name: [run for run in runs if run.quality.valid] for name, runs in every.items()}
    enough = N_TRAINING + 5 * N_CHECKED + 2 * N_TURNS
    return {name: runs for name, runs in sorted(usable.items()) if len(runs) >= enough}


def planted(run: Run, name: str, size: float) -> Run:
    """Return a run that has so much more of a gauge all the time, or of a counter by its end."""
    (column,) = [place for place, prop in enumerate(run.properties) if prop.name == name]
    values = run.values.copy()
    even = run.times_s / run.times_s[-1] if run.properties[column].kind is Kind.COUNTER else 1.0
    values[:, column] += size * np.clip(even, 0.0, 1.0)
    return replace(run, values=values)


def test_changes_of_the_size_that_a_line_names_are_found(recorded: dict[str, list[Run]]) -> None:
    assert len(recorded) > 12
    found = []
    for runs in list(recorded.values())[::6]:
        trained, rest = CachingJudge.by(runs[:N_TRAINING]), runs[N_TRAINING:]
        old, new = rest[-2 * N_TURNS :: 2], rest[-2 * N_TURNS + 1 :: 2]
        for strength in that_matter(trained.fitted.strengths(everything=False).found):
            name = strength.quantity.name
            if not isfinite(strength.more):
                continue
            turned = TurnRuns(old, [planted(run, name, strength.more) for run in new])
            for first in range(0, 5 * N_CHECKED, N_CHECKED):
                three = [planted(run, name, strength.more) for run in rest[first : first + N_CHECKED]]
                found.append(trained.check(three, turned, seed=first).fails(CALIBRATED.alpha))
    assert len(found) >= 40
    assert np.mean(found) >= CAUGHT_SHARE
