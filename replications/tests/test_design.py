"""The thirty-two experiments, and runs divided at random."""

from collections import Counter

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from buto.errors import JudgeError
from buto_replications.dataset.variants import HOSTS, host_and_variant, name_on
from buto_replications.design import EXPERIMENTS, PROGRAMS, VARIANTS, splits
from tests.support.checkout import ROOT

RUNS = {"a": range(12), "b": range(3, 20)}


def as_lists(split):
    return [{name: ours.tolist() for name, ours in part.items()} for part in (split.training, split.test)]


def test_the_tables_of_the_thesis():
    # Tables 3.1, 3.2, 3.3 and 3.5.
    assert Counter(one.program for one in EXPERIMENTS) == {
        "references": 6,
        "leaker": 6,
        "classloading": 6,
        "consumerproducer": 14,
    }
    pairs = {(one.training, one.negative) for one in EXPERIMENTS}
    assert len(pairs) == 32
    assert pairs == {(negative, training) for training, negative in pairs}
    for one in EXPERIMENTS:
        assert one.training != one.negative
        assert {one.training, one.negative} <= set(PROGRAMS[one.program])
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
    for one, other in zip(alone, together, strict=True):
        assert one.training["b"].tolist() == other.training["b"].tolist()
        assert one.test["b"].tolist() == other.test["b"].tolist()


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
