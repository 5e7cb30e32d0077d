"""Histories of builds: how the stored ones are read, and what the monitor says of a step."""

import numpy as np
import pytest

from beds.artefacts import BedError
from benchmark import histories
from benchmark.histories import N_TRAINING, STEPPED, monitor, otava, read_series


def series(n_builds, step=0.0):
    """Allocated bytes with a scatter of a thousandth, and a step ten builds before the end."""
    values = 2.0**24 * np.random.default_rng(1).normal(1.0, 0.001, N_TRAINING + n_builds)
    values[-10:] *= 1 + step
    return {STEPPED: values}


def test_each_stored_series_has_its_training_and_its_builds():
    every = read_series()
    assert len(every) == 8
    assert all(len(values) > 100 for counters in every.values() for values in counters.values())


def test_the_monitor_starts_turns_soon_after_a_step_and_not_before():
    assert monitor(series(40)) == []
    [alarm, *_] = monitor(series(40, step=0.2))
    assert 40 <= alarm < 48


def test_a_rule_without_its_package_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(histories.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(BedError):
        otava(series(40))
