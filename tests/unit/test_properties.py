import pytest

from buto.properties import Better, property_for


@pytest.mark.parametrize("pool", ["G1 Eden Space", "PS Survivor Space", "Eden Space", "Par Survivor Space"])
@pytest.mark.parametrize("size", ["committed", "used"])
def test_neither_direction_is_better_for_what_the_collector_gives_to_young_objects(size, pool):
    assert property_for(f"jvm.memory.{size}[{pool}]").better is Better.UNKNOWN


@pytest.mark.parametrize(
    "name",
    [
        "jvm.memory.used[G1 Old Gen]",
        "jvm.memory.committed[Metaspace]",
        "jvm.memory.heap.used",
        "jvm.memory.threshold.crossings[G1 Eden Space]",
        "jvm.gc.count[G1 Young Generation]",
    ],
)
def test_less_of_everything_else_is_better(name):
    assert property_for(name).better is Better.LOWER
