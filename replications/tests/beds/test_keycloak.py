"""Keycloak's runs: what is in a block, the test of a run, labels, and the run with switched faults."""

import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml

from beds.artefacts import BedError
from beds.keycloak import __main__ as commands
from beds.keycloak import configuration, environments, generate
from beds.keycloak.configuration import INTERVAL_MS, WARM_UP_S
from beds.keycloak.configuration import test_of as configured
from beds.keycloak.environments import ENVIRONMENTS, FAULTS, UNLIMITED, Limits
from beds.keycloak.plan import BLOCKS, LONG_RUNS, MORE_FAULTS, SHORT_BLOCKS, Role, planned_runs
from beds.keycloak.prepare import Bed
from beds.keycloak.switched import N_PHASES, NAME, PHASE_S, PLAN, Cost, describe, never_read, reading_share
from beds.keycloak.switched import configuration as switched_test
from buto.measure.host import environment
from buto.project.config import load
from buto.project.document import expand
from buto.run.model import Problem, ProblemKind
from buto.run.properties import Kind, Property
from buto.run.properties import Role as PropertyRole
from buto.run.store import RunStore
from buto_replications.bed.labels import PART_OF_BLOCK, block_of, labels_of
from tests.support.runs.examples import full_run
from tests.support.runs.signals import make_run

BED = Bed(Path("keycloak"), Path("programs"), Path("template"))


@pytest.fixture(autouse=True)
def agent(monkeypatch):
    """Nothing is fetched or compiled."""
    monkeypatch.setattr(
        configuration, "agent_option", lambda *faults: f"-javaagent:a.jar={';'.join(map(str, faults))}"
    )


def named(name):
    [found] = [run for run in planned_runs(int(name[1])) if run.name == name]
    return found


def test_blocks_have_the_same_runs_in_other_orders_and_under_other_arrivals():
    first, second = (planned_runs(block) for block in SHORT_BLOCKS)
    assert planned_runs(1) == first
    more = {f"b2-steady-{name}" for name in MORE_FAULTS[2]}
    again = [run for run in second if run.name not in more]
    assert Counter(run.role for run in first) == Counter(run.role for run in again)
    assert [run.name[2:] for run in first] != [run.name[2:] for run in again]
    assert not {run.load.seed for run in first} & {run.load.seed for run in second}


def test_only_the_second_block_has_disabled_caches_and_leaked_connections():
    roles = [Counter(run.role for run in planned_runs(block)) for block in SHORT_BLOCKS]
    assert roles[1] - roles[0] == Counter({Role.STEADY_FAULT: 4})
    assert {run.fault.name for run in planned_runs(2)} - {run.fault.name for run in planned_runs(1)} >= {
        "caches-low",
        "caches-high",
        "connections-low",
        "connections-high",
    }


def test_long_runs_have_720_intervals_and_eight_prior_tests_or_more():
    runs = planned_runs(3)
    assert {run.load.phase_s * len(run.load.rates) * 1000 / INTERVAL_MS for run in runs} == {720}
    assert Counter(run.environment.name for run in runs) == dict.fromkeys(LONG_RUNS, 2)
    good = [run for run in runs if run.fault.name == "none"]
    assert Counter(run.environment.name for run in good) == dict.fromkeys(LONG_RUNS, 1)
    assert all(sum(test.environment != run.environment for test in good) >= 8 for run in runs)
    assert len({run.load.seed for run in runs}) == len(runs) == len({run.name for run in runs})


def test_a_block_of_long_runs_can_be_cut_at_any_environment():
    names = [run.environment.name for run in planned_runs(3)]
    assert names[::2] == names[1::2]
    faulty = [run.fault.name != "none" for run in planned_runs(3)]
    assert sum(faulty[::2]) not in (0, len(LONG_RUNS))


@pytest.mark.parametrize("block", SHORT_BLOCKS)
def test_each_environment_has_a_run_without_and_one_with_a_fault(block):
    for name in set(ENVIRONMENTS) - {"base"}:
        runs = [run for run in planned_runs(block) if run.environment.name == name]
        assert sorted(run.role for run in runs) == [Role.ENVIRONMENT, Role.ENVIRONMENT_FAULT]
        assert [run.fault.name == "none" for run in sorted(runs, key=lambda run: run.role)] == [True, False]


