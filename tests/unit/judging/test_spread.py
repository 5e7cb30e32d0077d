import numpy as np
import pytest

from buto.judging.contrasts import grains
from buto.run.properties import Property, property_for


@pytest.mark.parametrize(
    ("name", "grain"),
    [
        ("jvm.memory.heap.used", 65536),
        ("jvm.class.count", 0.5),
        ("jvm.gc.time[Copy]", 0.004),
        ("jvm.cpu.time", 0.015),
    ],
)
def test_grains_of_the_default_properties(name, grain):
    assert grains([property_for(name)], [np.array([[1.5]])]) == [grain]


def test_unknown_units_have_a_grain_only_for_whole_numbers():
    mine = [Property("mbean[a]/Jobs"), Property("mbean[a]/Ratio"), Property("mbean[a]/Gone")]
    values = [np.array([[3, 0.25, np.nan], [4, 0.5, np.nan]])]
    assert grains(mine, values).tolist() == [0.5, 0, 0.5]
