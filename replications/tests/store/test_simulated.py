"""The prediction on systems of known truth: the paper's example, a simulated store, remote calls."""

import csv
import math
import re
from collections import Counter
from itertools import islice

import numpy as np
import pytest

from buto.errors import BadFileError
from buto.judging.verdict import Status
from buto_predict.deviations import EffectSize
from buto_predict.network import network_of
from buto_replications.store.rpc import compare, learn_model, paths_of, read_scenario, rows_csv, tables
from buto_replications.store.simulated import (
    BOUNDARY,
    LOADS,
    SMALL_INTENSITIES,
    JudgedVersion,
    VersionOutcome,
    effects,
    figures,
    judge_changed,
    judge_unchanged,
    store,
)
from tests.support.processes.command import called


def test_the_example_is_added_up_rightly():
    found = figures()
    assert [figure.ours for figure in found] == ["18 ms", "22 ms", "+22.2 %", "0.018 s", "0.022 s"]
    assert [figure.by_hand for figure in found] == ["18 ms", "22 ms", "+22.2 %", ".018 s", ".022 s"]


@pytest.mark.slow
def test_the_less_demands_vary_the_larger_is_delta():
    found = effects((1.2, 2.0), (1.0, 0.1), stays=40_000, seed=1)
    by_case = {(effect.factor, effect.variation): effect for effect in found}
    assert by_case[1.2, 1.0].delta < by_case[1.2, 0.1].delta
    assert by_case[1.2, 1.0].size is EffectSize.NEGLIGIBLE
    assert by_case[2.0, 1.0].size is EffectSize.MEDIUM


@pytest.mark.parametrize(
    ("truth", "status", "outcome"),
    [
        (0.2, Status.REGRESSION, VersionOutcome.FOUND),
        (0.2, Status.PASS, VersionOutcome.MISSED),
        (0.1, Status.REGRESSION, VersionOutcome.FALSE_ALARM),
        (0.1, Status.PASS, VersionOutcome.QUIET),
        (0.2, Status.INCONCLUSIVE, VersionOutcome.UNDECIDED),
    ],
)
def test_outcomes_are_counted_by_the_truth(truth, status, outcome):
    assert JudgedVersion("x 1", "x", 1.0, "original", truth, 0.0, status).outcome is outcome


def test_a_delta_that_could_not_be_predicted_is_not_right():
    for truth in (0.0, 0.2):
        judged = JudgedVersion("x 1", "x", 1.0, "original", truth, float("nan"), Status.INCONCLUSIVE)
        assert not judged.agrees


def test_no_load_saturates_the_store():
    for load in LOADS:
        made = store(load)
        assert network_of(made).utilisations(made.self_s, made.rates).max() < 0.6


@pytest.mark.slow
def test_versions_without_a_change_raise_no_alarm():
    assert {version.outcome for version in judge_unchanged(3, count=6)} == {VersionOutcome.QUIET}


@pytest.mark.all
@pytest.mark.slow
def test_changes_of_known_size_are_found_or_left_undecided():
    # Under the first two of the four loads.
    outcomes = Counter(version.outcome for version in islice(judge_changed(11), 18))
    assert sum(outcomes.values()) == 18
    assert outcomes[VersionOutcome.MISSED] == outcomes[VersionOutcome.FALSE_ALARM] == 0
    assert outcomes[VersionOutcome.UNDECIDED] <= 3


@pytest.mark.all
@pytest.mark.slow
def test_near_the_boundary_nothing_is_judged_wrongly_but_much_is_undecided():
    # Under the first of the four loads.
    found = list(islice(judge_changed(2013, SMALL_INTENSITIES), 12))
    near = Counter(version.outcome for version in found if BOUNDARY[0] <= version.truth <= BOUNDARY[1])
    assert near.total() == 7
    assert near[VersionOutcome.MISSED] == near[VersionOutcome.FALSE_ALARM] == 0
    assert near[VersionOutcome.UNDECIDED] == 4


SYSTEMS = ("eshopper", "trainticket")


def write_scenario(path, delayed=1000, normal=2000):
    """Requests of 100 ms: 50 of their own, 50 in ``outer``, of which 20 are in ``inner``.

    ``aside`` takes 30 ms at the same time, and nobody waits for it. Delay 1 adds 50 ms to ``inner``, delay 2
    to ``aside``.
    """
    rng = np.random.default_rng(5)
    delay = rng.permutation(np.repeat([0, 1, 2], [normal, delayed, delayed]))
    count = len(delay)
    inner = 20 + 4 * rng.standard_normal(count) + 50 * (delay == 1)
    outer = 30 + 3 * rng.standard_normal(count) + inner
    aside = 30 + 10 * rng.random(count) + 50 * (delay == 2)
    latency = 50 + 2 * rng.standard_normal(count) + outer
    rows = np.column_stack([latency, outer, inner, aside, delay])
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savetxt(path, rows, "%d", ",", header="Latency,outer,inner,aside,anomaly", comments="")
    return path


def write_systems(directory):
    """One scenario of each system."""
    for system in SYSTEMS:
        write_scenario(directory / system / "001.csv")
    return directory


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_scenario(tmp_path_factory.mktemp("rpc") / "eshopper" / "011.csv")


