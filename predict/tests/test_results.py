"""Results of component tests, from the files of each tool."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from buto.errors import BadFileError, JudgeError
from buto.run.model import Problem, ProblemKind, Quality
from buto.run.store import RunStore
from buto.run.window import Moment, Window, with_window
from buto_predict.mapping import How, match
from buto_predict.model import Architecture, Benchmark, Component, Endpoint, Measures, Station
from buto_predict.results.files import read_jmh, read_junit, read_results, repeated
from buto_predict.results.model import ComponentResult, Conditions, busy_processors, merged, paired
from buto_predict.traces.summary import Moments
from predict.tests.support.systems import running_example
from predict.tests.support.traces import request, write_otlp
from tests.support.runs.signals import make_run

PLACE = Path("jmh.json")


def jmh(mode, unit, raw, **more):
    metric = {"score": 1.0, "scoreUnit": unit, "rawData": raw}
    return json.dumps([{"benchmark": "com.acme.B.run", "mode": mode, "primaryMetric": metric, **more}])


def times(text):
    (found,) = read_jmh(text, PLACE)
    return found.times_s.tolist()


@pytest.mark.parametrize(
    ("mode", "unit", "raw", "expected"),
    [
        ("avgt", "ms/op", [[2.0, 4.0], [3.0]], [0.003, 0.003]),
        ("avgt", "ns/op", [[5.0]], [5e-9]),
        ("ss", "s/op", [[1.5]], [1.5]),
        ("thrpt", "ops/ms", [[2.0, 2.0], [4.0]], [0.0005, 0.00025]),
        ("thrpt", "ops/s", [[10.0]], [0.1]),
        ("avgt", "ms/op", [["NaN", 4.0], ["NaN"], ["+INF"]], [0.004]),
    ],
)
def test_jmh_is_read_in_every_mode(mode, unit, raw, expected):
    assert times(jmh(mode, unit, raw)) == pytest.approx(expected)


def test_jmhs_threads_share_the_throughput():
    assert times(jmh("thrpt", "ops/s", [[40.0]], threads=4)) == pytest.approx([0.1])


def test_jmhs_samples_are_a_histogram():
    entry = json.loads(jmh("sample", "us/op", [[1.0]]))
    del entry[0]["primaryMetric"]["rawData"]
    entry[0]["primaryMetric"]["rawDataHistogram"] = [[[[1.0, 3], [5.0, 1]], [[2.0, 4]]], [[]]]
    assert times(json.dumps(entry)) == pytest.approx([2e-6])


def test_jmhs_parameters_are_part_of_the_name():
    (found,) = read_jmh(jmh("avgt", "ms/op", [[1.0]], params={"size": "10", "kind": "a"}), PLACE)
    assert found.name == "com.acme.B.run:kind=a,size=10"


def test_jmhs_modes_of_one_benchmark_are_not_replicates_of_one_another():
    entries = [json.loads(jmh(mode, "ms/op", [[value]]))[0] for mode, value in (("avgt", 1.0), ("ss", 90.0))]
    found = merged(read_jmh(json.dumps(entries), PLACE))
    assert [(result.conditions.mode, result.times_s.tolist()) for result in found] == [
        ("avgt", [0.001]),
        ("ss", [0.09]),
    ]
    assert [(pair.name, pair.old, pair.new) for pair in paired(found, found)] == [
        ("com.acme.B.run:mode=avgt", found[0], found[0]),
        ("com.acme.B.run:mode=ss", found[1], found[1]),
    ]


def test_jmhs_modes_of_two_files_are_not_replicates_either(tmp_path):
    for mode in ("avgt", "ss"):
        (tmp_path / f"{mode}.json").write_text(jmh(mode, "ms/op", [[1.0]], params={"size": "10"}))
    found = read_results([tmp_path / "avgt.json", tmp_path / "ss.json"])
    assert [pair.name for pair in paired(found, found[:1])] == [
        "com.acme.B.run:size=10,mode=avgt",
        "com.acme.B.run:size=10,mode=ss",
    ]


def conditions(mode, threads=1):
    return ComponentResult("B.run", np.array([1.0]), "fork", conditions=Conditions(mode, threads))


@pytest.mark.parametrize(
    ("old", "new", "alike"),
    [
        (("avgt", 1), ("avgt", 1), True),
        (("avgt", 1), ("thrpt", 1), True),
        (("avgt", 1), ("ss", 1), False),
        (("avgt", 1), ("sample", 1), False),
        (("thrpt", 1), ("thrpt", 8), False),
        (("avgt", 1), (None, None), False),
    ],
)
def test_results_under_other_conditions_are_no_pair(old, new, alike):
    sides = [conditions(*old)], [conditions(*new)]
    pairs = paired(*sides)
    assert len(pairs) == (1 if alike else 2)
    if not alike:
        assert [(pair.old, pair.new, pair.other) for pair in pairs] == [
            (sides[0][0], None, sides[1][0]),
            (None, sides[1][0], sides[0][0]),
        ]
        assert pairs[0].name != pairs[1].name


def test_mean_time_and_throughput_are_a_pair_beside_other_modes():
    avgt, thrpt, cold = conditions("avgt"), conditions("thrpt"), conditions("ss")
    pairs = paired([avgt], [cold, thrpt])
    assert [(pair.name, pair.old, pair.new, pair.other) for pair in pairs] == [
        ("B.run:mode=avgt", avgt, thrpt, None),
        ("B.run:mode=ss", None, cold, None),
    ]
    # The same mode comes first.
    assert [(pair.old, pair.new) for pair in paired([avgt, thrpt], [thrpt])] == [(avgt, None), (thrpt, thrpt)]


@pytest.mark.parametrize("raw", [[], [["NaN"]]])
def test_jmh_without_a_result_is_a_bad_file(raw):
    text = jmh("avgt", "ms/op", raw) if raw else "[]"
    with pytest.raises(BadFileError, match=r"jmh\.json has no results; did every benchmark fail\?"):
        read_jmh(text, PLACE)


def test_jmhs_jvm_is_its_version_and_its_own_options():
    text = jmh("avgt", "ms/op", [[1.0]], jdkVersion="17.0.9", jvmArgs=["-Xmx1g", "-Dslower=2"])
    (found,) = read_jmh(text, PLACE)
    assert found.jvms == {"JDK 17.0.9 -Xmx1g"}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 100_000, id="deep"),
        "[{}]",
        "[5]",
        "{",
        "[{'a'}]",
        '[{"benchmark": "x", "primaryMetric": {}}]',
        pytest.param(jmh("avgt", "ms/op", [[1.0]], threads=0), id="no threads"),
        pytest.param(jmh("avgt", "ms/op", [[1.0]], threads=float("inf")), id="endless threads"),
        pytest.param(jmh("avgt", "ms/op", [[10**400]]), id="a huge score"),
    ],
)
def test_damaged_jmh_is_a_bad_file(text):
    with pytest.raises(BadFileError, match="jmh.json is not JSON as JMH writes it"):
        read_jmh(text, PLACE)


def test_an_unknown_unit_is_named():
    with pytest.raises(BadFileError, match="must be a time per op or ops per time, got 'MB/s'"):
        read_jmh(jmh("avgt", "MB/s", [[1.0]]), PLACE)


def test_junit_times_are_those_of_passed_cases():
    text = """<testsuites><testsuite>
      <testcase classname="com.acme.OrderTest" name="place" time="1,000.5"/>
      <testcase classname="com.acme.OrderTest" name="place" time="999.5"/>
      <testcase classname="com.acme.OrderTest" name="broken" time="3"><failure/></testcase>
      <testcase classname="com.acme.OrderTest" name="shaky" time="3"/>
      <testcase classname="com.acme.OrderTest" name="shaky" time="3"><error/></testcase>
      <testcase classname="com.acme.OrderTest" name="left" time="0"><skipped/></testcase>
      <testcase classname="com.acme.OrderTest" name="quick" time="0.000"/>
      <testcase classname="com.acme.OrderTest" name="endless" time="Infinity"/>
      <testcase classname="com.acme.OrderTest" name="unknown" time="NaN"/>
    </testsuite></testsuites>"""
    found = read_junit(text, Path("report.xml"))
    assert [(result.name, result.times_s.tolist(), result.replicate, result.failed) for result in found] == [
        ("com.acme.OrderTest.place", [1000.0], "run", 0),
        ("com.acme.OrderTest.shaky", [], "run", 1),
        ("com.acme.OrderTest.quick", [0.0], "run", 0),
        ("com.acme.OrderTest.broken", [], "run", 1),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<a>", "is not a JUnit XML report"),
        ("<project/>", "is not a JUnit XML report: it begins with <project>"),
        ('<a><testcase name="n" time="x"/></a>', "time of n must be a number"),
    ],
)
def test_damaged_junit_is_a_bad_file(text, reason):
    with pytest.raises(BadFileError, match=reason):
        read_junit(text, Path("report.xml"))


def test_files_of_one_side_are_combined(tmp_path):
    paths = []
    for number in range(4):
        paths.append(tmp_path / f"{number}.xml")
        paths[-1].write_text(f'<testsuite><testcase name="a" time="0.{number + 1}"/></testsuite>')
    paths.append(tmp_path / "jmh.json")
    paths[-1].write_text(jmh("avgt", "ms/op", [[1.0]]))
    found = read_results(paths)
    assert [(result.name, len(result.times_s)) for result in found] == [("a", 4), ("com.acme.B.run", 1)]


def test_traces_of_component_tests_give_self_times(tmp_path):
    paths = [write_otlp(tmp_path / f"{k}.json", [request("t", 0.0, 1.0 + k / 10)]) for k in range(3)]
    found = {result.name: result for result in read_results(paths)}
    assert found["web/price"].times_s == pytest.approx([0.001, 0.0011, 0.0012])
    assert found["web/order"].calls == ("web/price", "db/select")
    assert found["web/order"].measures is Measures.SELF


def test_stored_runs_give_processor_time(tmp_path):
    store = RunStore(tmp_path)
    for number, cpu_s in enumerate((1.0, 1.5)):
        store.add(make_run(number, [0.0, 1.0, 2.0], {"jvm.cpu.time": np.array([0.0, cpu_s / 2, cpu_s])}))
    directory = store.directory("synthetic")
    (found,) = read_results([directory])
    assert (found.name, sorted(found.times_s.tolist())) == ("synthetic", [1.0, 1.5])
    assert busy_processors(directory) == pytest.approx(0.625)


def test_what_the_jvm_used_before_main_is_not_the_components(tmp_path):
    store = RunStore(tmp_path)
    store.add(make_run(0, [0.0, 1.0, 2.0], {"jvm.cpu.time": np.array([0.3, 0.8, 1.3])}))
    (found,) = read_results([store.directory("synthetic")])
    assert found.times_s.tolist() == [1.0]


def test_only_the_measured_window_of_a_run_counts(tmp_path):
    store = RunStore(tmp_path)
    run = make_run(0, [0.0, 1.0, 2.0, 3.0], {"jvm.cpu.time": np.array([0.0, 0.9, 1.1, 1.3])})
    store.add(with_window(run, Window(Moment("main", 1.0))))
    (found,) = read_results([store.directory("synthetic")])
    assert found.times_s.tolist() == pytest.approx([0.4])


def test_old_and_new_runs_of_one_test_may_be_in_one_store(tmp_path):
    store = RunStore(tmp_path)
    for number in range(8):
        cpu_s = (1.0 if number < 4 else 1.5) + number / 100
        store.add(make_run(number, [0.0, 1.0], {"jvm.cpu.time": np.array([0.0, cpu_s])}))
    runs = [store.directory("synthetic") / run_id for run_id in store.ids("synthetic")]
    old, new = read_results(runs[:4]), read_results(runs[4:])
    (pair,) = paired(old, new)
    assert (pair.name, len(pair.old.times_s), len(pair.new.times_s)) == ("synthetic", 4, 4)
    assert pair.new.times_s.mean() - pair.old.times_s.mean() == pytest.approx(0.54)
    assert repeated(runs[:4], runs[4:]).reasons == ()
    assert repeated(runs[:4], runs[3:]).reasons != ()


def test_the_compilers_share_of_the_processor_time_is_known(tmp_path):
    store = RunStore(tmp_path)
    columns = {"jvm.cpu.time": np.array([0.2, 2.2]), "jvm.compilation.time": np.array([0.1, 0.6])}
    store.add(make_run(0, [0.0, 1.0], columns))
    (found,) = read_results([store.directory("synthetic")])
    assert found.warming == pytest.approx(0.25)


def test_the_last_calls_count_and_not_those_that_wait_for_the_compiler(tmp_path):
    moments = Moments()
    assert math.isnan(moments.steady)
    for number in range(1, 301):
        moments.add(10.0 if number < 128 else 1.0)
        first = {1: 1, 3: 1, 4: 2, 300: 128}.get(number)
        if first:
            values = [10.0 if call < 128 else 1.0 for call in range(first, number + 1)]
            assert moments.steady == pytest.approx(np.mean(values))
    spans = [request(f"{k}", k, 5.0 if k < 8 else 1.0) for k in range(40)]
    found = {result.name: result for result in read_results([write_otlp(tmp_path / "t.json", spans)])}
    assert found["web/price"].times_s == pytest.approx([0.001])


def test_a_last_reading_that_is_missing_is_the_one_before(tmp_path):
    store = RunStore(tmp_path)
    store.add(make_run(0, [0.0, 1.0, 2.0], {"jvm.cpu.time": np.array([0.0, 0.5, np.nan])}))
    (found,) = read_results([store.directory("synthetic")])
    assert (found.name, found.times_s.tolist()) == ("synthetic", [0.5])


def test_durations_are_not_compared_with_processor_times(tmp_path):
    store = RunStore(tmp_path)
    for number, cpu_s in enumerate((1.0, np.nan)):
        store.add(make_run(number, [0.0, 1.0], {"jvm.cpu.time": np.array([np.nan, cpu_s])}))
    (found,) = read_results([store.directory("synthetic")])
    assert (found.name, len(found.times_s)) == ("synthetic:duration", 2)


def test_runs_whose_program_failed_are_counted(tmp_path):
    store = RunStore(tmp_path)
    values = {"jvm.cpu.time": np.array([0.0, 1.0])}
    for number, kind in enumerate(
        (None, ProblemKind.TIME_LIMIT, ProblemKind.EXIT_CODE, ProblemKind.BUSY_HOST)
    ):
        problems = () if kind is None else (Problem(kind, "why"),)
        store.add(replace(make_run(number, [0.0, 1.0], values), quality=Quality(problems)))
    (found,) = read_results([store.directory("synthetic")])
    assert (len(found.times_s), found.failed) == (1, 2)


def test_forks_that_are_missing_or_measured_nothing_have_failed():
    text = jmh("avgt", "ms/op", [[1.0], ["NaN"]])
    for forks, failed in ((0, 1), (2, 1), (5, 4)):
        (entry,) = json.loads(text)
        (found,) = read_jmh(json.dumps([entry | {"forks": forks}]), PLACE)
        assert (len(found.times_s), found.failed) == (1, failed)


def test_traces_of_which_many_are_cut_are_not_those_of_the_tests(tmp_path):
    cut = [replaced._replace(end_s=0.0) for replaced in request("cut", 2.0)[1:]]
    path = write_otlp(tmp_path / "few.json", [request("t", 0.0), cut])
    with pytest.raises(JudgeError, match=r"few.json: 1 of 2 traces are cut or cyclic"):
        read_results([path])
    path = write_otlp(tmp_path / "many.json", [*(request(f"{k}", k) for k in range(19)), cut])
    assert len(read_results([path])) == len(
        read_results([write_otlp(tmp_path / "t.json", [request("t", 0.0)])])
    )


@pytest.mark.parametrize("content", ["", "words"])
def test_a_file_of_no_known_kind_is_refused(tmp_path, content):
    path = tmp_path / "results"
    path.write_text(content)
    with pytest.raises(BadFileError, match="must be JSON of JMH, JUnit XML, traces or a directory"):
        read_results([path])


def test_a_missing_file_and_a_directory_of_something_else_are_refused(tmp_path):
    with pytest.raises(BadFileError, match="nothing"):
        read_results([tmp_path / "nothing"])
    with pytest.raises(BadFileError, match="not a directory of stored runs"):
        read_results([tmp_path])


def named(*names, benchmarks=None):
    components = tuple(Component(name, "s", 0.001) for name in names)
    return Architecture("x", (Station("s"),), components, (Endpoint("e", (), 1.0),), benchmarks or {})


def matched(test, architecture):
    found = match({test: ComponentResult(test, np.array([1.0]), "fork")}, architecture)
    return found[test].benchmark.component if found else None


@pytest.mark.parametrize(
    ("test", "component"),
    [
        ("com.acme.Order.place", "com.acme.Order.place"),
        ("com.acme.bench.OrderBenchmark.place", "com.acme.Order.place"),
        ("com.acme.OrderTest.place()", "com.acme.Order.place"),
        ("com.acme.BenchOrder.place:size=10", "com.acme.Order.place"),
        ("com.acme.StockIT.whatever", "store/Stock"),
        ("com.acme.ShopBench.checkout", "checkout"),
        ("place", "com.acme.Order.place"),
        ("com.acme.CartTest.any", "com.acme.Cart"),
        ("com.acme.OtherBench.run", None),
        pytest.param("com.acme.cache.CacheBench.place", None, id="the method of another class"),
        pytest.param("com.acme.OrderBench.pay", None, id="another method of the class"),
        pytest.param("com.acme.StockBench.checkout", None, id="two components"),
        pytest.param("com.acme.order.PlaceTest.total", None, id="a package like a class"),
    ],
)
def test_names_of_tests_say_what_they_are_about(test, component):
    made = named("com.acme.Order.place", "com.acme.Order.cancel", "store/Stock", "checkout", "com.acme.Cart")
    assert matched(test, made) == component


def test_what_the_model_says_comes_first():
    benchmarks = {"Order.place:size=10": Benchmark("b"), "Order.place": Benchmark("c", Measures.SELF)}
    made = named("Order.place", "b", "c", benchmarks=benchmarks)
    assert matched("Order.place:size=10", made) == "b"
    assert matched("Order.place:size=99", made) == "c"


def test_an_entry_with_parameters_holds_in_every_mode():
    made = named("B.run", "small", benchmarks={"B.run:size=1": Benchmark("small")})
    of_modes = {
        f"B.run:size=1,mode={mode}": ComponentResult("B.run:size=1", np.array([1.0]), "fork")
        for mode in ("avgt", "ss")
    }
    assert [benchmark.benchmark.component for benchmark in match(of_modes, made).values()] == [
        "small",
        "small",
    ]


def test_what_was_traced_is_found_though_its_class_moved():
    made = running_example()
    moved = replace(
        made,
        components=tuple(
            replace(component, name=f"web/x.{component.name}.run", calls=()) for component in made.components
        ),
    )
    traced = ComponentResult("unit/y.B3.run", np.array([1.0]), "run", Measures.SELF, ())
    found = match({traced.name: traced}, moved)["unit/y.B3.run"]
    assert (found.benchmark.component, found.how) == ("web/x.B3.run", How.MOVED)
