"""The loop of a user: checks fail, people say which of them rightly, and ``history`` learns it."""

import json
from dataclasses import replace

import pytest

from perf.fuzz.examples import whole
from tests.support.processes.command import called
from tests.support.runs.signals import Program, program_run
from tests.support.runs.stored import store

CONFIGURATION = """\
version: 1
tests:
  synthetic:
    command: [java, -jar, app.jar]
"""
COLD_CACHE, LEAK = Program(heap=1.6), Program(threads=6)
FALSE_ALARMS, REGRESSIONS = (1, 4, 7), (2, 6)
N_TRAINING, N_CHECKS = 20, 8


def check_runs(number, program):
    """The three runs of a confirmed check."""
    runs = [program_run(1, 100 + 3 * number + place, program) for place in range(3)]
    more = {"buto.purpose": "check", "buto.session": runs[0].id}
    return [replace(run, metadata={**run.metadata, **more}) for run in runs]


@pytest.fixture
def project(tmp_path):
    (tmp_path / "buto.yaml").write_text(CONFIGURATION)
    training = [program_run(1, number) for number in range(N_TRAINING)]
    store(tmp_path, *(replace(run, metadata={**run.metadata, "buto.purpose": "train"}) for run in training))
    assert called(tmp_path, "train", "synthetic", "--from-runs", "all").returncode == 0
    return tmp_path


def checked(project, number, program):
    ids = ",".join(store(project, *check_runs(number, program)))
    return called(project, "check", "synthetic", "--from-runs", ids).returncode


@pytest.mark.slow
def test_a_labelled_false_alarm_passes_and_a_labelled_regression_fails(project):
    changes = dict.fromkeys(FALSE_ALARMS, COLD_CACHE) | dict.fromkeys(REGRESSIONS, LEAK)
    codes = [checked(project, number, changes.get(number, Program())) for number in range(N_CHECKS)]
    assert [number for number, code in enumerate(codes) if code] == sorted(changes)
    for numbers, label in ((FALSE_ALARMS, "good"), (REGRESSIONS, "bad")):
        for number in numbers:
            ids = ",".join(run.id for run in check_runs(number, Program()))
            assert called(project, "label", "synthetic", ids, label).returncode == 0

    (project / "buto.yaml").write_text(f"{CONFIGURATION}    judge: {{method: history}}\n")
    done = called(project, "train", "synthetic", "--from-runs", "all")
    assert done.returncode == 0, done.stderr
    stored = whole(project / "oracles" / "synthetic.json")
    assert [labelled["label"] for labelled in stored["model"]["labelled"]].count("bad") == 3 * len(
        REGRESSIONS
    )
    assert checked(project, 40, COLD_CACHE) == 0
    assert checked(project, 41, Program()) == 0
    ids = ",".join(store(project, *check_runs(42, LEAK)))
    done = called(project, "check", "synthetic", "--from-runs", ids, "--json", "result.json")
    assert done.returncode == 1, done.stdout
    (test,) = json.loads((project / "result.json").read_text())["tests"]
    assert test["verdict"]["findings"][0]["subject"] == "jvm.thread.count"
    assert test["verdict"]["p_value"] <= test["verdict"]["alpha"] == 0.05


def test_a_change_that_nobody_has_labelled_is_inconclusive(project):
    (project / "buto.yaml").write_text(f"{CONFIGURATION}    judge: {{method: history}}\n")
    done = called(project, "train", "synthetic", "--from-runs", "all")
    assert "no run is labelled bad, so no check can fail" in done.stdout + done.stderr
    ids = ",".join(store(project, *check_runs(1, LEAK)))
    done = called(project, "check", "synthetic", "--from-runs", ids)
    assert done.returncode == 3
    assert "one label decides" in done.stdout
