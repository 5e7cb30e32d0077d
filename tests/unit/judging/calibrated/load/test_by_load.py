"""The judge on made-up servers: the load differs from run to run, the truth is known."""

import json
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
import pytest

from buto.judging.calibrated.detector import CalibratedDetector
from buto.judging.configuration import settings_from
from buto.judging.verdict import Direction, Status
from buto.oracle import check, judge, load, save, train, why_confirm
from buto.report.check_report import check_report
from buto.report.html import render
from buto.run.model import AT_END, ClassCount, ClassHistogram, run_set
from buto.run.properties import LIVE_CLASSES, Kind, Property
from tests.support.runs.signals import make_run

READS, WRITES = "load.throughput[read]", "load.throughput[write]"
CPU, SENT, ROWS, HEAP = "jvm.cpu.time", "app.sent", "app.rows", "jvm.memory.heap.used_after_last_gc"
OWN = {
    READS: Property(READS, "{answer}/s"),
    WRITES: Property(WRITES, "{answer}/s"),
    SENT: Property(SENT, "By", Kind.COUNTER),
    ROWS: Property(ROWS, "{row}", Kind.COUNTER),
}
LOAD = [READS, WRITES]
DEFAULT = settings_from({})
AT_ONCE = settings_from({"alpha": 0.12})


@dataclass(frozen=True)
class Server:
    """What the made-up server does; the defaults are its unchanged version.

    Attributes:
        rate: requests a second.
        writes: share of the requests that write.
        cost: factor of the processor time of a request.
        kept: factor of the bytes that each request keeps for ever.
        reversed: whether a request sends less, the more there are.
        follows: by how much what is sent follows the reads; its mean is the same.
        begins: share of the run after which the cost holds.
        own: deviation of the factors by which a run differs from others.
        n_samples: one a second.
        collected: seconds between collections, which alone show what is kept.
    """

    rate: float = 50.0
    writes: float = 0.2
    cost: float = 1.0
    kept: float = 1.0
    reversed: bool = False
    follows: float = 1.0
    begins: float = 0.0
    own: float = 0.02
    n_samples: int = 121
    collected: int = 1


