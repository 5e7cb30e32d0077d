"""The worked example of Shang et al.: 8 counters, 8 observations of each of two versions."""

import numpy as np
import pytest

from buto.judging.calibrated.load_findings import ks_statistics
from buto.judging.calibrated.load_models import merges
from buto_replications.clusters.example import BOTH, KEPT, NAMES, NEW, OLD
from buto_replications.detectors.regression_clusters import clustered, distances, pseudo_f
from buto_replications.detectors.regression_fits import reduced, target_of
from buto_replications.detectors.regression_models import judged

SIX = [NAMES[one] for one in KEPT]
TABLE_2 = """
 .58
 .08 .80
 .90 .07 .15
 .44 .52 .73 .93
 .84 .06 .14 .12 .03
"""


def test_the_fifteen_distances():
    expected = [list(map(float, line.split())) for line in TABLE_2.strip().splitlines()]
    found = distances(BOTH[:, KEPT], "eq1")
    for row, line in enumerate(expected, start=1):
        assert found[row, :row] == pytest.approx(line, abs=0.0051)
    assert (found == found.T).all()


def test_the_merges_and_the_three_clusters():
    dendrogram = merges(distances(BOTH[:, KEPT], "eq1"))
    assert dendrogram[:, 2] == pytest.approx([0.033, 0.067, 0.079, 0.405, 0.571], abs=0.0006)
    assert pseudo_f(dendrogram).argmax() + 2 == 3
    assert [{SIX[one] for one in some} for some in clustered(BOTH[:, KEPT], "eq1")] == [
        {"CPU Privileged", "IO read byte/sec"},
        {"CPU User", "IO write byte/sec"},
        {"IO write op/sec", "Memory Private byte"},
    ]


def test_the_targets():
    statistics = ks_statistics(OLD[:, KEPT], NEW[:, KEPT])
    clusters = clustered(BOTH[:, KEPT], "eq1")
    targets = [SIX[target_of(one, statistics, SIX)] for one in clusters]
    assert targets == ["IO read byte/sec", "CPU User", "IO write op/sec"]


def test_the_errors_are_100_4_and_2_percent_signed():
    found = list(judged([OLD[:, KEPT]], NEW[:, KEPT], SIX, 1.0, "eq1"))
    assert [one.new.signed for one in found] == pytest.approx([-1.0, -0.044, -0.022], abs=0.0005)
    assert [one.new.absolute for one in found] == pytest.approx([1.0, 0.087, 0.045], abs=0.0005)
    assert [one.new.undefined for one in found] == [0.0, 0.0, 0.0]


def test_read_operations_and_one_of_the_two_memory_counters_are_redundant():
    found = reduced(BOTH, 0.9)
    # The paper leaves out the working set, whose R² is almost as large, and keeps the private bytes.
    assert [NAMES[column] for column, _ in found.redundant] == ["IO read op/sec", "Memory Private byte"]
    assert [share for _, share in found.redundant] == pytest.approx([0.9999, 0.9245], abs=0.0001)


def test_the_observations_are_the_papers():
    assert OLD.shape == NEW.shape == (8, 8)
    assert np.isfinite(BOTH).all()
