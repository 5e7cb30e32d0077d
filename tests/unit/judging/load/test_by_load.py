"""The judge on made-up servers: the load differs from run to run, the truth is known."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from buto.judging.configuration import settings_from
from buto.judging.verdict import Direction, Status
from buto.oracle import check, judge, load, save, train
from buto.report.check_report import check_report
from buto.report.html import render
from buto.run.model import run_set
from buto.run.properties import Property
from tests.support.judging import needs_turns
from tests.support.runs.served import CPU, HEAP, LOAD, READS, SENT, WRITES, Server, served, several

DEFAULT = settings_from({})
AT_ONCE = settings_from({"alpha": 0.12})


@pytest.fixture(scope="module")
def oracle():
    return train(several(range(8)), DEFAULT)


@pytest.mark.parametrize("rate", [25.0, 50.0, 75.0])
def test_three_unchanged_runs_under_another_load_pass(oracle, rate):
    assert check(oracle, several([20, 21, 22], Server(rate))).status is Status.PASS


@pytest.mark.parametrize(("rate", "cost"), [(25.0, 1.24), (50.0, 1.24), (75.0, 1.24)])
def test_more_processor_time_a_request_is_found_under_another_load(oracle, rate, cost):
    verdict = check(oracle, several([20, 21, 22], Server(rate, cost=cost)))
    assert needs_turns(verdict)
    assert verdict.p_value == pytest.approx(1 / 165)
    (finding,) = verdict.findings
    assert (finding.subject, finding.direction) == (CPU, Direction.MORE)
    assert finding.observed / finding.expected == pytest.approx(cost, abs=0.05)
    assert "under the same load" in finding.text
    assert "% more" in finding.text
    explanation = oracle.fitted.explain(verdict)
    assert explanation.learned.startswith("8 training runs showed how ")
    assert "the part of the difference that grows with the prediction" in explanation.rule
    assert "share of choices of as many runs" in explanation.rule
    assert explanation.rule.endswith("outside the range of training by more than 1 times its width.")


def test_a_tenth_more_memory_kept_by_each_request_is_found_under_another_load(oracle):
    verdict = check(oracle, several([20, 21, 22], Server(75.0, kept=1.1)))
    assert needs_turns(verdict)
    assert [finding.subject for finding in verdict.findings] == [HEAP]


def test_a_tenth_more_memory_kept_is_found_if_each_phase_has_some_collections():
    """Phases of 30 s have six collections each; what was kept since the last one is not known."""
    oracle = train(several(range(8), Server(collected=5)), DEFAULT)
    unchanged, more = (
        check(oracle, several([20, 21, 22], Server(75.0, collected=5, kept=kept))) for kept in (1.0, 1.1)
    )
    assert unchanged.status is Status.PASS
    assert needs_turns(more)
    assert [finding.subject for finding in more.findings] == [HEAP]


def test_what_each_request_keeps_is_a_finding_with_its_size(oracle):
    verdict = check(oracle, several([20, 21, 22], Server(25.0, kept=1.5)))
    finding = next(difference for difference in verdict.findings if difference.measure == "growth per second")
    assert (finding.subject, finding.direction) == (HEAP, Direction.MORE)
    assert finding.observed / finding.expected == pytest.approx(1.5, abs=0.1)
    assert re.search(r"\((2\.9|3)[.\d]* KiB per request, (1\.9|2)[.\d]* KiB expected\)", finding.text)


def test_a_level_and_its_growth_have_a_picture_each(oracle):
    runs = several([20, 21, 22], Server(25.0, kept=1.5))
    growth = next(
        finding for finding in check(oracle, runs).findings if finding.measure == "growth per second"
    )
    level = replace(growth, measure="mean")
    pictures = oracle.fitted.view(runs.runs).clusters(runs.runs, [level, growth])
    assert [picture.names[0] for picture in pictures] == [HEAP, f"growth of {HEAP}"]
    assert [picture.per_second for picture in pictures] == [False, True]


def test_one_cost_is_found_among_many_quantities_that_do_not_change():
    many = {f"app.idle-{number:02}": 5.0 for number in range(60)}
    training = run_set([_with_noise(served(number), many, number) for number in range(8)])
    slower = Server(75.0, cost=1.3)
    checked = run_set([_with_noise(served(number, slower), many, number) for number in (20, 21, 22)])
    verdict = check(train(training, AT_ONCE), checked)
    assert needs_turns(verdict)
    assert verdict.findings[0].subject == CPU


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
    assert needs_turns(verdict)
    assert verdict.findings[0].subject == SENT


@pytest.mark.parametrize("follows", [0.5, 1.5])
def test_a_scaled_relation_with_the_same_mean_is_found(oracle, follows):
    verdict = check(oracle, several([20, 21, 22], Server(follows=follows)))
    assert needs_turns(verdict)
    finding = verdict.findings[0]
    assert finding.subject == SENT
    assert finding.observed == pytest.approx(finding.expected, rel=0.05)


def test_a_finding_names_what_changed_with_its_target_and_what_has_no_model(oracle):
    runs = [served(number) for number in (20, 21, 22)]
    names = [prop.name for prop in runs[0].properties]
    factors = np.array([{CPU: 2.0, SENT: 2.0, "jvm.thread.count": 1.5}.get(name, 1.0) for name in names])
    verdict = check(oracle, run_set([replace(run, values=run.values * factors) for run in runs]))
    texts = {finding.subject: finding.text for finding in verdict.findings}
    threads = texts.pop("jvm.thread.count")
    assert "the load does not explain it in training, so the model is little more than its mean" in threads
    [(subject, text)] = texts.items()
    other = SENT if subject == CPU else CPU
    assert "it rises and falls with 1 other property; " in text
    assert re.search(rf"also misjudged: {re.escape(other)} \((?:9[5-9]|10\d) % more\)", text)


def test_a_finding_tells_from_when(oracle):
    verdict = check(oracle, several([20, 21, 22], Server(cost=2.0, begins=0.5)))
    finding = next(difference for difference in verdict.findings if difference.subject == CPU)
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
    assert changed.needs_more
    ordinary = check(oracle, several([21]))
    assert ordinary.status is Status.PASS
    assert ordinary.needs_more == ""


def test_one_run_never_fails_alone_though_its_rank_could_reach_alpha():
    oracle = train(several(range(8)), AT_ONCE)
    verdict = check(oracle, several([20], Server(cost=1.5)))
    assert (verdict.status, verdict.p_value <= 0.12) == (Status.INCONCLUSIVE, True)
    assert needs_turns(check(oracle, several([20, 21, 22], Server(cost=1.5))))


def test_a_disturbed_training_run_that_hides_a_leak_is_named():
    disturbed = served(3, Server(kept=1.4, own=0.1))
    oracle = train(run_set([*(served(number) for number in range(10) if number != 3), disturbed]), DEFAULT)
    leaking = [20, 21, 22], Server(75.0, kept=1.1)
    first = check(oracle, several([20], leaking[1]))
    assert first.p_value == pytest.approx(2 / 11)
    assert first.needs_more
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
    assert f'aria-label="predicted against measured: {CPU}"' in page
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
    assert any(given_reason.startswith(reason) for given_reason in verdict.reasons)
    view = oracle.fitted.view(runs.runs)
    assert np.isnan(view.reach(runs.runs)).all()
    slower = several([20, 21, 22], Server(cost=2.0))
    assert view.clusters(runs.runs, check(oracle, slower).findings) == ()
    made = datetime(2026, 1, 1, tzinfo=UTC)
    assert reason in render(check_report(judge(oracle, runs.runs), several(range(8)), made=made))


@pytest.mark.parametrize(("cost", "status"), [(1.0, Status.PASS), (1.5, Status.INCONCLUSIVE)])
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
    assert HEAP in [finding.subject for finding in verdict.findings]
    settings = settings_from({"minimum-effect": {HEAP: "1GiB"}})
    verdict = check(train(several(range(8)), settings), several([20, 21, 22], Server(75.0, kept=1.1)))
    assert (verdict.status, verdict.findings) == (Status.PASS, ())
    assert [finding.subject for finding in verdict.noted] == [HEAP]


def steady(number, rate=50.0):
    """A run whose rates are those of every other run."""
    run = served(number, Server(rate))
    values = run.values.copy()
    values[:, [run.column_of[name] for name in LOAD]] = [0.8 * rate, 0.2 * rate]
    return replace(run, values=values)


def test_training_under_one_load_is_as_configured_and_another_load_is_inconclusive():
    oracle = train(run_set([steady(number) for number in range(8)]), DEFAULT)
    assert not any("load" in warning for warning in oracle.warnings), (
        "the rate is meant: it stands in the workload"
    )
    verdict = check(oracle, run_set([steady(number, 75.0) for number in (20, 21, 22)]))
    assert verdict.status is Status.INCONCLUSIVE
    assert verdict.reasons[0].startswith(f"{READS} is 60 ")
    assert "train with a range of rates (rate: 20..60)" in verdict.reasons[0]
    assert check(oracle, run_set([steady(number) for number in (20, 21, 22)])).adjusted == ""


def test_rare_requests_of_long_runs_have_the_load_of_training():
    """Two in three seconds: a few samples say little of them, and all samples of a run enough."""

    def rare(number):
        run = served(number, Server(n_samples=720))
        values = run.values.copy()
        reads = np.random.default_rng(number).poisson(0.7, len(values))
        values[:, [run.column_of[name] for name in LOAD]] = np.c_[reads, np.full(len(values), 10.0)]
        return replace(run, values=values)

    oracle = train(run_set([rare(number) for number in range(8)]), DEFAULT)
    for number in range(20, 30):
        verdict = check(oracle, run_set([rare(number)]))
        assert verdict.p_value is not None, verdict.reasons
        assert verdict.adjusted == ""


def test_a_program_without_load_is_not_warned_of_it():
    runs = several(range(8), known=False)
    assert not any("load" in warning for warning in train(runs, DEFAULT).warnings)
