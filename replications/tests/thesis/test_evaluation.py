"""The thesis's experiments on runs of known truth: divisions, counts, notifications."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import JudgeError
from buto.run.model import Notification, RunSet
from buto_replications.dataset.generate import HOSTS, host_and_variant, name_on
from buto_replications.design import EXPERIMENTS, PROGRAMS, VARIANTS, splits
from buto_replications.thesis.evaluation import evaluate
from buto_replications.thesis.grids import JVM, PARTICLE, SIMPLE, GridConfiguration, Method
from buto_replications.thesis.notifications import Classifier, FlaggedNotifications, notified_runs
from buto_replications.thesis.published import HEAP_USED, JOBS, Scope
from buto_replications.thesis.score_tables import line
from replications.tests.support.variants import a_data_set, variant_run
from tests.support.checkout import ROOT
from tests.support.runs.qualities import starved

REFERENCES = ("references-strong", "references-weak", "references-soft")
WIDE = Method(replace(SIMPLE, deviations=20.0), splits=4)
EVERYTHING = Scope()
FAST = Method(replace(PARTICLE, particles=20, iterations=1), splits=2)


def of(evaluation, method, scope=EVERYTHING):
    found = line(evaluation, GridConfiguration("x", method), scope)
    assert found is not None
    return found


def test_variants_that_are_far_apart_are_distinguished():
    # Of six runs twenty deviations are sometimes too few.
    method = replace(WIDE, pipeline=replace(SIMPLE, deviations=60.0))
    evaluation = evaluate(a_data_set(12, REFERENCES, shift=300.0), [method])
    found = of(evaluation, method)
    # Six pairs of variants, six runs judged of each, four splits.
    assert found.counts == (6 * 6 * 4, 0, 6 * 6 * 4, 0)
    assert found.scores == (1.0, 1.0, 1.0)
    assert (found.n_training, found.n_splits) == (6, 4)


def test_variants_that_do_not_differ_are_not_distinguished():
    evaluation = evaluate(a_data_set(30, REFERENCES, shift=0.0), [WIDE])
    found = of(evaluation, WIDE, Scope(None, HEAP_USED))
    tp, fn, tn, fp = found.counts
    assert tp + fn == tn + fp == 6 * 15 * 4
    assert found.scores[0] == pytest.approx(0.5, abs=0.03)


def test_one_property_outside_is_enough_for_all_together():
    runs = a_data_set(12, REFERENCES, shift=0.0)
    odd = [
        replace(
            run,
            values=np.where(np.arange(run.values.shape[1]) == run.column_of[HEAP_USED[0]], 0.0, run.values),
        )
        for run in runs["references-weak"]
    ]
    evaluation = evaluate({**runs, "references-weak": RunSet(tuple(odd))}, [WIDE])
    counts = of(evaluation, WIDE).counts
    by_heap = of(evaluation, WIDE, Scope("references", HEAP_USED)).counts
    pairs_with_weak = 4
    assert by_heap[2] == counts[2] == pairs_with_weak * 6 * 4


def same(evaluation, other):
    keys = evaluation.judged.keys() & other.judged.keys()
    return bool(keys) and all(
        np.array_equal(evaluation.judged[key].positive, other.judged[key].positive)
        and np.array_equal(evaluation.judged[key].negative, other.judged[key].negative)
        for key in keys
    )


def test_only_the_seed_changes_a_count():
    runs = a_data_set(8, REFERENCES[:2])
    methods = [WIDE, FAST, Method(SIMPLE, 0.25, 0.25, splits=3)]
    alone = evaluate(runs, methods, seed=5)
    assert same(alone, evaluate(runs, methods, seed=5))
    assert same(alone, evaluate(runs, methods[1:2], seed=5))
    assert not same(alone, evaluate(runs, methods, seed=6))


def test_progress_is_reported_until_all_parts_are_done():
    seen = []
    evaluate(a_data_set(8, REFERENCES), [WIDE], watch=lambda done, parts: seen.append((done, parts)))
    assert seen == [(number, 3 * 4) for number in range(1, 13)]


def test_runs_that_are_not_usable_take_no_part_and_all_variants_have_as_many():
    runs = dict(a_data_set(9, REFERENCES[:2]))
    odd = variant_run(REFERENCES[0], 0, quality=starved("it was starved"))
    runs[REFERENCES[0]] = RunSet((odd, *runs[REFERENCES[0]].runs[1:]))
    evaluation = evaluate(runs, [WIDE])
    assert evaluation.n_runs == 8
    assert odd.id not in evaluation.runs[REFERENCES[0]]
    assert {len(ids) for ids in evaluation.runs.values()} == {8}


def test_experiments_whose_variants_were_not_recorded_are_left_out():
    evaluation = evaluate(a_data_set(8, (*REFERENCES[:2], "leaker-string")), [WIDE])
    assert [(experiment.training, experiment.negative) for experiment in evaluation.experiments] == [
        REFERENCES[:2],
        REFERENCES[1::-1],
    ]


def test_all_variants_make_the_thirty_two_experiments():
    evaluation = evaluate(a_data_set(4), [Method(SIMPLE, splits=1)])
    assert evaluation.experiments == EXPERIMENTS
    jobs = of(evaluation, Method(SIMPLE, splits=1), Scope("consumerproducer", JOBS))
    assert sum(jobs.counts) == 14 * 2 * 2


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({}, "no two variants"),
        (a_data_set(8, ("references-strong", "leaker-string")), "no two variants"),
        (a_data_set(2, REFERENCES), "3 usable runs are needed"),
    ],
    ids=["none", "no pair", "few runs"],
)
def test_too_little_is_refused(runs, message):
    with pytest.raises(JudgeError, match=message):
        evaluate(runs, [WIDE])


def test_a_method_for_which_there_are_too_few_runs_does_not_keep_the_others_from_theirs():
    greedy = replace(WIDE, training=0.8, test=0.5)
    runs = a_data_set(8, REFERENCES)
    both = evaluate(runs, [WIDE, greedy])
    assert both.not_applicable == {
        greedy: "references-soft: 10 usable runs are needed to train with 6 and judge 4, got 8"
    }
    assert of(both, WIDE).counts == of(evaluate(runs, [WIDE]), WIDE).counts


def test_the_clock_of_the_jvm_needs_runs_that_say_when_it_started():
    from_jvm = replace(WIDE, clock=JVM)
    runs = a_data_set(8, REFERENCES[:2])
    known = evaluate(runs, [WIDE, from_jvm])
    assert not known.not_applicable
    # JVMs that take between 150 and 500 ms to boot shift what main's clock has in one place.
    assert of(known, from_jvm).counts[0] < of(known, WIDE).counts[0]
    silent = {name: RunSet(tuple(replace(run, metadata={}) for run in ours)) for name, ours in runs.items()}
    unknown = evaluate(silent, [WIDE, from_jvm])
    assert set(unknown.not_applicable) == {from_jvm}
    assert line(unknown, GridConfiguration("x", from_jvm), Scope()) is None
    assert of(unknown, WIDE).counts == of(known, WIDE).counts


def emitted(*times_s):
    """Notifications 1, 2, 3 and so on."""
    return tuple(
        Notification(time_s, "milestone", "bean", number, "") for number, time_s in enumerate(times_s, 1)
    )


TRAINING = [emitted(1.0, 2.0), emitted(1.2, 2.2, 3.0), emitted(1.1, 2.1)]
"""Number 1 comes at 1.1 s with a deviation of .1 s, number 2 a second later, number 3 in one run only."""


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (emitted(1.1, 2.1), 0),
        (emitted(1.49, 2.49), 0),
        (emitted(1.51, 2.1), 1),
        (emitted(0.69, 2.51), 2),
        (emitted(1.1), 1),
        (emitted(), 2),
        # What one training run had is neither expected nor flagged; what none had is flagged.
        (emitted(1.1, 2.1, 9.0), 0),
        (emitted(1.1, 2.1, 3.0, 4.0), 1),
        ((*emitted(1.1, 2.1), *emitted(1.1)), 1),
    ],
)
def test_counted_by_hand(run, expected):
    assert Classifier(TRAINING).flagged(run) == expected


def test_means_deviations_and_errors():
    flagged = FlaggedNotifications(np.array([1, 3]), np.array([1.0, 2.0, np.nan, 3.0, 2.0]))
    assert flagged.mean_and_deviation() == (2.0, pytest.approx(np.sqrt(2)))
    assert flagged.mean_and_error() == (2.0, pytest.approx(np.sqrt(2 / 3) / 2))


def test_both_experiments_of_the_thesis():
    different, similar = notified_runs(a_data_set(12), seed=1)
    assert different.thesis.figure == "5.11" and similar.thesis.figure == "5.12"
    # Milestones of another variant come at other times; those of the same are within four deviations.
    assert different.positive.mean_and_deviation()[0] < 1 < 5 < different.negative.mean_and_deviation()[0]
    assert len(different.positive.first) == len(different.negative.first) == 6


def test_splits_are_reproducible_and_too_few_runs_say_nothing():
    runs = a_data_set(8, ("consumerproducer-v0", "consumerproducer-v4"))
    first, other = notified_runs(runs, seed=2), notified_runs(runs, seed=2)
    assert [list(each.positive.of_runs) for each in first] == [list(each.positive.of_runs) for each in other]
    few = {name: RunSet(tuple(variant_run(name, number) for number in range(3))) for name in runs}
    assert notified_runs(few, seed=2) == ()


RUNS = {"a": range(12), "b": range(3, 20)}


def as_lists(split):
    return [{name: ours.tolist() for name, ours in part.items()} for part in (split.training, split.test)]


def test_the_tables_of_the_thesis():
    # Tables 3.1, 3.2, 3.3 and 3.5.
    assert Counter(experiment.program for experiment in EXPERIMENTS) == {
        "references": 6,
        "leaker": 6,
        "classloading": 6,
        "consumerproducer": 14,
    }
    pairs = {(experiment.training, experiment.negative) for experiment in EXPERIMENTS}
    assert len(pairs) == 32
    assert pairs == {(negative, training) for training, negative in pairs}
    for experiment in EXPERIMENTS:
        assert experiment.training != experiment.negative
        assert {experiment.training, experiment.negative} <= set(PROGRAMS[experiment.program])
    of_threads = [pair for pair in pairs if "consumerproducer" in pair[0]]
    assert all("consumerproducer-v0" in pair for pair in of_threads)


@pytest.mark.parametrize("host", HOSTS)
def test_each_host_has_a_configuration_of_every_variant(host):
    path = ROOT / "configs" / f"{host}.yaml"
    assert set(yaml.safe_load(path.read_text())["tests"]) == set(VARIANTS)


def test_the_hosts_differ_in_the_garbage_collector_only():
    directory = ROOT / "configs"
    parallel, g1 = (yaml.safe_load((directory / f"{host}.yaml").read_text()) for host in HOSTS)
    for test in g1["tests"].values():
        assert test["command"].count("-XX:+UseG1GC") == 1
        test["command"] = test["command"].replace("-XX:+UseG1GC", "-XX:+UseParallelGC")
    assert g1 == parallel


@pytest.mark.parametrize("host", HOSTS)
def test_names_of_variants_on_hosts(host):
    for variant in VARIANTS:
        assert host_and_variant(name_on(host, variant)) == (host, variant)


@pytest.mark.parametrize("name", ["leaker", "leaker@zgc", "@g1", "leaker@", "", "g1"])
def test_other_names_are_refused(name):
    with pytest.raises(ValueError, match="must be VARIANT@HOST"):
        host_and_variant(name)


@given(
    st.dictionaries(st.sampled_from("abc"), st.sets(st.integers(0, 60), min_size=8), min_size=1),
    st.integers(1, 5),
    st.none() | st.integers(1, 3),
    st.integers(0, 9),
)
def test_no_run_that_trains_is_judged(ordinals, n_training, n_test, seed):
    runs = {variant: sorted(ours) for variant, ours in ordinals.items()}
    for split in splits(runs, n_training, 3, seed, n_test):
        for variant, ours in runs.items():
            training, test = split.training[variant].tolist(), split.test[variant].tolist()
            assert len(training) == n_training
            assert len(test) == (len(ours) - n_training if n_test is None else n_test)
            assert len({*training, *test}) == len(training) + len(test)
            assert {*training, *test} <= set(ours)


def test_the_seed_repeats_the_splits_and_another_one_does_not():
    first, again, other = (list(map(as_lists, splits(RUNS, 5, 4, seed))) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert len({str(split) for split in first}) == 4


def test_splits_of_a_variant_do_not_depend_on_the_others():
    alone = splits({"b": RUNS["b"]}, 5, 3, seed=1)
    together = splits(RUNS, 5, 3, seed=1)
    for alone_split, other in zip(alone, together, strict=True):
        assert alone_split.training["b"].tolist() == other.training["b"].tolist()
        assert alone_split.test["b"].tolist() == other.test["b"].tolist()


def test_variants_are_not_divided_alike():
    same = {"a": range(30), "b": range(30)}
    split = splits(same, 15, 1, seed=1)[0]
    assert set(split.training["a"]) != set(split.training["b"])


def test_more_training_keeps_what_trained_and_what_is_judged():
    few, many = (splits(RUNS, n, 3, seed=1, n_test=4) for n in (3, 8))
    for less, more in zip(few, many, strict=True):
        for variant in RUNS:
            assert set(less.training[variant]) < set(more.training[variant])
            assert less.test[variant].tolist() == more.test[variant].tolist()


def test_every_run_trains_about_as_often_as_another():
    trained = np.concatenate([split.training["a"] for split in splits({"a": range(10)}, 5, 400, seed=3)])
    # 200 times each is expected, with a deviation of 10.
    assert np.abs(np.bincount(trained, minlength=10) - 200).max() < 40


def test_too_few_runs_are_reported_with_the_variant():
    with pytest.raises(JudgeError, match="a: 13 usable runs are needed to train with 10 and judge 3, got 12"):
        splits(RUNS, 10, 1, seed=1, n_test=3)
    with pytest.raises(JudgeError, match="train with 12 and judge 1"):
        splits(RUNS, 12, 1, seed=1)
