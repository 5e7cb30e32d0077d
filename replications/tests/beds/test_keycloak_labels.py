"""Every planned run gets the labels by which the data set of the bed knows it."""

from dataclasses import replace

import pytest

from beds.keycloak.plan import BLOCKS, planned_runs
from buto.measure.host import environment
from buto_replications.bed.labels import PART_OF_BLOCK, block_of, labels_of
from tests.support.runs.examples import full_run


@pytest.mark.parametrize("block", BLOCKS)
def test_the_data_set_reads_the_labels_of_every_planned_run(block):
    for planned in planned_runs(block):
        labels = planned.environment.labels | planned.labels
        run = replace(full_run(), metadata=environment(labels))
        found = labels_of(run)
        assert (found.environment, found.role) == (planned.environment.name, planned.role)
        assert found.fault == planned.fault.name
        assert found.load.startswith("-".join(map(str, planned.load.rates)))
        assert found.load.endswith("writes x4") == (planned.load.writes == 4)
        assert block_of(run) == str(block)
        assert block_of(run) in PART_OF_BLOCK
