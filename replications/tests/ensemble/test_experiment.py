"""Environments left out once: the paper's case studies, and ``buto experiments run ensembles``."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from beds.keycloak.environments import FAULTS
from buto.errors import BadFileError
from buto.judging.verdict import Status
from buto.run.model import Outcome, Run
from buto.run.properties import Kind, Property
from buto.run.store import RunStore
from buto_replications.bed.effects import kind_of
from buto_replications.bed.labels import BedRun, Labels, RunBlock
from buto_replications.commands import run_ensembles as command
from buto_replications.dataset import archive
from buto_replications.dataset.archive import write
from buto_replications.dataset.generate import name_on
from buto_replications.design import BENCHMARK
from buto_replications.ensembles.known import ALONE, KNOWN, WITH_OTHERS, known
from buto_replications.ensembles.methods import (
    BAGGING,
    EACH,
    JUDGE,
    METHODS,
    NOT_JUDGED,
    PLAIN,
    SINGLE,
    STACKING,
    FlaggedCounters,
    case_of,
    interval_of,
    judged,
)
from buto_replications.ensembles.scenarios import (
    BOTH_ENTERPRISE,
    BOTH_SAME,
    CHANGED,
    ENTERPRISE,
    PET_STORE,
    SAME,
    STORE,
    changed,
    named,
    scenarios,
)
from buto_replications.ensembles.scoring import alarms, false_alarms, mean_f, means, results, scored
from buto_replications.ensembles.sites import NEVER_SEEN, site_of, sites
from tests.support.processes.command import called
from tests.support.runs.examples import full_run
from tests.support.runs.signals import Program, make_run, program_run


def packed(root, directory, day, *hosts, variant=BENCHMARK):
    """Pack a run of a variant on each host; a collector is named as its host."""
    store = RunStore(root / "store" / directory)
    for host in hosts:
        metadata = {"host.cores": 2, "jvm.vm.version": "17", "jvm.gc.collectors": host}
        run_id = f"202601{day:02d}T000000.000Z-0000"
        store.add(full_run(run_id, name_on(host, variant), metadata=metadata))
    write(root / "data" / directory, archive.pack(store))


def test_of_one_environment_the_data_set_recorded_last_is_taken(tmp_path):
    packed(tmp_path, "experiments", 1, "parallel", "g1")
    packed(tmp_path, "next/variants", 3, "parallel")
    packed(tmp_path, "servers", 4, "parallel", variant="leaker-thread")
    found = sites(tmp_path / "data")
    assert [site.name.partition(":")[0] for site in found] == ["parallel (next/variants)", "g1 (experiments)"]
    assert found[0].runs[BENCHMARK][0].id.startswith("20260103")


def test_one_environment_is_too_few(tmp_path):
    packed(tmp_path, "a", 1, "g1")
    packed(tmp_path, "b", 2, "g1")
    with pytest.raises(BadFileError, match="two environments or more, got 1"):
        sites(tmp_path / "data")


COUNTERS = {
    "database.statements.calls": 400.0,
    "database.activity.tup_fetched": 900.0,
    "postgres.cpu.time": 0.9,
    "jvm.cpu.time": 1.4,
    "jvm.memory.allocated": 3e7,
    "process.memory.usage": 5e8,
}
GAUGES = ("process.memory.usage",)


def bed_run(number, environment, role, fault, *, slower=1.0, load="20-40-30-50"):
    """Return a minute of samples; ``slower`` multiplies what a fault in the database changes."""
    noise = np.random.default_rng(number)
    times_s = np.arange(0.0, 60.5, 0.5)
    properties = tuple(
        Property(name, _unit(name), Kind.GAUGE if name in GAUGES else Kind.COUNTER) for name in COUNTERS
    )
    columns = []
    for name, level in COUNTERS.items():
        each = level * (1 + 0.02 * noise.standard_normal(len(times_s)))
        if name.startswith(("database", "postgres")):
            each = each * slower
        columns.append(each if name in GAUGES else np.cumsum(each) - each[0])
    metadata = {"environment.label.name": environment, "jvm.spec.version": "17"}
    run = Run(
        id=f"20260101T0000{number:02}.000Z-{number:04x}",
        test=f"{environment}-{number}",
        properties=properties,
        times_s=times_s,
        values=np.array(columns).T.copy(),
        outcome=Outcome(duration_s=60.0, exit_code=0),
        metadata=metadata,
    )
    return BedRun(run, Labels(environment, role, fault, load))


def _unit(name):
    return "s" if name.endswith("time") else "By" if "memory" in name else "1"


GOOD = (
    *(bed_run(number, "base", "steady", "none") for number in range(3)),
    *(
        bed_run(10 + n, name, "environment", "none")
        for n, name in enumerate(("half-quota", "small-memory", "serial"))
    ),
)
FAULTY = (
    bed_run(20, "base", "steady-fault", "repeat-high", slower=3.0),
    bed_run(21, "serial", "environment-fault", "small-buffers", slower=2.0),
)


def test_the_papers_case_studies_are_found_among_the_runs():
    found = list(scenarios((*GOOD, *FAULTY)))
    by_study = {
        study: [scenario for scenario in found if scenario.study == study]
        for study in (STORE, PET_STORE, SAME)
    }
    assert [(scenario.test, len(scenario.prior)) for scenario in by_study[STORE]] == [
        ("D4", 3),
        ("D5, one prior test, repeat-high", 1),
        ("D5, three prior tests, repeat-high", 3),
    ]
    (third,) = by_study[PET_STORE]
    assert [run.labels.environment for run in third.prior] == ["base", "serial"]
    assert not by_study[SAME]


def test_a_fault_of_another_kind_is_not_the_repeated_query():
    more = (
        bed_run(22, "base", "steady-fault", "caches-low", slower=2.0),
        bed_run(23, "base", "steady-fault", "connections-high"),
    )
    found = {
        scenario.test: scenario
        for scenario in scenarios((*GOOD, *more))
        if scenario.study in (STORE, PET_STORE)
    }
    assert set(found) == {"D4", "J3, caches-low"}
    assert [run.labels.environment for run in found["J3, caches-low"].prior] == ["base", "base"]
    scored_faults = {scenario.fault for scenario in scenarios((*GOOD, *more)) if scenario.study == ENTERPRISE}
    assert scored_faults == {"none", "caches-low", "connections-high"}


def test_an_environment_that_is_left_out_has_no_prior_test():
    ours = [scenario for scenario in scenarios((*GOOD, *FAULTY)) if scenario.study == ENTERPRISE]
    assert len(ours) == len(GOOD) + len(FAULTY)
    for scenario in ours:
        assert scenario.judged.labels.environment not in {
            prior.labels.environment for prior in scenario.prior
        }


def test_without_other_environments_nothing_is_left_out():
    assert not [scenario for scenario in scenarios(GOOD[:3]) if scenario.study == ENTERPRISE]


@pytest.mark.all
def test_stacking_flags_what_a_repeated_query_changes():
    (found,) = (
        result for result in results((*GOOD, *FAULTY)) if result.scenario.test.startswith("D5, three")
    )
    score = found.scores[STACKING]
    assert (score.precision, score.status) == (1.0, Status.REGRESSION)
    assert (score.expected, score.hits) == (5, 3)
    assert found.scores[JUDGE].status is None


def test_the_scores_are_the_papers():
    (scenario,) = (
        candidate for candidate in scenarios((*GOOD, *FAULTY)) if candidate.test == "repeat-high in base"
    )
    flagged = {
        SINGLE: FlaggedCounters(frozenset({"postgres.cpu.time"}), Status.REGRESSION),
        BAGGING: FlaggedCounters(frozenset({"postgres.cpu.time", "jvm.cpu.time"}), Status.REGRESSION),
        STACKING: FlaggedCounters(frozenset(), Status.PASS),
    }
    others = {name: FlaggedCounters(frozenset(), None) for name in (PLAIN, EACH, JUDGE)}
    scores = scored(scenario, COUNTERS, flagged | others)
    assert (scores[SINGLE].precision, scores[SINGLE].recall) == (1.0, 0.5)
    assert scores[BAGGING].f == 1.0
    # Nothing flagged has a precision of 1, as in the paper.
    assert (scores[STACKING].precision, scores[STACKING].recall, scores[STACKING].f) == (1.0, 0.0, 0.0)


def test_what_a_rival_alone_finds_is_missed_by_the_others():
    (scenario,) = (
        candidate for candidate in scenarios((*GOOD, *FAULTY)) if candidate.test == "repeat-high in base"
    )
    first, second = (FlaggedCounters(frozenset({name}), Status.REGRESSION) for name in list(COUNTERS)[:2])
    scores = scored(scenario, COUNTERS, {STACKING: first, "envelope": second})
    assert {score.recall for score in scores.values()} == {0.5}


def test_a_verdict_without_a_p_value_is_not_judged():
    two = [bed_run(60 + n, "half-quota", "environment", "none") for n in range(2)]
    new = bed_run(70, "serial", "environment", "none")
    (scenario,) = (candidate for candidate in scenarios((*GOOD[:3], *two, new)) if candidate.judged is new)
    assert judged(case_of(scenario))[JUDGE] == NOT_JUDGED


def test_a_fault_that_all_methods_miss_has_a_recall_of_zero():
    (scenario,) = (
        candidate for candidate in scenarios((*GOOD, *FAULTY)) if candidate.test == "repeat-high in base"
    )
    scores = scored(scenario, COUNTERS, {name: FlaggedCounters(frozenset(), Status.PASS) for name in METHODS})
    assert {(score.recall, score.f) for score in scores.values()} == {(0.0, 0.0)}


@pytest.mark.all
def test_means_and_alarms_leave_out_what_a_method_cannot_judge():
    found = [result for result in results((*GOOD, *FAULTY)) if result.scenario.study == STORE]
    assert alarms(found, JUDGE, faulty=True) == (0, 0, 0)
    assert means(found, JUDGE)[0] != means(found, JUDGE)[0]
    assert alarms(found, STACKING, faulty=True)[0] == 2


def test_a_fault_is_known_by_its_kind():
    assert changed("repeat-high", COUNTERS) == changed("repeat-low", COUNTERS)
    assert changed("none", COUNTERS) == frozenset()
    assert named("memory-high", COUNTERS) == frozenset()
    assert "process.memory.usage" in changed("memory-low", COUNTERS)
    assert "database.statements.calls" in named("caches-low", changed("caches-low", COUNTERS))
    assert "jvm.cpu.time" not in changed("connections-low", COUNTERS)


def test_it_is_written_down_what_each_fault_of_the_bed_changes():
    assert {kind_of(name) for name in FAULTS} - {"none"} == set(CHANGED)
    with pytest.raises(KeyError, match="unheard-of"):
        changed("unheard-of", COUNTERS)


def test_an_earlier_block_gives_more_prior_tests():
    earlier = tuple(
        bed_run(40 + number, run.labels.environment, run.labels.role, "none")
        for number, run in enumerate(GOOD)
    )
    found = list(scenarios((*GOOD, *FAULTY), earlier))
    alone = {scenario.test: len(scenario.prior) for scenario in found if scenario.study == ENTERPRISE}
    both = {scenario.test: len(scenario.prior) for scenario in found if scenario.study == BOTH_ENTERPRISE}
    assert both == {test: 2 * number for test, number in alone.items()}
    (repeated,) = (
        scenario for scenario in found if scenario.study == BOTH_SAME and scenario.fault == "repeat-high"
    )
    assert (repeated.test, len(repeated.prior)) == ("repeat-high, steady", 6)
    assert {len(scenario.prior) for scenario in found if scenario.study == BOTH_SAME} == {5, 6}


def test_errors_are_clustered_by_environment():
    found = [result for result in results((*GOOD, *FAULTY)) if result.scenario.study == ENTERPRISE]
    fine = [scored_run for scored_run in found if scored_run.scenario.fault == "none"]
    failed = [
        replace(scored_run, scores={EACH: replace(scored_run.scores[EACH], status=status)})
        for scored_run, status in zip(fine, [Status.REGRESSION] * 3 + [Status.PASS] * 3, strict=True)
    ]
    assert [scored_run.scenario.judged.labels.environment for scored_run in failed][:4] == ["base"] * 3 + [
        "half-quota"
    ]
    share, error = false_alarms(failed, EACH)
    # One environment with three failures of three, and three without any in one run each.
    assert (share, error) == pytest.approx((0.5, (4 / 3 * (1.5**2 + 3 * 0.5**2)) ** 0.5 / 6))
    assert mean_f(fine, STACKING)[0] == means(fine, STACKING)[2]
    assert np.isnan(mean_f(failed[:3], EACH)[1])


MACHINES = ("fast", "slow", "old", "new")
VARIANTS = {"consumerproducer-v0": Program(), "consumerproducer-v1": Program(classes=900)}


def runs_of(machine, program, count):
    first = 100 * MACHINES.index(machine)
    runs = (program_run(1, first + number, program) for number in range(count))
    return tuple(
        replace(run, metadata={**run.metadata, "environment.label.machine": machine}) for run in runs
    )


def four_sites(data):
    return [
        site_of(name, {variant: runs_of(name, program, 22) for variant, program in VARIANTS.items()})
        for name in MACHINES
    ]


def test_prior_tests_of_other_machines_hide_nothing_that_those_of_the_same_one_tell(tmp_path):
    found = list(known(four_sites(tmp_path)[:2]))
    assert {(shares.method, shares.trained) for shares in found} == {(ALONE, 7), (WITH_OTHERS, 14)}
    ours = [shares for shares in found if shares.training == "consumerproducer-v0"]
    assert len(ours) == 4
    assert {(shares.unchanged, shares.changed) for shares in ours} == {((Status.PASS,), (Status.REGRESSION,))}


def test_environments_with_too_few_runs_are_left_out(tmp_path):
    first, second, third = four_sites(tmp_path)[:3]
    few = replace(second, runs={name: runs[:7] for name, runs in second.runs.items()})
    assert {experiment.site for experiment in known([first, few, third])} == {first.name, third.name}
    assert not list(known([first, few]))


def bed_runs(part):
    first = 10 if part == "tuning" else 30
    good = [bed_run(first + n, f"e{n % 4}", "environment", "none") for n in range(8)]
    return (*good, bed_run(first + 9, "e1", "environment-fault", "repeat-high", slower=3.0))


@pytest.mark.all
def test_each_environment_is_left_out_once(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "sites", four_sites)
    monkeypatch.setattr(command.archive, "load", lambda directory, part: bed_runs(part))
    monkeypatch.setattr(
        command.archive, "parts", lambda directory: {RunBlock.TUNING: 9, RunBlock.SET_APART: 9}
    )
    done = called(tmp_path, "experiments", "run", "ensembles", "--part", "set-apart", "--out", "results")
    assert done.returncode == 0, done.stderr
    assert "throughput, memory" in done.stdout
    rows = list(csv.DictReader((tmp_path / "results" / "ensembles.csv").read_text().splitlines()))
    assert {row["environment"].split(":")[0] for row in rows} == set(MACHINES)
    assert {row["seen"] for row in rows} == {NEVER_SEEN, KNOWN}
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


@pytest.mark.all
def test_runs_set_apart_are_judged_alone_if_their_data_set_has_no_other_part(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "sites", lambda data: [])
    monkeypatch.setattr(command.archive, "load", lambda directory, part: {"set apart": bed_runs(part)}[part])
    monkeypatch.setattr(command.archive, "parts", lambda directory: {RunBlock.SET_APART: 9})
    done = called(
        tmp_path, "experiments", "run", "ensembles", "--part", "set-apart", "--data", ".", "--out", "results"
    )
    assert done.returncode == 0, done.stderr
    judged = list(csv.DictReader((tmp_path / "results" / "ensembles-bed.csv").read_text().splitlines()))
    assert {row["study"] for row in judged} == {"enterprise"}


def test_a_bed_that_is_missing_is_reported_before_anything_is_judged(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "sites", four_sites)
    done = called(tmp_path, "experiments", "run", "ensembles", "--data", ".")
    assert (done.returncode, done.stdout) == (4, "")
    assert "keycloak/tuning/runs.parquet cannot be read" in done.stderr


def test_the_slip_of_the_paper_shows_in_its_table():
    rows = {(row.system, row.test): row for row in command.TABLE_IV}
    first = rows["enterprise", "E1"]
    assert (first.cells[-1], round(first.f_measures()[-1], 2)) == (0.92, 0.85)
    assert {line.computed for line in command.worked_example() if not line.printed} == {
        *("0.45", "throughput, CPU", "0.652", "0.219")
    }
    assert all(line.computed == line.printed for line in command.worked_example() if line.printed)


@pytest.mark.parametrize(("length_s", "step_s"), [(60, 5.0), (355, 5.0), (360, 0.5)])
def test_a_run_has_the_papers_intervals_unless_it_has_720_of_half_a_second(length_s, step_s):
    times_s = np.arange(0, length_s + 0.5, 0.5)
    run = make_run(1, times_s, {"jvm.thread.count": np.zeros(len(times_s))})
    assert interval_of(run) == step_s
