"""Oracles that are committed somewhere: their numbers and their words are read as they were written.

A text is compared with its numbers word by word. Who changes a word of it, or what is learned, raises the
version of the format and turns older oracles into newer ones, or all of them are refused.
"""

from __future__ import annotations

import os

import pytest

from buto.judging.judge_settings import CALIBRATED
from buto.judging.thesis.detector import THESIS
from buto.oracle import check, load, save, train
from buto.oracle.file import VERSION
from buto.run.model import run_set
from tests.support.report.golden import PLACE, WRITE
from tests.support.runs.signals import program_run, program_runs


@pytest.mark.parametrize("settings", [CALIBRATED, THESIS], ids=lambda settings: settings.method)
def test_a_committed_oracle_is_read_and_judges(settings):
    path = PLACE / "oracles" / f"{settings.method}-{VERSION}.json"
    if os.environ.get(WRITE):
        save(path, train(program_runs(1, 16), settings, target={"command": ["java", "Main"]}))
    oracle = load(path, thorough=True)
    assert len(oracle.run_ids) == 16
    assert oracle.edits == ()
    run = program_run(1, 50)
    assert check(oracle, run_set([run])).run_ids == (run.id,)
