"""The run of Keycloak in which two faults are switched on for a while: its configuration and its figures."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from beds.keycloak import __main__ as commands
from beds.keycloak import configuration
from beds.keycloak.configuration import PHASE_S, WARM_UP_S
from beds.keycloak.prepare import Bed
from beds.keycloak.switched import N_PHASES, NAME, PLAN, Cost, describe, never_read, reading_share
from beds.keycloak.switched import configuration as configured
from buto.project.config import load
from buto.run.properties import Kind, Property, Role
from tests.support.runs.signals import make_run

BED = Bed(Path("keycloak"), Path("programs"), Path("template"))


@pytest.fixture(autouse=True)
def agent(monkeypatch):
    """Nothing is fetched or compiled."""
    monkeypatch.setattr(
        configuration, "agent_option", lambda *faults: f"-javaagent:a.jar={';'.join(map(str, faults))}"
    )


def test_the_faults_are_woven_in_switched_off_and_buto_accepts_the_test(tmp_path):
    test = configured(BED)
    [option] = [word for word in test["command"] if word.startswith("-javaagent:")]
    assert "busy=burn:30000000@" in option
    assert "repeat=repeat:30@" in option
    assert ":on" not in option
    file = tmp_path / "buto.yaml"
    file.write_text(yaml.safe_dump({"version": 1, "tests": {NAME: test}}))
    [loaded] = load(file).tests.values()
    assert loaded.name == NAME


def test_each_fault_is_on_within_three_minutes_and_marked_at_the_same_times():
    workload = configured(BED)["workload"]
    switched = [(one["at"], one["mbean"], one["operation"]) for one in workload["operations"]]
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
    assert max(one.off_s for one in PLAN) < N_PHASES * PHASE_S == 180
    assert [phase["rate"] for phase in workload["load"]["phases"]] == [30] * (N_PHASES + 1)
    assert workload["load"]["phases"][0]["duration"] == f"{WARM_UP_S}s"


def test_the_figures_are_those_of_the_run(capsys):
    reading = "buto.source.cpu.time[{}]"
    own = {
        name: Property(name, "s", Kind.COUNTER, Role.COST) for name in map(reading.format, ("host", "sql"))
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
