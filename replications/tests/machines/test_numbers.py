"""A run as numbers: what is added up, and what counts as read."""

import numpy as np

from buto.judging.environments import environment_of
from buto.judging.settings import USUAL_METADATA
from buto.run.properties import property_for
from buto_replications.detectors.machines.numbers import merged, quantity_of
from tests.support.runs.signals import INTERVAL_S, make_run

TIMES = np.arange(10) * INTERVAL_S
ONCE = np.append(np.full(9, np.nan), 7.0)


def read(columns, *names):
    return merged(make_run(0, TIMES, columns), [property_for(name) for name in names]).values


def test_collectors_that_do_the_same_are_one_quantity():
    names = ("jvm.gc.count[PS Scavenge]", "jvm.gc.count[PS MarkSweep]", "jvm.memory.used[PS Old Gen]")
    assert [quantity_of(property_for(name)).name for name in names] == [
        "jvm.gc.count",
        "jvm.gc.count",
        "jvm.memory.used[Old]",
    ]
    columns = dict(zip(names, (np.full(10, 3.0), np.full(10, 2.0), np.full(10, 9.0)), strict=True))
    values = read(columns, "jvm.gc.count", "jvm.memory.used[Old]")
    assert values.tolist() == [[5.0, 9.0]] * 10


def test_other_pools_keep_their_names():
    for name in ("jvm.memory.used[Metaspace]", "jvm.buffer.count[direct]", "jvm.thread.count", "Old"):
        assert quantity_of(property_for(name)).name == name


def test_what_is_read_once_at_the_end_counts():
    values = read({"jvm.memory.heap.live": ONCE}, "jvm.memory.heap.live")
    assert values[-1, 0] == 7.0


def test_a_usual_quantity_that_is_hardly_read_does_not_count():
    assert np.isnan(read({"jvm.thread.count": ONCE}, "jvm.thread.count")).all()


def test_a_quantity_that_a_run_lacks_is_unread():
    assert np.isnan(read({"jvm.thread.count": np.ones(10)}, "jvm.class.count")).all()


def test_the_order_in_which_a_jvm_lists_its_collectors_makes_no_environment():
    first, other = ({"jvm.gc.collectors": listed} for listed in ("G1 Young, G1 Old", "G1 Old, G1 Young"))
    assert environment_of(first, USUAL_METADATA) == environment_of(other, USUAL_METADATA)
    assert environment_of(first, USUAL_METADATA) != environment_of(
        {"jvm.gc.collectors": "Copy"}, USUAL_METADATA
    )