def test_calls_are_nested_as_their_times_say(path):
    scenario = read_scenario("eshopper", path)
    model = learn_model(scenario, scenario.delays == 0)
    found = {
        component.name: {call.to: round(call.times, 1) for call in component.calls}
        for component in model.components
    }
    assert found == {"request": {"outer": 1.0}, "outer": {"inner": 1.0}, "inner": {}, "aside": {}}
    by_name = {component.name: component.self_s for component in model.components}
    assert by_name["outer"] == pytest.approx(0.030, rel=0.1)
    assert by_name["inner"] == pytest.approx(0.020, rel=0.05)


def test_delays_reach_the_response_once(path):
    none, first, second = compare(("eshopper", path))
    assert none.judged.outcome is VersionOutcome.QUIET
    assert first.judged.outcome is VersionOutcome.FOUND
    # 50 ms in the inner call, which the outer one contains: added twice, they were 100.
    assert first.new_s - first.old_s == pytest.approx(0.050, rel=0.05)
    assert abs(first.error(first.predicted_s)) < 0.1
    assert abs(first.error(first.propagated_s)) < 0.1
    assert first.error(first.inclusive_s) == pytest.approx(1.0, abs=0.1)
    # Nobody waits for the call aside.
    assert second.predicted_s == pytest.approx(second.new_s, rel=0.03)
    assert second.inclusive_s > 1.3 * second.new_s
    assert second.judged.outcome is VersionOutcome.QUIET


def test_scenarios_that_chose_report_nothing(path, tmp_path):
    chose = compare(("trainticket", write_scenario(tmp_path / "010.csv")))
    reports = compare(("eshopper", path))
    assert [experiment.reports for experiment in (*chose, *reports)] == [False] * 3 + [True] * 3
    errors, verdicts = tables([*chose, *reports])
    assert [row[:2] for row in errors.rows] == [("eshopper", "2")]
    assert [row[2] for row in verdicts.rows] == ["2", "1", "0", "0"]
    assert len(rows_csv([*chose, *reports]).splitlines()) == 7


def test_a_call_that_no_request_without_delays_makes_is_left_out(path, tmp_path):
    head, *lines = (line.rsplit(",", 1) for line in path.read_text().splitlines())
    rows = [f"{times},{7 * (delay != '0')},{delay}" for times, delay in lines]
    (tmp_path / "011.csv").write_text("\n".join([f"{head[0]},rare,{head[1]}", *rows]) + "\n")
    found = compare(("eshopper", tmp_path / "011.csv"))
    for compared, known in zip(found, compare(("eshopper", path)), strict=True):
        assert compared.propagated_s == pytest.approx(known.propagated_s, rel=1e-6)
        assert compared.inclusive_s == pytest.approx(known.inclusive_s + 0.007 * (compared.delays > 0))
        assert math.isfinite(compared.predicted_s)
    errors, _ = tables(found)
    assert "nan" not in " ".join(errors.rows[0])


def test_too_few_requests_are_left_out(tmp_path):
    found = compare(("eshopper", write_scenario(tmp_path / "001.csv", delayed=10)))
    assert [compared.delays for compared in found] == [0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a,b\n1,2\n", "its columns must be from Latency to anomaly, got a to b"),
        ("Latency,x,anomaly\n1,2\n", "line 2 must have 3 values, got 2"),
        ("Latency,x,anomaly\n", "it must have rows below its columns, got none"),
        ("Latency,x,anomaly\n1,two,0\n", "line 2 must have finite numbers, got 'two'"),
        ("Latency,x,anomaly\n1,2,0\n1,nan,0\n", "line 3 must have finite numbers, got 'nan'"),
        ("Latency,x,anomaly\n-inf,2,0\n", "line 2 must have finite numbers, got '-inf'"),
    ],
)
def test_another_file_is_refused(tmp_path, text, reason):
    (tmp_path / "001.csv").write_text(text)
    with pytest.raises(BadFileError, match=f"001.csv cannot be read: {reason}"):
        read_scenario("eshopper", tmp_path / "001.csv")


def test_a_system_without_files_is_named(tmp_path):
    write_scenario(tmp_path / "eshopper" / "001.csv")
    with pytest.raises(BadFileError, match="trainticket has no scenarios"):
        list(paths_of(tmp_path))
    assert [path.name for _, path in paths_of(write_systems(tmp_path))] == ["001.csv"] * 2


def test_tables_are_printed_and_rows_are_written(tmp_path):
    write_systems(tmp_path / "data")
    options = ("--data", "data", "--out", "results", "--workers", "1")
    done = called(tmp_path, "experiments", "run", "rpc", *options)
    assert done.returncode == 0, done.stderr
    pattern = r"^ *trainticket +with delays +2 +1 found, 1 rightly quiet$"
    assert re.search(pattern, done.stdout, re.MULTILINE)
    rows = list(csv.DictReader((tmp_path / "results" / "rpc.csv").read_text().splitlines()))
    assert [(row["system"], row["delays"]) for row in rows] == [
        (system, delay) for system in ("eshopper", "trainticket") for delay in "012"
    ]
    assert "left out" not in done.stderr


def test_delays_with_too_few_requests_are_counted(tmp_path):
    data = write_systems(tmp_path / "data")
    write_scenario(data / "eshopper" / "001.csv", delayed=10)
    done = called(tmp_path, "experiments", "run", "rpc", "--data", "data", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "2 of 6 comparisons are left out: fewer than 20 requests on one side" in done.stderr


def test_without_data_it_says_where_they_are(tmp_path):
    done = called(tmp_path, "experiments", "run", "rpc")
    assert done.returncode == 2
    assert "git clone https://github.com/SpencerLabAQ/icpe-data-challenge-delag" in done.stderr
