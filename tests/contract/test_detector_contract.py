"""What every detector must hold to; the list grows with the registry, and other packages have their own."""

import json
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from buto import oracle as oracles
from buto.errors import BadFileError
from buto.judging import registry
from buto.judging.judge_settings import JudgeSettings
from buto.judging.verdict import Status
from buto.oracle import check, load, save, settings_from
from buto.oracle.text import to_text
from buto.oracle.train import fewest_runs
from buto.run.model import run_set
from tests.support.examples import examples
from tests.support.judging import needs_turns
from tests.support.runs.labelled import past_of
from tests.support.runs.signals import INTERVAL_S, Program, make_run, program_run, program_runs

NAN = float("nan")
OTHERS = (
    {"method": "thesis", "thesis": {"bounds": "kalman", "time-points": "rounding"}},
    {"method": "thesis", "thesis": {"smoothing": "median", "matching": "interpolated"}},
    {"fail-on": "worse", "alpha": 0.05, "minimum-effect": {"jvm.memory.*": "1MiB", "*": "1%"}},
)
SETTINGS = [
    *(registry.detector(name).defaults for name in registry.DETECTORS),
    *map(settings_from, OTHERS),
]


def label(chosen):
    usual = registry.detector(chosen.method).defaults.own()
    own = {key: value for key, value in chosen.own().items() if value != usual.get(key)}
    return "-".join((chosen.method, *(str(value) for value in own.values() if not isinstance(value, dict))))


pytestmark = pytest.mark.parametrize("chosen", SETTINGS, ids=label)


def one(run):
    return run_set([run])


def of_a_check(chosen, runs):
    """The runs that a check of a changed program makes: the first, or all where one alone never fails."""
    return run_set(runs if isinstance(chosen, JudgeSettings) else runs[:1])


def constant_runs(count, value=812.0, first=0):
    return run_set(
        [
            make_run(number, np.arange(20) * INTERVAL_S, {"jvm.class.count": np.full(20, value)})
            for number in range(first, first + count)
        ]
    )


def train(runs, chosen, **more):
    """Train, and let a detector that learns from labels know what it needs: twenty good runs and some bad."""
    pasts = [_past(runs)] if oracles.learns_from_labels(chosen) else []
    return oracles.train(runs, chosen, pasts=pasts, **more)


def _past(runs):
    taught = sorted(runs, key=lambda run: run.id)
    if len(taught[-1].properties) == 1:
        return past_of(taught, constant_runs(20, first=100), constant_runs(4, 1500.0, first=200))
    changes = (Program(threads=80), Program(leak=5e8), Program(work=8.0)) * 2
    bad = [program_run(1, 200 + number, change) for number, change in enumerate(changes)]
    return past_of(taught, [program_run(1, 100 + number) for number in range(20)], bad)


def test_a_constant_program_passes(chosen):
    oracle = train(constant_runs(5), chosen)
    assert check(oracle, one(constant_runs(6).runs[-1])).status is Status.PASS


def test_a_constant_that_doubles_is_found(chosen):
    oracle = train(constant_runs(10), chosen)
    verdict = check(oracle, of_a_check(chosen, constant_runs(3, 1624.0, first=50).runs))
    assert verdict.status is Status.REGRESSION
    assert [finding.subject for finding in verdict.findings] == ["jvm.class.count"]


def test_the_training_runs_themselves_pass(chosen):
    runs = program_runs(1, 10)
    oracle = train(runs, chosen)
    alone = [check(oracle, one(run)) for run in runs]
    assert all(verdict.status is Status.PASS or verdict.needs_more for verdict in alone)
    for first in range(0, 9, 3):
        assert check(oracle, run_set(runs.runs[first : first + 3])).status is Status.PASS


def test_large_changes_are_found(chosen):
    oracle = train(program_runs(1, 10), chosen)
    for program in (Program(threads=100), Program(leak=1e9), Program(work=10.0)):
        runs = [program_run(1, number, program) for number in (50, 51, 52)]
        verdict = check(oracle, of_a_check(chosen, runs))
        # What follows the machine accuses nobody by the rule of a check, before old and new ran in turns.
        is_open = verdict.looked is not None
        assert needs_turns(verdict) if is_open else verdict.status is Status.REGRESSION


def test_a_large_change_of_what_no_machine_moves_fails_by_the_rule_of_a_check_and_never_passes(chosen):
    oracle = train(program_runs(1, 10), chosen)
    runs = [program_run(1, number, Program(classes=900)) for number in (50, 51, 52)]
    verdict = check(oracle, of_a_check(chosen, runs))
    # A method that learns from labels may know no regression that is like this one.
    learns = verdict.looked is None and verdict.status is Status.INCONCLUSIVE
    assert verdict.status is Status.REGRESSION or learns


