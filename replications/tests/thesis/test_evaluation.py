"""Experiments with a known answer, and what may not change it."""

from dataclasses import replace

import numpy as np
import pytest

from buto.errors import JudgeError
from buto.run.model import RunSet
from buto_replications.design import EXPERIMENTS
from buto_replications.thesis.evaluation import evaluate
from buto_replications.thesis.grids import JVM, PARTICLE, SIMPLE, Configuration, Method
from buto_replications.thesis.published import HEAP_USED, JOBS, Scope
from buto_replications.thesis.score_tables import line
from replications.tests.support.variants import a_data_set, variant_run
from tests.support.runs.qualities import starved

REFERENCES = ("references-strong", "references-weak", "references-soft")
WIDE = Method(replace(SIMPLE, deviations=20.0), splits=4)
EVERYTHING = Scope()
FAST = Method(replace(PARTICLE, particles=20, iterations=1), splits=2)


def of(evaluation, method, scope=EVERYTHING):
    found = line(evaluation, Configuration("x", method), scope)
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


def same(one, other):
    keys = one.judged.keys() & other.judged.keys()
    return bool(keys) and all(
        np.array_equal(one.judged[key].positive, other.judged[key].positive)
        and np.array_equal(one.judged[key].negative, other.judged[key].negative)
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
    assert [(one.training, one.negative) for one in evaluation.experiments] == [
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
    assert line(unknown, Configuration("x", from_jvm), Scope()) is None
    assert of(unknown, WIDE).counts == of(known, WIDE).counts
