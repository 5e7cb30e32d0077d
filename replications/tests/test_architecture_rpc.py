"""Response times from times of remote calls, on made-up requests whose calls are nested in a known way."""

import math

import pytest

from buto.errors import BadFileError
from buto_replications.store.example import Outcome
from buto_replications.store.rpc import compare, learn_model, paths_of, read_scenario, rows_csv, tables
from replications.tests.support.remote_calls import write_scenario, write_systems


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return write_scenario(tmp_path_factory.mktemp("rpc") / "eshopper" / "011.csv")


def test_calls_are_nested_as_their_times_say(path):
    scenario = read_scenario("eshopper", path)
    model = learn_model(scenario, scenario.delays == 0)
    found = {one.name: {call.to: round(call.times, 1) for call in one.calls} for one in model.components}
    assert found == {"request": {"outer": 1.0}, "outer": {"inner": 1.0}, "inner": {}, "aside": {}}
    by_name = {one.name: one.self_s for one in model.components}
    assert by_name["outer"] == pytest.approx(0.030, rel=0.1)
    assert by_name["inner"] == pytest.approx(0.020, rel=0.05)


def test_delays_reach_the_response_once(path):
    none, first, second = compare(("eshopper", path))
    assert none.judged.outcome is Outcome.QUIET
    assert first.judged.outcome is Outcome.FOUND
    # 50 ms in the inner call, which the outer one contains: added twice, they were 100.
    assert first.new_s - first.old_s == pytest.approx(0.050, rel=0.05)
    assert abs(first.error(first.predicted_s)) < 0.1
    assert abs(first.error(first.propagated_s)) < 0.1
    assert first.error(first.inclusive_s) == pytest.approx(1.0, abs=0.1)
    # Nobody waits for the call aside.
    assert second.predicted_s == pytest.approx(second.new_s, rel=0.03)
    assert second.inclusive_s > 1.3 * second.new_s
    assert second.judged.outcome is Outcome.QUIET


def test_scenarios_that_chose_report_nothing(path, tmp_path):
    chose = compare(("trainticket", write_scenario(tmp_path / "010.csv")))
    reports = compare(("eshopper", path))
    assert [one.reports for one in (*chose, *reports)] == [False] * 3 + [True] * 3
    errors, verdicts = tables([*chose, *reports])
    assert [row[:2] for row in errors.rows] == [("eshopper", "2")]
    assert [row[2] for row in verdicts.rows] == ["2", "1", "0", "0"]
    assert len(rows_csv([*chose, *reports]).splitlines()) == 7


def test_a_call_that_no_request_without_delays_makes_is_left_out(path, tmp_path):
    head, *lines = (line.rsplit(",", 1) for line in path.read_text().splitlines())
    rows = [f"{times},{7 * (delay != '0')},{delay}" for times, delay in lines]
    (tmp_path / "011.csv").write_text("\n".join([f"{head[0]},rare,{head[1]}", *rows]) + "\n")
    found = compare(("eshopper", tmp_path / "011.csv"))
    for one, known in zip(found, compare(("eshopper", path)), strict=True):
        assert one.propagated_s == pytest.approx(known.propagated_s, rel=1e-6)
        assert one.inclusive_s == pytest.approx(known.inclusive_s + 0.007 * (one.delays > 0))
        assert math.isfinite(one.predicted_s)
    errors, _ = tables(found)
    assert "nan" not in " ".join(errors.rows[0])


def test_too_few_requests_are_left_out(tmp_path):
    found = compare(("eshopper", write_scenario(tmp_path / "001.csv", delayed=10)))
    assert [one.delays for one in found] == [0]


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
