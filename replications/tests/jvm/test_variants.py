"""The configured variants: what they are, the shapes that they show, and recorded by the real command."""

import os
import re
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from buto.measure.opener import open_collector
from buto.project.config import load
from buto.run.model import PURPOSE as PURPOSE_KEY
from buto.run.store import RunStore
from buto_replications.checkout import CONFIGURATIONS
from buto_replications.dataset import archive
from buto_replications.dataset.generate import HOSTS, PURPOSE, RUNS, SUBTLE_RUNS, generate, plans
from tests.support.checkout import ROOT
from tests.support.processes.command import buto, called
from tests.support.runs.scripted import Log

PLACE = CONFIGURATIONS
THESIS = load(PLACE / "parallel.yaml").tests
G1 = load(PLACE / "g1.yaml").tests
SUBTLE = load(PLACE / "subtle-parallel.yaml").tests


@pytest.mark.all
@pytest.mark.parametrize(
    ("name", "base", "extra"),
    [
        ("references-strong-rate-550", "references-strong", ("--rate", "550")),
        ("leaker-string-builder-11-leaks", "leaker-string-builder", ("--leaks", "11")),
        ("classloading-12ms", "classloading-10ms", ("--interval", "12ms")),
        ("consumerproducer-v0-leak", "consumerproducer-v0", ("--leak-every", "10")),
    ],
)
def test_a_subtle_variant_is_its_base_with_one_argument_more(name, base, extra):
    command = list(THESIS[base].target.command)
    if extra[0] in command:
        command[command.index(extra[0]) + 1] = extra[1]
    else:
        command += extra
    assert replace(THESIS[base].target, command=tuple(command)) == SUBTLE[name].target


def _samples():
    """One variant for each set of options of the JVM, and one for each set of arguments' names."""
    numbered = ("consumerproducer-v", "classloading-")
    chosen = {name: test for name, test in THESIS.items() if not name.startswith(numbered)}
    for name in ("classloading-10ms", "consumerproducer-v7"):
        chosen[name] = THESIS[name]
    for name in ("references-strong", "leaker-string", "classloading-10ms", "consumerproducer-v0"):
        chosen[name + "-g1"] = G1[name]
    return {name: test.target for name, test in {**chosen, **SUBTLE}.items()}


@pytest.mark.all
@pytest.mark.parametrize("target", _samples().values(), ids=_samples())
def test_a_jvm_takes_every_kind_of_variant(target):
    done = subprocess.run(
        _shortened(target, "50ms").command, capture_output=True, text=True, timeout=300.0, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.all
def test_weak_references_show_saw_teeth():
    heap = _record("references-weak", "1600ms").series("jvm.memory.heap.used")
    drops = np.flatnonzero(np.diff(heap) < -4e6)
    rises = np.diff(heap)[np.diff(heap) > 0]
    assert len(drops) >= 2
    assert rises.sum() > 15e6


@pytest.mark.all
def test_a_string_builder_leaks_steadily():
    run = _record("leaker-string-builder", "1500ms")
    old = run.series("jvm.memory.used[PS Old Gen]")
    assert np.corrcoef(run.times_s, old)[0, 1] > 0.8
    assert _last(old) - old[0] > 4e6


@pytest.mark.all
def test_leaked_threads_climb_stairs():
    run = _record("leaker-thread", "3s", "--interval", "600ms")
    threads = run.series("jvm.thread.count")
    assert np.all(np.diff(threads[1:]) >= 0)
    levels, counts = np.unique(threads[threads > threads[0]], return_counts=True)
    landings = levels[counts >= 3]
    assert len(landings) >= 3
    assert set(np.diff(landings) % 10) == {0.0}


@pytest.mark.all
def test_each_deployment_adds_two_classes():
    run = _record("classloading-10ms", "1500ms")
    deployed = int(run.stdout.split()[1])
    classes = run.series("jvm.class.count")
    assert deployed > 10
    # The program's own start adds some forty more.
    assert 2 * deployed - 10 <= _last(classes) - classes[0] <= 2 * deployed + 150


@pytest.mark.all
def test_the_buffer_its_jobs_and_its_milestones_are_recorded():
    run = _record("consumerproducer-v0", "1500ms", "--log-interval", "50")
    queue = run.series("mbean[buto.testprograms:type=Production]/State.queueSize")
    jobs = run.series("mbean[buto.testprograms:type=Production]/State.processedJobs")
    known = ~np.isnan(jobs)
    assert known.sum() >= 8
    assert np.all((queue[known] >= 0) & (queue[known] <= 10))
    assert np.all(np.diff(jobs[known]) >= 0)
    assert [notice.sequence for notice in run.notifications] == list(range(1, len(run.notifications) + 1))
    assert len(run.notifications) == pytest.approx(_last(jobs) / 50, abs=1)
    assert {notice.type for notice in run.notifications} == {"buto.testprograms.milestone"}
    assert "10" in [value for key, value in run.metadata.items() if key.endswith("BufferSize")]


def _record(name, duration, *arguments):
    target = _shortened(THESIS[name].target, duration)
    with open_collector(replace(target, command=(*target.command, *arguments))) as collector:
        return collector.record(name)


def _shortened(target, duration):
    return replace(target, command=(*target.command, "--duration", duration))


def _last(values):
    return float(values[~np.isnan(values)][-1])


DEADLINE_S = 300.0
COMMAND = ("experiments", "generate", "--data", "data", "--host", "parallel", "--runs", "1")
CHOSEN = ("leaker-thread", "consumerproducer-v0")


@pytest.mark.all
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
    planned = plans(HOSTS)
    assert len(planned) == 2 * (17 + 5)
    assert {plan.runs for plan in planned} == {*RUNS.values(), *SUBTLE_RUNS.values()}
    assert all(plan.target.directory is None for plan in planned)
    assert [plan.runs for plan in plans(("g1",), 3, ["leaker-string"])] == [3]


def test_g1_records_its_own_collectors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (plan,) = plans(("g1",), 1, ["references-weak"])
    shorter = replace(plan.target, command=(*plan.target.command, "--duration", "500ms"))
    results = generate([structs.replace(plan, target=shorter)], RunStore(tmp_path / "data"), Log())
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