def test_every_fault_of_the_second_paper_has_two_intensities():
    kinds = [run.fault.name for run in planned_runs(1) if run.role == Role.FAULT]
    assert sorted(kinds) == sorted(
        f"{kind}-{amount}"
        for kind in ("memory", "busy", "column-index", "text-index", "log")
        for amount in ("low", "high")
    )
    assert {run.fault.name for run in planned_runs(1)} <= set(FAULTS)


@pytest.mark.parametrize(
    "name",
    [
        "b1-good-1",
        "b1-in-one-core",
        "b1-other-mix-1",
        "b1-text-index-low",
        "b2-steady-caches-high",
        "b2-steady-connections-low",
        "b3-in-one-core-slow-disk-none",
    ],
)
def test_a_planned_run_is_a_test_that_buto_accepts(name, tmp_path):
    file = tmp_path / "buto.yaml"
    generate.write_configuration(named(name), BED, file)
    [loaded] = load(file).tests.values()
    assert loaded.name == name


def weights(name):
    requests = configured(BED, named(name))["workload"]["load"]["requests"]
    return {kind: request["weight"] for kind, request in requests.items()}


def test_a_load_of_more_writes_gives_them_four_times_the_weight():
    usual, more = weights("b1-good-1"), weights("b1-other-mix-1")
    assert {kind: more[kind] / usual[kind] for kind in usual} == {
        kind: 4 if kind in configuration.WRITES else 1 for kind in usual
    }


@pytest.mark.parametrize(
    ("name", "woven"), [("b1-good-1", "nothing=burn:0@"), ("b1-busy-high", "busy=burn:30000000@")]
)
def test_every_run_has_the_agent_with_faults_and_few_have_one_switched_on(name, woven):
    [option] = [word for word in configured(BED, named(name))["command"] if word.startswith("-javaagent:")]
    assert woven in option
    assert option.endswith(":on") == (name == "b1-busy-high")


def test_a_jdk_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr(configuration, "find_installations", list)
    with pytest.raises(BedError, match=r"no JDK 25 was found; buto doctor lists those of this machine"):
        configured(BED, named("b1-in-java-25"))


def test_a_command_without_limits_stays_as_it_is():
    assert UNLIMITED.of_server(["java"]) == ["java"]
    assert UNLIMITED.of_database(["postgres"]) == ["postgres"]


def test_a_pinned_command_runs_on_one_core():
    command = Limits(pinned=True).of_server(
        ["env", "-u", "OMP_NUM_THREADS", "-u", "OMP_THREAD_LIMIT", "nproc"]
    )
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "1"


def test_a_program_enters_its_group_as_the_configuration_is_read(monkeypatch, tmp_path):
    monkeypatch.setattr(environments, "CONTROL_GROUPS", tmp_path)
    members = tmp_path / "cpu" / "buto-bed" / "cgroup.procs"
    members.parent.mkdir(parents=True)
    members.touch()
    command = [expand(word, {}) for word in Limits(cores=1.0).of_server(["echo", "started"])]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "started\n"
    assert members.read_text() == "0\n"  # the kernel takes 0 for the process that writes
    assert (members.parent / "cpu.cfs_quota_us").read_text() == "100000"


def test_a_quota_that_cannot_be_set_says_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setattr(environments, "CONTROL_GROUPS", tmp_path / "missing")
    with pytest.raises(BedError, match=r"needs root and control groups of version 1"):
        Limits(cores=1.0).of_server(["true"])


def test_only_what_the_store_lacks_is_recorded(tmp_path, monkeypatch):
    launched = []

    def record(run, configuration, store):
        launched.append(run.name)
        return run.name != "b1-good-2"

    monkeypatch.setattr(generate, "prepare", lambda *given: BED)
    monkeypatch.setattr(generate, "record", record)
    monkeypatch.setattr(generate, "is_recorded", lambda name, store: name == "b1-good-1")
    runs = [named(f"b1-good-{number}") for number in (1, 2, 3)]
    assert generate.generate(runs, tmp_path) == ["b1-good-2"]
    assert launched == ["b1-good-2", "b1-good-3"]


