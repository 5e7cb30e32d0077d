"""Real variants through the real command: recorded, interrupted, taken up, packed, loaded."""

import os
import re
import signal
import subprocess
import sys
from dataclasses import replace

from buto.run.model import PURPOSE as PURPOSE_KEY
from buto.run.store import RunStore
from buto_replications.dataset import archive, variants
from buto_replications.dataset.generate import PURPOSE, RUNS, SUBTLE_RUNS, generate, plans
from tests.support.checkout import ROOT
from tests.support.processes.command import buto, called
from tests.support.runs.scripted import Log

DEADLINE_S = 300.0
COMMAND = ("experiments", "generate", "--data", "data", "--host", "parallel", "--runs", "1")
CHOSEN = ("leaker-thread", "consumerproducer-v0")


def test_two_variants_over_two_sessions_become_a_data_set(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-m", "buto", *COMMAND, *CHOSEN],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    ) as first:
        assert first.stderr is not None
        # A run that is disturbed is repeated.
        seen = next(line for line in first.stderr if " samples, " in line)
        os.killpg(first.pid, signal.SIGINT)
        _, rest = first.communicate(timeout=DEADLINE_S)
    assert ": run 1 of 1: " in seen
    assert first.returncode == 130, rest
    assert "stopped by Ctrl-C; data holds 1 of 2 runs" in rest
    assert rest.splitlines()[-1] == f"try:  to go on: buto {' '.join((*COMMAND, *CHOSEN))}"

    second = buto(tmp_path, *COMMAND, *CHOSEN)
    assert second.returncode == 0, second.stderr
    assert len(re.findall(r": run 1 of 1: \d+ samples, ", second.stderr)) == 1
    assert [line.split()[:4] for line in second.stdout.splitlines()] == [
        [f"{name}@parallel", "1", "of", "1"] for name in CHOSEN
    ]
    assert all("% of the cores" in line for line in second.stdout.splitlines())

    packed = buto(tmp_path, "experiments", "pack", "--data", "data", "-o", "set")
    assert packed.returncode == 0, packed.stderr
    assert archive.hosts(tmp_path / "set") == ("parallel",)
    found = archive.load(tmp_path / "set", "parallel")
    assert sorted(found) == sorted(CHOSEN)
    for name, runs in found.items():
        run = runs.valid().runs[0]
        assert run.metadata[PURPOSE_KEY] == PURPOSE
        assert run.metadata["jvm.gc.collectors"] == "PS MarkSweep, PS Scavenge"
        # Some sixty; a busy machine misses a few, or takes longer.
        assert 45 <= len(run.times_s) <= 200, name
        assert not any(str(ROOT) in str(value) for value in run.metadata.values())
    assert found["consumerproducer-v0"].valid().runs[0].notifications
    assert found["leaker-thread"].valid().runs[0].series("jvm.thread.count").max() > 300


def test_all_variants_of_all_hosts_are_planned_in_the_current_directory():
    planned = plans(variants.HOSTS)
    assert len(planned) == 2 * (17 + 5)
    assert {plan.runs for plan in planned} == {*RUNS.values(), *SUBTLE_RUNS.values()}
    assert all(plan.target.directory is None for plan in planned)
    assert [plan.runs for plan in plans(("g1",), 3, ["leaker-string"])] == [3]


def test_g1_records_its_own_collectors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (plan,) = plans(("g1",), 1, ["references-weak"])
    shorter = replace(plan.target, command=(*plan.target.command, "--duration", "500ms"))
    results = generate([replace(plan, target=shorter)], RunStore(tmp_path / "data"), Log())
    run = results["references-weak@g1"].runs[0]
    assert run.metadata["jvm.gc.collectors"] == "G1 Old Generation, G1 Young Generation"
    assert "jvm.memory.used[G1 Eden Space]" in run.column_of


def test_a_session_without_time_says_what_is_missing_and_how_to_go_on(tmp_path):
    done = called(tmp_path, *COMMAND, "--minutes", "1e-9", *CHOSEN)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [f"{f'{name}@parallel':32}   0 of 1 runs" for name in CHOSEN]
    again = " ".join((*COMMAND, "--minutes", "1e-9", *CHOSEN))
    assert done.stderr == f"data holds 0 of 2 runs; to go on: buto {again}\n"


def test_an_unknown_variant_is_reported_before_anything_is_launched(tmp_path):
    done = called(tmp_path, *COMMAND, "leaker-strin")
    assert done.returncode == 2
    assert "there is no variant 'leaker-strin'" in done.stderr
    assert not (tmp_path / "data").exists()
