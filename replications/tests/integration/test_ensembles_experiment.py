"""``buto experiments run ensembles`` on four small environments."""

import csv
from dataclasses import replace

from buto_replications.bed.labels import Part
from buto_replications.commands import run_ensembles as command
from buto_replications.ensembles.sites import NEVER_SEEN, site_of
from replications.tests.support.bed_levels import bed_run
from tests.support.processes.command import called
from tests.support.runs.signals import Program, program_run

MACHINES = ("fast", "slow", "old", "new")
VARIANTS = {"consumerproducer-v0": Program(), "consumerproducer-v1": Program(threads=30)}


def runs_of(machine, program, count):
    first = 100 * MACHINES.index(machine)
    runs = (program_run(1, first + number, program) for number in range(count))
    return tuple(
        replace(run, metadata={**run.metadata, "environment.label.machine": machine}) for run in runs
    )


def sites(data):
    return [
        site_of(name, {variant: runs_of(name, program, 22) for variant, program in VARIANTS.items()})
        for name in MACHINES
    ]


def bed_runs(part):
    first = 10 if part == "tuning" else 30
    good = [bed_run(first + n, f"e{n % 4}", "environment", "none") for n in range(8)]
    return (*good, bed_run(first + 9, "e1", "environment-fault", "repeat-high", slower=3.0))


def test_each_environment_is_left_out_once(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "sites", sites)
    monkeypatch.setattr(command.archive, "load", lambda directory, part: bed_runs(part))
    monkeypatch.setattr(command.archive, "parts", lambda directory: {Part.TUNING: 9, Part.SET_APART: 9})
    done = called(tmp_path, "experiments", "run", "ensembles", "--part", "set-apart", "--out", "results")
    assert done.returncode == 0, done.stderr
    assert "throughput, memory" in done.stdout
    rows = list(csv.DictReader((tmp_path / "results" / "ensembles.csv").read_text().splitlines()))
    assert {row["environment"].split(":")[0] for row in rows} == set(MACHINES)
    assert {row["seen"] for row in rows} == {NEVER_SEEN}
    found = [
        row
        for row in rows
        if (row["training"], row["method"], row["of"]) == ("consumerproducer-v0", "judge", "changed")
    ]
    assert len(found) == len(MACHINES)
    judged = list(csv.DictReader((tmp_path / "results" / "ensembles-bed.csv").read_text().splitlines()))
    assert {row["environment"] for row in judged} == {"e0", "e1", "e2", "e3"}
    stacked = [row for row in judged if (row["fault"], row["method"]) == ("repeat-high", "rules, stacking")]
    assert [(row["study"], row["prior_tests"]) for row in stacked] == [
        ("enterprise", "6"),
        ("enterprise, both blocks", "12"),
    ]
    assert {(row["status"], row["precision"]) for row in stacked} == {("regression", "1.0000")}
    assert "Each environment of the bed left out once" in done.stdout
    assert {row["failed"] for row in found} == {"12"}


def test_runs_set_apart_are_judged_alone_if_their_data_set_has_no_other_part(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "sites", lambda data: [])
    monkeypatch.setattr(command.archive, "load", lambda directory, part: {"set apart": bed_runs(part)}[part])
    monkeypatch.setattr(command.archive, "parts", lambda directory: {Part.SET_APART: 9})
    done = called(
        tmp_path, "experiments", "run", "ensembles", "--part", "set-apart", "--data", ".", "--out", "results"
    )
    assert done.returncode == 0, done.stderr
    judged = list(csv.DictReader((tmp_path / "results" / "ensembles-bed.csv").read_text().splitlines()))
    assert {row["study"] for row in judged} == {"enterprise"}


def test_a_bed_that_is_missing_is_reported_before_anything_is_judged(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "sites", sites)
    done = called(tmp_path, "experiments", "run", "ensembles", "--data", ".")
    assert (done.returncode, done.stdout) == (4, "")
    assert "keycloak/tuning/runs.parquet cannot be read" in done.stderr


def test_the_slip_of_the_paper_shows_in_its_table():
    rows = {(row.system, row.test): row for row in command.TABLE_IV}
    first = rows["enterprise", "E1"]
    assert (first.cells[-1], round(first.f_measures()[-1], 2)) == (0.92, 0.85)
    assert all(one.printed == one.computed for one in command.worked_example())