def test_a_property_that_can_no_longer_be_read_is_never_a_pass(chosen):
    oracle = train(program_runs(1, 5), chosen)
    run = program_run(1, 0)
    values = run.values.copy()
    values[:, 2] = NAN
    verdict = check(oracle, one(replace(run, values=values)))
    assert verdict.status is not Status.PASS
    assert any(run.properties[2].name in text for text in (*verdict.reasons, *verdict.warnings))


def test_scattered_unreadable_values_do_no_harm(chosen):
    runs = [_with_holes(run) for run in program_runs(1, 6)]
    oracle = train(run_set(runs), chosen)
    assert check(oracle, one(runs[0])).status is Status.PASS


def test_a_property_that_one_training_run_lacks_is_left_out(chosen):
    runs = list(program_runs(1, 5))
    lacking = replace(runs[2], properties=runs[2].properties[1:], values=runs[2].values[:, 1:].copy())
    oracle = train(run_set([*runs[:2], lacking, *runs[3:]]), chosen)
    assert check(oracle, one(lacking)).status is Status.PASS


def test_training_runs_of_unequal_length_are_learned_from(chosen):
    runs = [program_run(2, number, Program(duration_s=3.0 + number % 4 / 2)) for number in range(8)]
    assert check(train(run_set(runs), chosen), one(runs[3])).status is Status.PASS


def test_a_run_without_samples_is_not_a_pass(chosen):
    oracle = train(constant_runs(5), chosen)
    assert check(oracle, one(make_run(9, [], {"jvm.class.count": []}))).status is not Status.PASS


@settings(max_examples=examples(10))
@given(order=st.randoms())
def test_the_order_of_the_training_runs_does_not_matter(chosen, order):
    runs = list(program_runs(3, 6))
    shuffled = runs.copy()
    order.shuffle(shuffled)
    one_oracle, other = (train(run_set(some), chosen) for some in (runs, shuffled))
    assert one_oracle.fitted.to_data() == other.fitted.to_data()
    assert train(type(run_set(runs))(tuple(shuffled)), chosen).fitted.to_data() == other.fitted.to_data()


@settings(max_examples=examples(8))
@given(seed=st.integers(0, 10_000), more=st.integers(0, 5))
def test_an_oracle_judges_alike_before_and_after_it_was_stored(chosen, tmp_path_factory, seed, more):
    oracle = train(
        program_runs(seed, fewest_runs(chosen) + more), chosen, target={"command": ["java", "Main"]}
    )
    path = tmp_path_factory.mktemp("oracle") / "program.json"
    save(path, oracle)
    loaded = load(path)
    for program in (Program(), Program(heap=1.3), Program(threads=3), Program(leak=3e6)):
        run = one(program_run(seed, 99, program))
        assert check(loaded, run) == check(oracle, run)
    assert (loaded.target, loaded.run_ids) == (oracle.target, oracle.run_ids)
    save(path.with_name("again.json"), loaded)
    assert path.with_name("again.json").read_bytes() == path.read_bytes()


def test_data_of_another_shape_is_refused(chosen):
    detector = registry.detector(chosen.method)(chosen)
    data = json.loads(to_text(detector.fit(program_runs(1, 5)).to_data()))
    for key in data:
        for damaged in ({**data, key: "x"}, {name: data[name] for name in data if name != key}):
            with pytest.raises(BadFileError):
                detector.from_data(damaged)


def test_a_method_is_called_alike_everywhere(chosen):
    detector = registry.detector(chosen.method)
    assert detector.name == detector.defaults.method == chosen.method


def test_every_setting_is_a_key_of_the_detector(chosen):
    keys = {key.name: key for key in registry.detector(chosen.method).keys}
    data = chosen.own()
    assert data.keys() <= keys.keys()
    assert all(keys[key].accepts(value) for key, value in data.items())
    for key in keys.values():
        jsonschema.Draft7Validator.check_schema(key.schema)


def test_what_can_be_drawn_is_of_the_properties_that_are_judged(chosen):
    runs = program_runs(1, 6)
    fitted = train(runs, chosen).fitted
    view = fitted.view(runs.runs)
    times, values = view.curves(runs.runs[0])
    assert values.shape == (len(times), len(view.properties))
    assert view.reach(runs.runs[:1]).shape == (len(view.properties),)
    for column in range(len(view.properties)):
        band = view.band(column)
        assert band is None or (band.lower <= band.upper)[~np.isnan(band.lower)].all()
    assert not {prop.name for prop in view.properties} & fitted.left_out.keys()


def test_a_verdict_is_explained_in_sentences(chosen):
    oracle = train(program_runs(1, 6), chosen)
    reasoning = oracle.fitted.explain(check(oracle, one(program_run(1, 50))))
    assert reasoning.learned.endswith(".")
    assert not reasoning.rule or reasoning.rule.endswith(".")
    assert all(len(row) == len(part.columns) for part in reasoning.sections for row in part.rows)


def _with_holes(run):
    values = run.values.copy()
    values[3::7] = NAN
    return replace(run, values=values)