def served(number, server=Server(), *, known=True):
    random = np.random.default_rng(number)
    n = server.n_samples
    times = np.arange(n) * 1.0
    phases = np.repeat(random.uniform(0.4, 1.6, n // 30 + 1), 30)[:n]
    reads, writes = (
        random.poisson(server.rate * share * phases).astype(float)
        for share in (1 - server.writes, server.writes)
    )
    own = 1 + random.normal(0, server.own, 6)  # this run is a little slower, or its cache a little colder
    cost = np.where(times >= server.begins * times[-1], server.cost, 1.0)
    busy = own[0] * cost * (0.004 * reads + 0.01 * writes) * random.normal(1, 0.05, n)
    bytes_each = 2e4 * (1 - 0.6 * (phases - 1)) if server.reversed else np.full(n, 2e4)
    asked = reads if server.follows == 1 else reads.mean() + server.follows * (reads - reads.mean())
    sent = own[1] * bytes_each * asked * random.normal(1, 0.03, n)
    columns = {
        READS: reads,
        WRITES: writes,
        CPU: busy.cumsum(),
        SENT: sent.cumsum(),
        ROWS: (own[2] * (reads + 3 * writes)).cumsum().round(),
        "app.commits": (own[3] * writes).cumsum().round(),
        "app.parsed": (own[4] * 700 * (reads + writes) * random.normal(1, 0.02, n)).cumsum(),
        HEAP: 3e7 + server.kept * 2048 * (reads + writes).cumsum() + 1e5 * random.normal(size=n),
        "jvm.thread.count": np.full(n, 12.0),
    }
    last = np.arange(n) - (np.arange(n) + number) % server.collected
    columns[HEAP] = columns[HEAP][last.clip(0)]
    own_kinds = OWN | {name: Property(name, "1", Kind.COUNTER) for name in ("app.commits", "app.parsed")}
    chosen = {name: column for name, column in columns.items() if known or name not in LOAD}
    return make_run(number, times, chosen, properties=own_kinds)


def several(numbers, server=Server(), **how):
    return run_set([served(number, server, **how) for number in numbers])


@pytest.fixture(scope="module")
def oracle():
    return train(several(range(8)), DEFAULT)


@pytest.mark.parametrize("rate", [25.0, 50.0, 75.0])
def test_three_unchanged_runs_under_another_load_pass(oracle, rate):
    assert check(oracle, several([20, 21, 22], Server(rate))).status is Status.PASS


@pytest.mark.parametrize(("rate", "cost"), [(25.0, 1.24), (50.0, 1.24), (75.0, 1.24)])
def test_more_processor_time_a_request_is_found_under_another_load(oracle, rate, cost):
    verdict = check(oracle, several([20, 21, 22], Server(rate, cost=cost)))
    assert verdict.status is Status.REGRESSION
    assert verdict.p_value == pytest.approx(1 / 165)
    (finding,) = verdict.findings
    assert (finding.subject, finding.direction) == (CPU, Direction.MORE)
    assert finding.observed / finding.expected == pytest.approx(cost, abs=0.05)
    assert "under the same load" in finding.text
    assert "% more" in finding.text
    told = oracle.fitted.explain(verdict)
    assert told.learned.startswith("8 training runs showed how ")
    assert "the part of the difference that grows with the prediction" in told.rule
    assert "share of choices of as many runs" in told.rule
    assert told.rule.endswith("outside the range of training by more than 1 times its width.")


def test_a_tenth_more_memory_kept_by_each_request_is_found_under_another_load(oracle):
    verdict = check(oracle, several([20, 21, 22], Server(75.0, kept=1.1)))
    assert verdict.status is Status.REGRESSION
    assert [one.subject for one in verdict.findings] == [HEAP]


def test_a_tenth_more_memory_kept_is_found_if_each_phase_has_some_collections():
    """Phases of 30 s have six collections each; what was kept since the last one is not known."""
    oracle = train(several(range(8), Server(collected=5)), DEFAULT)
    unchanged, more = (
        check(oracle, several([20, 21, 22], Server(75.0, collected=5, kept=kept))) for kept in (1.0, 1.1)
    )
    assert unchanged.status is Status.PASS
    assert more.status is Status.REGRESSION
    assert [one.subject for one in more.findings] == [HEAP]


def test_what_each_request_keeps_is_a_finding_with_its_size(oracle):
    verdict = check(oracle, several([20, 21, 22], Server(25.0, kept=1.5)))
    finding = next(one for one in verdict.findings if one.measure == "growth per second")
    assert (finding.subject, finding.direction) == (HEAP, Direction.MORE)
    assert finding.observed / finding.expected == pytest.approx(1.5, abs=0.1)
    assert re.search(r"\((2\.9|3)[.\d]* KiB per request, (1\.9|2)[.\d]* KiB expected\)", finding.text)


def test_a_level_and_its_growth_have_a_picture_each(oracle):
    runs = several([20, 21, 22], Server(25.0, kept=1.5))
    growth = next(one for one in check(oracle, runs).findings if one.measure == "growth per second")
    level = replace(growth, measure="mean")
    pictures = oracle.fitted.view(runs.runs).clusters(runs.runs, [level, growth])
    assert [one.names[0] for one in pictures] == [HEAP, f"growth of {HEAP}"]
    assert [one.per_second for one in pictures] == [False, True]


def test_one_cost_is_found_among_many_quantities_that_do_not_change():
    many = {f"app.idle-{number:02}": 5.0 for number in range(60)}
    training = run_set([_with_noise(served(number), many, number) for number in range(8)])
    slower = Server(75.0, cost=1.3)
    checked = run_set([_with_noise(served(number, slower), many, number) for number in (20, 21, 22)])
    verdict = check(train(training, AT_ONCE), checked)
    assert (verdict.status, verdict.findings[0].subject) == (Status.REGRESSION, CPU)


def _with_noise(run, levels, seed):
    random = np.random.default_rng((1, seed))
    own = random.normal(0, 1, len(levels)) + random.normal(0, 1, (run.n_samples, len(levels)))
    return replace(
        run,
        properties=(*run.properties, *(Property(name, "1") for name in levels)),
        values=np.column_stack([run.values, np.array(list(levels.values())) + own]),
    )


def test_a_reversed_relation_is_found(oracle):
    verdict = check(oracle, several([20, 21, 22], Server(reversed=True)))
    assert verdict.status is Status.REGRESSION
    assert verdict.findings[0].subject == SENT


@pytest.mark.parametrize("follows", [0.5, 1.5])
def test_a_scaled_relation_with_the_same_mean_is_found(oracle, follows):
    verdict = check(oracle, several([20, 21, 22], Server(follows=follows)))
    assert verdict.status is Status.REGRESSION
    finding = verdict.findings[0]
    assert finding.subject == SENT
    assert finding.observed == pytest.approx(finding.expected, rel=0.05)


def test_a_finding_names_what_changed_with_its_target_and_what_has_no_model(oracle):
    runs = [served(number) for number in (20, 21, 22)]
    names = [prop.name for prop in runs[0].properties]
    factors = np.array([{CPU: 2.0, SENT: 2.0, "jvm.thread.count": 1.5}.get(name, 1.0) for name in names])
    verdict = check(oracle, run_set([replace(run, values=run.values * factors) for run in runs]))
    texts = {one.subject: one.text for one in verdict.findings}
    threads = texts.pop("jvm.thread.count")
    assert "the load does not explain it in training, so the model is little more than its mean" in threads
    [(subject, text)] = texts.items()
    other = SENT if subject == CPU else CPU
    assert "it rises and falls with 1 other property; " in text
    assert re.search(rf"also misjudged: {re.escape(other)} \((?:9[5-9]|10\d) % more\)", text)


def test_a_finding_tells_from_when(oracle):
    verdict = check(oracle, several([20, 21, 22], Server(cost=2.0, begins=0.5)))
    finding = next(one for one in verdict.findings if one.subject == CPU)
    assert 45.0 < finding.window_s[0] < 65.0
    assert finding.window_s[1] == pytest.approx(120.0)
    assert "not from the beginning" in finding.text


def test_another_mix_is_inconclusive_and_names_the_kind_of_request(oracle):
    verdict = check(oracle, several([20, 21, 22], Server(writes=0.8)))
    assert verdict.status is Status.INCONCLUSIVE
    assert "the models extrapolate" in verdict.reasons[0]
    assert f"{WRITES} is" in verdict.reasons[0]
    assert "above every training run" in verdict.reasons[0]


def test_one_run_that_stands_out_asks_for_two_more(oracle):
    changed = check(oracle, several([20], Server(cost=1.5)))
    assert changed.status is Status.INCONCLUSIVE
    assert changed.p_value == pytest.approx(1 / 9)
    assert changed.reasons[0].endswith("one run never fails alone: three decide together")
    assert "not ordinary enough" in why_confirm(oracle, changed)
    ordinary = check(oracle, several([21]))
    assert ordinary.status is Status.PASS
    assert why_confirm(oracle, ordinary) is None


def test_one_run_never_fails_alone_though_its_rank_could_reach_alpha():
    oracle = train(several(range(8)), AT_ONCE)
    verdict = check(oracle, several([20], Server(cost=1.5)))
    assert (verdict.status, verdict.p_value <= 0.12) == (Status.INCONCLUSIVE, True)
    assert check(oracle, several([20, 21, 22], Server(cost=1.5))).status is Status.REGRESSION


def holding(number, size, each=0, rate=50.0):
    """A server with live objects at its end: so many bytes, and more for each request."""
    run = served(number, Server(rate))
    requests = sum(run.series(name).sum() for name in LOAD)
    held = ClassCount("com.acme.Session", 10, int(size + each * requests) + 100 * number)
    listed = ClassHistogram(120.0, AT_END, 10, held.size_bytes, (held,))
    return replace(run, histograms=(listed,))


@pytest.mark.parametrize("rate", [25.0, 75.0])
def test_live_objects_of_each_request_are_no_change_under_another_load_and_more_of_them_are(rate):
    oracle = train(run_set([holding(number, 500_000, 200) for number in range(10)]), DEFAULT)
    unchanged, more = (
        check(oracle, run_set([holding(number, 500_000, each, rate) for number in (20, 21, 22)]))
        for each in (200, 300)
    )
    assert unchanged.status is Status.PASS
    assert unchanged.p_value > 0.05
    assert (more.status, more.findings[-1].subject) == (Status.REGRESSION, LIVE_CLASSES.name)
    assert more.findings[-1].text == "mean of 3 runs, given the number of requests"
    asked = 120 * rate
    assert more.findings[-1].expected == pytest.approx(500_000 + 200 * asked, rel=0.1)
    assert more.findings[-1].observed == pytest.approx(500_000 + 300 * asked, rel=0.1)


def test_live_objects_of_one_kind_of_request_are_no_change_under_another_mix():
    def mixed(number, writes):
        run = served(number, Server(writes=writes))
        held = ClassCount("com.acme.Session", 10, int(500_000 + 800 * run.series(WRITES).sum()))
        listed = ClassHistogram(120.0, AT_END, 10, held.size_bytes, (held,))
        return replace(run, histograms=(listed,))

    oracle = train(run_set([mixed(number, 0.1 + 0.04 * number) for number in range(10)]), DEFAULT)
    verdict = check(oracle, run_set([mixed(number, 0.45) for number in (20, 21, 22)]))
    assert verdict.status is Status.PASS
    assert verdict.p_value > 0.05


def test_without_the_number_of_requests_what_is_counted_once_decides_nothing():
    oracle = train(run_set([holding(number, 500_000, 200) for number in range(10)]), DEFAULT)

    def unread(number):
        run = holding(number, 500_000, 200, 25.0)
        silent = [np.isin(prop.name, LOAD) for prop in run.properties]
        return replace(run, values=np.where(silent, np.nan, run.values))

    verdict = check(oracle, run_set([unread(number) for number in (20, 21, 22)]))
    assert LIVE_CLASSES.name not in {one.subject for one in verdict.findings}


def test_live_objects_at_the_end_are_compared():
    oracle = train(run_set([holding(number, 1_000_000) for number in range(8)]), DEFAULT)
    unchanged, more = (
        check(oracle, run_set([holding(number, size) for number in (20, 21, 22)]))
        for size in (1_000_000, 1_500_000)
    )
    assert unchanged.status is Status.PASS
    assert (more.status, more.findings[-1].subject) == (Status.REGRESSION, LIVE_CLASSES.name)
    again = CalibratedDetector(DEFAULT).from_data(json.loads(json.dumps(oracle.fitted.to_data())))
    runs = run_set([holding(number, 1_500_000) for number in (20, 21, 22)])
    assert again.check(runs) == oracle.fitted.check(runs)


def test_a_disturbed_training_run_that_hides_a_leak_is_named():
    disturbed = served(3, Server(kept=1.4, own=0.1))
    oracle = train(run_set([*(served(number) for number in range(10) if number != 3), disturbed]), DEFAULT)
    leaking = [20, 21, 22], Server(75.0, kept=1.1)
    first = check(oracle, several([20], leaking[1]))
    assert first.p_value == pytest.approx(2 / 11)
    assert "not ordinary enough" in why_confirm(oracle, first)
    verdict = check(oracle, several(*leaking))
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.p_value > 0.1
    assert verdict.reasons[0].startswith("training run 4 of 10, in the order of their start, deviates most")
    assert "without it, p would be 0.00455" in verdict.reasons[0]
    assert verdict.findings[0].subject == HEAP


@pytest.mark.parametrize(("n_training", "status"), [(7, Status.PASS), (8, Status.INCONCLUSIVE)])
def test_without_one_of_seven_training_runs_no_check_of_three_can_fail(n_training, status):
    """Six and three runs allow a p-value of 1/84, seven and three one of 1/120."""
    disturbed = {3: Server(kept=1.4, own=0.1)}
    training = [served(number, disturbed.get(number, Server())) for number in range(n_training)]
    verdict = check(train(run_set(training), DEFAULT), several([20, 21, 22], Server(75.0, kept=1.1)))
    assert verdict.status is status


def test_too_few_training_runs_are_warned_of_and_decide_nothing():
    oracle = train(several(range(5)), DEFAULT)
    assert "below 7 even 3 runs" in oracle.warnings[0]
    verdict = check(oracle, several([20, 21, 22], Server(cost=2.0)))
    assert (verdict.status, verdict.runs_needed) == (Status.INCONCLUSIVE, 7)


def test_a_kind_of_request_that_is_rare_may_have_no_latency():
    name = "load.latency.p50[write]"
    training = [_with(served(number), name, 0.02) for number in range(8)]
    oracle = train(run_set(training), DEFAULT)
    assert check(oracle, run_set([_with(served(21), name, np.nan)])).status is Status.PASS


def _with(run, name, value):
    return replace(
        run,
        properties=(*run.properties, Property(name, "s")),
        values=np.column_stack([run.values, np.full(run.n_samples, value)]),
    )


def test_the_page_draws_the_clusters_of_the_findings(oracle):
    runs = several([20, 21, 22], Server(cost=2.0))
    made = datetime(2026, 1, 1, tzinfo=UTC)
    page = render(check_report(judge(oracle, runs.runs), several(range(8)), made=made))
    assert f'aria-label="dendrogram of the cluster of {CPU}"' in page
    clusters = page.partition('<section id="clusters">')[2]
    assert clusters.count('<circle class="new"') == 3 * 12
    assert clusters.count('<circle class="known"') == 8 * 12


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (served(21, Server(n_samples=1)), "a run has fewer than two samples"),
        (replace(served(21), values=np.full_like(served(21).values, np.nan)), f"{CPU} could not be read"),
    ],
)
def test_runs_that_cannot_be_judged_are_reported_without_numbers(oracle, run, reason):
    runs = run_set([served(20), run])
    verdict = check(oracle, runs)
    assert verdict.status is Status.INCONCLUSIVE
    assert any(one.startswith(reason) for one in verdict.reasons)
    view = oracle.fitted.view(runs.runs)
    assert np.isnan(view.reach(runs.runs)).all()
    slower = several([20, 21, 22], Server(cost=2.0))
    assert view.clusters(runs.runs, check(oracle, slower).findings) == ()
    made = datetime(2026, 1, 1, tzinfo=UTC)
    assert reason in render(check_report(judge(oracle, runs.runs), several(range(8)), made=made))