@pytest.mark.parametrize(
    ("problems", "expected"), [((), True), ((Problem(ProblemKind.STARVED, "the machine was busy"),), False)]
)
def test_only_a_valid_run_counts_as_recorded(problems, expected, tmp_path):
    assert not generate.is_recorded("b1-good-1", tmp_path)
    run = make_run(1, [0.0, 1.0], {"jvm.class.count": np.array([1.0, 2.0])}, problems=problems)
    RunStore(tmp_path).add(replace(run, test="b1-good-1"))
    assert generate.is_recorded("b1-good-1", tmp_path) is expected


def test_a_name_that_is_not_planned_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        commands.main(["generate", str(tmp_path), "--only", "b1-good-99"])
    assert "no run of block 1 is named b1-good-99" in capsys.readouterr().err


@pytest.mark.parametrize("block", BLOCKS)
def test_the_data_set_reads_the_labels_of_every_planned_run(block):
    for planned in planned_runs(block):
        labels = planned.environment.labels | planned.labels
        run = replace(full_run(), metadata=environment(labels))
        found = labels_of(run)
        assert (found.environment, found.role) == (planned.environment.name, planned.role)
        assert found.fault == planned.fault.name
        assert found.load.startswith("-".join(map(str, planned.load.rates)))
        assert found.load.endswith("writes x4") == (planned.load.writes == 4)
        assert block_of(run) == str(block)
        assert block_of(run) in PART_OF_BLOCK


def test_the_faults_are_woven_in_switched_off_and_buto_accepts_the_test(tmp_path):
    test = switched_test(BED)
    [option] = [word for word in test["command"] if word.startswith("-javaagent:")]
    assert "busy=burn:30000000@" in option
    assert "repeat=repeat:30@" in option
    assert ":on" not in option
    file = tmp_path / "buto.yaml"
    file.write_text(yaml.safe_dump({"version": 1, "tests": {NAME: test}}))
    [loaded] = load(file).tests.values()
    assert loaded.name == NAME


def test_each_fault_is_on_within_three_minutes_and_marked_at_the_same_times():
    workload = switched_test(BED)["workload"]
    switched = [
        (operation["at"], operation["mbean"], operation["operation"]) for operation in workload["operations"]
    ]
    assert switched == [
        ("60s", "buto.faults:name=busy", "switchOn"),
        ("100s", "buto.faults:name=busy", "switchOff"),
        ("140s", "buto.faults:name=repeat", "switchOn"),
        ("180s", "buto.faults:name=repeat", "switchOff"),
    ]
    assert workload["command"][-1] == (
        "sleep 60; echo buto mark busy.start; sleep 40; echo buto mark busy.end; "
        "sleep 40; echo buto mark repeat.start; sleep 40; echo buto mark repeat.end"
    )
    assert max(fault.off_s for fault in PLAN) < N_PHASES * PHASE_S == 180
    assert [phase["rate"] for phase in workload["load"]["phases"]] == [30] * (N_PHASES + 1)
    assert workload["load"]["phases"][0]["duration"] == f"{WARM_UP_S}s"


def test_the_figures_are_those_of_the_run(capsys):
    reading = "buto.source.cpu.time[{}]"
    own = {
        name: Property(name, "s", Kind.COUNTER, PropertyRole.COST)
        for name in map(reading.format, ("host", "sql"))
    }
    columns = {
        "jvm.cpu.time": np.linspace(0, 90, 361),
        "jvm.lock.parked": np.full(361, np.nan),
        reading.format("host"): np.linspace(0, 0.18, 361),
        reading.format("sql"): np.linspace(0, 0.72, 361),
    }
    run = make_run(1, np.linspace(0, 180, 361), columns, properties=own)
    assert reading_share(run) == pytest.approx(0.005)
    assert never_read(run) == ("jvm.lock.parked",)
    lines = describe(run, Cost(reading_share(run), 0.04, 120_000_000)).splitlines()
    assert lines[0] == "4 numbers in 361 samples, 180 s"
    assert lines[2].startswith("never read: 1")
    assert lines[-2:] == [
        "reading the sources: 0.50% of a core",
        "buto with the load: 4.00% of a core, 120 MB at most",
    ]
    with pytest.raises(SystemExit):
        commands.main(["switched", "--help"])
    assert "two faults are switched on and off" in capsys.readouterr().out