@pytest.mark.parametrize(("cost", "status"), [(1.0, Status.PASS), (1.5, Status.REGRESSION)])
def test_an_oracle_judges_alike_before_and_after_it_was_stored(oracle, tmp_path, cost, status):
    save(tmp_path / "server.json", oracle)
    loaded = load(tmp_path / "server.json")
    runs = several([20, 21, 22], Server(75.0, cost=cost))
    assert check(loaded, runs) == check(oracle, runs)
    assert check(loaded, runs).status is status
    save(tmp_path / "again.json", loaded)
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "server.json").read_bytes()


def test_people_read_what_is_usual_in_each_second(oracle):
    known = {level.prop.name: level for level in oracle.fitted.levels()}
    assert (known["jvm.thread.count"].number, known["jvm.thread.count"].expected) == ("mean", 12)
    assert known[CPU].number == "each second"
    assert known[CPU].expected == pytest.approx(50 * (0.8 * 0.004 + 0.2 * 0.01), rel=0.1)


def test_the_verdict_says_that_the_load_was_adjusted_for(oracle):
    assert re.fullmatch(
        r"adjusted for the load: [\d.]+ to [\d.]+ requests/s in training",
        check(oracle, several([20])).adjusted,
    )


def test_a_certain_change_that_does_not_matter_is_noted(oracle):
    verdict = check(oracle, several([20, 21, 22], Server(75.0, kept=1.1)))
    assert HEAP in [one.subject for one in verdict.findings]
    settings = settings_from({"minimum-effect": {HEAP: "1GiB"}})
    verdict = check(train(several(range(8)), settings), several([20, 21, 22], Server(75.0, kept=1.1)))
    assert (verdict.status, verdict.findings) == (Status.PASS, ())
    assert [one.subject for one in verdict.noted] == [HEAP]


def steady(number, rate=50.0):
    """A run whose rates are those of every other run."""
    run = served(number, Server(rate))
    values = run.values.copy()
    values[:, [run.column_of[name] for name in LOAD]] = [0.8 * rate, 0.2 * rate]
    return replace(run, values=values)


def test_training_under_one_load_warns_and_another_load_is_inconclusive():
    oracle = train(run_set([steady(number) for number in range(8)]), DEFAULT)
    assert any("all runs had the same load (50 requests/s)" in warning for warning in oracle.warnings)
    verdict = check(oracle, run_set([steady(number, 75.0) for number in (20, 21, 22)]))
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.reasons[0].startswith(f"{READS} is 60 ")
    assert "train with a range of rates (rate: 20..60)" in verdict.reasons[0]
    assert check(oracle, run_set([steady(number) for number in (20, 21, 22)])).adjusted == ""


def test_a_program_without_load_is_not_warned_of_it():
    runs = several(range(8), known=False)
    assert not any("load" in warning for warning in train(runs, DEFAULT).warnings)
